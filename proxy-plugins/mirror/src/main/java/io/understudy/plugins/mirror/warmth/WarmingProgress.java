package io.understudy.plugins.mirror.warmth;

import io.understudy.plugin.StandbyState;

/**
 * The work of one standby since its start: statements of the mirror, and pages read by its own counter. Not
 * thread-safe, but for {@link #readsPerSecond}.
 */
final class WarmingProgress {
    private static final int FEWEST_STATEMENTS = 20;
    /** Share of the reads that must be the load's: a backup's, in their order, do not tell what a disk can do. */
    private static final double EXPLAINED = 0.5;

    private static final double RATE_WEIGHT = 0.2;
    /** Seconds by which the standby's clock may differ from this one before it counts as set. */
    private static final double STEP = 20;

    private final RestartWatch watch = new RestartWatch();

    private long uptime = -1;
    private long reads = -1;
    private long readsNanos;
    private long executedAtReads;
    private volatile double readsPerSecond = Double.NaN;
    private double mostReads = Double.NaN;

    private double knownPerStatement = Double.NaN;
    private double knownPerSecond;

    private long executedAtStart;
    private long executed = -1;
    private long updatedNanos;
    private double mirroredPerSecond;

    /**
     * Takes in a state; returns whether the standby has restarted since the last one.
     *
     * @param executedNow statements that the standby has executed for the mirror in all
     * @param ofStatement page reads of a mirrored statement, NaN while unknown
     * @param ofApplier page reads of the applier a second
     * @param figures receive the reads of some seconds in which enough statements were executed
     */
    boolean update(
            StandbyState state,
            long executedNow,
            double ofStatement,
            double ofApplier,
            long nowNanos,
            ProbeFigures figures) {
        mirrored(executedNow, nowNanos);
        if (state.uptimeSeconds() < 0) {
            readsPerSecond = Double.NaN;
            return false;
        }
        boolean restarted = watch.restarted(state.uptimeSeconds(), state.coldReads(), nowNanos);
        if (restarted) {
            executedAtStart = executedNow;
        }
        // The state is read by another thread, once a second by the standby's clock.
        if (restarted || state.uptimeSeconds() != uptime) {
            knownPerStatement = ofStatement;
            knownPerSecond = ofApplier;
            read(restarted ? -1 : reads, state, nowNanos, figures);
        }
        return restarted;
    }

    private void mirrored(long executedNow, long nowNanos) {
        double passed = (nowNanos - updatedNanos) / 1e9;
        updatedNanos = nowNanos;
        if (executed < 0) {
            executedAtStart = executedNow;
        } else if (passed > 0) {
            mirroredPerSecond += RATE_WEIGHT * ((executedNow - executed) / passed - mirroredPerSecond);
        }
        executed = executedNow;
    }

    /** @param before page reads of the last state, or -1 if they cannot be continued */
    private void read(long before, StandbyState state, long nowNanos, ProbeFigures figures) {
        double seconds = state.uptimeSeconds() - uptime;
        boolean stepped = seconds <= 0 || seconds > (nowNanos - readsNanos) / 1e9 + STEP;
        if (state.coldReads() < 0) {
            readsPerSecond = Double.NaN;
        } else if (before >= 0 && state.coldReads() >= before && !stepped) {
            double since = (double) (state.coldReads() - before);
            readsPerSecond = since / seconds;
            double statements = (double) (executed - executedAtReads);
            if (statements * knownPerStatement + seconds * knownPerSecond >= EXPLAINED * since) {
                mostReads = Double.isNaN(mostReads) ? readsPerSecond : Math.max(mostReads, readsPerSecond);
            }
            if (statements >= FEWEST_STATEMENTS) {
                figures.read(since / statements, statements, position());
            }
        }
        uptime = state.uptimeSeconds();
        reads = state.coldReads();
        readsNanos = nowNanos;
        executedAtReads = executed;
    }

    /** Returns the statements executed since the standby's start, or since the first update. */
    long sinceStart() {
        return sinceStart(executed);
    }

    /** As above, when there were so many in all; negative for a time before its start. */
    long sinceStart(long executedThen) {
        return executedThen - executedAtStart;
    }

    /** As {@link #sinceStart()}, as the position on a curve. */
    double position() {
        return (double) sinceStart();
    }

    double mirroredPerSecond() {
        return mirroredPerSecond;
    }

    /** Returns the standby's page reads a second, or NaN. Thread-safe. */
    double readsPerSecond() {
        return readsPerSecond;
    }

    /** Returns the highest rate seen that the load explains, or NaN. */
    double mostReads() {
        return mostReads;
    }
}
