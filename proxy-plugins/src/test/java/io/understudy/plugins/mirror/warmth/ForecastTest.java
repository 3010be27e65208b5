package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ForecastTest {
    private static Forecast of(ExcessCurve.Fit fit, double now, double excess, double load, double capacity) {
        return Forecast.of(fit, now, excess, 0.02, load, 100, 0.1, capacity, true);
    }

    private static ExcessCurve curve(double warmedBefore, double slope, double floor) {
        ExcessCurve curve = new ExcessCurve();
        for (double n = 100; n < 50_000; n *= 1.1) {
            curve.add(n, floor + 200 * Math.pow(n + warmedBefore, -slope));
        }
        return curve;
    }

    @Test
    void theDeclineIsFoundAgain() {
        ExcessCurve.Fit fit = curve(0, 0.7, 0.3).fit(0.3);
        assertThat(fit.slope()).isCloseTo(0.7, within(0.01));
        assertThat(fit.at(1, 1000, 10_000)).isCloseTo(Math.pow(10, -0.7), within(0.01));
    }

    @Test
    void aStandbyThatWasPartlyWarmWhenFirstSeenDeclinesLater() {
        ExcessCurve.Fit fit = curve(10_000, 0.7, 0).fit(0);
        assertThat(fit.at(1, 50_000, 500_000)).isCloseTo(Math.pow(51 / 6.0, -0.7), within(0.05));
    }

    @Test
    void withoutAMeasuredDeclineTheExcessStays() {
        ExcessCurve flat = new ExcessCurve();
        for (double n = 100; n < 50_000; n *= 1.1) {
            flat.add(n, 0.5);
        }
        assertThat(flat.fit(0).at(0.5, 1000, 1e9)).isCloseTo(0.5, within(0.01));
        Forecast forecast = of(ExcessCurve.Fit.CONSTANT, 1000, 0.5, 200, 50);
        assertThat(forecast.excessFirst1000()).isCloseTo(0.5, within(1e-9));
        assertThat(forecast.secondsOverCapacity()).isInfinite();
        assertThat(forecast.secondsUntilWarm()).isInfinite();
        assertThat(forecast.view()).containsEntry("secondsOverCapacity", "more than a day");
    }

    @Test
    void readsWithinTheCapacityTakeNoTime() {
        Forecast forecast = of(ExcessCurve.Fit.CONSTANT, 1000, 0.5, 200, 5000);
        assertThat(forecast.secondsOverCapacity()).isZero();
        assertThat(forecast.extraReadsFirstMinute()).isCloseTo(0.5 * 200 * 60, within(200.0));
    }

    /** 1,000 statements a second that read 1 page each, of which 100 a second can be read: few pass at first. */
    @Test
    void statementsComeAtTheRateOfTheirPages() {
        ExcessCurve.Fit fit = new ExcessCurve.Fit(0, 1);
        Forecast forecast = of(fit, 1000, 1, 1000, 100);
        // The excess is 1000/n: over when n reaches 12,500 (0.08 + 0.02 = 0.1 pages), having read 1000·ln(12.5) pages
        // above the floor and 0.02·11,500 as the floor, 100 a second.
        assertThat(forecast.secondsOverCapacity()).isCloseTo((1000 * Math.log(12.5) + 230) / 100, within(2.0));
        assertThat(forecast.extraReadsFirstMinute())
                .as("more than the first statements', less than the capacity's and what follows")
                .isBetween(2500.0, 6000.0);
        assertThat(forecast.secondsUntilWarm()).isCloseTo(9000 / 100.0, within(1.0));
        assertThat(forecast.excessFirst1000()).isCloseTo(Math.log(2), within(0.01));
    }

    @Test
    void whatIsNotKnownIsNotZero() {
        Forecast forecast = Forecast.of(ExcessCurve.Fit.CONSTANT, 1000, 0.5, 0, Double.NaN, 0, 0.1, Double.NaN, false);
        assertThat(forecast.extraReadsFirstMinute()).isNaN();
        assertThat(forecast.secondsOverCapacity()).isNaN();
        assertThat(forecast.view().get("secondsOverCapacity")).isNull();
        assertThat(forecast.view().get("capacityFrom")).isEqualTo("unknown");
    }
}
