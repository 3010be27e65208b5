package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the short list of {@code compat/mtr}: tests of MariaDB's own suite that pass directly must pass through the
 * proxy.
 */
@Tag("long")
class MariaDbSuiteTest {
    private static final int NOT_INSTALLED = 77;

    @Test
    void testsThatPassDirectlyPassThroughTheProxy(@TempDir Path folder) throws Exception {
        Path root = root();
        Path arguments = folder.resolve("arguments");
        Files.writeString(
                arguments,
                "-XX:TieredStopAtLevel=1\n-cp\n"
                        + System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        String proxy = Path.of(System.getProperty("java.home"), "bin", "java") + " @" + arguments
                + " io.understudy.cli.Understudy run -c {config}";
        Path said = folder.resolve("said");
        Process process;
        try {
            process = new ProcessBuilder(
                            "python3",
                            root.resolve("compat/mtr/run.py").toString(),
                            "--proxy",
                            proxy,
                            "--list",
                            root.resolve("compat/mtr/short.txt").toString())
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
        } catch (IOException noPython) {
            assumeTrue(false, noPython.getMessage());
            return;
        }
        boolean ended = process.waitFor(10, TimeUnit.MINUTES);
        if (!ended) {
            process.destroy();
            process.waitFor();
        }
        assertThat(ended).as(Files.readString(said)).isTrue();
        assumeTrue(process.exitValue() != NOT_INSTALLED, Files.readString(said));
        assertThat(process.exitValue()).as(Files.readString(said)).isZero();
    }

    private static Path root() {
        Path at = Path.of("").toAbsolutePath();
        while (at != null && !Files.exists(at.resolve("compat/mtr/run.py"))) {
            at = at.getParent();
        }
        return java.util.Objects.requireNonNull(at, "compat/mtr/run.py");
    }
}
