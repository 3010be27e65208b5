package io.understudy.demo.failover;

import io.understudy.embedded.EmbeddedException;
import io.understudy.embedded.EmbeddedServer;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Replays a rescue file as an operator would: {@code mariadb-binlog FILE | mariadb}. */
final class RescueReplay {
    private RescueReplay() {}

    /** Returns whether both programs are installed. */
    static boolean isPossible() {
        return Stream.of("mariadb-binlog", "mariadb").allMatch(RescueReplay::onPath);
    }

    private static boolean onPath(String program) {
        String path = System.getenv("PATH");
        return path != null
                && Stream.of(path.split(File.pathSeparator)).anyMatch(folder -> new File(folder, program).canExecute());
    }

    static void run(Path file, EmbeddedServer to) throws IOException, InterruptedException {
        List<Process> pipe = ProcessBuilder.startPipeline(List.of(
                new ProcessBuilder("mariadb-binlog", file.toString()).redirectError(ProcessBuilder.Redirect.INHERIT),
                new ProcessBuilder("mariadb", "--no-defaults", "-h127.0.0.1", "-P" + to.port(), "-uroot", "--skip-ssl")
                        .redirectErrorStream(true)));
        String said = new String(pipe.get(1).getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (pipe.get(1).waitFor() != 0 || pipe.get(0).waitFor() != 0) {
            throw new EmbeddedException("the replay failed: " + said.strip());
        }
    }
}
