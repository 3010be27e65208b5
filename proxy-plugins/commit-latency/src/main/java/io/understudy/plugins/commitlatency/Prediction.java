package io.understudy.plugins.commitlatency;

import io.understudy.plugins.binlog.WitnessState;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Expectation from the commits of the last minutes. Gathers in two alternating halves, so that it covers the last one
 * to two periods. Guarded by its {@link CommitReport}.
 */
final class Prediction {
    private static final long PERIOD_NANOS = 60_000_000_000L;
    private static final int PRESENT_SECONDS = 10;
    private static final int PINGS = 31;
    private static final long SECOND_NANOS = 1_000_000_000L;

    /**
     * The figures; zero without data.
     *
     * @param commits number of commits that they are based on
     * @param commitsPerSecond observed while these commits came, which may be long ago
     * @param commitMillis median latency of a commit
     * @param roundTripMillis median wait for the own acknowledgement: the way to the acknowledging replica and back
     * @param ceilingPerConnection most commits per second of one connection that commits one after another
     * @param connectionsNeeded connections that must commit at the same time for the observed rate (Little's law)
     * @param commitsPerSecondNow of the last {@value #PRESENT_SECONDS} seconds; 0 while nobody commits
     * @param lastCommitSecondsAgo age of the newest of these commits; null without commits
     * @param witness what they would take with a witness; null if that is not known
     */
    record Figures(
            long commits,
            double commitsPerSecond,
            double commitMillis,
            double roundTripMillis,
            double ceilingPerConnection,
            double connectionsNeeded,
            double commitsPerSecondNow,
            @Nullable Double lastCommitSecondsAgo,
            @Nullable WithWitness witness) {}

    /**
     * The commits if the proxy acknowledged them itself, as a witness: the median time until the proxy has the
     * transaction, and then a round trip to the primary, and from disk also one fdatasync. Times in milliseconds.
     *
     * @param present whether it does so already
     * @param withdrawn whether it would, and cannot now
     * @param executeMillis until the proxy has the transaction
     * @param roundTripMillis from the proxy to the primary and back, median of pings
     * @param memoryMillis of a commit that is acknowledged from memory
     * @param memoryCeilingPerConnection most commits per second then of one connection
     * @param syncMillis of one fdatasync in the witness's directory; null if none was measured
     * @param diskMillis of a commit that is acknowledged from disk; null if that is not known
     */
    record WithWitness(
            boolean present,
            boolean withdrawn,
            double executeMillis,
            double roundTripMillis,
            double memoryMillis,
            double memoryCeilingPerConnection,
            @Nullable Double syncMillis,
            @Nullable Double diskMillis) {}

    /** Commits by second, of the last seconds. */
    private static final class Present {
        private final long[] seconds = new long[PRESENT_SECONDS];
        private final long[] commits = new long[PRESENT_SECONDS];

        private void commit(long nanos) {
            long second = Math.floorDiv(nanos, SECOND_NANOS);
            int slot = Math.floorMod(second, PRESENT_SECONDS);
            if (seconds[slot] != second) {
                seconds[slot] = second;
                commits[slot] = 0;
            }
            commits[slot]++;
        }

        private double rate(long nowNanos) {
            long now = Math.floorDiv(nowNanos, SECOND_NANOS);
            long sum = 0;
            for (int slot = 0; slot < PRESENT_SECONDS; slot++) {
                if (seconds[slot] > now - PRESENT_SECONDS && seconds[slot] <= now) {
                    sum += commits[slot];
                }
            }
            return sum / (double) PRESENT_SECONDS;
        }
    }

    private static final class Half {
        private final Quantiles latency = new Quantiles();
        private final Quantiles ack = new Quantiles();
        private final Quantiles execute = new Quantiles();
        private long firstNanos;
        private long lastNanos;

        private void clear() {
            latency.clear();
            ack.clear();
            execute.clear();
        }
    }

    private Half now = new Half();
    private Half before = new Half();
    private final Present present = new Present();
    /** Round trips of the last pings. */
    private final long[] pings = new long[PINGS];

    private int pinged;

    void commit(Commit commit) {
        long at = commit.okNanos();
        present.commit(at);
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
        now.execute.record(parts.executeNanos());
    }

    /** Called with a round trip to the primary. */
    void pinged(long nanos) {
        pings[pinged++ % PINGS] = nanos;
    }

    /**
     * @param nowNanos of the clock of {@link Commit#okNanos}
     * @param witness the proxy's, if it has one
     */
    Figures figures(long nowNanos, WitnessState witness) {
        // The half with more data.
        Half half = before.latency.count() > now.latency.count() ? before : now;
        long count = half.latency.count();
        if (count == 0) {
            return new Figures(0, 0, 0, 0, 0, 0, 0, null, null);
        }
        double seconds = (half.lastNanos - half.firstNanos) / 1e9;
        double rate = seconds <= 0 ? 0 : (count - 1) / seconds;
        double median = half.latency.at(0.5) / 1e9;
        double mean = half.latency.sum() / 1e9 / count;
        return new Figures(
                count,
                tenth(rate),
                Quantiles.millis(half.latency.at(0.5)),
                Quantiles.millis(half.ack.at(0.5)),
                median <= 0 ? 0 : tenth(1 / median),
                tenth(rate * mean),
                tenth(this.present.rate(nowNanos)),
                tenth(Math.max(0, nowNanos - Math.max(now.lastNanos, half.lastNanos)) / 1e9),
                with(half, witness));
    }

    private @Nullable WithWitness with(Half half, WitnessState witness) {
        if (half.execute.count() == 0 || pinged == 0) {
            return null;
        }
        long[] sorted = Arrays.copyOf(pings, Math.min(pinged, PINGS));
        Arrays.sort(sorted);
        long ping = sorted[sorted.length / 2];
        long execute = half.execute.at(0.5);
        long memory = execute + ping;
        boolean present = witness.isPresent();
        Duration sync = witness.sync();
        return new WithWitness(
                present,
                witness.isConfigured() && !present,
                Quantiles.millis(execute),
                Quantiles.millis(ping),
                Quantiles.millis(memory),
                tenth(1e9 / Math.max(1, memory)),
                sync == null ? null : Quantiles.millis(sync.toNanos()),
                sync == null ? null : Quantiles.millis(memory + sync.toNanos()));
    }

    private static double tenth(double value) {
        return Math.round(value * 10) / 10.0;
    }
}
