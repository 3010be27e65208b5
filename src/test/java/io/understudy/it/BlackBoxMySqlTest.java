package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.report.ReportText;
import io.understudy.testkit.CapturedLog;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The black box before MySQL, with mysqlbinlog: {@code -Dunderstudy.it.mysql=DIR}. */
@EnabledIfSystemProperty(named = MySqlSemiSyncPair.PROPERTY, matches = ".+")
@Timeout(300)
class BlackBoxMySqlTest {
    @TempDir
    private Path folder;

    private static Set<String> rows(Connection to) throws SQLException {
        Set<String> all = new HashSet<>();
        try (Statement statement = to.createStatement();
                ResultSet rows = statement.executeQuery("SELECT CONCAT(w, '-', n) FROM shop.t")) {
            while (rows.next()) {
                all.add(rows.getString(1));
            }
        }
        return all;
    }

    /** As the output of {@code understudy rescue} says, while {@code read_only} is on. */
    private static void replay(Path file, MySqlSemiSyncPair pair) throws Exception {
        BlackBoxTools.pipe(
                MySqlSemiSyncPair.program("usr/bin/mysqlbinlog", file.toString()),
                MySqlSemiSyncPair.program(
                        "usr/bin/mysql", "-h127.0.0.1", "-P" + pair.replica().getPort(), "-urescuer"));
    }

    /** @param compressed {@code binlog_transaction_compression}: a transaction's events come as one, compressed */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void listsAndBringsBackWhatTheReplicaLacks(boolean compressed) throws Exception {
        try (MySqlSemiSyncPair pair = new MySqlSemiSyncPair()) {
            try (Connection source = pair.connect();
                    Statement statement = source.createStatement()) {
                statement.execute("SET GLOBAL rpl_semi_sync_source_enabled = OFF");
                statement.execute("SET GLOBAL binlog_transaction_compression = " + (compressed ? "ON" : "OFF"));
                statement.execute("GRANT REPLICATION CLIENT ON *.* TO monitor");
                statement.execute("CREATE USER rescuer IDENTIFIED BY ''");
                statement.execute(
                        "GRANT REPLICATION_APPLIER, SYSTEM_VARIABLES_ADMIN, CONNECTION_ADMIN ON *.* TO rescuer");
                statement.execute("GRANT ALL ON shop.* TO rescuer");
                statement.execute(
                        "CREATE TABLE shop.t (w INT, n INT, filler VARCHAR(60), PRIMARY KEY (w, n)) ENGINE=InnoDB");
            }
            try (CapturedLog log = new CapturedLog();
                    BlackBoxProxy proxy =
                            BlackBoxProxy.start(pair.address(), pair.replica(), "memory: 64MiB, poll: 100ms")) {
                proxy.awaitReading();
                Writers writers = Writers.start(8, proxy::connect);
                writers.awaitRows(100);
                assertThat(log.text()).doesNotContain("cannot be queried for its applied position");
                pair.link().refuse();
                pair.link().cut();
                writers.awaitMore(20); // which the replica lacks
                pair.killSource();
                Set<String> answered = writers.join();
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> proxy.lost().number("receivedNotApplied", "count") == 0);

                LostView lost = proxy.lost();
                try (Connection replica = pair.connectReplica()) {
                    Set<String> missing = new HashSet<>(answered);
                    missing.removeAll(rows(replica));
                    System.out.println("MySQL, compressed " + compressed + ": answered " + answered.size()
                            + ", missing " + missing.size() + ", listed "
                            + lost.number("answeredAndMissing", "count") + ", not captured "
                            + lost.number("answeredAndMissing", "notCaptured"));
                    assertThat(missing).isNotEmpty();
                    assertThat(lost.number("answeredAndMissing", "count")).isEqualTo(missing.size());
                    assertThat(lost.number("unknown", "transactions")).isZero();

                    Path file = folder.resolve("rescued");
                    assertThat(ReportText.rescue(Views.map(proxy.rescue(file)), "FILE"))
                            .contains("1. STOP REPLICA; SET GLOBAL super_read_only=0", "CONNECTION_ADMIN");
                    try (Statement statement = replica.createStatement()) {
                        statement.execute("STOP REPLICA");
                        statement.execute("SET GLOBAL super_read_only=1");
                        assertThatThrownBy(() -> replay(file, pair)).hasMessageContaining("1290");
                        statement.execute("SET GLOBAL super_read_only=0");
                        replay(file, pair);
                        replay(file, pair); // changes nothing
                    }
                    missing.removeAll(rows(replica));
                    assertThat(missing).hasSize((int) lost.number("answeredAndMissing", "notCaptured"));
                    assertThat(proxy.lost().number("answeredAndMissing", "captured"))
                            .isZero();
                }
            }
        }
    }

    @Test
    void eachCommitOfATextOfSeveralStatementsIsListedOnce() throws Exception {
        try (MySqlSemiSyncPair pair = new MySqlSemiSyncPair()) {
            try (Connection source = pair.connect();
                    Statement statement = source.createStatement()) {
                statement.execute("SET GLOBAL rpl_semi_sync_source_enabled = OFF");
                statement.execute("GRANT REPLICATION CLIENT ON *.* TO monitor");
                statement.execute("CREATE TABLE shop.t (n INT) ENGINE=InnoDB");
            }
            try (BlackBoxProxy proxy =
                    BlackBoxProxy.start(pair.address(), pair.replica(), "memory: 64MiB, poll: 100ms")) {
                proxy.awaitReading();
                pair.link().refuse();
                pair.link().cut();
                try (Connection app = proxy.connect("&allowMultiQueries=true");
                        Statement statement = app.createStatement()) {
                    for (int i = 0; i < 5; i++) {
                        statement.execute(
                                "INSERT INTO t VALUES (1); INSERT INTO t VALUES (2); INSERT INTO t VALUES (3)");
                    }
                }
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> proxy.lostNow().number("answeredAndMissing", "captured") == 15);
                LostView lost = proxy.lostNow();
                assertThat(lost.number("answeredAndMissing", "count")).isEqualTo(15);
                assertThat(lost.number("missingNotKnownAnswered", "count")).isZero();
            }
        }
    }
}
