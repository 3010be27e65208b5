package io.understudy.demo.semisync;

import java.util.List;

/**
 * The measurements of one setting. Times are milliseconds.
 *
 * @param commits number of timed commits, in sequence over one connection
 * @param perSecond commits per second
 * @param p50 median latency, as the application saw it
 * @param executeMean mean of execution and flush, as reported by the proxy
 * @param ackMean mean of the wait for the acknowledgement, as reported by the proxy
 * @param serverMean the same by the growth of the server's counters
 * @param checked further commits, with a probe of the server's counter before and after each
 * @param medianError median absolute difference of the two for the same commit
 * @param problems reasons why this row is invalid; empty when it is valid
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

    /** Returns the maximum commits per second of one connection at this latency. */
    double ceiling() {
        return p50 <= 0 ? 0 : 1000 / p50;
    }
}
