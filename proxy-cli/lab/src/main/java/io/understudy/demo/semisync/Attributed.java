package io.understudy.demo.semisync;

import io.understudy.metrics.LatencyHistogram;
import io.understudy.metrics.LatencyHistograms;
import java.time.Duration;

/** The results of {@code commit-latency} so far, from its metrics. */
final class Attributed {
    private static final long LOOK_MILLIS = 2;

    private final LatencyHistogram ack;
    private final LatencyHistogram execute;

    Attributed(LatencyHistograms histograms) {
        ack = histograms.series("understudy_commit_semisync_wait_seconds", "", "source", "binlog");
        execute = histograms.series("understudy_commit_execute_seconds", "");
    }

    /** Commits whose time was split. */
    long commits() {
        // Recorded last but one, so the execution of as many is known when the next probe sees the same number there.
        return Math.min(ack.count(), execute.count());
    }

    /** Waits for the own acknowledgement, together, nanoseconds. */
    long ackNanos() {
        return ack.sumNanos();
    }

    /** Execution and flush, together, nanoseconds. */
    long executeNanos() {
        return execute.sumNanos();
    }

    /** Waits until so many commits are split; false when that takes longer than {@code patience}. */
    boolean await(long commits, Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (commits() < commits) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            Thread.sleep(LOOK_MILLIS);
        }
        return true;
    }
}
