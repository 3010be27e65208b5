package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.it.FailoverPair.Said;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The way out of docs/black-box.md, "After RESET MASTER", once the primary is gone. */
@Tag("long")
@Timeout(180)
class ResetFailoverTest {
    @TempDir
    private Path folder;

    /** The standby lacks some from before; the new numbers have passed its own. */
    @Test
    void aStandbyIsBroughtWhatIsFromBeforeAndThenTheRest() throws Exception {
        try (FailoverPair servers = FailoverPair.start(folder, ", BINLOG REPLAY")) {
            servers.cutOff();
            insert(servers, 1, 20);
            awaitMissing(servers, 20);
            servers.pair.primary().execute("RESET MASTER");
            insert(servers, 21, 80);
            awaitMissing(servers, 80);
            servers.pair.primary().kill();

            Said refused = servers.run("failover", "--to", "s1");
            assertThat(refused.status()).as(refused.text()).isEqualTo(1);
            assertThat(refused.text())
                    .contains("it lacks 20 transactions from before", "rescue --apply --on s1")
                    .contains("do not start its replication");
            Said early = servers.run("report", "lost", "--on", "s1", "--compared");
            assertThat(early.status()).as(early.text()).isEqualTo(1);
            Said brought = servers.run("rescue", "--apply", "--on", "s1");
            assertThat(brought.status()).as(brought.text()).isEqualTo(4);
            assertThat(brought.text()).contains("20 transactions, ");
            assertThat(compare(servers)).contains("Answered OK and missing: 60");
            promote(servers, 80);
        }
    }

    /** A word counts for what was written until the next reset. */
    @Test
    void behindASecondResetItIsBroughtWhatIsFromBeforeThat() throws Exception {
        try (FailoverPair servers = FailoverPair.start(folder, ", BINLOG REPLAY")) {
            insert(servers, 1, 20);
            servers.pair.awaitCaughtUp(Duration.ofSeconds(30));
            awaitMissing(servers, 0);
            servers.standby().execute("STOP SLAVE");
            servers.pair.primary().execute("RESET MASTER");
            insert(servers, 21, 30);
            awaitMissing(servers, 10);
            compare(servers);
            servers.standby().execute("START SLAVE");
            awaitMissing(servers, 0);
            servers.cutOff();
            insert(servers, 31, 40);
            awaitMissing(servers, 10);
            servers.pair.primary().execute("RESET MASTER");
            insert(servers, 41, 70);
            awaitMissing(servers, 40);
            servers.pair.primary().kill();

            Said brought = servers.run("rescue", "--apply", "--on", "s1");
            assertThat(brought.status()).as(brought.text()).isEqualTo(4);
            assertThat(brought.text()).contains("10 transactions, ");
            assertThat(compare(servers)).contains("Answered OK and missing: 30");
            promote(servers, 70);
        }
    }

    /** The primary lives, and the standby goes on, where the proxy sees neither. */
    @Test
    void whatAStandbyHasSkippedMeanwhileIsMissing() throws Exception {
        try (FailoverPair servers = FailoverPair.startApart(folder, ", BINLOG REPLAY")) {
            servers.standby().execute("STOP SLAVE IO_THREAD");
            insert(servers, 1, 20);
            awaitMissing(servers, 20);
            servers.pair.primary().execute("RESET MASTER");
            insert(servers, 21, 32);
            awaitMissing(servers, 32);
            servers.cutProxyOff();
            await().atMost(Duration.ofSeconds(30))
                    .until(() ->
                            servers.run("report", "lost", "--on", "s1").text().contains("was last read at"));
            servers.standby().execute("START SLAVE IO_THREAD");
            servers.pair.awaitCaughtUp(Duration.ofSeconds(30));
            assertThat(servers.standby().query("SELECT COUNT(*) FROM shop.t")).isNotEqualTo("0");
            await("the proxy has seen that it receives")
                    .atMost(Duration.ofSeconds(30))
                    .until(() ->
                            servers.run("report", "lost", "--on", "s1").text().contains("has skipped some"));
            servers.pair.primary().kill();

            Said rescue = servers.run("rescue", "--apply", "--on", "s1");
            assertThat(rescue.status()).as(rescue.text()).isEqualTo(1);
            assertThat(rescue.text()).contains("has skipped some");
            assertThat(servers.run("failover", "--to", "s1").status()).isEqualTo(1);
        }
    }

    /** Has the standby begin anew, and counts it as having all from before. */
    private static String compare(FailoverPair servers) {
        servers.standby().execute("STOP SLAVE", "RESET SLAVE", "RESET MASTER", "SET GLOBAL gtid_slave_pos=''");
        Said compared = servers.run("report", "lost", "--on", "s1", "--compared");
        assertThat(compared.status()).as(compared.text()).isZero();
        assertThat(compared.text()).doesNotContain("NOT KNOWN: which");
        return compared.text();
    }

    private static void promote(FailoverPair servers, int rows) {
        Said done = servers.run("failover", "--to", "s1");
        assertThat(done.status()).as(done.text()).isZero();
        assertThat(servers.standby().query("SELECT COUNT(*) FROM shop.t")).isEqualTo(String.valueOf(rows));
    }

    private static void awaitMissing(FailoverPair servers, int count) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> servers.run("report", "lost", "--on", "s1")
                        .text()
                        .contains("Answered OK and missing: " + count));
    }

    private static void insert(FailoverPair servers, int from, int to) throws Exception {
        try (Connection app = servers.connect();
                Statement statement = app.createStatement()) {
            for (int i = from; i <= to; i++) {
                statement.execute("INSERT INTO t VALUES (1, " + i + ", '')");
            }
        }
    }
}
