package io.understudy.plugins.blackbox.witness;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.servers.SemiSyncSource;
import org.junit.jupiter.api.Test;

class SilentStreamTest {
    private final SilentStream stream = new SilentStream();

    private static SemiSyncSource source(long waiting, long acknowledged, long waitFor) {
        return new SemiSyncSource(true, true, 10_000, 1, waiting, acknowledged, "AFTER_SYNC", waitFor);
    }

    /** MySQL 9.7 after RESET BINARY LOGS AND GTIDS: OKs by the positions of the former log. */
    @Test
    void commitsThatAreAcknowledgedAndDoNotArriveEndIt() {
        assertThat(stream.probed(source(0, 100, 1), 100, true)).isNull();
        assertThat(stream.probed(source(0, 150, 1), 100, true)).isNull();
        assertThat(stream.probed(source(0, 200, 1), 100, true)).startsWith("the primary counts acknowledged commits");
    }

    /** The last one arrived before a probe, and its acknowledgement after it. */
    @Test
    void oneInFlightAtTheEndOfALoadDoesNot() {
        assertThat(stream.probed(source(0, 99, 1), 100, true)).isNull();
        assertThat(stream.probed(source(0, 100, 1), 100, true)).isNull();
        assertThat(stream.probed(source(0, 100, 1), 100, true)).isNull();
        assertThat(stream.probed(source(0, 101, 1), 101, true)).isNull();
        assertThat(stream.probed(source(0, 102, 1), 101, true)).isNull();
    }

    @Test
    void commitsThatWaitAndDoNotArriveEndIt() {
        assertThat(stream.probed(source(0, 100, 1), 100, true)).isNull();
        assertThat(stream.probed(source(1, 100, 1), 100, true)).isNull();
        assertThat(stream.probed(source(1, 100, 1), 100, true)).startsWith("commits wait");
    }

    @Test
    void commitsThatMayWaitForAnotherReplicaDoNot() {
        assertThat(stream.probed(source(1, 100, 2), 100, true)).isNull();
        assertThat(stream.probed(source(1, 100, 2), 100, true)).isNull();
        assertThat(stream.probed(source(1, 100, 2), 100, true)).isNull();
    }

    @Test
    void aStreamThatBringsThemLives() {
        assertThat(stream.probed(source(1, 100, 1), 100, true)).isNull();
        assertThat(stream.probed(source(1, 150, 1), 150, true)).isNull();
        assertThat(stream.probed(source(1, 200, 1), 200, true)).isNull();
    }

    /** A commit a second, at the time of the probe: the last has arrived, and the next is on its way. */
    @Test
    void oneThatWaitsAtEachProbeDoesNot() {
        assertThat(stream.probed(source(1, 100, 1), 100, true)).isNull();
        assertThat(stream.probed(source(1, 101, 1), 100, true)).isNull();
        assertThat(stream.probed(source(1, 102, 1), 103, true)).isNull();
        assertThat(stream.probed(source(1, 103, 1), 103, true)).isNull();
        assertThat(stream.probed(source(1, 104, 1), 106, true)).isNull();
    }

    /** Another replica acknowledges while the witness is withdrawn. */
    @Test
    void itIsWatchedFromWhenItIsPresent() {
        assertThat(stream.probed(source(0, 100, 1), 100, false)).isNull();
        assertThat(stream.probed(source(0, 150, 1), 100, false)).isNull();
        assertThat(stream.probed(source(0, 200, 1), 100, false)).isNull();
        assertThat(stream.probed(source(0, 250, 1), 100, true)).isNull();
        assertThat(stream.probed(source(0, 250, 1), 100, true)).isNull();
    }
}
