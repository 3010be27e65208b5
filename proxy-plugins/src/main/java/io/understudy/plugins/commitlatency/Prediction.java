package io.understudy.plugins.commitlatency;

/**
 * Expectation from the commits of the last minutes. Gathers in two alternating halves, so that it covers the last one
 * to two periods. Guarded by its {@link CommitReport}.
 */
final class Prediction {
    private static final long PERIOD_NANOS = 60_000_000_000L;

    /**
     * The figures; zero without data.
     *
     * @param commits number of commits that they are based on
     * @param commitsPerSecond observed
     * @param commitMillis median latency of a commit
     * @param roundTripMillis median wait for the own acknowledgement: the way to the acknowledging replica and back
     * @param ceilingPerConnection most commits per second of one connection that commits one after another
     * @param connectionsNeeded connections that must commit at the same time for the observed rate (Little's law)
     */
    record Figures(
            long commits,
            double commitsPerSecond,
            double commitMillis,
            double roundTripMillis,
            double ceilingPerConnection,
            double connectionsNeeded) {}

    private static final class Half {
        private final Quantiles latency = new Quantiles();
        private final Quantiles ack = new Quantiles();
        private long firstNanos;
        private long lastNanos;

        private void clear() {
            latency.clear();
            ack.clear();
        }
    }

    private Half now = new Half();
    private Half before = new Half();

    void commit(Commit commit) {
        long at = commit.okNanos();
        if (now.latency.count() > 0 && at - now.firstNanos > PERIOD_NANOS) {
            Half old = before;
            before = now;
            old.clear();
            now = old;
        }
        if (now.latency.count() == 0) {
            now.firstNanos = at;
            now.lastNanos = at;
        }
        now.lastNanos = Math.max(now.lastNanos, at);
        now.latency.record(commit.latencyNanos());
    }

    void attributed(Breakdown parts) {
        now.ack.record(parts.ackNanos());
    }

    Figures figures() {
        // The half with more data.
        Half half = before.latency.count() > now.latency.count() ? before : now;
        long count = half.latency.count();
        if (count == 0) {
            return new Figures(0, 0, 0, 0, 0, 0);
        }
        double seconds = (half.lastNanos - half.firstNanos) / 1e9;
        double rate = seconds <= 0 ? 0 : (count - 1) / seconds;
        double median = half.latency.at(0.5) / 1e9;
        double mean = half.latency.sum() / 1e9 / count;
        return new Figures(
                count,
                tenth(rate),
                Millis.of(half.latency.at(0.5)),
                Millis.of(half.ack.at(0.5)),
                median <= 0 ? 0 : tenth(1 / median),
                tenth(rate * mean));
    }

    private static double tenth(double value) {
        return Math.round(value * 10) / 10.0;
    }
}
