package io.understudy.plugins.blackbox.reset;

import io.understudy.plugins.blackbox.history.AnsweredCommit;
import io.understudy.plugins.blackbox.history.Applied;
import io.understudy.plugins.blackbox.history.Gtid;
import io.understudy.plugins.blackbox.history.History;
import io.understudy.plugins.blackbox.history.Reach;
import java.util.Collection;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds out that the primary's numbers have begun anew (RESET MASTER), though the open stream does not tell: the
 * primary lacks what was read of it, or what a standby has of it, or an OK gives a number a second time. Guarded by the
 * lock of its black box.
 */
public final class ResetWatch {
    /** Longest time without another alarm, once there were many. */
    private static final long QUIET_NANOS = 60_000_000_000L;

    private static final int MANY = 10;

    private final BuiltAnew builtAnew;
    private final LongSupplier nanoClock;

    /**
     * What had been read at the last two probes, or when the stream began: what is committed later has other numbers.
     */
    private @Nullable Reach last;

    private @Nullable Reach former;
    /** When the numbers were first found to have begun anew, of the last few times. */
    private long begunNanos;
    /** How often since. */
    private int alarms;
    /** Whether there were too many since for another one. */
    private boolean passedOver;

    public ResetWatch(BuiltAnew builtAnew, LongSupplier nanoClock) {
        this.builtAnew = builtAnew;
        this.nanoClock = nanoClock;
    }

    /** Called when the numbers have begun anew. */
    public void begun() {
        former = null;
        last = null;
        long now = nanoClock.getAsLong();
        boolean quiet = alarms == 0 || now - begunNanos >= QUIET_NANOS;
        begunNanos = quiet ? now : begunNanos;
        alarms = quiet ? 1 : alarms + 1;
        builtAnew.begin();
    }

    /** Called when a stream begins. */
    public void streaming(History present) {
        former = null;
        last = present.reach(nanoClock.getAsLong());
    }

    /** Returns what is read so far, and what standbys have, with which the primary is to be compared at once. */
    public Reach read(History present, Collection<Applied> standbys) {
        former = last;
        last = present.reach(nanoClock.getAsLong());
        return present.isAnew() ? last : last.and(standbys);
    }

    /**
     * Returns whether a command has committed nothing but numbers that were read before it was sent. Others may be of
     * {@code session_track_gtids=ALL_GTIDS}, which a procedure has set.
     */
    public boolean isRepeated(History present, List<Gtid> gtids, AnsweredCommit commit) {
        return !gtids.isEmpty()
                && (last != null && last.isRepeatedBy(present, gtids, commit)
                        || former != null && former.isRepeatedBy(present, gtids, commit))
                && !isOneTooMany(present);
    }

    /**
     * Returns whether they have begun anew several times within a short time, and no standby counts as known since. A
     * server on which clients use numbers again would raise an alarm with each probe.
     */
    public boolean isOneTooMany(History present) {
        boolean tooMany = present.isAnew()
                && builtAnew.isNoneCompared()
                && alarms >= MANY
                && nanoClock.getAsLong() - begunNanos < QUIET_NANOS;
        passedOver |= tooMany;
        return tooMany;
    }

    /** Returns, once, what is not known since an alarm was passed over; null for nothing. */
    public @Nullable String unknown() {
        boolean was = passedOver;
        passedOver = false;
        return was
                ? "what the primary wrote after its numbers had begun anew (RESET MASTER) for the " + MANY
                        + "th time within a minute"
                : null;
    }
}
