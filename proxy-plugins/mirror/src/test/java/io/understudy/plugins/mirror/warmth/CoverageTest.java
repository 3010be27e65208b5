package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CoverageTest {
    private static final Estimate FLOOR = new Estimate(0.4, 0.38, 0.42, 1000);

    private final Coverage coverage = new Coverage();

    /** Seconds in which a tenth of {@code mirrored} of the {@code relayed} queries a second is sampled. */
    private void pass(int seconds, double mirrored, double relayed, double queries) {
        for (int i = 0; i < seconds; i++) {
            coverage.add(mirrored, mirrored / 10, relayed, queries, 1);
        }
    }

    @Test
    void withoutFiguresNothingIsMissing() {
        assertThat(coverage.share()).isNaN();
        assertThat(coverage.isPart()).isFalse();
        pass(60, 0, 300, 300);
        assertThat(coverage.share()).as("nothing mirrored yet").isNaN();
        assertThat(coverage.of(FLOOR)).isEqualTo(FLOOR);
    }

    @Test
    void theProxysOwnQueriesAreNoMissingPart() {
        pass(60, 20, 20, 80);
        assertThat(coverage.share()).isCloseTo(1, within(1e-9));
        assertThat(coverage.isLittle()).isFalse();
        assertThat(coverage.isPart()).isFalse();
        assertThat(coverage.of(FLOOR)).isEqualTo(FLOOR);
    }

    /** The floor of the mirrored ones is not known then: the others may read nothing, or twice as much. */
    @Test
    void halfOfTheQueriesIsAPart() {
        pass(120, 150, 300, 300);
        assertThat(coverage.share()).isCloseTo(0.5, within(1e-9));
        assertThat(coverage.isPart()).isTrue();
        Estimate widened = coverage.of(FLOOR);
        assertThat(widened.mean()).isEqualTo(0.4);
        assertThat(widened.low()).isLessThan(0.1);
        assertThat(widened.high()).isBetween(0.7, 0.84);
        pass(120, 300, 300, 300);
        assertThat(coverage.isPart()).as("a rule for the others, too").isFalse();
    }

    /** A small sample of a small load: some 25 statements stand for all. */
    @Test
    void theNoiseOfASmallSampleIsNoMissingPart() {
        SplittableRandom random = new SplittableRandom(7);
        int parts = 0;
        for (int second = 0; second < 3600; second++) {
            int sampled = 0;
            for (int i = 0; i < 60; i++) {
                sampled += random.nextInt(100) == 0 ? 1 : 0;
            }
            coverage.add(100.0 * sampled, sampled, 60, 60, 1);
            parts += second > 60 && coverage.isPart() ? 1 : 0;
        }
        assertThat(parts).as("seconds of an hour").isLessThan(120);
    }

    @Test
    void whatPassesAnotherProxyIsToldApart() {
        pass(120, 150, 150, 300);
        assertThat(coverage.share()).isCloseTo(1, within(1e-9));
        assertThat(coverage.relayedShare()).isCloseTo(0.5, within(1e-9));
        assertThat(coverage.isPart()).isFalse();
        assertThat(coverage.isLittle()).isFalse();
        assertThat(coverage.of(FLOOR)).isEqualTo(FLOOR);
        pass(300, 10, 10, 300);
        assertThat(coverage.isLittle()).isTrue();
    }

    @Test
    void whileThePrimaryIsNotSeenTheOthersAreNotCounted() {
        pass(60, 300, 300, 600);
        pass(60, 200, 400, Double.NaN);
        assertThat(coverage.relayedShare()).isCloseTo(0.5, within(1e-9));
        assertThat(coverage.share()).isLessThan(0.7);
    }
}
