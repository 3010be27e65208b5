package io.understudy.plugins.mirror.warmth;

import io.understudy.base.SplitMix64;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Chooses which mirrored SELECTs to one standby are probes: at random, with a probability that {@link #adapt} sets to
 * reach a number a second. The numbers come from SplitMix64 with its published constants, so that one seed gives one
 * sequence. Thread-safe; a choice is one atomic addition.
 */
public final class ProbePlan {
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;
    private static final double UNIT = 0x1.0p-53;
    private static final double NANOS = 1e9;
    /** More probes a second than wanted pass only in the first second of a load that rises. */
    private static final int BURST = 4;

    private final AtomicLong state;
    private final AtomicLong candidates = new AtomicLong();
    private final AtomicLong taken = new AtomicLong();
    private volatile double share;
    private volatile long takenMost;

    private long adaptedNanos;
    private boolean adapted;

    public ProbePlan(long seed, double perSecond) {
        state = new AtomicLong(seed);
        takenMost = burst(perSecond);
        share = perSecond > 0 ? 1 : 0;
    }

    /** Returns whether the next SELECT is a probe. */
    public boolean take() {
        candidates.incrementAndGet();
        double chance = share;
        if (chance <= 0 || chance < 1 && next() >= chance || taken.get() >= takenMost) {
            return false;
        }
        taken.incrementAndGet();
        return true;
    }

    private double next() {
        return (SplitMix64.mix(state.addAndGet(GOLDEN)) >>> 11) * UNIT;
    }

    private static long burst(double perSecond) {
        return (long) Math.ceil(perSecond * BURST);
    }

    /** Returns the share of SELECTs that are probes. */
    public double share() {
        return share;
    }

    /**
     * Sets the share by the SELECTs since the last call. Called about every second by one thread.
     *
     * @param perSecond wanted probes; 0 for none
     */
    public void adapt(double perSecond, long nowNanos) {
        double seconds = adapted ? (nowNanos - adaptedNanos) / NANOS : 0;
        long seen = candidates.getAndSet(0);
        taken.set(0);
        takenMost = burst(perSecond);
        adapted = true;
        adaptedNanos = nowNanos;
        if (perSecond <= 0) {
            share = 0;
        } else if (seconds > 0) {
            double rate = seen / seconds;
            share = rate <= perSecond ? 1 : perSecond / rate;
        } else if (share == 0) {
            share = 1;
        }
    }
}
