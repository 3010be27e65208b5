package io.understudy.plugins.gtiddomain;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The tables for which a moment is looked for in which nothing of them is unapplied. A table whose time has come to nothing waits
 * longer before it asks again, up to a minute; and all tables together may keep the servers busy for no more than a share of the
 * time. Any thread; {@link #owners} and {@link #rest} by the one that looks.
 */
final class WaitingTables implements Passages {
    private static final int MAX = 64;
    private static final long MILLI = 1_000_000L;
    private static final long FIRST_PAUSE_NANOS = 250 * MILLI;
    private static final long LONGEST_PAUSE_NANOS = 60_000 * MILLI;
    /** A table that has just passed, and is pulled back already, shall not go to and fro at the servers' expense. */
    private static final long AFTER_PASSAGE_NANOS = 2_000 * MILLI;
    /** Looking may take one part in so many of the time. */
    private static final long SHARE = 5;

    private final Progress progress;
    private final LongSupplier nanos;
    private final long start;
    private final LongSupplier random;
    /** Tables of one statement, which have to be free together, and the slot that owns them; arrays by identity. */
    private final Map<TableEntry[], Integer> waiting = new ConcurrentHashMap<>();

    private final LongAdder handovers = new LongAdder();
    private volatile long notBefore;
    private volatile @Nullable Runnable probe;

    /**
     * None waiting.
     *
     * @param random any numbers, for the jitter of pauses
     */
    WaitingTables(Progress progress, LongSupplier nanos, LongSupplier random) {
        this.progress = progress;
        this.nanos = nanos;
        this.random = random;
        start = nanos.getAsLong() - 1;
    }

    /** Set once, by whoever looks: run whenever there is something to look for, also while looking goes on. */
    void onWaiting(Runnable wake) {
        probe = wake;
    }

    /** Since the start, so that 0 is before any moment. */
    private long now() {
        return nanos.getAsLong() - start;
    }

    /** Tables that have passed from one domain to another. */
    long handovers() {
        return handovers.sum();
    }

    int size() {
        return waiting.size();
    }

    @Override
    public void waits(TableEntry[] entries, int owner) {
        Runnable wake = probe;
        long now = now();
        // The first stands for all of the statement's: it is always the same one.
        if (wake == null || now < notBefore || now < entries[0].looksFrom() || waiting.size() >= MAX) {
            return;
        }
        waiting.putIfAbsent(entries, owner);
        wake.run();
    }

    @Override
    public void passed(TableEntry[] entries) {
        handovers.increment();
        entries[0].probesAgain(now() + AFTER_PASSAGE_NANOS, 0);
    }

    /**
     * What is still worth looking at: bits of the slots that own waiting tables. Tables found free are no longer waited for: their next write
     * takes them along, or finds out that another one was quicker.
     */
    Look owners() {
        int owners = 0;
        boolean promising = false;
        for (Map.Entry<TableEntry[], Integer> wait : waiting.entrySet()) {
            int owner = 1 << wait.getValue();
            boolean owned = false;
            boolean inFlight = false;
            for (TableEntry entry : wait.getKey()) {
                synchronized (entry) {
                    owned |= !entry.dropped() && (entry.outstanding(progress, false) & owner) != 0;
                    inFlight |= !entry.idle();
                }
            }
            if (owned) {
                owners |= owner;
                promising |= !inFlight;
            } else {
                waiting.remove(wait.getKey());
                postpone(wait.getKey());
            }
        }
        return new Look(owners, promising);
    }

    /**
     * What to look at.
     *
     * @param owners bits of slots; 0 when nobody waits
     * @param promising a look may free something: of some statement no table has a write in flight
     */
    record Look(int owners, boolean promising) {}

    /** Looking is over for now. Whoever still waits shall ask again, but later than the last time. */
    void rest(long tookNanos) {
        notBefore = now() + (SHARE - 1) * tookNanos;
        waiting.keySet().forEach(this::postpone);
        waiting.clear();
    }

    /** Also of tables that were free: that helps only if their next write is one that takes them along. */
    private void postpone(TableEntry[] entries) {
        TableEntry first = entries[0];
        long pause = Math.min(Math.max(2 * first.pause(), FIRST_PAUSE_NANOS), LONGEST_PAUSE_NANOS);
        long jitter = Math.floorMod(random.getAsLong(), pause / 4);
        first.probesAgain(Math.max(first.looksFrom(), now() + pause - jitter), pause);
    }
}
