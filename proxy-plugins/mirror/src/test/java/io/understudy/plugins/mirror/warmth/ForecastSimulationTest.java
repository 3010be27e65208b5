package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.StandbyState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The forecast of the seconds over capacity against what then happens, on simulated pools. The standby restarts cold, a
 * share of the reads is mirrored to it, and at some numbers of mirrored statements it is promoted.
 */
class ForecastSimulationTest {
    private static final int[] LEVELS = {300, 600, 1200, 2500};
    private static final int POOL = 2500;
    private static final int TABLE = 4 * POOL;
    private static final int PER_SECOND = 100;
    /** Excess from which on the standby's disk is too slow. */
    private static final double EXCESS = 0.15;

    private static final long SEED = 42;
    private static final int CONTINUATIONS = 3;
    private static final int BLOCKS = 100;
    private static final int BLOCK = 100;
    /** Blocks on each side over which reads are averaged: neighbours differ by chance. */
    private static final int AROUND = 3;
    /** Seconds that no forecast has to tell apart. */
    private static final double FEW = 2;

    /** The forecast at one promotion, and the seconds that the reads then exceeded the capacity. */
    private record Promotion(String when, Map<?, ?> forecast, double seconds) {
        private static double number(@Nullable Object value) {
            return value instanceof Number number ? number.doubleValue() : Double.POSITIVE_INFINITY;
        }

        boolean inNumbers() {
            return forecast.get("secondsOverCapacity") != null;
        }

        boolean right() {
            double said = number(forecast.get("secondsOverCapacity"));
            return Math.max(said, seconds) <= Math.max(FEW, 2 * Math.min(said, seconds));
        }

        boolean withinInterval() {
            return seconds >= number(forecast.get("secondsOverCapacityLow")) - FEW
                    && seconds <= number(forecast.get("secondsOverCapacityHigh")) + FEW;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%s: %s [%s, %s], then %.1f",
                    when,
                    forecast.get("secondsOverCapacity"),
                    forecast.get("secondsOverCapacityLow"),
                    forecast.get("secondsOverCapacityHigh"),
                    seconds);
        }
    }

    /** Primary and standby with pools of one size, in front of them a load. */
    private static final class Pair {
        private final double sample;
        private final SimulatedReads reads;
        private final SimulatedPool primary = new SimulatedPool(POOL);
        private final SimulatedPool standby = new SimulatedPool(POOL);
        private final double capacity;
        private final Floor floor = new Floor();
        private final StandbyWarmth warmth = new StandbyWarmth(SEED, 5);
        /** The same without a comparison of the pools. */
        private final StandbyWarmth blind = new StandbyWarmth(SEED, 5);

        private Compared compared = Compared.UNKNOWN;
        private long second = 100;
        private long primaryReads;
        private long queries;
        private long standbyReads;
        private long mirrored;

        Pair(double skew, double sample) {
            this.sample = sample;
            reads = new SimulatedReads(TABLE, skew, SEED);
            int warming = 12 * POOL;
            double misses = 0;
            for (int i = 0; i < 2 * warming; i++) {
                int missed = primary.read(reads.next());
                misses += i < warming ? 0 : missed;
            }
            capacity = PER_SECOND * (misses / warming + EXCESS);
        }

        private long nanos() {
            return second * 1_000_000_000L;
        }

        void second() {
            if (second % FloorPolling.SECONDS == 0) {
                floor.saw(new ServerCounters(primaryReads, queries, 0, second, 0), nanos());
                compared = new Compared(Estimate.UNKNOWN, primary.pages() - standby.pages(), mirrored, 0);
            }
            for (int i = 0; i < PER_SECOND; i++) {
                int leaf = reads.next();
                primaryReads += primary.read(leaf);
                queries++;
                if (reads.happens(sample)) {
                    mirror(leaf);
                }
            }
            second++;
            update(warmth, compared);
            update(blind, Compared.UNKNOWN);
        }

        private void mirror(int leaf) {
            boolean probed = warmth.probeNext();
            int pages = standby.read(leaf);
            standbyReads += pages;
            mirrored++;
            if (probed) {
                double weight = 1 / (sample * warmth.probedShare());
                Probed probe = new Probed("all", 1, weight, null, List.of(), ProbeResult.counted(pages), nanos());
                warmth.ended(probe);
                blind.ended(probe);
            }
        }

        private void update(StandbyWarmth one, Compared pools) {
            StandbyState state = new StandbyState(true, true, 0.0, false, 1, standbyReads, second, null);
            one.update(state, false, floor, pools, mirrored, new WarmthSettings(0.1, (int) capacity, 5), nanos());
        }

        boolean known() {
            return warmth.excess().known();
        }

        static Map<?, ?> forecast(StandbyWarmth one) {
            return (Map<?, ?>) Objects.requireNonNull(one.view().get("forecast"));
        }

        /** Promotes copies of the standby; returns the seconds at capacity by their mean reads. */
        double promoted() {
            double[] pages = new double[BLOCKS];
            for (int i = 0; i < CONTINUATIONS; i++) {
                SimulatedPool promoted = standby.copy();
                for (int j = 0; j < BLOCKS * BLOCK; j++) {
                    pages[j / BLOCK] += promoted.read(reads.next()) / (double) (CONTINUATIONS * BLOCK);
                }
            }
            double seconds = 0;
            for (int i = 0; i < BLOCKS; i++) {
                double sum = 0;
                int from = Math.max(0, i - AROUND);
                int to = Math.min(BLOCKS, i + AROUND + 1);
                for (int j = from; j < to; j++) {
                    sum += pages[j];
                }
                double each = sum / (to - from);
                seconds += each * PER_SECOND > capacity ? BLOCK * each / capacity : 0;
            }
            return seconds;
        }
    }

    private static void numbersAreRight(List<Promotion> all) {
        List<Promotion> inNumbers = all.stream().filter(Promotion::inNumbers).toList();
        assertThat(inNumbers.stream().filter(one -> !one.right()).toList())
                .as("wrong, of %s", inNumbers)
                .hasSizeLessThanOrEqualTo(inNumbers.size() / 20);
        assertThat(all.stream().filter(one -> !one.withinInterval()).toList())
                .as("outside of the interval")
                .hasSizeLessThanOrEqualTo(all.size() / 20);
    }

    @Test
    void secondsAreRightWithinAFactorOfTwoOrAnInterval() {
        List<Promotion> comparing = new ArrayList<>();
        List<Promotion> blind = new ArrayList<>();
        for (double skew : new double[] {0.99, 0.8, 0}) {
            for (double sample : new double[] {0.1, 0.3, 1}) {
                Pair pair = new Pair(skew, sample);
                for (int level : LEVELS) {
                    do {
                        pair.second();
                    } while (pair.mirrored < level || !pair.known());
                    double seconds = pair.promoted();
                    String when = String.format(Locale.ROOT, "skew %.2f, sample %.1f, %d", skew, sample, pair.mirrored);
                    comparing.add(new Promotion(when, Pair.forecast(pair.warmth), seconds));
                    blind.add(new Promotion(when, Pair.forecast(pair.blind), seconds));
                }
            }
        }
        numbersAreRight(comparing);
        numbersAreRight(blind);
        List<Promotion> slow =
                comparing.stream().filter(one -> one.seconds() > FEW).toList();
        assertThat(slow.stream().filter(Promotion::inNumbers).toList())
                .as("known, of %s", slow)
                .hasSizeGreaterThanOrEqualTo(slow.size() / 3);
    }
}
