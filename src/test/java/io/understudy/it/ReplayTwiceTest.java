package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import io.understudy.lost.MissingView;
import io.understudy.report.ReportText;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A rescue file is executed once: the second time the server refuses it. */
@Timeout(120)
@Tag("long")
class ReplayTwiceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theSecondReplayIsRefusedAndNothingIsMissing(boolean binaryLog) throws Exception {
        BlackBoxTools.assumeMariaDbTools();
        ServerOptions standby = ServerOptions.of(2);
        try (EmbeddedPair pair = EmbeddedPair.start(PairOptions.defaults()
                .withSemiSync(false)
                .withStandby(binaryLog ? standby : standby.withArguments("--skip-log-bin")))) {
            pair.primary()
                    .execute(
                            "CREATE DATABASE shop",
                            "CREATE TABLE shop.t (id INT PRIMARY KEY, n INT)",
                            "INSERT INTO shop.t VALUES (1, 0)");
            pair.createAccount("app", BlackBoxProxy.PASSWORD, "ALL ON *.*");
            pair.createAccount("monitor", BlackBoxProxy.PASSWORD, "REPLICATION SLAVE, SLAVE MONITOR ON *.*");
            pair.awaitCaughtUp(PATIENCE);
            assertThat(pair.standby().query("SELECT @@global.log_bin")).isEqualTo(binaryLog ? "1" : "0");
            try (BlackBoxProxy proxy = BlackBoxProxy.start(pair, "memory: 64MiB, poll: 100ms")) {
                proxy.awaitReading();
                pair.link().refuse();
                pair.link().cut();
                try (Connection app = proxy.connect();
                        Statement statement = app.createStatement()) {
                    for (int i = 0; i < 3; i++) {
                        statement.execute("SET binlog_format=" + (i == 1 ? "STATEMENT" : "ROW"));
                        statement.execute("UPDATE t SET n = n + 1");
                    }
                    statement.execute("SET gtid_domain_id = 7");
                    statement.execute("INSERT INTO t VALUES (2, 2)");
                    await().atMost(PATIENCE).until(() -> proxy.lostNow().number("answeredAndMissing", "captured") == 4);
                }
                pair.primary().kill();
                await().atMost(PATIENCE)
                        .until(() -> proxy.lostNow().text("primary", "read").equals("false"));
                Path file = folder.resolve("rescued");
                proxy.rescue(file);
                if (!binaryLog) {
                    assertThatThrownBy(() -> BlackBoxTools.replay(file, pair.standby()))
                            .as("replication runs")
                            .hasMessageContaining("1198");
                    assertThat(pair.standby().query("SELECT n FROM shop.t")).isEqualTo("0");
                }
                pair.standby().execute("STOP SLAVE");
                String at = pair.standby().query("SELECT @@global.gtid_slave_pos");
                moveTo("0-1-2", pair.standby(), binaryLog);
                assertThatThrownBy(() -> BlackBoxTools.replay(file, pair.standby()))
                        .as("one that is behind, and would leave out what is between")
                        .hasMessageContaining("lacks transactions in front of those of this rescue file");
                moveTo(at, pair.standby(), binaryLog);
                assertThat(pair.standby().query("SELECT n FROM shop.t")).isEqualTo("0");
                BlackBoxTools.replay(file, pair.standby());
                assertThat(pair.standby().query("SELECT n FROM shop.t")).isEqualTo("3");
                assertThat(proxy.lostNow().number("answeredAndMissing", "count"))
                        .isZero();
                assertThatThrownBy(() -> BlackBoxTools.replay(file, pair.standby()))
                        .hasMessageContaining("has transactions of this rescue file already");
                assertThat(pair.standby().query("SELECT n FROM shop.t")).isEqualTo("3");
            }
        }
    }

    private static void moveTo(String position, EmbeddedServer standby, boolean binaryLog) throws SQLException {
        if (binaryLog) {
            standby.execute("RESET MASTER");
        }
        standby.execute("SET GLOBAL gtid_slave_pos='" + position + "'");
    }

    /** A transaction above half of the memory is in no file, and a replay moves the position past it. */
    @Test
    void aGapIsReportedBeforeAndAfterAReplay() throws Exception {
        BlackBoxTools.assumeMariaDbTools();
        try (EmbeddedPair pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false))) {
            pair.primary().execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT PRIMARY KEY, b LONGBLOB)");
            pair.createAccount("app", BlackBoxProxy.PASSWORD, "ALL ON *.*");
            pair.createAccount("monitor", BlackBoxProxy.PASSWORD, "REPLICATION SLAVE, SLAVE MONITOR ON *.*");
            pair.awaitCaughtUp(PATIENCE);
            try (BlackBoxProxy proxy = BlackBoxProxy.start(pair, "memory: 1MiB, poll: 100ms")) {
                proxy.awaitReading();
                pair.link().refuse();
                pair.link().cut();
                try (Connection app = proxy.connect();
                        Statement statement = app.createStatement()) {
                    statement.execute("INSERT INTO t VALUES (1, REPEAT('x', 700000))");
                    statement.execute("INSERT INTO t VALUES (2, 'y')");
                }
                await().atMost(PATIENCE).until(() -> proxy.lostNow().number("answeredAndMissing", "captured") == 1);
                pair.primary().kill();
                await().atMost(PATIENCE)
                        .until(() -> proxy.lostNow().text("primary", "read").equals("false"));
                Path file = folder.resolve("rescued");
                assertThat(ReportText.rescue(Views.map(proxy.rescue(file)), "FILE"))
                        .contains("WARNING: 1 further transactions are not known to be applied")
                        .doesNotContain("Replay it");
                pair.standby().execute("STOP SLAVE");
                BlackBoxTools.replay(file, pair.standby());
                LostView lost = proxy.lostNow();
                assertThat(lost.number("unknown", "transactions")).isZero();
                assertThat(lost.number("impliedOnly", "transactions")).isEqualTo(1);
                assertThat(new MissingView(lost.all()).isLoss()).isTrue();
                assertThat(ReportText.LOST.of(lost.all()))
                        .contains("Implied by the position alone: 1")
                        .containsPattern("The binary log of server_id 1 was read up to 0-1-\\d+. It may hold more");
            }
        }
    }
}
