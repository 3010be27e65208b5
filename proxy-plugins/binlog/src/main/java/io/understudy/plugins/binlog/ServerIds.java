package io.understudy.plugins.binlog;

import java.util.concurrent.ThreadLocalRandom;

/**
 * The server id of the dump connection. Two replicas with one id disconnect each other, so an id that is not configured
 * is drawn from the upper half of the range, which is rarely used, and drawn again if it turns out to be in use.
 * Changed by one thread at a time, read by any.
 */
final class ServerIds {
    private static final long LOWEST = 1L << 31;
    private static final long BEYOND = 1L << 32;

    private final boolean fixed;
    private volatile long current;

    ServerIds(long configured) {
        fixed = configured != 0;
        current = fixed ? configured : draw();
    }

    long current() {
        return current;
    }

    /** Draws another id; returns false if the id is configured. */
    boolean change() {
        if (!fixed) {
            current = draw();
        }
        return !fixed;
    }

    private static long draw() {
        return ThreadLocalRandom.current().nextLong(LOWEST, BEYOND);
    }
}
