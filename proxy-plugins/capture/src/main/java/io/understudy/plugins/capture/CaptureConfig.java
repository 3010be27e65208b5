package io.understudy.plugins.capture;

import io.understudy.base.ByteSize;
import io.understudy.sql.Literals;
import org.jspecify.annotations.Nullable;

/**
 * The section {@code plugins.capture}.
 *
 * @param directory for the files
 * @param literals what is kept of the statements' values
 * @param results what is kept of results
 * @param fileSize size at which the next file begins
 * @param totalSize limit for all captures in the directory; above it the oldest files are deleted
 * @param minFree free space on the file system below which the capture ends
 * @param queue limit for commands waiting to be written; above it the capture ends
 * @param secret encrypts the files, or null
 */
public record CaptureConfig(
        String directory,
        Literals literals,
        Results results,
        ByteSize fileSize,
        ByteSize totalSize,
        ByteSize minFree,
        ByteSize queue,
        @Nullable CaptureSecret secret) {
    private static final long MIB = 1L << 20;

    @SuppressWarnings("NullAway") // absent keys are null
    public CaptureConfig {
        if (directory == null || directory.isBlank()) {
            throw new IllegalArgumentException("directory: required: where the files go");
        }
        literals = literals == null ? Literals.DROP : literals;
        results = results == null ? Results.NONE : results;
        fileSize = fileSize == null ? new ByteSize(256 * MIB) : fileSize;
        totalSize = totalSize == null ? new ByteSize(10 * 1024 * MIB) : totalSize;
        minFree = minFree == null ? new ByteSize(1024 * MIB) : minFree;
        queue = queue == null ? new ByteSize(32 * MIB) : queue;
        if (results == Results.HASH && literals != Literals.KEEP) {
            throw new IllegalArgumentException("results: hash needs literals: keep, because only statements with their"
                    + " values can be executed again; found literals: "
                    + literals.name().toLowerCase(java.util.Locale.ROOT));
        }
        if (secret != null && secret.isShort()) {
            throw new IllegalArgumentException("secret: must have at least " + CaptureSecret.LEAST + " characters");
        }
        if (fileSize.bytes() < MIB / 16) {
            throw new IllegalArgumentException("fileSize: expected at least 64KiB but found " + fileSize);
        }
        if (totalSize.bytes() < 2 * fileSize.bytes()) {
            throw new IllegalArgumentException("totalSize: expected at least twice fileSize but found " + totalSize);
        }
        if (queue.bytes() < MIB) {
            throw new IllegalArgumentException("queue: expected at least 1MiB but found " + queue);
        }
    }
}
