package io.understudy.plugins.blackbox;

import io.understudy.base.ByteSize;
import io.understudy.base.RemovedKey;
import java.time.Duration;

/**
 * Section {@code black-box}. Absent keys are null and get their defaults here.
 *
 * @param memory bytes that may be retained; beyond that, the oldest transactions are dropped
 * @param poll interval at which standbys are probed for their applied positions
 */
@RemovedKey(
        name = "file",
        why = "the events are in memory alone; leave it out, and set 'memory' to what the heap (-Xmx) has room for")
public record BlackBoxConfig(ByteSize memory, Duration poll) {
    private static final long LEAST = 1 << 20;
    private static final Duration SHORTEST_POLL = Duration.ofMillis(50);
    private static final Duration LONGEST_POLL = Duration.ofMinutes(1);

    public BlackBoxConfig {
        memory = memory == null ? new ByteSize(64L << 20) : memory;
        poll = poll == null ? Duration.ofMillis(500) : poll;
        if (memory.bytes() < LEAST) {
            throw new IllegalArgumentException("memory must be at least 1MiB but is " + memory);
        }
        if (poll.compareTo(SHORTEST_POLL) < 0 || poll.compareTo(LONGEST_POLL) > 0) {
            throw new IllegalArgumentException("poll must be 50ms to 60s but is " + poll.toMillis() + "ms");
        }
    }
}
