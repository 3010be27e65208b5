package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ColdEstimateTest {
    private static final long STEP = 200_000_000L;

    @Test
    void nothingIsKnownFromFewProbes() {
        ColdEstimate cold = new ColdEstimate();
        assertThat(cold.estimate().known()).isFalse();
        for (int i = 0; i < 9; i++) {
            cold.add(0, 1, 0, i * STEP);
        }
        assertThat(cold.estimate().mean()).isNaN();
        assertThat(cold.estimate().view().get("estimate")).isNull();
        for (int i = 9; i < 12; i++) {
            cold.add(0, 1, 0, i * STEP);
        }
        assertThat(cold.estimate().known()).isTrue();
    }

    @Test
    void probesWithoutAColdPageLeaveAnUpperBound() {
        ColdEstimate cold = new ColdEstimate();
        for (int i = 0; i < 300; i++) {
            cold.add(0, 1, 0, i * STEP);
        }
        Estimate zero = cold.estimate();
        assertThat(zero.mean()).isZero();
        assertThat(zero.high()).isBetween(1 / zero.samples(), 4 / zero.samples());
    }

    /** The promised share of 400 intervals of a skewed load holds the true mean. */
    @Test
    void theIntervalHoldsTheMeanAsOftenAsItSays() {
        SplittableRandom random = new SplittableRandom(11);
        int inside = 0;
        for (int run = 0; run < 400; run++) {
            ColdEstimate cold = new ColdEstimate();
            for (int i = 0; i < 400; i++) {
                // Nine in ten statements find their pages, the tenth reads 1 to 5.
                cold.add(random.nextInt(10) == 0 ? 1 + random.nextInt(5) : 0, 1, 0, i * STEP);
            }
            Estimate estimate = cold.estimate();
            inside += estimate.low() <= 0.3 && 0.3 <= estimate.high() ? 1 : 0;
        }
        assertThat(inside).isBetween(360, 400);
    }

    /** A rule with a sample of 10 % and one of 100 % count as the load has them, not as the mirror has them. */
    @Test
    void probesCountByTheStatementsForWhichTheyStand() {
        ColdEstimate cold = new ColdEstimate();
        for (int i = 0; i < 2000; i++) {
            cold.add(1, 10, 0, i);
            for (int j = 0; j < 10; j++) {
                cold.add(0, 1, 0, i);
            }
        }
        assertThat(cold.estimate().mean()).isCloseTo(0.5, within(0.02));
        assertThat(cold.share()).isCloseTo(11.0 / 20, within(0.02));
    }

    @Test
    void oldProbesLoseTheirWeight() {
        ColdEstimate cold = new ColdEstimate();
        for (int i = 0; i < 300; i++) {
            cold.add(2, 1, 0, i * STEP);
        }
        for (int i = 300; i < 900; i++) {
            cold.add(0, 1, 0, i * STEP);
        }
        assertThat(cold.estimate().mean()).isLessThan(0.02);
    }

    @Test
    void aDifferenceIsAsUnsureAsBothItsParts() {
        Estimate excess = new Estimate(0.5, 0.2, 0.8, 50).minus(new Estimate(0.2, 0.1, 0.6, 1000));
        assertThat(excess.mean()).isCloseTo(0.3, within(1e-9));
        assertThat(excess.low()).isCloseTo(0.3 - 0.5, within(1e-9));
        assertThat(excess.high()).isCloseTo(0.3 + Math.hypot(0.3, 0.1), within(1e-9));
        Estimate withoutFloor = new Estimate(0.5, 0.2, 0.8, 50).minus(Estimate.UNKNOWN);
        assertThat(withoutFloor.known()).isFalse();
        assertThat(withoutFloor.high()).as("the floor is not below 0").isEqualTo(0.8);
    }
}
