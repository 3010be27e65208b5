package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A witness whose file system is frozen, where one may be mounted: no write returns, none fails. */
@Tag("long")
@Timeout(180)
class WitnessFrozenDiskTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private Path disk;
    private boolean mounted;

    private static boolean run(String... command) throws Exception {
        return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    }

    @BeforeEach
    void mount() throws Exception {
        Path image = folder.resolve("image");
        disk = Files.createDirectory(folder.resolve("disk"));
        try {
            mounted = run("truncate", "-s", "192M", image.toString())
                    && run("mkfs.ext4", "-q", image.toString())
                    && run("mount", "-o", "loop", image.toString(), disk.toString());
        } catch (IOException e) {
            mounted = false;
        }
        assumeTrue(mounted, "a file system may be mounted");
    }

    @AfterEach
    void unmount() throws Exception {
        if (mounted) {
            run("fsfreeze", "-u", disk.toString());
            assertThat(run("umount", disk.toString())).isTrue();
        }
    }

    @Test
    void withdrawsWhenTheDiskIsFrozenAndComesBackWithoutAGap() throws Exception {
        String section =
                "memory: 16MiB, size: 64MiB, poll: 100ms, acknowledge: disk, directory: " + disk.resolve("log");
        try (EmbeddedPair pair = WitnessServerTest.pair(PairOptions.defaults());
                BlackBoxProxy proxy = BlackBoxProxy.start(pair, section)) {
            proxy.awaitWitness();
            Writers writers = Writers.start(2, proxy::connect);
            writers.awaitRows(50);
            long begun = System.nanoTime();
            assertThat(run("fsfreeze", "-f", disk.toString())).isTrue();
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).until(() -> proxy.withdrawn("slow") == 1);
            System.out.println("withdrawn after " + (System.nanoTime() - begun) / 1_000_000 + " ms");
            assertThat(proxy.witness()).isEqualTo("withdrawn");
            assertThat(proxy.witnessView("reason")).isEqualTo("slow");
            writers.awaitMore(50); // the standby acknowledges
            assertThat(proxy.witness()).isEqualTo("withdrawn");
            assertThat(run("fsfreeze", "-u", disk.toString())).isTrue();
            proxy.awaitWitness();
            writers.awaitMore(50);
            assertThat(proxy.withdrawn("slow")).isEqualTo(1);
            pair.link().refuse();
            pair.link().cut();
            writers.awaitMore(50); // which the standby lacks
            pair.primary().kill();
            Set<String> missing = writers.join();
            WitnessServerTest.awaitApplied(pair.standby());
            missing.removeAll(WitnessServerTest.rows(pair.standby()));
            LostView lost = proxy.lost();
            assertThat(lost.number("answeredAndMissing", "count")).isEqualTo(missing.size());
            assertThat(lost.number("answeredAndMissing", "notCaptured")).isZero();
            assertThat(lost.number("unknown", "transactions")).isZero();
            assertThat(lost.all().get("notKnown")).isEqualTo(List.of());
        }
    }
}
