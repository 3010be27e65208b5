package io.understudy.switchover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Where the old primary waits for acknowledgements, the new one does. */
@Tag("long")
class SwitchoverSemiSyncTest extends SwitchoverHarness {
    private static String status(EmbeddedServer server, String name) {
        return server.query(
                "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME='" + name + "'");
    }

    private static String source(EmbeddedServer server) {
        return server.query(
                "SELECT CONCAT(@@GLOBAL.rpl_semi_sync_master_enabled, @@GLOBAL.rpl_semi_sync_master_wait_no_slave)");
    }

    private static void awaitAcknowledged(EmbeddedServer server) {
        await().atMost(PATIENCE)
                .until(() -> status(server, "Rpl_semi_sync_master_clients").equals("1")
                        && status(server, "Rpl_semi_sync_master_status").equals("ON"));
        long before = Long.parseLong(status(server, "Rpl_semi_sync_master_yes_tx"));
        await().atMost(PATIENCE).until(() -> Long.parseLong(status(server, "Rpl_semi_sync_master_yes_tx")) > before);
    }

    @Test
    void theNewPrimaryWaitsForAcknowledgementsAsTheOldOneDid() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        chosen.execute("SET GLOBAL rpl_semi_sync_slave_enabled=1", "STOP SLAVE IO_THREAD", "START SLAVE IO_THREAD");
        old.execute("SET GLOBAL rpl_semi_sync_master_enabled=1");
        assertThatThrownBy(() -> switchTo(chosen)).hasMessageContaining("it lacks REPLICATION MASTER ADMIN");
        old.execute("GRANT REPLICATION MASTER ADMIN ON *.* TO switcher");
        try (WriteLoad load = new WriteLoad(address(), 2)) {
            awaitAcknowledged(old);
            Said undone = switchTo(chosen, BOUNDS, SwitchoverHarness::failing);
            assertThat(undone.text()).contains("undone: semi-sync is as before", "everything is as before");
            assertThat(source(chosen)).isEqualTo("OFFON");

            Said said = switchTo(chosen);
            assertThat(said.outcome()).as(said.text()).isEqualTo(ChangeOutcome.DONE);
            assertThat(said.text()).contains("blocks semi-sync", "the steps that follow mend what blocks");
            assertThat(source(chosen))
                    .as("enabled, and nobody waits without a standby")
                    .isEqualTo("ONOFF");
            awaitGrowth(load);
            makeStandby(old, said);
            awaitAcknowledged(chosen);
        }
    }
}
