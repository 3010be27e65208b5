package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.StandbyState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * The excess under a load that writes, on simulated pools: the primary reads for queries and writes, the standby for
 * mirrored queries and its applier, and both count all together. The standby restarts cold.
 */
class WritesApartSimulationTest {
    private static final int[] LEVELS = {600, 1200, 2500, 5000, 10_000};
    private static final int POOL = 2500;
    private static final int TABLE = 4 * POOL;
    private static final int PER_SECOND = 140;
    /** As in sysbench's oltp_read_write. */
    private static final double WRITES_A_QUERY = 4 / 14.0;

    private static final long SEED = 7;
    private static final int CONTINUATIONS = 3;
    private static final int FIRST = 1000;

    /** What was said at one promotion, and the excess of the first 1,000 queries then. */
    private record Promotion(String when, Estimate said, double forecast, double excess) {
        boolean right() {
            return Math.abs(forecast - excess) <= Math.max(0.1, 0.25 * excess);
        }

        boolean withinInterval() {
            return excess >= said.low() - 0.02 && excess <= said.high() + 0.02;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%s: %.2f [%.2f, %.2f], forecast %.2f, then %.2f%n",
                    when,
                    said.mean(),
                    said.low(),
                    said.high(),
                    forecast,
                    excess);
        }
    }

    /** Primary and standby with pools of one size. */
    private static final class Pair {
        private final double sample;
        private final SimulatedReads reads;
        private final SimulatedWrites writes;
        private final SimulatedPool primary = new SimulatedPool(POOL);
        private final SimulatedPool standby = new SimulatedPool(POOL);
        private final Floor floor = new Floor();
        private final WritesApart apart = new WritesApart();
        private final StandbyWarmth warmth = new StandbyWarmth(SEED, 5);

        private long second = 100;
        private long primaryReads;
        private long standbyReads;
        private long queries;
        private long written;
        private long mirrored;

        Pair(double skew, double sample) {
            this.sample = sample;
            reads = new SimulatedReads(TABLE, skew, SEED);
            writes = new SimulatedWrites(TABLE, TABLE / 4, skew, SEED + 1);
            for (int i = 0; i < 12 * POOL; i++) {
                primary.read(reads.next());
                write(false);
            }
        }

        private void write(boolean applied) {
            if (reads.happens(WRITES_A_QUERY)) {
                written++;
                for (int leaf : writes.next()) {
                    primaryReads += primary.read(leaf);
                    standbyReads += applied ? standby.read(leaf) : 0;
                }
            }
        }

        void second() {
            long nanos = second * 1_000_000_000L;
            if (second % FloorPolling.SECONDS == 0) {
                ServerCounters there = new ServerCounters(primaryReads, queries, written, second, primary.pages());
                ServerCounters here = new ServerCounters(standbyReads, mirrored, 0, second, standby.pages());
                floor.saw(there, nanos);
                apart.saw(
                        new WritesApart.Reading(there, here, new WritesApart.Executed(mirrored, 0), nanos),
                        warmth.coldPages());
            }
            for (int i = 0; i < PER_SECOND; i++) {
                int leaf = reads.next();
                primaryReads += primary.read(leaf);
                queries++;
                if (reads.happens(sample)) {
                    mirror(leaf, nanos);
                }
                write(true);
            }
            second++;
            StandbyState state = new StandbyState(true, true, 0.0, false, 1, standbyReads, second, null);
            WarmthSettings settings = new WarmthSettings(0.1, null, 5);
            warmth.update(state, false, floor, apart.compared(), mirrored, settings, nanos);
        }

        private void mirror(int leaf, long nanos) {
            boolean probed = warmth.probeNext();
            int pages = standby.read(leaf);
            standbyReads += pages;
            mirrored++;
            if (probed) {
                double weight = 1 / (sample * warmth.probedShare());
                warmth.ended(new Probed("all", 1, weight, null, List.of(), ProbeResult.counted(pages), nanos));
            }
        }

        Promotion promoted(String when) {
            double excess = 0;
            for (int i = 0; i < CONTINUATIONS; i++) {
                SimulatedPool there = primary.copy();
                SimulatedPool here = standby.copy();
                for (int j = 0; j < FIRST; j++) {
                    int leaf = reads.next();
                    excess += here.read(leaf) - there.read(leaf);
                }
            }
            Map<?, ?> forecast =
                    (Map<?, ?>) Objects.requireNonNull(warmth.view().get("forecast"));
            double first = (Double) Objects.requireNonNull(forecast.get("excessFirst1000"));
            return new Promotion(when, warmth.excess(), first, excess / (CONTINUATIONS * FIRST));
        }
    }

    @Test
    void theReadsOfWritesAreNotThoseOfQueries() {
        List<Promotion> all = new ArrayList<>();
        for (double skew : new double[] {0.99, 0.8, 0}) {
            for (double sample : new double[] {0.1, 0.3, 1}) {
                Pair pair = new Pair(skew, sample);
                for (int level : LEVELS) {
                    do {
                        pair.second();
                    } while (pair.mirrored < level || !pair.warmth.excess().known());
                    all.add(pair.promoted(
                            String.format(Locale.ROOT, "skew %.2f, sample %.1f, %d", skew, sample, pair.mirrored)));
                }
            }
        }
        assertThat(all.stream().filter(one -> !one.right()).toList())
                .as("wrong, of %s", all)
                .isEmpty();
        assertThat(all.stream().filter(one -> !one.withinInterval()).toList())
                .as("outside of the interval, of %s", all)
                .isEmpty();
    }
}
