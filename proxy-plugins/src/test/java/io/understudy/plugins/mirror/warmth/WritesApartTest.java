package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class WritesApartTest {
    private final WritesApart apart = new WritesApart();
    private long primaryReads;
    private long primarySelects;
    private long standbyReads;
    private long standbySelects;
    private long executed;
    private long seconds = 1000;

    /**
     * Five seconds in which both servers read {@code pages} for the same writes, the primary 0.2 pages for each of
     * 1,000 queries, and the standby 0.5 for each of those that are mirrored.
     */
    private void window(int pages, int mirrored, int others) {
        primaryReads += pages + 200;
        primarySelects += 1000;
        standbyReads += pages + mirrored / 2;
        executed += mirrored;
        standbySelects += mirrored + others;
        seconds += 5;
        saw(0.5);
    }

    private void saw(double coldPages) {
        apart.saw(
                new WritesApart.Reading(
                        new ServerCounters(primaryReads, primarySelects, 0, seconds, 0),
                        new ServerCounters(standbyReads, standbySelects, 0, seconds, 0),
                        executed,
                        seconds * 1_000_000_000L),
                coldPages);
    }

    @Test
    void whatTheApplierReadsIsNotReadByQueries() {
        window(0, 0, 0);
        assertThat(apart.perQuery().known()).isFalse();
        for (int i = 0; i < 7; i++) {
            window(2000 * (i % 3), 100, 20);
        }
        assertThat(apart.perQuery().mean())
                .as("whatever the writes read, both servers do")
                .isCloseTo(0.2, within(1e-9));
        assertThat(apart.perQuery().high()).isCloseTo(0.2, within(1e-9));
    }

    @Test
    void thePagesThatTheStandbyLacksAreKnownFromTheFirstReading() {
        assertThat(apart.compared().missing()).isNaN();
        apart.saw(
                new WritesApart.Reading(
                        new ServerCounters(0, 0, 0, 10, 5000), new ServerCounters(0, 0, 0, 10, 1200), 900, 1),
                Double.NaN);
        assertThat(apart.compared().missing()).isEqualTo(3800);
        assertThat(apart.compared().executed()).isEqualTo(900);
        apart.sawNothing();
        assertThat(apart.compared().missing()).isNaN();
    }

    @Test
    void aStandbyThatOthersQueryTellsNothing() {
        window(0, 0, 0);
        window(800, 1000, 0);
        assertThat(apart.perQuery().known()).isTrue();
        standbyReads += 80_000;
        window(800, 1000, 1300);
        assertThat(apart.perQuery().mean()).as("as before").isCloseTo(0.2, within(1e-9));
        for (int i = 0; i < 61; i++) {
            window(800, 1000, 1300);
        }
        assertThat(apart.perQuery().known()).as("after five minutes").isFalse();
    }

    @Test
    void aStandbyThatIsBehindIsNotCompared() {
        window(0, 0, 0);
        window(800, 1000, 0);
        standbyReads += 50_000; // it catches up
        apart.skip();
        window(800, 1000, 0);
        window(800, 1000, 0);
        assertThat(apart.perQuery().high()).isCloseTo(0.2, within(1e-9));
    }

    @Test
    void withoutProbesItIsUnknown() {
        window(0, 0, 0);
        seconds += 5;
        primarySelects += 1000;
        saw(Double.NaN);
        assertThat(apart.perQuery().known()).isFalse();
    }

    @Test
    void aRestartOrAnOutageBeginsAnew() {
        window(0, 0, 0);
        window(800, 1000, 0);
        standbyReads = 10;
        saw(0.5);
        assertThat(apart.perQuery().known()).isFalse();
        window(800, 1000, 0);
        assertThat(apart.perQuery().known()).isTrue();
        apart.sawNothing();
        assertThat(apart.perQuery().known()).isFalse();
        window(800, 1000, 0);
        assertThat(apart.perQuery().known()).as("one reading is no window").isFalse();
    }

    /** A cold standby's applier reads more, and probes that lag behind a quick warming count too much. */
    @Test
    void theFloorIsNeitherBelowZeroNorAboveAllReads() {
        window(0, 0, 0);
        standbyReads += 5000;
        window(800, 1000, 0);
        assertThat(apart.perQuery().mean()).isZero();
        for (int i = 0; i < 7; i++) {
            seconds += 5;
            primaryReads += 200;
            primarySelects += 1000;
            executed += 1000;
            standbySelects += 1000;
            saw(0.5);
        }
        assertThat(apart.perQuery().mean()).isCloseTo(0.2, within(1e-9));
    }
}
