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
        floor.saw(new ServerCounters(reads, selects, writes, seconds), seconds * 1_000_000_000L);
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
        floor.saw(new ServerCounters(10, 20, 0, 3), 2_000_000_000_000L);
        assertThat(floor.estimate().known()).isFalse();
    }
}
