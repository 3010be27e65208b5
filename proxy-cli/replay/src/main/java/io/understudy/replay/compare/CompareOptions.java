package io.understudy.replay.compare;

import io.understudy.replay.LogFilter;
import java.time.Duration;

/**
 * The servers to compare, and the smallest difference in time that counts.
 *
 * @param executions the largest number of statements executed for one digest
 * @param timeout for one execution
 * @param minimumRatio the smallest ratio of the times that counts, in either direction
 * @param minimumNanos the smallest difference of the times that counts
 */
public record CompareOptions(
        ComparedTarget a,
        ComparedTarget b,
        LogFilter filter,
        int executions,
        Duration timeout,
        double minimumRatio,
        long minimumNanos) {

    public static final int DEFAULT_EXECUTIONS = 200;
    public static final double DEFAULT_RATIO = 1.3;
    public static final long DEFAULT_NANOS = 200_000;

    /** Returns the standard thresholds. */
    public static CompareOptions of(ComparedTarget a, ComparedTarget b) {
        return new CompareOptions(
                a, b, LogFilter.READS, DEFAULT_EXECUTIONS, Duration.ofSeconds(30), DEFAULT_RATIO, DEFAULT_NANOS);
    }
}
