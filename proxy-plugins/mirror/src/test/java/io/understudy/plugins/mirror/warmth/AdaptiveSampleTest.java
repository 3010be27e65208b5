package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.mirror.warmth.AdaptiveSample.Bounds;
import io.understudy.plugins.mirror.warmth.AdaptiveSample.Measured;
import io.understudy.plugins.mirror.warmth.AdaptiveSample.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The adaptive sample on a simulated clock, one measurement a second. */
class AdaptiveSampleTest {
    private static final double LOWEST = 0.005;
    /** Above that, so that it need not follow each change of the load. */
    private static final double SETTLED = 1.2 * LOWEST;

    private static final Bounds BOUNDS = new Bounds(0.1, 1000, 5, 32);

    private final AdaptiveSample sample = new AdaptiveSample(0);
    private final List<Reason> changes = new ArrayList<>();
    private long second;

    private void pass(int seconds, Measured measured) {
        for (int i = 0; i < seconds; i++) {
            second++;
            if (sample.update(measured, BOUNDS, second * 1_000_000_000L)) {
                changes.add(sample.reason());
            }
        }
    }

    private static Estimate estimate(double mean) {
        return new Estimate(mean, mean * 0.8, mean * 1.2, 150);
    }

    private static Measured excess(double mean) {
        return new Measured(estimate(mean), false, 0, 0, 1, LOWEST);
    }

    @Test
    void everythingIsMirroredUntilTheExcessIsBelowTheTarget() {
        pass(60, new Measured(Estimate.UNKNOWN, false, Double.NaN, Double.NaN, Double.NaN, LOWEST));
        assertThat(sample.ratio()).isEqualTo(1);
        pass(60, excess(0.8));
        pass(60, excess(0.11));
        assertThat(sample.ratio()).isEqualTo(1);
        assertThat(changes).isEmpty();
    }

    @Test
    void aWarmStandbyGetsHalfAsMuchEveryFiveSecondsDownToTheProbes() {
        pass(4, excess(0.05));
        assertThat(sample.ratio()).isEqualTo(1);
        pass(1, excess(0.05));
        assertThat(sample.ratio()).isEqualTo(0.5);
        pass(5, excess(0.05));
        assertThat(sample.ratio()).isEqualTo(0.25);
        pass(60, excess(0.05));
        assertThat(sample.ratio()).isEqualTo(SETTLED);
        assertThat(changes).containsOnly(Reason.WARM);
        int steps = changes.size();
        pass(600, excess(0.05));
        assertThat(changes).hasSize(steps);
    }

    /** While many probes take too long the mean is only a lower bound. */
    @Test
    void withoutAnUpperBoundNothingIsHalved() {
        Estimate low = new Estimate(0.05, 0.01, Double.POSITIVE_INFINITY, 150);
        pass(60, new Measured(low, false, 0, 0, 1, LOWEST));
        assertThat(sample.ratio()).isEqualTo(1);
        pass(60, excess(0.05));
        Estimate high = new Estimate(0.4, 0.3, Double.POSITIVE_INFINITY, 150);
        pass(60, new Measured(high, false, 0, 0, 1, LOWEST));
        assertThat(sample.ratio()).as("cold at least").isEqualTo(1);
    }

