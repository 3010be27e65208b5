package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.understudy.plugins.mirror.warmth.Courses.Level;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

class CoursesTest {
    private static final int PROBES = 200;

    private static Level level(double excess, double statements, double floor) {
        return new Level(new Estimate(excess, excess - 0.01, excess + 0.01, 100), statements, floor);
    }

    private static Courses courses(DoubleUnaryOperator cold, Level level, double missing) {
        WarmingCurve curve = new WarmingCurve();
        for (double n = 100; n < level.statements(); n *= 1.1) {
            for (int i = 0; i < PROBES; i++) {
                curve.add(n, cold.applyAsDouble(n), 1);
            }
        }
        return Courses.of(curve.points(), level, new MissingPages(missing, level.statements(), 0));
    }

    /** Returns what the courses say of the excess after {@code to} statements, weighted by their likelihood. */
    private static double mean(Courses courses, Level level, double to) {
        double sum = 0;
        double all = 0;
        for (Course course : courses.likely()) {
            sum += course.likelihood()
                    * course.from(level.excess().mean(), level.floor(), level.statements())
                            .after(to);
            all += course.likelihood();
        }
        return sum / all;
    }

    @Test
    void aPowerLawIsContinued() {
        Level level = level(5 * Math.pow(10_000, -0.3) - 0.1, 10_000, 0.1);
        Courses courses = courses(n -> 5 * Math.pow(n, -0.3), level, Double.NaN);
        assertThat(courses.declines()).isTrue();
        assertThat(mean(courses, level, 40_000)).isCloseTo(5 * Math.pow(40_000, -0.3) - 0.1, within(0.02));
    }

    @Test
    void aStandbyThatWasPartlyWarmWhenFirstSeenDeclinesLater() {
        Level level = level(50 * Math.pow(20_000, -0.5), 10_000, 0);
        Courses courses = courses(n -> 50 * Math.pow(n + 10_000, -0.5), level, Double.NaN);
        assertThat(mean(courses, level, 30_000)).isCloseTo(50 * Math.pow(40_000, -0.5), within(0.02));
    }

    @Test
    void whatStaysIsNoDecline() {
        Level level = level(0.2, 50_000, 0.3);
        Courses courses = courses(n -> 0.5, level, Double.NaN);
        assertThat(courses.declines()).isFalse();
        assertThat(mean(courses, level, 100_000)).isCloseTo(0.2, within(0.03));
    }

    /** A pool of the primary's size that is nearly full, and still reads more: its pages are others. */
    @Test
    void aFullPoolDoesNotMakeAConstantExcessFall() {
        Level level = level(0.2, 50_000, 0.3);
        Courses courses = courses(n -> 0.5, level, 100);
        assertThat(courses.declines()).isFalse();
        assertThat(mean(courses, level, 100_000)).isCloseTo(0.2, within(0.03));
    }

    @Test
    void noProbesExcludeNothing() {
        Courses none = Courses.of(List.of(), level(0.2, 100, 0.3), MissingPages.UNKNOWN);
        assertThat(none.declines()).isFalse();
        assertThat(none.likely()).hasSizeGreaterThan(100);
    }

    /** Cold pages of 1.3 - 0.1 ln(n) end at the floor of 0.3 after e^10 statements; read until then is the integral. */
    @Test
    void anExcessEndsWhenThePagesAreRead() {
        DoubleUnaryOperator read = n -> 1.4 * n - 0.1 * n * Math.log(n);
        double end = Math.exp(10);
        double now = 2_000;
        double missing = read.applyAsDouble(end) - read.applyAsDouble(now);
        Level level = level(1.0 - 0.1 * Math.log(now), now, 0.3);
        Course.Falling filling = new Course.Filling(0, new MissingPages(missing, now, 0), 1)
                .from(level.excess().mean(), 0.3, now);
        assertThat(filling.reaches(0)).isCloseTo(end, within(100.0));
        assertThat(filling.after(8_000)).isCloseTo(1.0 - 0.1 * Math.log(8_000), within(0.01));
        assertThat(filling.after(end * 2)).isZero();
        assertThat(mean(courses(n -> 1.3 - 0.1 * Math.log(n), level, missing), level, 8_000))
                .as("of all courses")
                .isCloseTo(1.0 - 0.1 * Math.log(8_000), within(0.03));
    }

    @Test
    void aStandbyThatIsWarmerThanThePrimaryHasNoExcessLater() {
        for (double missing : new double[] {-500, 1, 3_000}) {
            Course.Falling warm = new Course.Filling(0, new MissingPages(missing, 1_000, 0), 1).from(-0.04, 0.2, 2_000);
            assertThat(warm.after(2_000)).isZero();
            assertThat(warm.after(3_000)).isZero();
            assertThat(warm.reaches(0.1)).isEqualTo(2_000);
        }
        assertThat(new Course.Power(0, 0.3, 1, 1).from(-0.04, 0.2, 2_000).after(3_000))
                .isZero();
        Level level = level(-0.04, 5_000, 0.2);
        assertThat(mean(courses(n -> 0.16, level, 5), level, 6_000)).isCloseTo(0, within(0.01));
    }

    @Test
    void thePagesMissingMayBeCountedBeforeOrAfterTheProbes() {
        Course.Falling now = new Course.Filling(0, new MissingPages(3_000, 2_000, 0), 1).from(0.2, 0.3, 2_000);
        Course.Falling before = new Course.Filling(0, new MissingPages(3_050, 1_900, 0), 1).from(0.2, 0.3, 2_000);
        assertThat(before.reaches(0)).isCloseTo(now.reaches(0), within(1.0));
    }

    /** Half of what fills the pool is read by writes: the statements that it takes are fewer. */
    @Test
    void thePagesOfWritesFillThePoolToo() {
        Course.Falling reads = new Course.Filling(0, new MissingPages(3_000, 2_000, 0), 1).from(0.2, 0.6, 2_000);
        Course.Falling both = new Course.Filling(0, new MissingPages(3_000, 2_000, 0.3), 1).from(0.2, 0.3, 2_000);
        assertThat(both.reaches(0)).isCloseTo(reads.reaches(0), within(1e-6));
        Course.Falling alone = new Course.Filling(0, new MissingPages(3_000, 2_000, 0), 1).from(0.2, 0.3, 2_000);
        assertThat(both.reaches(0)).isLessThan(alone.reaches(0) - 1_000);
    }

    @Test
    void thePowerLawEndsAtTheFloor() {
        Course.Falling falling = new Course.Power(0, 0.3, 0, 1).from(0.4, 0.4, 1000);
        double reached = falling.reaches(0);
        assertThat(falling.after(reached)).isCloseTo(0, within(1e-9));
        assertThat(falling.after(reached / 2)).isPositive();
        assertThat(falling.after(2 * reached)).isZero();
        assertThat(falling.reaches(0.5)).isEqualTo(1000);
    }
}
