package io.understudy.it.querylog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.base.JsonReader;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program as its users run it: in a pipe, and in a terminal. */
@Timeout(240)
class TerminalTest {
    private static final int READS = 300;

    @TempDir
    private Path folder;

    private static String program() {
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return System.getProperty("java.home") + "/bin/java -XX:TieredStopAtLevel=1 -cp '" + path
                + "' io.understudy.cli.Understudy";
    }

    private static void needs(String tool) {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/" + tool)), tool + " is not installed");
    }

    private static void read(QueryLogProxy proxy, int count) throws Exception {
        try (Connection client = proxy.connect("");
                Statement statement = client.createStatement()) {
            for (int i = 0; i < count; i++) {
                statement.executeQuery("SELECT name FROM items WHERE id = " + i).close();
            }
        }
    }

    /** {@code curl …/slowlog | understudy replay - --to …} */
    @Tag("long")
    @Test
    void theStreamIsPipedIntoAReplay() throws Exception {
        needs("curl");
        try (EmbeddedServer target = EmbeddedServer.start(ServerOptions.of(75));
                QueryLogProxy proxy = QueryLogProxy.start("{ literals: keep }")) {
            target.execute(
                    "CREATE DATABASE shop",
                    "CREATE TABLE shop.items (id INT PRIMARY KEY, name VARCHAR(200))",
                    "INSERT INTO shop.items SELECT seq, CONCAT('item ', seq) FROM shop.seq_0_to_" + READS);
            Path out = folder.resolve("out");
            String pipe = "curl -sN -H 'Authorization: Bearer " + QueryLogProxy.TOKEN + "' 'http://127.0.0.1:"
                    + proxy.adminPort() + "/slowlog?user=app' | " + program() + " replay - --to 127.0.0.1:"
                    + target.port() + " --tls disabled --speed max --json";
            Process process = new ProcessBuilder("sh", "-c", pipe)
                    .redirectOutput(out.toFile())
                    .redirectError(folder.resolve("err").toFile())
                    .start();
            try {
                await().atMost(Duration.ofSeconds(60)).until(() -> proxy.metric("understudy.slowlog.readers") == 1);
                read(proxy, READS);
                await().until(() -> proxy.metric("understudy.sessions") == 0);
                proxy.close();
                assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
                assertThat(process.exitValue())
                        .as(Files.readString(folder.resolve("err")))
                        .isZero();
                Map<?, ?> view = (Map<?, ?>) Objects.requireNonNull(JsonReader.read(Files.readString(out)));
                assertThat(view.get("ok")).isEqualTo((long) READS);
                assertThat(view.get("rows")).isEqualTo((long) READS);
            } finally {
                process.destroyForcibly();
            }
        }
    }

    private String tmux(String... arguments) throws Exception {
        List<String> command = new java.util.ArrayList<>(
                List.of("tmux", "-S", folder.resolve("tmux").toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    /** Shows the digests, changes the order by a key, and ends with q. */
    @Test
    void topRunsInATerminal() throws Exception {
        needs("tmux");
        try (QueryLogProxy proxy = QueryLogProxy.start("{ }")) {
            read(proxy, 50);
            Path token = Files.writeString(folder.resolve("token"), QueryLogProxy.TOKEN);
            Path script = Files.writeString(
                    folder.resolve("top.sh"),
                    program() + " top --admin 127.0.0.1:" + proxy.adminPort() + " --token-file " + token
                            + "; echo ended with $?; sleep 60\n");
            tmux("new-session", "-d", "-x", "120", "-y", "30", "sh " + script);
            try {
                await().atMost(Duration.ofSeconds(90))
                        .pollInterval(Duration.ofMillis(300))
                        .untilAsserted(() -> {
                            read(proxy, 10);
                            assertThat(tmux("capture-pane", "-p"))
                                    .containsIgnoringCase("SELECT name FROM items WHERE id = ?");
                        });
                tmux("send-keys", "q");
                await().atMost(Duration.ofSeconds(30))
                        .untilAsserted(
                                () -> assertThat(tmux("capture-pane", "-p")).contains("ended with 0"));
            } finally {
                tmux("kill-server");
            }
        }
    }
}
