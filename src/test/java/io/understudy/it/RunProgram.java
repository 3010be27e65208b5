package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** {@code understudy run} in a process of its own. */
final class RunProgram {
    private static final Duration SOON = Duration.ofSeconds(60);

    private RunProgram() {}

    /** @param log gets what it prints */
    static Process start(Path file, Path log, String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "io.understudy.cli.Understudy",
                "run",
                "-c",
                file.toString()));
        command.addAll(List.of(more));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    static void awaitLine(Path log, String text, Process process) {
        await().atMost(SOON).until(() -> Files.readString(log).contains(text) || !process.isAlive());
        assertThat(log).content().contains(text);
    }
}
