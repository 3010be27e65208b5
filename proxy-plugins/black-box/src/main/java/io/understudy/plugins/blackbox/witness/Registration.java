package io.understudy.plugins.blackbox.witness;

import io.understudy.servers.SemiSyncSource;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the witness may register as a semi-synchronous replica. An acknowledgement covers all that was
 * written before; so if the black box lacks something, no commit may wait any more that began to wait before. Guarded
 * by its own monitor.
 */
final class Registration {
    /** Time between two probes that find no commit waiting. */
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier nanoClock;
    /** Since when commits may wait that the black box does not have; 0 if there are none. */
    private long unsettledNanos;
    /** When since then no commit waited for the first time; 0 if always some did. */
    private long calmNanos;

    /** Why it may not register now. */
    record Obstacle(Withdrawal reason, String text) {}

    Registration(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Called when the black box has passed something over for which a commit may wait. */
    synchronized void unsettled() {
        unsettledNanos = nanoClock.getAsLong() | 1;
        calmNanos = 0;
    }

    /**
     * Returns what stands against it; null if nothing does, and then it is settled.
     *
     * @param asked when the primary was queried
     */
    synchronized @Nullable Obstacle obstacle(SemiSyncSource source, long asked) {
        if (!source.enabled()) {
            return new Obstacle(
                    Withdrawal.NO_SEMI_SYNC,
                    source.loaded()
                            ? "semi-synchronous replication is switched off at the primary"
                            : "the primary has no semi-synchronous replication (MySQL: the plugin is not loaded)");
        }
        if (!isSettled(source, asked)) {
            return new Obstacle(Withdrawal.BEHIND, "commits wait that may have begun before it");
        }
        unsettledNanos = 0;
        return null;
    }

    /**
     * Returns whether no commit can wait any more that had begun when {@link #unsettled} was called: none waited twice,
     * or the time-out is over. Twice, because a transaction is in the position before its session counts as waiting.
     */
    private boolean isSettled(SemiSyncSource source, long asked) {
        if (unsettledNanos == 0) {
            return true;
        }
        if (asked - unsettledNanos <= 0) {
            return false;
        }
        if (asked - unsettledNanos > TimeUnit.MILLISECONDS.toNanos(source.timeoutMillis()) + CALM_NANOS) {
            return true;
        }
        if (source.waiting() > 0) {
            return false;
        }
        if (calmNanos == 0) {
            calmNanos = asked | 1;
        }
        return asked - calmNanos >= CALM_NANOS;
    }
}
