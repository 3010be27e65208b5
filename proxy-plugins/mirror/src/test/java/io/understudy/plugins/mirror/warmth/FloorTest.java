package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class FloorTest {
    private final Floor floor = new Floor();
    private long reads;
    private long selects;
    private long writes;
    private long seconds = 1000;

    private long nanos() {
        return seconds * 1_000_000_000L;
    }

    private Estimate estimate() {
        return floor.estimate(Estimate.UNKNOWN, nanos());
    }

    private void window(int moreReads, int moreSelects, int moreWrites) {
        reads += moreReads;
        selects += moreSelects;
        writes += moreWrites;
        seconds += 5;
        floor.saw(new ServerCounters(reads, selects, writes, seconds, 0), nanos());
    }

    @Test
    void theFloorIsUnknownWithoutStatements() {
        window(0, 0, 0);
        assertThat(estimate().known()).isFalse();
        window(50, 10, 0);
        assertThat(estimate().known()).isFalse();
        window(50, 100, 100);
        assertThat(estimate().mean()).as("a write reads like a query").isCloseTo(0.25, within(1e-9));
        assertThat(floor.selectsPerSecond()).isCloseTo(20, within(1e-9));
    }

    /** Half of the primary's queries are the mirror's own, which check reads and find their pages in memory. */
    @Test
    void queriesThatCheckReadsDoNotDiluteTheFloor() {
        window(0, 0, 0);
        for (int i = 0; i < 7; i++) {
            for (int query = 0; query < 100; query++) {
                floor.ownQuery();
            }
            window(50, 200, 0);
        }
        assertThat(estimate().mean()).isCloseTo(0.5, within(1e-9));
        assertThat(floor.selectsPerSecond()).isCloseTo(20, within(1e-9));
    }

    /** sysbench's oltp_read_write: 14 queries with 0.2 pages, 4 writes that read 2 pages in secondary indexes. */
    @Test
    void theReadsOfWritesAreNoFloorOfQueries() {
        window(0, 0, 0);
        for (int i = 0; i < 7; i++) {
            window(14 * 20 + 4 * 200, 14 * 100, 4 * 100);
        }
        assertThat(estimate().mean()).as("writes like queries").isCloseTo(0.6, within(0.001));
        assertThat(estimate().low()).as("no reads of queries").isZero();
        assertThat(estimate().high()).as("no reads of writes").isCloseTo(0.771, within(0.001));
        Estimate apart = new Estimate(0.2, 0.15, 0.25, 7);
        assertThat(floor.estimate(apart, nanos()).mean()).isEqualTo(0.2);
        assertThat(floor.estimate(apart, nanos()).high()).isCloseTo(0.25, within(0.03));
        assertThat(floor.allReadsPerQuery(nanos())).isCloseTo(0.771, within(0.001));
    }

    /** The primary has restarted with an empty pool: it is as cold as a standby, which then seems warm beside it. */
    @Test
    void whatAFillingPoolReadsIsNoFloor() {
        for (int i = 0; i < 8; i++) {
            window(100, 500, 0);
        }
        assertThat(estimate().mean()).isCloseTo(0.2, within(1e-9));
        reads = 0;
        selects = 0;
        long pages = 0;
        for (int i = 0; i < 5; i++) {
            reads += 300;
            selects += 500;
            pages += 300;
            seconds += 5;
            floor.saw(new ServerCounters(reads, selects, writes, 5L * i, pages), nanos());
            assertThat(estimate().known()).as("its pool fills").isFalse();
        }
        reads += 100;
        selects += 500;
        seconds += 5;
        floor.saw(new ServerCounters(reads, selects, writes, 25, pages + 10), nanos());
        assertThat(estimate().mean()).as("as many are evicted").isCloseTo(0.2, within(1e-9));
        reads += 100;
        selects += 500;
        seconds += 5;
        floor.saw(new ServerCounters(reads, selects, writes, 30, pages + 110), nanos());
        assertThat(estimate().known()).as("once full, it is not asked again").isTrue();
    }

    /** All of the tables fit its pool: what it reads are pages that are new. */
    @Test
    void aPrimaryThatReadsHardlyAnythingHasAFloor() {
        seconds = 100;
        for (int i = 0; i < 3; i++) {
            reads += 5;
            selects += 500;
            seconds += 5;
            floor.saw(new ServerCounters(reads, selects, writes, seconds, reads), nanos());
        }
        assertThat(estimate().mean()).isCloseTo(0.01, within(1e-9));
    }

    @Test
    void aFewWritesChangeNothing() {
        window(0, 0, 0);
        window(100, 1000, 10);
        assertThat(floor.estimate(new Estimate(0.02, 0.01, 0.03, 7), nanos())).isEqualTo(estimate());
    }

    @Test
    void aReportNowAndThenDoesNotRaiseIt() {
        window(0, 0, 0);
        for (int i = 0; i < 24; i++) {
            window(i % 6 == 5 ? 50_000 : 20, 1000, 0);
        }
        assertThat(estimate().mean()).isCloseTo(0.02, within(0.001));
    }

    @Test
    void anOutageIsNoWindow() {
        window(0, 0, 0);
        window(20, 1000, 0);
        floor.sawNothing();
        window(900_000, 1_000_000, 0);
        assertThat(estimate().mean()).isCloseTo(0.02, within(1e-9));
        window(20, 1000, 0);
        assertThat(estimate().mean()).isCloseTo(0.02, within(1e-9));
    }

    /** A report of the evening says nothing about the night, in which the primary is away or hardly queried. */
    @Test
    void whatWasReadLongAgoIsNoFloor() {
        window(0, 0, 0);
        window(50_000, 1000, 0);
        seconds += 200;
        floor.sawNothing();
        assertThat(estimate().known()).isTrue();
        window(0, 0, 0);
        window(20, 1000, 0);
        assertThat(estimate().mean()).as("of two windows").isGreaterThan(1);
        seconds += 200;
        assertThat(estimate().mean()).isCloseTo(0.02, within(1e-9));
        for (int i = 0; i < 30; i++) {
            window(2, 3, 0);
        }
        assertThat(estimate().known()).as("with too few queries since").isFalse();
        assertThat(floor.allReadsPerQuery(nanos())).isNaN();
    }

    @Test
    void anotherServersCountersBeginAnew() {
        window(0, 0, 0);
        window(500, 1000, 0);
        assertThat(estimate().known()).isTrue();
        floor.saw(new ServerCounters(10, 20, 0, 3, 0), 2_000_000_000_000L);
        assertThat(estimate().known()).isFalse();
    }

    /** Not one in which nothing was read: 0 would be a floor. */
    @Test
    void aCounterThatGoesBackIsNoWindow() {
        window(0, 0, 0);
        window(500, 1000, 0);
        window(-400, 1000, 0);
        window(500, 1000, 0);
        assertThat(estimate().mean()).isCloseTo(0.5, within(1e-9));
        assertThat(estimate().low()).isGreaterThan(0.4);
        floor.sawNothing();
        writes = 0;
        window(0, 0, 900);
        writes = 0;
        window(500, 1000, 0);
        assertThat(estimate().known()).as("a reset of all counters").isFalse();
    }

    /** Its pool is another, whatever it read before. */
    @Test
    void aPrimaryThatWasAwayAndHasRestartedHasAnotherFloor() {
        window(0, 0, 0);
        window(500, 1000, 0);
        floor.sawNothing();
        assertThat(estimate().known()).as("away for seconds").isTrue();
        seconds += 5;
        floor.saw(new ServerCounters(300, 5000, 0, 2, 0), nanos());
        assertThat(estimate().known()).isFalse();
    }

    @Test
    void anotherPrimaryHasAnotherFloor() {
        window(0, 0, 0);
        window(500, 1000, 0);
        floor.changed();
        assertThat(estimate().known()).isFalse();
    }
}
