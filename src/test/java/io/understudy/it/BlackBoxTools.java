package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.understudy.embedded.EmbeddedServer;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;

/** The servers' own tools, as an operator would use them. */
final class BlackBoxTools {
    private BlackBoxTools() {}

    /** Debian's packages mariadb-client and mariadb-server have them. */
    static void assumeMariaDbTools() {
        assumeTrue(
                onPath("mariadb-binlog") && onPath("mariadb"),
                "mariadb-binlog and mariadb are not installed: the rescue file is not replayed");
    }

    private static boolean onPath(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> new File(folder, program).canExecute());
    }

    static void replay(Path file, EmbeddedServer to) throws Exception {
        replay(file, to, "");
    }

    /** @param before statements in front of the file's */
    static void replay(Path file, EmbeddedServer to, String before) throws Exception {
        pipe(
                List.of("sh", "-c", "echo \"" + before + "\"; exec mariadb-binlog " + file),
                List.of("mariadb", "--no-defaults", "-h127.0.0.1", "-P" + to.port(), "-uroot", "--skip-ssl"));
    }

    /** Runs {@code first | second}. */
    static void pipe(List<String> first, List<String> second) throws Exception {
        List<Process> pipe = ProcessBuilder.startPipeline(List.of(
                new ProcessBuilder(first).redirectError(ProcessBuilder.Redirect.INHERIT),
                new ProcessBuilder(second).redirectErrorStream(true)));
        String said = new String(pipe.get(1).getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(pipe.get(1).waitFor()).as(said).isZero();
        assertThat(pipe.get(0).waitFor()).as(first.toString()).isZero();
    }

    static String column(EmbeddedServer server, String sql, String name) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? String.valueOf(rows.getString(name)) : "";
        }
    }
}
