package io.understudy.unplanned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.config.Address;
import io.understudy.servers.ReplicaStatus;
import io.understudy.switchover.StepFailure;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Only what was promoted is followed: elsewhere something may wait to be applied. */
class CheckTargetStepTest {
    private final TakeoverFixture standby = new TakeoverFixture();

    private String check() throws Exception {
        return new CheckTargetStep(standby.takeover("10.0.0.1:3306"), true).run();
    }

    /** As one that never had read_only. */
    @ParameterizedTest
    @CsvSource({"Yes, Yes, 0-1-5", "Connecting, Yes, 0-1-9", "Connecting, No, 0-1-5", "No, Yes, 0-1-5", "No, No, 0-1-9"
    })
    void aWritableStandbyThatReplicatesWasNeverPromoted(String receiver, String applier, String received) {
        standby.readOnly = "0";
        standby.receiver = receiver;
        standby.applier = applier;
        standby.received = received;
        assertThatThrownBy(this::check)
                .isInstanceOf(StepFailure.class)
                .hasMessageContaining("it was never promoted. SET GLOBAL read_only=1 there, and run this again");
    }

    @Test
    void aPromotionStopsReplicationOnceAllIsApplied() throws Exception {
        standby.readOnly = "0";
        standby.receiver = "No";
        standby.applier = "No";
        assertThat(check()).endsWith("is writable: it was promoted before");
    }

    @ParameterizedTest
    @CsvSource({"0", "1"})
    void whatAStandbyByFileAndOffsetHasReceivedIsNotKnown(String readOnly) {
        standby.readOnly = readOnly;
        standby.byGtid = "No";
        standby.received = "";
        assertThatThrownBy(this::check)
                .isInstanceOf(StepFailure.class)
                .hasMessageContaining("does not replicate by GTID", "docs/failover.md#people", "RESET SLAVE '' ALL");
    }

    /** Without read_only in its option file. RESET SLAVE ALL would delete them. */
    @Test
    void aWritableStandbyWithRelayLogsOfBeforeARestartIsNotKnownToBePromoted() throws Exception {
        standby.readOnly = "0";
        standby.receiver = "No";
        standby.applier = "No";
        standby.received = "";
        standby.appliedUpTo = "400";
        assertThatThrownBy(this::check)
                .isInstanceOf(StepFailure.class)
                .hasMessageContaining("is writable, and has the relay logs that it had when it was restarted")
                .hasMessageContaining("RESET SLAVE '' ALL; if not: SET GLOBAL read_only=1. Then run this again");
        standby.appliedUpTo = "900";
        assertThat(check()).endsWith("is writable: it was promoted before");
    }

    /** MariaDB forgets with a restart what it has received, and keeps the relay logs until the next START SLAVE. */
    @Test
    void whatWasReceivedBeforeARestartIsNotNothing() throws Exception {
        Takeover takeover = standby.takeover("10.0.0.1:3306");
        standby.receiver = "No";
        standby.applier = "No";
        standby.received = "";
        standby.appliedUpTo = "400";
        assertThatThrownBy(() -> new ReceivedStep(takeover, line -> {}).run())
                .isInstanceOf(StepFailure.class)
                .hasMessageContaining("read up to b.1:900 and applied up to b.1:400", "What they hold is not known");
        standby.appliedUpTo = "900";
        assertThat(new ReceivedStep(takeover, line -> {}).run()).contains("applied up to 0-1-5");
    }

    /** A primary that was not fenced may be told so, and tell a client. */
    @Test
    void whatArrivesUntilTheReceiverIsStoppedIsApplied() throws Exception {
        Takeover takeover = standby.takeover("10.0.0.1:3306");
        standby.arriving = "0-1-6";
        assertThat(new ReceivedStep(takeover, line -> {}).run()).isEqualTo("applied up to 0-1-6, and stopped");
        assertThat(takeover.replication().isStopped()).isTrue();
    }

    /** As behind a run that was killed, or timed out. */
    @Test
    void aReceiverThatIsStoppedAlreadyStaysSo() throws Exception {
        Takeover takeover = standby.takeover("10.0.0.1:3306");
        standby.receiver = "No";
        standby.received = "0-1-6";
        standby.arriving = "0-1-6";
        assertThat(new ReceivedStep(takeover, line -> {}).run()).isEqualTo("applied up to 0-1-6, and stopped");
    }

    @Test
    void nothingIsStoppedWhileItIsNotKnownWhatWasReceived() throws Exception {
        Takeover takeover = standby.takeover("10.0.0.1:3306");
        standby.received = null;
        assertThatThrownBy(() -> new ReceivedStep(takeover, line -> {}).run())
                .isInstanceOf(StepFailure.class)
                .hasMessageContaining("what it has received is not known", "SLAVE MONITOR");
        assertThat(standby.receiver).isEqualTo("Yes");
        standby.received = "0-1-5";
        assertThat(new ReceivedStep(takeover, line -> {}).run()).contains("and stopped");
        assertThat(standby.receiver).isEqualTo("No");
    }

    /** Until it has connected, MariaDB says that it replicates from the number of the server before. */
    @ParameterizedTest
    @CsvSource({"Connecting, 10.0.0.1:3306, true", "Connecting, 10.0.0.2:3306, false", "Yes, 10.0.0.1:3306, false"})
    void aStandbyThatWasPointedToAPrimaryThatIsDeadIsItsStandby(String receiver, String primary, boolean pointed) {
        ReplicaStatus status = new ReplicaStatus(
                Map.of("master_host", "10.0.0.1", "master_port", "3306", "slave_io_running", receiver));
        assertThat(CheckTargetStep.isPointedTo(status, Address.parse(primary))).isEqualTo(pointed);
    }
}
