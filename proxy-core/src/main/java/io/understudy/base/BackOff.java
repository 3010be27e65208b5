package io.understudy.plugins.binlog;

import java.time.Duration;

/** How long to wait before the next attempt: from a second, doubling to a minute. Not thread-safe. */
final class BackOff {
    static final Duration FIRST = Duration.ofSeconds(1);
    static final Duration LONGEST = Duration.ofMinutes(1);

    private Duration next = FIRST;

    Duration next() {
        Duration current = next;
        Duration doubled = current.multipliedBy(2);
        next = doubled.compareTo(LONGEST) > 0 ? LONGEST : doubled;
        return current;
    }

    /** It has worked. */
    void reset() {
        next = FIRST;
    }
}
