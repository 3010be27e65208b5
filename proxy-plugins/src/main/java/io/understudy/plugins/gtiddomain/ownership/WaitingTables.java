package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.Progress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tables waiting for a handover: every write to them must first be applied on all standbys. A table whose probes did
 * not free it waits longer before the next ones, up to a minute, and all tables together load the servers with probes
 * for a bounded share of the time. Thread-safe; {@link #owners} and {@link #rest} are called by the thread that probes.
 */
final class WaitingTables implements HandoverListener {
    private static final int MAX = 64;
    private static final long MILLI = 1_000_000L;
    private static final long FIRST_PAUSE_NANOS = 250 * MILLI;
    private static final long LONGEST_PAUSE_NANOS = 60_000 * MILLI;
    /** A table must not oscillate between domains at the servers' expense, so it waits this long after a handover. */
    private static final long AFTER_PASSAGE_NANOS = 2_000 * MILLI;
    /** Probes may take one part in this many of the time. */
    private static final long SHARE = 5;

    private final Progress progress;
    private final LongSupplier nanos;
    private final long start;
    private final LongSupplier random;
    /**
     * Tables of one statement, which must be free together, with the index of the domain that owns them; arrays by
     * identity.
     */
    @SuppressWarnings("ArrayAsKeyOfSetOrMap") // by identity, as said
    private final Map<TableEntry[], Integer> waiting = new ConcurrentHashMap<>();

    private final LongAdder handovers = new LongAdder();
    private volatile long notBefore;
    private volatile @Nullable Runnable probe;

    /**
     * No table waits.
     *
     * @param random any numbers, for the jitter of pauses
     */
    WaitingTables(Progress progress, LongSupplier nanos, LongSupplier random) {
        this.progress = progress;
        this.nanos = nanos;
        this.random = random;
        start = nanos.getAsLong() - 1;
    }

    /** Sets the task to run whenever a table waits, also during a burst. Called once. */
    void onWaiting(Runnable wake) {
        probe = wake;
    }

    /** Time since the start, so that 0 is always in the past. */
    private long now() {
        return nanos.getAsLong() - start;
    }

    /** Returns the number of handovers. */
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
        // The first entry stands for all of the statement's: it is always the same one.
        if (wake == null || now < notBefore || now < entries[0].probesFrom() || waiting.size() >= MAX) {
            return;
        }
        waiting.putIfAbsent(entries, owner);
        wake.run();
    }

    @Override
    public void handedOver(TableEntry[] entries) {
        handovers.increment();
        entries[0].probesAgain(now() + AFTER_PASSAGE_NANOS, 0);
    }

    /**
     * Returns the owners for which a probe is still useful. Tables found free no longer wait: their next write hands
     * them over, unless a write of the old owner comes first.
     */
    @SuppressWarnings("ModifyCollectionInEnhancedForLoop") // a ConcurrentHashMap
    Owners owners() {
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
        return new Owners(owners, promising);
    }

    /**
     * Owners to probe.
     *
     * @param owners bit set of domain indexes; 0 if no table waits
     * @param promising whether a probe may free tables: those of some statement have no write in flight
     */
    record Owners(int owners, boolean promising) {}

    /** Called when a burst has ended. Tables still waiting pause for longer than the last time. */
    void rest(long tookNanos) {
        notBefore = now() + (SHARE - 1) * tookNanos;
        waiting.keySet().forEach(this::postpone);
        waiting.clear();
    }

    /** Also for tables found free: that is of use only if their next write hands them over. */
    private void postpone(TableEntry[] entries) {
        TableEntry first = entries[0];
        long pause = Math.min(Math.max(2 * first.pause(), FIRST_PAUSE_NANOS), LONGEST_PAUSE_NANOS);
        long jitter = Math.floorMod(random.getAsLong(), pause / 4);
        first.probesAgain(Math.max(first.probesFrom(), now() + pause - jitter), pause);
    }
}
