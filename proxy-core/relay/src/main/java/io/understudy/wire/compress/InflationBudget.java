package io.understudy.wire.compress;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The process's bound on the memory of decompressors that are in the middle of a frame. A frame that finds no room
 * waits until another one is done, in the order in which they came. Frames end when their bytes have come, in
 * milliseconds as a rule; a sender that lets one lie unfinished while others wait for its room loses it. Any thread.
 */
public final class InflationBudget {
    /**
     * The time for which a frame may stay unfinished while others wait; more by {@link #NANOS_A_BYTE} for what it has
     * made.
     */
    static final long STALLED_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** A second for each MB, so that a slow network is no stalled sender. */
    private static final long NANOS_A_BYTE = 1000;

    private static final long LEAST_DEFAULT = 32L << 20;
    private static final long MOST_DEFAULT = 1L << 30;

    private final LongSupplier nanos;
    private final Set<Share> held = new LinkedHashSet<>();
    private final ArrayDeque<Share> waiting = new ArrayDeque<>();
    private long limit;
    private long used;

    /** Creates a budget of that many bytes. */
    public InflationBudget(long limit) {
        this(limit, System::nanoTime);
    }

    InflationBudget(long limit, LongSupplier nanos) {
        this.limit = limit;
        this.nanos = nanos;
    }

    /** Returns the default limit in bytes: an eighth of the largest heap, 32 MiB at least and 1 GiB at most. */
    public static long defaultLimit() {
        return Math.max(
                LEAST_DEFAULT, Math.min(MOST_DEFAULT, Runtime.getRuntime().maxMemory() / 8));
    }

    /** The memory that one connection holds. */
    final class Share {
        private final Runnable granted;
        private final Runnable evicted;
        private Executor loop = Runnable::run;
        private long bytes;
        private volatile long since;

        private Share(Runnable granted, Runnable evicted) {
            this.granted = granted;
            this.evicted = evicted;
        }

        /**
         * Takes room for a frame.
         *
         * @param taker where the callbacks run
         * @return false when it is to wait until it is granted
         * @throws InflationRefusedException when there is not as much at all
         */
        boolean take(long wanted, Executor taker) {
            synchronized (InflationBudget.this) {
                if (wanted > limit) {
                    throw new InflationRefusedException("a compressed frame needs " + wanted
                            + " bytes to be decompressed, more than limits.inflationBytes (" + limit + ")");
                }
                bytes = wanted;
                loop = taker;
                if (!waiting.isEmpty() || used + wanted > limit) {
                    waiting.add(this);
                    return false;
                }
                hold();
                return true;
            }
        }

        /** Takes room beyond the limit, for what a server sent before it closed: nobody could be made to wait. */
        void takeAtOnce(long wanted, Executor taker) {
            synchronized (InflationBudget.this) {
                waiting.remove(this);
                bytes = wanted;
                loop = taker;
                hold();
            }
        }

        private void hold() {
            used += bytes;
            since = nanos.getAsLong();
            held.add(this);
        }

        /** Gives the frame that holds this more time; called by its holder alone. */
        @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes, others read
        void progressed(int made) {
            since = since + made * NANOS_A_BYTE;
        }

        /** Gives back what is held, or waits no longer. */
        void give() {
            List<Share> next = new ArrayList<>();
            synchronized (InflationBudget.this) {
                waiting.remove(this);
                if (held.remove(this)) {
                    used -= bytes;
                }
                grant(next);
            }
            next.forEach(Share::notifyGranted);
        }

        private void notifyGranted() {
            loop.execute(granted);
        }

        private void notifyEvicted() {
            loop.execute(() -> {
                if (isStalled()) { // it may have ended meanwhile, and hold this for the next frame
                    evicted.run();
                }
            });
        }

        private boolean isStalled() {
            synchronized (InflationBudget.this) {
                return held.contains(this) && nanos.getAsLong() - since >= STALLED_NANOS;
            }
        }

        boolean isHeld() {
            synchronized (InflationBudget.this) {
                return held.contains(this);
            }
        }
    }

    /** Returns a connection's share. Its callbacks run on the executor that takes it. */
    Share share(Runnable granted, Runnable evicted) {
        return new Share(granted, evicted);
    }

    /** To be called now and then by whoever waits. */
    void evictStalled() {
        List<Share> stalled = new ArrayList<>();
        synchronized (this) {
            long now = nanos.getAsLong();
            long room = limit - used;
            Iterator<Share> oldest = held.iterator();
            Share first = waiting.peek();
            while (first != null && room < first.bytes && oldest.hasNext()) {
                Share share = oldest.next();
                if (now - share.since >= STALLED_NANOS) {
                    room += share.bytes;
                    stalled.add(share);
                }
            }
        }
        stalled.forEach(Share::notifyEvicted);
    }

    private void grant(List<Share> next) {
        Share first = waiting.peek();
        // A frame that needs more than a limit lowered since would keep all behind it waiting: it goes alone.
        while (first != null && (used == 0 || used + first.bytes <= limit)) {
            waiting.remove();
            first.hold();
            next.add(first);
            first = waiting.peek();
        }
    }

    /** For frames from now on. */
    public void setLimit(long bytes) {
        List<Share> next = new ArrayList<>();
        synchronized (this) {
            limit = bytes;
            grant(next);
        }
        next.forEach(Share::notifyGranted);
    }

    /** Bytes held now. */
    public synchronized long used() {
        return used;
    }

    /** Frames that wait now. */
    public synchronized int waiting() {
        return waiting.size();
    }
}
