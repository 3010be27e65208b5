package io.understudy.plugins.blackbox;

import io.understudy.base.ByteSize;
import io.understudy.base.RemovedKey;
import io.understudy.base.Secret;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Section {@code black-box}. Absent keys are null and get their defaults here.
 *
 * @param memory bytes that may be retained in memory: transactions, or with {@code directory} what is needed to find
 *     them there
 * @param poll interval at which standbys are probed for their applied positions
 * @param acknowledge when the proxy acknowledges to the primary as a semi-synchronous replica
 * @param directory for the log that survives the process, or null for none
 * @param size bytes that the log may take
 * @param key secret that the log is encrypted with, or null
 */
@RemovedKey(
        name = "file",
        why = "give a 'directory' for a log that survives the proxy, or leave it out, and set 'memory' to what the heap"
                + " (-Xmx) has room for")
public record BlackBoxConfig(
        ByteSize memory,
        Duration poll,
        Acknowledge acknowledge,
        @Nullable Path directory,
        ByteSize size,
        @Nullable Secret key) {
    private static final long MIB = 1L << 20;
    private static final Duration SHORTEST_POLL = Duration.ofMillis(50);
    private static final Duration LONGEST_POLL = Duration.ofMinutes(1);
    private static final int SHORTEST_KEY = 16;

    /** When a transaction is acknowledged. */
    public enum Acknowledge {
        /** Never: the primary does not know of the proxy. */
        OFF,
        /** When it is kept: in memory, or written to the log. It survives the proxy, not its machine. */
        MEMORY,
        /** When the log is synchronised with the disk. */
        DISK
    }

    @SuppressWarnings("NullAway") // absent keys are null
    public BlackBoxConfig {
        memory = memory == null ? new ByteSize(64 * MIB) : memory;
        poll = poll == null ? Duration.ofMillis(500) : poll;
        acknowledge = acknowledge == null ? Acknowledge.OFF : acknowledge;
        size = size == null ? new ByteSize(4096 * MIB) : size;
        if (memory.bytes() < MIB) {
            throw new IllegalArgumentException("memory must be at least 1MiB but is " + memory);
        }
        if (poll.compareTo(SHORTEST_POLL) < 0 || poll.compareTo(LONGEST_POLL) > 0) {
            throw new IllegalArgumentException("poll must be 50ms to 60s but is " + poll.toMillis() + "ms");
        }
        if (size.bytes() < 64 * MIB) {
            throw new IllegalArgumentException("size must be at least 64MiB but is " + size);
        }
        if (directory != null && size.bytes() / 2 < memory.bytes()) {
            throw new IllegalArgumentException("size must be at least twice memory (" + memory + ") but is " + size
                    + ": a transaction may take half of memory, and a quarter of size");
        }
        if (acknowledge == Acknowledge.DISK && directory == null) {
            throw new IllegalArgumentException("acknowledge: disk needs a directory to write to: add 'directory', on a"
                    + " disk of its own if possible, or say acknowledge: memory");
        }
        if (key != null && directory == null) {
            throw new IllegalArgumentException(
                    "key encrypts the log in 'directory', and there is none: add" + " 'directory', or remove the key");
        }
        if (key != null && key.reveal().strip().length() < SHORTEST_KEY) {
            throw new IllegalArgumentException("key must have at least " + SHORTEST_KEY + " characters");
        }
    }
}
