package io.understudy.plugins.blackbox.witness;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;

/** Measures one fdatasync. */
public final class SyncTime {
    private static final int TIMES = 9;
    private static final int BYTES = 512;

    private SyncTime() {}

    /** Returns the median time to append about a transaction to a file of the directory and synchronise it. Waits. */
    public static Duration of(Path directory) throws IOException {
        Path file = Files.createTempFile(directory, ".sync-", null);
        long[] times = new long[TIMES];
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            for (int i = 0; i < TIMES; i++) {
                long begun = System.nanoTime();
                channel.write(ByteBuffer.allocate(BYTES));
                channel.force(false);
                times[i] = System.nanoTime() - begun;
            }
        } finally {
            Files.deleteIfExists(file);
        }
        Arrays.sort(times);
        return Duration.ofNanos(times[TIMES / 2]);
    }
}
