package io.understudy.plugins.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileChunksTest {
    private static final int BLOCK = 512;

    @TempDir
    Path folder;

    /** A write to a mapped page that the disk has no room for would end the JVM. */
    @Test
    void aChunkIsOnTheDiskBeforeItIsUsed() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/stat")));
        try (FileChunks chunks = FileChunks.open(folder.resolve("ring"), 1 << 20)) {
            Path path = opened();
            assertThat(Files.size(path)).isZero();
            for (int taken = 1; taken <= 2; taken++) {
                ByteBuffer chunk = chunks.take();
                assertThat(Files.size(path)).isEqualTo((long) taken * Chunks.SIZE);
                assertThat(allocated(path)).isGreaterThanOrEqualTo((long) taken * Chunks.SIZE);
                assertThat(chunk.capacity()).isEqualTo(Chunks.SIZE);
            }
        }
        assertThat(openedFiles()).isEmpty();
    }

    /** Two processes that share the setting create their files under one name, each for an instant. */
    @Test
    void manyAtOnceUnderOneNameAllGetAFile() throws Exception {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(CompletableFuture.runAsync(() -> {
                for (int time = 0; time < 100; time++) {
                    try {
                        FileChunks.open(folder.resolve("ring"), 1 << 20).close();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            }));
        }
        for (CompletableFuture<Void> one : all) {
            one.get(30, TimeUnit.SECONDS);
        }
        assertThat(folder.resolve("ring")).doesNotExist();
    }

    /** Returns a name of the file that has none any more. */
    private Path opened() throws IOException {
        List<Path> all = openedFiles();
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    private List<Path> openedFiles() throws IOException {
        Path descriptors =
                Path.of("/proc", String.valueOf(ProcessHandle.current().pid()), "fd");
        try (Stream<Path> all = Files.list(descriptors)) {
            return all.filter(this::isRing).toList();
        }
    }

    private boolean isRing(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor)
                    .toString()
                    .equals(folder.toRealPath().resolve("ring") + " (deleted)");
        } catch (IOException closedMeanwhile) {
            return false;
        }
    }

    private static long allocated(Path path) throws IOException {
        Process stat = new ProcessBuilder("/usr/bin/stat", "-L", "--format=%b", path.toString()).start();
        return BLOCK * Long.parseLong(new String(stat.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
    }

    @Test
    void aReturnedChunkIsUsedAgain() throws Exception {
        try (FileChunks chunks = FileChunks.open(folder.resolve("ring"), 1 << 20)) {
            ByteBuffer chunk = chunks.take();
            chunk.putLong(42);
            chunks.give(chunk);
            assertThat(chunks.take())
                    .isSameAs(chunk)
                    .satisfies(again -> assertThat(again.position()).isZero());
            assertThat(Files.size(opened())).isEqualTo(Chunks.SIZE);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(opened())))
                    .isEqualTo("rw-------");
        }
    }

    /** Of a process that takes over, while the one before it drains; or one before it was killed. */
    @Test
    void twoProcessesCanNameTheSameFile() throws Exception {
        Path path = folder.resolve("ring");
        try (FileChunks first = FileChunks.open(path, 1 << 20);
                FileChunks second = FileChunks.open(path, 1 << 20)) {
            ByteBuffer kept = first.take().putLong(0, 1);
            second.take().putLong(0, 2);
            assertThat(kept.getLong(0)).isEqualTo(1);
            assertThat(path).doesNotExist();
        }
    }

    @Test
    void anExistingFileIsRefused() throws Exception {
        Path path = Files.writeString(folder.resolve("ring"), "another's");
        assertThatThrownBy(() -> FileChunks.open(path, 1 << 20)).hasMessageContaining("exists");
        assertThat(path).hasContent("another's");
    }
}
