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

    private void window(int moreReads, int moreSelects, int moreWrites) {
        reads += moreReads;
        selects += moreSelects;
        writes += moreWrites;
        seconds += 5;
        floor.saw(new ServerCounters(reads, selects, writes, seconds, 0), seconds * 1_000_000_000L);
    }

    @Test
    void theFloorIsUnknownWithoutStatements() {
        window(0, 0, 0);
        assertThat(floor.estimate().known()).isFalse();
        window(50, 10, 0);
        assertThat(floor.estimate().known()).isFalse();
        window(50, 100, 100);
        assertThat(floor.estimate().mean()).as("a write reads like a query").isCloseTo(0.25, within(1e-9));
        assertThat(floor.selectsPerSecond()).isCloseTo(20, within(1e-9));
    }

    /** sysbench's oltp_read_write: 14 queries with 0.2 pages, 4 writes that read 2 pages in secondary indexes. */
    @Test
    void theReadsOfWritesAreNoFloorOfQueries() {
        window(0, 0, 0);
        for (int i = 0; i < 7; i++) {
            window(14 * 20 + 4 * 200, 14 * 100, 4 * 100);
        }
        assertThat(floor.estimate().mean()).as("writes like queries").isCloseTo(0.6, within(0.001));
        assertThat(floor.estimate().low()).as("no reads of queries").isZero();
        assertThat(floor.estimate().high()).as("no reads of writes").isCloseTo(0.771, within(0.001));
        Estimate apart = new Estimate(0.2, 0.15, 0.25, 7);
        assertThat(floor.estimate(apart).mean()).isEqualTo(0.2);
        assertThat(floor.estimate(apart).high()).isCloseTo(0.25, within(0.03));
        assertThat(floor.allReadsPerQuery()).isCloseTo(0.771, within(0.001));
    }

    @Test
    void aFewWritesChangeNothing() {
        window(0, 0, 0);
        window(100, 1000, 10);
        assertThat(floor.estimate(new Estimate(0.02, 0.01, 0.03, 7))).isEqualTo(floor.estimate());
    }

    @Test
    void aReportNowAndThenDoesNotRaiseIt() {
        window(0, 0, 0);
        for (int i = 0; i < 24; i++) {
            window(i % 6 == 5 ? 50_000 : 20, 1000, 0);
        }
        assertThat(floor.estimate().mean()).isCloseTo(0.02, within(0.001));
    }

    @Test
    void aChangeOfThePrimaryIsNoWindow() {
        window(0, 0, 0);
        window(20, 1000, 0);
        floor.sawNothing();
        window(900_000, 1_000_000, 0);
        assertThat(floor.estimate().mean()).isCloseTo(0.02, within(1e-9));
        window(20, 1000, 0);
        assertThat(floor.estimate().mean()).isCloseTo(0.02, within(1e-9));
    }

    @Test
    void anotherServersCountersBeginAnew() {
        window(0, 0, 0);
        window(500, 1000, 0);
        assertThat(floor.estimate().known()).isTrue();
        floor.saw(new ServerCounters(10, 20, 0, 3, 0), 2_000_000_000_000L);
        assertThat(floor.estimate().known()).isFalse();
    }
}
