package io.understudy.plugins.blackbox.kept;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LogStallTest {
    private final LogStall stall = new LogStall();

    private boolean watched(int times) {
        boolean stalled = false;
        for (int i = 0; i < times; i++) {
            stalled = stall.watch();
        }
        return stalled;
    }

    /** The promise is a second; six watches are over after six tenths. */
    @Test
    void anAcknowledgementThatIsNotSentIsSeenWithinTheSecond() {
        stall.due();
        assertThat(watched(5)).isFalse();
        assertThat(stall.watch()).isTrue();
        stall.sent();
        assertThat(stall.watch()).isFalse();
    }

    /** A write at the start, or while it catches up: nobody waits. */
    @Test
    void whatThePrimaryDoesNotWaitForMayTakeItsTime() {
        assertThat(watched(100)).isFalse();
    }

    /** A disk that is slow, and a queue that is never empty: commits are answered. */
    @Test
    void aLogThatTakesWritesIsNotStalled() {
        stall.due();
        for (int i = 0; i < 20; i++) {
            stall.due();
            assertThat(watched(4)).isFalse();
            stall.sent();
        }
    }
}
