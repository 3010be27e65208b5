package io.understudy.switchover;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.embedded.EmbeddedServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sessions that reach no boundary during a switchover. */
@Tag("long")
class BusySessionsTest extends SwitchoverHarness {
    /** Its dump connection never reaches a boundary. */
    @Test
    void aStandbyThatReplicatesThroughTheProxyBecomesThePrimary() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        chosen.execute(
                "STOP SLAVE", "CHANGE MASTER TO MASTER_PORT=" + address().getPort() + ", MASTER_CONNECT_RETRY=1");
        chosen.execute("START SLAVE");
        awaitReplication(chosen);
        try (WriteLoad load = new WriteLoad(address(), 2)) {
            awaitGrowth(load);
            Said said = switchTo(chosen);
            assertThat(said.outcome()).as(said.text()).isEqualTo(ChangeOutcome.DONE);
            assertThat(said.text()).contains("1 of standbys that replicate through the proxy");
            awaitGrowth(load);
            load.close();
            assertThat(rows(chosen) - before).isEqualTo(load.committed());
            makeStandby(old, said);
        }
    }

    @Test
    void aSessionWithALockIsNamedAndTheOthersGoOn() throws Exception {
        try (Connection locking = DriverManager.getConnection(
                        "jdbc:mariadb://127.0.0.1:" + address().getPort() + "/shop?sslMode=disable", "app", "secret");
                Statement statement = locking.createStatement();
                WriteLoad load = new WriteLoad(address(), 2)) {
            statement.execute("CREATE TABLE IF NOT EXISTS other (id INT)");
            statement.execute("LOCK TABLES other WRITE");
            Said said = switchTo(standby());
            assertThat(said.outcome()).as(said.text()).isEqualTo(ChangeOutcome.NOT_PROMOTED);
            assertThat(said.text()).containsPattern("session \\d+ \\(user app, .*\\): LOCK TABLES since \\d+");
            assertThat(said.text()).doesNotContain(" is read-only\n");
            statement.execute("UNLOCK TABLES");
            awaitGrowth(load);
        }
    }
}
