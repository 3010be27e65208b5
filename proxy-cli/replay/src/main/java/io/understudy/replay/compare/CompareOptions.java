package io.understudy.replay.compare;

import io.understudy.replay.LogFilter;
import java.time.Duration;

/**
 * The servers to compare, and by what.
 *
 * @param executions the largest number of statements executed for one digest
 * @param timeout for one execution
 */
public record CompareOptions(ComparedTarget a, ComparedTarget b, LogFilter filter, int executions, Duration timeout) {

    public static final int DEFAULT_EXECUTIONS = 200;

    /** Returns the standard options. */
    public static CompareOptions of(ComparedTarget a, ComparedTarget b) {
        return new CompareOptions(a, b, LogFilter.READS, DEFAULT_EXECUTIONS, Duration.ofSeconds(30));
    }
}
