package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.understudy.plugins.mirror.warmth.Courses.Level;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ForecastTest {
    private static final Courses CONSTANT = new Courses(List.of(Course.Power.CONSTANT), false);

    private static Forecast of(Courses courses, double excess, double load, double capacity) {
        Estimate measured = new Estimate(excess, excess, excess, 100);
        return Forecast.of(
                courses,
                new Level(measured, 1000, 0.02),
                new Forecast.Situation(1000, 0.02, load, 100, 0.1, capacity, true));
    }

    private static @Nullable Object seconds(Forecast forecast, String bound) {
        return forecast.view().get("secondsOverCapacity" + bound);
    }

    @Test
    void withoutADeclineTheExcessStays() {
        Forecast forecast = of(CONSTANT, 0.5, 200, 50);
        assertThat(forecast.excessFirst1000()).isCloseTo(0.5, within(1e-9));
        assertThat(forecast.view())
                .containsEntry("secondsOverCapacity", "more than a day")
                .containsEntry("secondsUntilWarm", "more than a day")
                .containsEntry("decline", "unknown");
    }

    @Test
    void readsWithinTheCapacityTakeNoTime() {
        Forecast forecast = of(CONSTANT, 0.5, 200, 5000);
        assertThat(seconds(forecast, "")).isEqualTo(0L);
        assertThat(forecast.extraReadsFirstMinute()).isCloseTo(0.5 * 200 * 60, within(200.0));
    }

    /** 1,000 statements a second that read 1 page each, of which 100 a second can be read: few pass at first. */
    @Test
    void statementsComeAtTheRateOfTheirPages() {
        Forecast forecast = of(new Courses(List.of(new Course.Power(0, 1, 1, 1)), true), 1, 1000, 100);
        // The excess is 1000/n: over when n reaches 12,500 (0.08 + 0.02 = 0.1 pages), having read 1000·ln(12.5) pages
        // above the floor and 0.02·11,500 as the floor, 100 a second.
        assertThat(forecast.overCapacity().median()).isCloseTo((1000 * Math.log(12.5) + 230) / 100, within(2.0));
        assertThat(forecast.extraReadsFirstMinute())
                .as("more than the first statements', less than the capacity's and what follows")
                .isBetween(2500.0, 6000.0);
        assertThat(forecast.untilWarm().median()).isCloseTo(9000 / 100.0, within(1.0));
        assertThat(forecast.excessFirst1000()).isCloseTo(Math.log(2), within(0.01));
        assertThat(forecast.view()).containsEntry("decline", "measured");
    }

    /** With a small sample the standby was asked for little: 24 reads a second, where the load reads 117. */
    @Test
    void aRateBelowWhatAWarmServerReadsIsNoCapacity() {
        Estimate warm = new Estimate(0, -0.02, 0.02, 100);
        Level level = new Level(warm, 1000, 0.39);
        Forecast observed = Forecast.of(CONSTANT, level, new Forecast.Situation(1000, 0.39, 300, 10, 0.1, 24, false));
        assertThat(seconds(observed, "")).isNull();
        assertThat(seconds(observed, "High")).isNull();
        assertThat(observed.extraReadsFirstMinute()).isLessThan(200);
        Forecast configured = Forecast.of(CONSTANT, level, new Forecast.Situation(1000, 0.39, 300, 10, 0.1, 24, true));
        assertThat(seconds(configured, "")).isEqualTo("more than a day");
    }

    @Test
    void whatIsNotKnownIsNotZero() {
        Forecast forecast = of(CONSTANT, 0.5, 0, Double.NaN);
        assertThat(forecast.extraReadsFirstMinute()).isNaN();
        assertThat(seconds(forecast, "")).isNull();
        assertThat(seconds(forecast, "High")).isNull();
        assertThat(forecast.view().get("capacityFrom")).isEqualTo("unknown");
    }

    /** Where all data are in memory no disk read is ever seen. */
    @Test
    void aDiskThatNothingWasAskedOfIsNotKnown() {
        Estimate none = new Estimate(0, 0, 0, 100);
        Forecast forecast = Forecast.of(
                CONSTANT, new Level(none, 1000, 0), new Forecast.Situation(1000, 0, 200, 100, 0.1, 0, false));
        assertThat(forecast.view()).containsEntry("capacityFrom", "unknown");
        assertThat(forecast.view().get("capacity")).isNull();
        assertThat(seconds(forecast, "")).isNull();
    }

    /** As a standby on a slow disk had it that was promoted after 302 statements, and then needed 10 s. */
    @Test
    void theSteepFallOfTheFirstProbesGivesAnIntervalAndNoNumber() {
        WarmingCurve curve = new WarmingCurve();
        SplittableRandom random = new SplittableRandom(1);
        int[] mirrored = {41, 65, 99, 139, 167, 203, 238, 273, 302};
        double[] pages = {1.27, 1.15, 0.75, 0.85, 0.6, 0.65, 0.6, 0.74, 0.8};
        for (int second = 0; second < mirrored.length; second++) {
            for (int i = 0; i < 20; i++) {
                int whole = (int) pages[second];
                curve.add(mirrored[second], whole + (random.nextDouble() < pages[second] - whole ? 1 : 0), 10);
            }
        }
        Level level = new Level(new Estimate(0.37, 0.21, 0.53, 52), 170, 0.376);
        Forecast forecast = Forecast.of(
                Courses.of(curve.points(), level, MissingPages.UNKNOWN),
                level,
                new Forecast.Situation(302, 0.376, 325, 35, 0.1, 163, true));
        Map<String, @Nullable Object> view = forecast.view();
        assertThat(view.get("secondsOverCapacity")).as("%s", view).isNull();
        assertThat(forecast.overCapacity().low()).as("%s", view).isLessThan(10);
        assertThat(forecast.overCapacity().high()).as("%s", view).isGreaterThan(10);
        assertThat(forecast.excessFirst1000()).as("%s", view).isBetween(0.1, 0.4);
    }
}
