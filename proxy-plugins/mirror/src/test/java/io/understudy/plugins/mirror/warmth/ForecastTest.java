package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ForecastTest {
    private static final double FLOOR = 0.02;

    private static Forecast of(Estimate excess, double missing, double load, double capacity, boolean configured) {
        return Forecast.of(new Forecast.Situation(
                excess, 1000, 1000, missing, FLOOR, FLOOR, load, 100, 0.1, capacity, configured));
    }

    private static Estimate exactly(double excess) {
        return new Estimate(excess, excess, excess, 100);
    }

    private static @Nullable Object seconds(Forecast forecast, String bound) {
        return forecast.view().get("secondsOverCapacity" + bound);
    }

    /** Nobody knows when a pool that no longer fills has the right pages. */
    @Test
    void withoutMissingPagesNoDeclineIsKnown() {
        Forecast forecast = of(exactly(0.5), Double.NaN, 200, 50, true);
        assertThat(forecast.excessFirst1000()).isCloseTo(0.5, within(1e-9));
        assertThat(forecast.view())
                .containsEntry("secondsOverCapacity", null)
                .containsEntry("secondsOverCapacityLow", 0L)
                .containsEntry("secondsOverCapacityHigh", "more than a day")
                .containsEntry("secondsUntilWarm", null)
                .containsEntry("secondsUntilWarmHigh", "more than a day")
                .containsEntry("decline", "unknown");
    }

    @Test
    void readsWithinTheCapacityTakeNoTime() {
        Forecast forecast = of(exactly(0.5), Double.NaN, 200, 5000, true);
        assertThat(seconds(forecast, "")).isEqualTo(0L);
        assertThat(forecast.extraReadsFirstMinute()).isCloseTo(0.5 * 200 * 60, within(200.0));
    }

    /**
     * 1,000 statements a second that read a page each until 900 pages are there; 100 pages a second can be read, and
     * are, as long as a statement reads 0.1.
     */
    @Test
    void statementsComeAtTheRateOfTheirPages() {
        Forecast forecast = of(exactly(1), 900, 1000, 100, true);
        assertThat(forecast.overCapacity().low()).isBetween(4.0, 9.0);
        assertThat(forecast.overCapacity().high())
                .as("0.08 of the excess are left when 828 pages were read beside the floor's")
                .isBetween(7.0, 10.0);
        assertThat(forecast.extraReadsFirstMinute()).isBetween(700.0, 900.0);
        assertThat(forecast.untilWarm().high()).as("810 of 900 pages").isBetween(15.0, 25.0);
        assertThat(forecast.untilWarm().low()).isLessThan(forecast.untilWarm().high());
        assertThat(forecast.view()).containsEntry("decline", "measured");
    }

    /** What was read since the probes has already filled a part of the pool. */
    @Test
    void theExcessHasFallenSinceTheProbes() {
        Forecast forecast = Forecast.of(
                new Forecast.Situation(exactly(0.5), 1000, 3000, 1000, FLOOR, FLOOR, 200, 100, 0.1, 1000, true));
        assertThat(forecast.excessFirst1000()).isLessThan(0.2);
    }

    @Test
    void aFullPoolHasNoExcess() {
        Forecast forecast = of(exactly(0.2), 0, 200, 10, true);
        assertThat(forecast.excessFirst1000()).isZero();
        assertThat(forecast.view()).containsEntry("secondsUntilWarm", 0L);
    }

    /** With a small sample the standby was asked for little: 24 reads a second, where the load reads 117. */
    @Test
    void aRateBelowWhatAWarmServerReadsIsNoCapacity() {
        Estimate warm = new Estimate(0, -0.02, 0.02, 100);
        Forecast observed =
                Forecast.of(new Forecast.Situation(warm, 1000, 1000, 10, 0.39, 0.39, 300, 10, 0.1, 24, false));
        assertThat(seconds(observed, "")).isNull();
        assertThat(seconds(observed, "High")).isNull();
        assertThat(observed.extraReadsFirstMinute()).isLessThan(200);
        Forecast configured =
                Forecast.of(new Forecast.Situation(warm, 1000, 1000, 10, 0.39, 0.39, 300, 10, 0.1, 24, true));
        assertThat(seconds(configured, "")).isEqualTo("more than a day");
    }

    @Test
    void whatIsNotKnownIsNotZero() {
        Forecast forecast = of(exactly(0.5), 100, 0, Double.NaN, true);
        assertThat(forecast.extraReadsFirstMinute()).isNaN();
        assertThat(seconds(forecast, "")).isNull();
        assertThat(seconds(forecast, "High")).isNull();
        assertThat(forecast.view().get("capacityFrom")).isEqualTo("unknown");
    }

    /** Where all data are in memory no disk read is ever seen. */
    @Test
    void aDiskThatNothingWasAskedOfIsNotKnown() {
        Forecast forecast = of(exactly(0), 100, 200, 0, false);
        assertThat(forecast.view()).containsEntry("capacityFrom", "unknown");
        assertThat(forecast.view().get("capacity")).isNull();
        assertThat(seconds(forecast, "")).isNull();
    }

    /** Few probes: the bounds are wide, and no number pretends to know. */
    @Test
    void aWideIntervalGivesNoNumber() {
        Forecast forecast = of(new Estimate(0.37, 0.05, 0.69, 12), 2000, 325, 60, true);
        assertThat(seconds(forecast, "")).as("%s", forecast.view()).isNull();
        assertThat(forecast.overCapacity().low())
                .isLessThan(forecast.overCapacity().high());
    }
}
