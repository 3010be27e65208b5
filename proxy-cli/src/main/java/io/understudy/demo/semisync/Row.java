package io.understudy.demo.semisync;

import java.util.List;

/**
 * What was measured in one setting. Times are milliseconds.
 *
 * @param commits that were timed, one after another over one connection
 * @param perSecond commits a second
 * @param p50 median latency, as the application saw it
 * @param executeMean mean of execution and flush, as the proxy tells it
 * @param ackMean mean of the wait for the acknowledgement, as the proxy tells it
 * @param serverMean the same by the growth of the server's own counters
 * @param checked further commits, with a look at the server's counter before and after each
 * @param medianError median difference, without its sign, of the two for one and the same commit
 * @param problems why this row is not what it says; empty when it is
 */
public record Row(
        Setting setting,
        int commits,
        double perSecond,
        double p50,
        double p99,
        double executeMean,
        double ackMean,
        double serverMean,
        int checked,
        double medianError,
        List<String> problems) {

    /** Commits a second that one connection cannot exceed at this latency. */
    double ceiling() {
        return p50 <= 0 ? 0 : 1000 / p50;
    }
}