    @Test
    void betweenTargetAndOneAndAHalfOfItNothingChanges() {
        pass(20, excess(0.05));
        double before = sample.ratio();
        int steps = changes.size();
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 600; i++) {
            pass(1, excess(0.1 + 0.05 * random.nextDouble()));
        }
        assertThat(sample.ratio()).isEqualTo(before);
        assertThat(changes).hasSize(steps);
    }

    @Test
    void aStandbyThatBecomesColdAgainGetsTwiceAsMuchUntilItIsEverything() {
        pass(60, excess(0.05));
        pass(5, excess(0.2));
        assertThat(sample.ratio()).isEqualTo(2 * SETTLED);
        assertThat(sample.reason()).isEqualTo(Reason.COLD);
        pass(60, excess(0.2));
        assertThat(sample.ratio()).isEqualTo(1);
    }

    @Test
    void aRestartBringsEverythingBackAtOnce() {
        pass(60, excess(0.05));
        pass(1, new Measured(Estimate.UNKNOWN, true, 0, 0, 1, LOWEST));
        assertThat(sample.ratio()).isEqualTo(1);
        assertThat(sample.reason()).isEqualTo(Reason.RESTART);
        pass(60, new Measured(Estimate.UNKNOWN, false, 0, 0, 1, LOWEST));
        assertThat(sample.ratio()).isEqualTo(1);
    }

    @Test
    void anEstimateOfFewProbesChangesNothing() {
        pass(60, new Measured(new Estimate(0, 0, 0.2, 12), false, 0, 0, 1, LOWEST));
        assertThat(sample.ratio()).isEqualTo(1);
    }

    @Test
    void aBudgetHalvesEverySecondAndIsRelievedSlowly() {
        pass(1, new Measured(estimate(0.8), false, 1500, 0, 1, LOWEST));
        assertThat(sample.ratio()).isEqualTo(0.5);
        assertThat(sample.reason()).isEqualTo(Reason.BUDGET_PAGE_READS);
        pass(1, new Measured(estimate(0.8), false, 0, 6, 1, LOWEST));
        assertThat(sample.reason()).isEqualTo(Reason.BUDGET_LAG);
        pass(1, new Measured(estimate(0.8), false, 0, 0, 40, LOWEST));
        assertThat(sample.reason()).isEqualTo(Reason.BUDGET_THREADS_RUNNING);
        assertThat(sample.ratio()).isEqualTo(0.125);
        pass(60, new Measured(estimate(0.8), false, 900, 0, 1, LOWEST));
        assertThat(sample.ratio())
                .as("above four fifths of the budget it stays")
                .isEqualTo(0.125);
        pass(5, new Measured(estimate(0.8), false, 700, 0, 1, LOWEST));
        assertThat(sample.ratio()).isEqualTo(0.25);
        assertThat(sample.reason()).isEqualTo(Reason.BUDGET_RELIEVED);
        pass(60, new Measured(estimate(0.8), false, 700, 0, 1, LOWEST));
        assertThat(sample.ratio()).isEqualTo(1);
    }

    @Test
    void aBudgetThatIsExceededForLongLeavesTheProbes() {
        pass(100, new Measured(estimate(0.8), false, 5000, 0, 1, LOWEST));
        assertThat(sample.ratio()).isEqualTo(LOWEST);
    }

    @Test
    void aFallingLoadRaisesTheSampleToWhatTheProbesNeed() {
        pass(60, excess(0.05));
        pass(1, new Measured(estimate(0.05), false, 0, 0, 1, 0.2));
        assertThat(sample.ratio()).isEqualTo(0.24);
        assertThat(sample.reason()).isEqualTo(Reason.PROBES);
    }

    /** The load is measured by a few sampled statements a second: what the probes need varies by some 15 %. */
    @Test
    void theNoiseOfTheLoadChangesNothing() {
        pass(60, excess(0.05));
        int steps = changes.size();
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 600; i++) {
            double lowest = LOWEST * (0.85 + 0.3 * random.nextDouble());
            pass(1, new Measured(estimate(0.05), false, 0, 0, 1, lowest));
        }
        assertThat(changes).hasSizeLessThanOrEqualTo(steps + 2);
    }

    @Test
    void aStandbyOfWhichNothingIsKnownGetsEverything() {
        pass(60, excess(0.05));
        Measured unknown = new Measured(Estimate.UNKNOWN, false, 0, 0, 1, LOWEST);
        pass(29, unknown);
        assertThat(sample.ratio()).as("a gap").isEqualTo(SETTLED);
        pass(60, unknown);
        assertThat(sample.ratio()).isEqualTo(1);
        assertThat(sample.reason()).isEqualTo(Reason.UNKNOWN);
    }

    /** The rules mirror a part of the queries, say: more of it would tell no more. */
    @Test
    void anIntervalWithoutAnEstimateDoublesNothing() {
        pass(60, excess(0.05));
        pass(600, new Measured(new Estimate(Double.NaN, -0.1, 0.11, 150), false, 0, 0, 1, LOWEST));
        assertThat(sample.ratio()).isEqualTo(SETTLED);
        pass(600, new Measured(new Estimate(Double.NaN, Double.NaN, 0.4, 150), false, 0, 0, 1, LOWEST));
        assertThat(sample.ratio()).as("no floor, as without primary.monitor").isEqualTo(SETTLED);
        pass(5, new Measured(new Estimate(Double.NaN, 0.2, 0.5, 150), false, 0, 0, 1, LOWEST));
        assertThat(sample.ratio()).as("cold in any case").isEqualTo(2 * SETTLED);
    }

    @Test
    void anIntervalWithoutAnEstimateHalvesWhenAllOfItIsBelowTheTarget() {
        pass(60, new Measured(new Estimate(Double.NaN, -0.2, 0.12, 150), false, 0, 0, 1, LOWEST));
        assertThat(sample.ratio()).isEqualTo(1);
        pass(60, new Measured(new Estimate(Double.NaN, -0.2, 0.08, 150), false, 0, 0, 1, LOWEST));
        assertThat(sample.ratio()).isEqualTo(SETTLED);
        assertThat(changes).containsOnly(Reason.WARM);
    }

    /** Reports whose pages differ widely: the mean is below the target nearly every other time. */
    @Test
    void anIntervalWiderThanTheTargetLowersNothing() {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 120; i++) {
            double mean = 0.2 + 0.5 * random.nextGaussian();
            pass(5, new Measured(new Estimate(mean, mean - 0.98, mean + 0.98, 150), false, 0, 0, 1, LOWEST));
        }
        assertThat(sample.ratio()).isEqualTo(1);
    }

    @Test
    void aBudgetIsNotRelievedWhileItsFigureIsUnknown() {
        pass(10, new Measured(estimate(0.8), false, 0, 60, 1, LOWEST));
        double before = sample.ratio();
        pass(60, new Measured(estimate(0.8), false, Double.NaN, Double.NaN, Double.NaN, LOWEST));
        assertThat(sample.ratio()).isEqualTo(before);
        pass(60, new Measured(estimate(0.8), false, Double.NaN, 0, 1, LOWEST));
        assertThat(sample.ratio()).isEqualTo(1);
    }
}
