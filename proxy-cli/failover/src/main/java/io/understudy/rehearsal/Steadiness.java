package io.understudy.rehearsal;

import io.understudy.metrics.LatencyHistogram;
import io.understudy.rehearsal.Readings.Sample;
import org.jspecify.annotations.Nullable;

/**
 * Finds when the clients' load is again as it was before the change: for five seconds in a row at least 80 % of the
 * commands a second, and a p95 of at most 1.5 times the former, or a millisecond more. Used by one thread.
 */
final class Steadiness {
    private static final int IN_A_ROW = 5;
    /** So many seconds without a command, and without a failure, mean that the clients have stopped. */
    private static final int SILENT = 10;

    private static final double RATE = 0.8;
    private static final double SLOWER = 1.5;
    private static final double ALLOWED_NANOS = 1e6;
    /** A shorter reading before the change tells nothing. */
    private static final long LEAST_MILLIS = 2_000;

    private final double rate;
    private final double p95;
    private int inARow;
    private int silent;
    private long since;
    private @Nullable Double seconds;

    /**
     * @param before buckets of the commands before the change
     * @param millis the length of that time
     */
    Steadiness(long[] before, long millis) {
        rate = millis < LEAST_MILLIS ? 0 : Sample.count(before) * 1e3 / millis;
        p95 = LatencyHistogram.percentile(before, 0.95);
    }

    /** Returns whether there was a load to compare with. */
    boolean comparable() {
        return rate > 0;
    }

    double rate() {
        return rate;
    }

    /**
     * Takes the commands of a second after the change.
     *
     * @param failed whether sessions ended or logins were refused in it
     * @param afterMillis from the change to the begin of that second
     */
    void add(long[] commands, boolean failed, long millis, long afterMillis) {
        silent = Sample.count(commands) > 0 || failed ? 0 : silent + 1;
        if (seconds != null || !comparable() || millis <= 0) {
            return;
        }
        boolean steady = Sample.count(commands) * 1e3 / millis >= rate * RATE
                && LatencyHistogram.percentile(commands, 0.95) <= Math.max(p95 * SLOWER, p95 + ALLOWED_NANOS);
        if (!steady) {
            inARow = 0;
            return;
        }
        if (inARow == 0) {
            since = Math.max(0, afterMillis);
        }
        if (++inARow == IN_A_ROW) {
            seconds = since / 1e3;
        }
    }

    /** Returns whether nobody has sent or tried anything lately: then there is nothing to judge. */
    boolean isSilent() {
        return silent >= SILENT;
    }

    /** Returns the seconds from the change until the load was steady, or null while it is not. */
    @Nullable
    Double seconds() {
        return seconds;
    }
}
