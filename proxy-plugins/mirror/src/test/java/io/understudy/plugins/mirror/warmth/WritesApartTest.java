package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class WritesApartTest {
    private static final int POOL = 5000;
    private final WritesApart apart = new WritesApart();
    private long primaryReads;
    private long primarySelects;
    private long standbyReads;
    private long standbySelects;
    private long executed;
    private long lookups;
    private long seconds = 1000;
    private long standbyPages = POOL;

    /**
     * Five seconds in which both servers read {@code pages} for the same writes, and 0.5 pages for each query: the
     * primary for 1,000, and the standby for those that are mirrored.
     */
    private void window(int pages, int mirrored, int others) {
        primaryReads += pages + 500;
        primarySelects += 1000;
        standbyReads += pages + mirrored / 2;
        executed += mirrored;
        standbySelects += mirrored + others;
        seconds += 5;
        saw(0.5);
    }

    private void saw(double coldPages) {
        apart.saw(reading(), new PagesPerQuery(coldPages, coldPages));
    }

    private WritesApart.Reading reading() {
        return new WritesApart.Reading(
                new ServerCounters(primaryReads, primarySelects, 0, seconds, POOL),
                new ServerCounters(standbyReads, standbySelects, 0, seconds, standbyPages),
                new WritesApart.Executed(executed, lookups),
                seconds * 1_000_000_000L);
    }

    @Test
    void whatTheApplierReadsIsNotReadByQueries() {
        window(0, 0, 0);
        assertThat(apart.perQuery().known()).isFalse();
        for (int i = 0; i < 7; i++) {
            window(2000 * (i % 3), 1000, 20);
        }
        assertThat(apart.perQuery().mean())
                .as("whatever the writes read, both servers do")
                .isCloseTo(0.5, within(1e-9));
        assertThat(apart.perQuery().low()).isCloseTo(0.5, within(1e-9));
        assertThat(apart.perQuery().high()).isCloseTo(0.5, within(1e-9));
        assertThat(apart.compared().applier()).isCloseTo(2, within(1e-9));
    }

    /** A backup has filled its pool with pages that no statement reads: their number says nothing. */
    @Test
    void aPoolThatIsFullOfOtherPagesLacksNoneByNumber() {
        standbyPages = 1000;
        window(0, 1000, 0);
        assertThat(apart.compared().missing()).as("nearly empty").isEqualTo(4000);
        for (int i = 0; i < 3; i++) {
            standbyPages += 500;
            window(0, 1000, 0);
            assertThat(apart.compared().missing()).isEqualTo((double) (POOL - standbyPages));
        }
        window(0, 10, 0);
        assertThat(apart.compared().missing()).as("too few reads to tell").isEqualTo((double) (POOL - standbyPages));
        standbyPages += 100;
        window(0, 1000, 0);
        assertThat(apart.compared().missing())
                .as("most reads take the place of others")
                .isNaN();
        WritesApart other = new WritesApart();
        standbyPages = 4800;
        other.saw(reading(), PagesPerQuery.UNKNOWN);
        assertThat(other.compared().missing())
                .as("nearly full, when first seen")
                .isNaN();
    }

    /** With a small sample the standby does not say how the reads divide; what is true is within the interval. */
    @Test
    void fewMirroredQueriesWidenTheInterval() {
        window(0, 0, 0);
        for (int i = 0; i < 7; i++) {
            window(800, 100, 20);
        }
        assertThat(apart.perQuery().low()).isBetween(0.05, 0.3);
        assertThat(apart.perQuery().high()).isCloseTo(0.5, within(1e-9));
    }

    /** A thousand queries mirrored a window, then hardly any: the pool still holds what these have read. */
    @Test
    void whatWasMirroredCountsAsLongAsThePoolHoldsIt() {
        window(0, 0, 0);
        for (int i = 0; i < 20; i++) {
            window(400, 1000, 0);
        }
        for (int i = 0; i < 7; i++) {
            window(400, 10, 0);
        }
        assertThat(apart.perQuery().low()).as("%s", apart.perQuery()).isGreaterThan(0.3);
        for (int i = 0; i < 50; i++) {
            window(400, 10, 0);
        }
        assertThat(apart.perQuery().low()).as("%s", apart.perQuery()).isLessThan(0.1);
    }

    /** The standby reads them for writes, and so finds their pages when its applier comes. */
    @Test
    void lookUpsAreReadsOfWrites() {
        window(0, 0, 0);
        for (int i = 0; i < 7; i++) {
            lookups += 300;
            standbySelects += 300;
            window(800, 1000, 0);
        }
        assertThat(apart.perQuery().mean()).isCloseTo(0.5, within(1e-9));
        assertThat(apart.compared().executed()).isEqualTo(7 * 1300);
    }

    @Test
    void thePagesThatTheStandbyLacksAreKnownFromTheFirstReading() {
        assertThat(apart.compared().missing()).isNaN();
        apart.saw(
                new WritesApart.Reading(
                        new ServerCounters(0, 0, 0, 10, 5000),
                        new ServerCounters(0, 0, 0, 10, 1200),
                        new WritesApart.Executed(900, 0),
                        1),
                PagesPerQuery.UNKNOWN);
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
        assertThat(apart.perQuery().mean()).as("as before").isCloseTo(0.5, within(1e-9));
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
        assertThat(apart.perQuery().mean()).isCloseTo(0.5, within(1e-9));
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

    /** Everything of a rule with 0.1 pages, and a hundredth of the reports with 1,000 each: a mean of 1.1 in all. */
    @Test
    void theMirroredQueriesMayBeOthersThanThoseOfTheLoad() {
        for (int i = 0; i < 8; i++) {
            primaryReads += 1100 + 800;
            primarySelects += 1000;
            standbyReads += 110 + 800;
            executed += 1000;
            standbySelects += 1000;
            seconds += 5;
            apart.saw(reading(), new PagesPerQuery(1.1, 0.11));
        }
        assertThat(apart.perQuery().mean()).isCloseTo(1.1, within(0.01));
        assertThat(apart.compared().applier()).isCloseTo(0.8, within(0.001));
    }

    /** MariaDB's counter without read-ahead, or one that somebody has reset. */
    @Test
    void aCounterThatGoesBackIsNoWindow() {
        window(0, 0, 0);
        window(800, 1000, 0);
        standbyReads -= 20;
        seconds += 5;
        primaryReads += 300;
        primarySelects += 1000;
        saw(0.5);
        window(800, 1000, 0);
        assertThat(apart.perQuery().samples()).isEqualTo(2);
        assertThat(apart.perQuery().mean()).isCloseTo(0.5, within(1e-9));
    }

    @Test
    void theFloorIsNeitherBelowZeroNorAboveAllReads() {
        window(0, 0, 0);
        standbyReads += 50_000;
        window(800, 1000, 0);
        assertThat(apart.perQuery().mean()).as("a cold applier").isBetween(0.0, 0.1);
        assertThat(apart.perQuery().low()).isZero();
        for (int i = 0; i < 7; i++) {
            seconds += 5;
            primaryReads += 200;
            primarySelects += 1000;
            executed += 1000;
            standbySelects += 1000;
            saw(0.5);
        }
        assertThat(apart.perQuery().mean()).as("no applier at all").isCloseTo(0.2, within(1e-9));
    }
}
