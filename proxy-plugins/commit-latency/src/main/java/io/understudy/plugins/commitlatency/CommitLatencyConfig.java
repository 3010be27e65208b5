package io.understudy.plugins.commitlatency;

import java.time.Duration;

/**
 * Section {@code commit-latency}. Absent keys are null and get their defaults here.
 *
 * @param attribution how a commit's latency is split into parts
 * @param slow commits slower than this are logged; zero logs none
 * @param poll interval at which the state of semi-synchronous replication is probed
 * @param rows users, schemas and digests with a row of their own each
 * @param expire how long a commit and its event wait for each other
 * @param serverId server id of the dump connection; 0 chooses one
 */
public record CommitLatencyConfig(
        Attribution attribution, Duration slow, Duration poll, Integer rows, Duration expire, Long serverId) {
    private static final Duration SHORTEST_POLL = Duration.ofMillis(100);
    private static final Duration LONGEST_POLL = Duration.ofMinutes(1);
    private static final int MOST_ROWS = 5_000;
    private static final Duration LONGEST_EXPIRE = Duration.ofMinutes(10);
    private static final long LARGEST_SERVER_ID = 0xFFFF_FFFFL;

    @SuppressWarnings("NullAway") // absent keys are null
    public CommitLatencyConfig {
        attribution = attribution == null ? Attribution.AUTO : attribution;
        slow = slow == null ? Duration.ofMillis(250) : slow;
        poll = poll == null ? Duration.ofSeconds(1) : poll;
        rows = rows == null ? 200 : rows;
        expire = expire == null ? Duration.ofSeconds(30) : expire;
        serverId = serverId == null ? 0L : serverId;
        if (slow.isNegative()) {
            throw new IllegalArgumentException("slow must not be negative; 0s logs no commits");
        }
        within("poll", poll, SHORTEST_POLL, LONGEST_POLL);
        within("expire", expire, Duration.ofSeconds(1), LONGEST_EXPIRE);
        if (rows < 1 || rows > MOST_ROWS) {
            throw new IllegalArgumentException("rows must be 1 to " + MOST_ROWS + " but is " + rows);
        }
        if (serverId < 0 || serverId > LARGEST_SERVER_ID) {
            throw new IllegalArgumentException(
                    "serverId must be 0 (chosen) or 1 to " + LARGEST_SERVER_ID + " but is " + serverId);
        }
    }

    private static void within(String name, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(name + " must be " + least.toMillis() + "ms to " + most.toSeconds()
                    + "s but is " + value.toMillis() + "ms");
        }
    }
}
