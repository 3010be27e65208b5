package io.understudy.plugins.blackbox.kept;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells whether the primary waits for a log that takes no write. What it does not wait for may take its time, and a
 * pause of the whole process counts once, however long it is. Thread-safe, except for {@link #watch}.
 */
public final class LogStall {
    /** Watches in a row: between the first one and the last one is at least half a second. */
    private static final int STALLED = 6;

    private final AtomicLong due = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private long sentBefore;
    private int waits;

    /** Called when an acknowledgement is due once the log has what came before. */
    public void due() {
        due.incrementAndGet();
    }

    /** Called when it was sent. */
    public void sent() {
        sent.incrementAndGet();
    }

    /** Returns whether none of those that are due was sent for half a second. Called every tenth of a second. */
    public boolean watch() {
        long now = sent.get();
        waits = due.get() > now && now == sentBefore ? waits + 1 : 0;
        sentBefore = now;
        return waits >= STALLED;
    }
}
