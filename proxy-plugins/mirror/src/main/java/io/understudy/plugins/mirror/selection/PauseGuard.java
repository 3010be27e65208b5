package io.understudy.plugins.mirror.selection;

import io.understudy.plugin.Standby;
import io.understudy.plugin.StandbyState;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether statements may be mirrored to a standby. Mirroring pauses while the standby lags or is busy, until
 * the figure has fallen to four fifths of its bound; while the operator has paused it; and at once when the standby is
 * found writable, which means that it has been promoted. Thread-safe.
 */
public final class PauseGuard {
    private static final Logger log = LoggerFactory.getLogger(PauseGuard.class);
    private static final double RESUME_SHARE = 0.8;
    /** Replication that a restart of either server has interrupted connects again within this time. */
    static final Duration RECONNECTING = Duration.ofSeconds(20);

    private static final String FIT = "fit again";
    private static final String BACK = "it was the primary, and is writable again: SET GLOBAL read_only=1 there";
    private static final String PROMOTED = "it is writable, so it may have been promoted. If so, tell the proxy: change"
            + " primary.address and reload, or POST /api/primary. If not, SET GLOBAL read_only=1 there, or mirror to it"
            + " all the same by POST /api/mirror/";

    /** Causes of a pause, in the order of precedence. */
    enum Cause {
        /** None: statements are mirrored. */
        NONE(DropReason.PAUSED),
        /** It was promoted, and the proxy has followed. */
        PRIMARY(DropReason.NOT_READ_ONLY),
        WRITABLE(DropReason.NOT_READ_ONLY),
        OPERATOR(DropReason.PAUSED),
        /**
         * Not probed yet, or no longer reachable. It may come back as a primary, so its state is checked before
         * mirroring resumes.
         */
        UNREACHABLE(DropReason.STANDBY_DOWN),
        /** A replication channel is stopped, so the lag is unknown. */
        STOPPED(DropReason.PAUSED),
        LAG(DropReason.PAUSED),
        BUSY(DropReason.PAUSED);

        private final DropReason reason;

        Cause(DropReason reason) {
            this.reason = reason;
        }
    }

    private final Standby standby;
    private final LongSupplier nanoClock;
    private volatile Cause cause = Cause.UNREACHABLE;
    // All below is guarded by this; what is volatile may be read without.
    /** The cause in the log's last line. */
    private Cause logged = Cause.NONE;
    /** When {@link #cause} began. */
    private long begunNanos;

    private boolean byOperator;
    private boolean allowWritable;
    /** The last state of the time as the primary, and until the next probe the only one. */
    private @Nullable StandbyState asPrimary;

    private String fit = FIT;

    /** Whether it was the primary, and has not replicated since. */
    private boolean becomesStandby;

    public PauseGuard(Standby standby, LongSupplier nanoClock) {
        this.standby = standby;
        this.nanoClock = nanoClock;
    }

    public boolean paused() {
        return cause != Cause.NONE;
    }

    public DropReason reason() {
        return cause.reason;
    }

    /** {@code POST /api/mirror/NAME/pause}. */
    public synchronized void pauseByOperator() {
        byOperator = true;
        allowWritable = false;
        set(Cause.OPERATOR, "paused by the operator");
    }

    /**
     * {@code POST /api/mirror/NAME/resume}: resumes mirroring even to a writable standby, until it is read-only again
     * or has been unreachable. Other causes of a pause stay.
     */
    public synchronized void resumeByOperator(MirrorConfig.PauseAbove bounds) {
        byOperator = false;
        allowWritable = true;
        fit = "resumed by the operator";
        check(bounds);
        fit = FIT;
    }

    /**
     * Compares the standby's last known state with the bounds. Mirroring pauses if that fails: the standby may have
     * been promoted meanwhile.
     */
    public synchronized void check(MirrorConfig.PauseAbove bounds) {
        try {
            compare(bounds);
        } catch (RuntimeException | Error e) {
            if (!paused()) {
                set(Cause.UNREACHABLE, "its state cannot be told: " + e);
            }
            throw e;
        }
    }

    private void compare(MirrorConfig.PauseAbove bounds) {
        StandbyState state = standby.state();
        if (standby.isPrimary()) {
            allowWritable = false;
            asPrimary = state;
            becomesStandby = true;
            set(Cause.PRIMARY, "it is the primary now");
            return;
        }
        if (isOfPrimary(state)) {
            return;
        }
        asPrimary = null;
        if (!state.reachable()) {
            // The operator allowed the server that was there; another may come back under its address.
            allowWritable = false;
            if (cause != Cause.WRITABLE && !byOperator) {
                set(Cause.UNREACHABLE, "it is unreachable");
            }
            return;
        }
        if (state.readOnly()) {
            allowWritable = false;
        } else if (!allowWritable) {
            set(Cause.WRITABLE, becomesStandby ? BACK : PROMOTED + standby.name() + "/resume");
            return;
        }
        if (byOperator) {
            set(Cause.OPERATOR, "paused by the operator");
            return;
        }
        Cause before = cause;
        Double lag = state.lagSeconds();
        becomesStandby &= lag == null;
        double lagBound = bounds.replicationLag().toMillis() / 1000.0 * (before == Cause.LAG ? RESUME_SHARE : 1);
        double threadBound = bounds.threadsRunning() * (before == Cause.BUSY ? RESUME_SHARE : 1);
        if (state.applierStopped() && bounds.stoppedApplier()) {
            set(
                    Cause.STOPPED,
                    "a replication channel of it is stopped or not connected, so its lag is not known. If its primary"
                            + " is away, leave it alone: a restart of replication can throw away what it has received."
                            + " If not, SHOW ALL SLAVES STATUS (MySQL: SHOW REPLICA STATUS) there says why; or set"
                            + " pauseAbove.stoppedApplier to false");
        } else if (lag != null && lag > lagBound) {
            set(Cause.LAG, "replication lag " + lag + " s");
        } else if (state.threadsRunning() > threadBound) {
            set(Cause.BUSY, "Threads_running " + state.threadsRunning());
        } else {
            set(Cause.NONE, fit);
        }
    }

    /** Returns whether the state is from the time as the primary, in which the standby was writable. */
    @SuppressWarnings("ReferenceEquality") // each probe makes a state, which may equal the one before
    private boolean isOfPrimary(StandbyState state) {
        return cause == Cause.PRIMARY && state == asPrimary;
    }

    private void set(Cause next, String why) {
        long now = nanoClock.getAsLong();
        if (cause != next) {
            cause = next;
            begunNanos = now;
        }
        if (logged == next || !isNews(next, now)) {
            return;
        }
        logged = next;
        if (next == Cause.NONE) {
            log.info("mirroring to {} resumes: {}", standby.name(), why);
        } else if (next == Cause.PRIMARY) {
            log.info("nothing is mirrored to {}: {}", standby.name(), why);
        } else if (next == Cause.STOPPED && becomesStandby) {
            // Its replication is set up after the change, and connects then.
            log.info("mirroring to {} waits: {}", standby.name(), why);
        } else {
            log.warn("mirroring to {} pauses: {}", standby.name(), why);
        }
    }

    /** An outage is logged by the standby's monitor, and replication that follows a restart soon is part of it. */
    private boolean isNews(Cause next, long now) {
        return next != Cause.UNREACHABLE && (next != Cause.STOPPED || now - begunNanos >= RECONNECTING.toNanos());
    }

    public String describe() {
        Cause current = cause;
        return current == Cause.NONE ? "mirroring" : "paused_" + current.name().toLowerCase(Locale.ROOT);
    }
}
