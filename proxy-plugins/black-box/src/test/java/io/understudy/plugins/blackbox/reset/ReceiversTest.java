package io.understudy.plugins.blackbox.reset;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.blackbox.reset.Receivers.Receipt;
import io.understudy.servers.ReplicaStatus;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReceiversTest {
    private static final String SERVER = "host:3306:2";
    private final Receivers receivers = new Receivers();

    private boolean receives(String state, String position) {
        return receivers
                .has(SERVER, List.of(new ReplicaStatus(Map.of("slave_io_running", state, "gtid_io_pos", position))))
                .receives();
    }

    /** A standby may count as connected to a machine that has lost its power. */
    @Test
    void aConnectionThatBringsNothingIsNone() {
        assertThat(receives("Yes", "0-1-20")).isFalse();
        assertThat(receives("Yes", "0-1-20")).isFalse();
        assertThat(receives("Connecting", "0-1-20")).isFalse();
    }

    @Test
    void aReceiverThatThePrimaryRefusesIsToldFromAStoppedOne() {
        Map<String, String> refused = Map.of("slave_io_running", "No", "last_io_errno", "1236");
        assertThat(receivers.has(SERVER, List.of(new ReplicaStatus(refused))).refused())
                .isTrue();
        Map<String, String> stopped = Map.of("slave_io_running", "No", "last_io_errno", "0");
        assertThat(receivers.has(SERVER, List.of(new ReplicaStatus(stopped))).refused())
                .isFalse();
        assertThat(receivers.has(SERVER, List.of()).isNothing()).isTrue();
        assertThat(Receipt.UNKNOWN.isNothing()).isFalse();
    }

    /** START SLAVE begins with what was applied, and RESET SLAVE with nothing. */
    @Test
    void aPositionThatMovesWithoutAConnectionIsNotReceived() {
        assertThat(receives("Yes", "0-1-20")).isFalse();
        assertThat(receives("Connecting", "0-1-18")).isFalse();
        assertThat(receives("No", "")).isFalse();
    }

    /** A standby that was reset as the document says, and is brought what it lacks, receives nothing. */
    @Test
    void whatWasReceivedBeforeAComparisonTellsNothing() {
        assertThat(receives("Yes", "0-1-20")).isFalse();
        assertThat(receives("Yes", "0-1-21")).isTrue();
        assertThat(receives("No", "")).isTrue();
        receivers.compared(SERVER);
        assertThat(receives("No", "")).isFalse();
        assertThat(receives("Yes", "0-1-1")).isTrue();
    }

    @Test
    void whatIsReceivedTellsUntilThePrimaryResponds() {
        assertThat(receives("Yes", "0-1-20")).isFalse();
        assertThat(receives("Yes", "0-1-21")).isTrue();
        assertThat(receives("No", "0-1-21")).isTrue();
        receivers.responds(server -> true);
        assertThat(receives("Yes", "0-1-21")).isTrue();
        receivers.responds(server -> false);
        assertThat(receives("Yes", "0-1-30")).isFalse();
    }
}
