package io.understudy.plugins.blackbox.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A file system of 4 MiB, where that may be mounted. */
class FullDiskTest extends LogHarness {
    private boolean mounted;

    private static boolean run(String... command) throws Exception {
        return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    }

    @BeforeEach
    void mount() throws Exception {
        try {
            mounted = run("mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", directory.toString());
        } catch (java.io.IOException e) {
            mounted = false;
        }
        assumeTrue(mounted, "a file system may be mounted");
    }

    @AfterEach
    void unmount() throws Exception {
        if (mounted) {
            assertThat(run("umount", directory.toString())).isTrue();
        }
    }

    @Test
    void whatDoesNotFitLeavesNoTraceAndTheLogGoesOn() throws Exception {
        Path other = directory.resolve("other");
        Files.write(other, new byte[2 << 20]);
        try (TransactionLog log = open(new Lines())) {
            log.start(at("0-1-10"), false);
            append(log, 11, "one");
            log.flush();
            for (int attempt = 0; attempt < 3; attempt++) {
                if (log.needsStart()) {
                    log.start(at("0-1-11"), false);
                }
                LogException full = catchThrowableOfType(LogException.class, () -> {
                    append(log, 12, "two");
                    append(log, 13, "x".repeat(3 << 20));
                    log.flush();
                });
                assertThat(full.reason()).isEqualTo(LogException.Reason.DISK_FULL);
                assertThat(full)
                        .hasMessage("the file system of " + directory + " is full"); // the reason has the remedy
                assertThat(log.needsStart()).isTrue();
                assertThat(files()).hasSize(1);
            }
            Files.delete(other);
            log.start(at("0-1-11"), false);
            append(log, 12, "two");
            log.flush();
        }
        Lines lines = reopened();
        assertThat(lines.all).containsExactly("start 0-1-10", "0-1-11 one", "start 0-1-11", "0-1-12 two");
        assertThat(lines.damage).isEmpty();
    }
}
