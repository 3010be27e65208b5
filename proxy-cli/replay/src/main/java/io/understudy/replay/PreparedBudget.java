package io.understudy.replay;

import java.util.concurrent.atomic.AtomicInteger;

/** The prepared statements that all connections of a replay may have together. Thread-safe. */
final class PreparedBudget {
    /** Servers allow 16,382 to all sessions by default, to the applications too. */
    private static final int MOST = 8_000;

    private final AtomicInteger used = new AtomicInteger();
    private volatile int most = MOST;

    /** Takes account of how many prepared statements the target allows to all its sessions. */
    void limit(int ofTheTarget) {
        most = Math.max(1, Math.min(ofTheTarget / 2, MOST));
    }

    /** Returns whether there is a place for one more, which is then taken. */
    boolean take() {
        if (used.incrementAndGet() <= most) {
            return true;
        }
        used.decrementAndGet();
        return false;
    }

    /** Takes a place for a connection's only statement, without which it could play none. */
    void takeFirst() {
        used.incrementAndGet();
    }

    void giveBack(int places) {
        used.addAndGet(-places);
    }
}
