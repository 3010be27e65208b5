package io.understudy.plugins.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
        Path path = folder.resolve("ring");
        try (FileChunks chunks = FileChunks.open(path, 1 << 20)) {
            assertThat(Files.size(path)).isZero();
            for (int taken = 1; taken <= 2; taken++) {
                ByteBuffer chunk = chunks.take();
                assertThat(Files.size(path)).isEqualTo((long) taken * Chunks.SIZE);
                assertThat(allocated(path)).isGreaterThanOrEqualTo((long) taken * Chunks.SIZE);
                assertThat(chunk.capacity()).isEqualTo(Chunks.SIZE);
            }
        }
        assertThat(path).doesNotExist();
    }

    private static long allocated(Path path) throws IOException {
        Process stat = new ProcessBuilder("/usr/bin/stat", "--format=%b", path.toString()).start();
        return BLOCK * Long.parseLong(new String(stat.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
    }

    @Test
    void aReturnedChunkIsUsedAgain() throws Exception {
        Path path = folder.resolve("ring");
        try (FileChunks chunks = FileChunks.open(path, 1 << 20)) {
            ByteBuffer chunk = chunks.take();
            chunk.putLong(42);
            chunks.give(chunk);
            assertThat(chunks.take())
                    .isSameAs(chunk)
                    .satisfies(again -> assertThat(again.position()).isZero());
            assertThat(Files.size(path)).isEqualTo(Chunks.SIZE);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void anExistingFileIsRefused() throws Exception {
        Path path = Files.writeString(folder.resolve("ring"), "another's");
        assertThatThrownBy(() -> FileChunks.open(path, 1 << 20)).hasMessageContaining("exists");
        assertThat(path).hasContent("another's");
    }
}
