package io.understudy.it.legs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.it.ProxyUnderTest;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A replica that connects to its primary through the proxy stays connected and semi-synchronous. */
@Tag("long")
class ReplicationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    static Path folder;

    private static EmbeddedServer primary;
    private static EmbeddedServer replica;
    private static TestCertificates certificates;

    @BeforeAll
    static void start() throws Exception {
        certificates = new TestCertificates(folder);
        // Without an acknowledgement a commit would wait longer than the test runs.
        primary = EmbeddedServer.start(ServerOptions.of(61).withArguments("--rpl-semi-sync-master-timeout=600000"));
        replica = EmbeddedServer.start(
                ServerOptions.of(62).withArguments("--rpl-semi-sync-slave-enabled=1", "--slave-net-timeout=3"));
        replica.execute("RESET MASTER", "SET GLOBAL gtid_slave_pos=''");
        primary.execute(
                "CREATE USER repl IDENTIFIED BY 'repl'",
                "GRANT REPLICATION SLAVE ON *.* TO repl",
                "CREATE DATABASE shop");
    }

    @AfterAll
    static void stop() {
        replica.close();
        primary.close();
    }

    @AfterEach
    void forget() {
        primary.execute("SET GLOBAL rpl_semi_sync_master_enabled=0", "DROP TABLE IF EXISTS shop.orders");
        replica.execute("STOP SLAVE", "RESET SLAVE ALL");
    }

    @ParameterizedTest(name = "replica TLS {0}, primary TLS {1}, compressed {2}")
    @CsvSource({"false, disabled, false", "true, disabled, false", "true, required, true"})
    void replicatesSemiSynchronously(boolean tls, String serverTls, boolean compressed) throws Exception {
        String listen = tls
                ? "tls: { mode: required, certificate: '%s', key: '%s' }"
                        .formatted(certificates.certificate, certificates.key)
                : "tls: { mode: disabled }";
        String leg = "tls: { mode: " + serverTls + " }, compression: [" + (compressed ? "zlib" : "") + "]";
        try (ProxyUnderTest proxy = ProxyUnderTest.withLegs(primary.port(), listen, leg)) {
            replica.execute(
                    "SET GLOBAL slave_compressed_protocol=" + (compressed ? 1 : 0),
                    "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=" + proxy.port()
                            + ", MASTER_USER='repl', MASTER_PASSWORD='repl', MASTER_USE_GTID=slave_pos,"
                            + " MASTER_CONNECT_RETRY=1, MASTER_HEARTBEAT_PERIOD=0.5, MASTER_SSL_VERIFY_SERVER_CERT=0,"
                            + " MASTER_SSL="
                            + (tls ? 1 : 0),
                    "START SLAVE");
            await().atMost(PATIENCE).until(() -> "Yes".equals(slave("Slave_IO_Running")));
            primary.execute("SET GLOBAL rpl_semi_sync_master_enabled=1");
            await().atMost(PATIENCE).until(() -> "1".equals(status(primary, "Rpl_semi_sync_master_clients")));
            long before = Long.parseLong(status(primary, "Rpl_semi_sync_master_yes_tx"));

            primary.execute("CREATE TABLE shop.orders (id INT PRIMARY KEY, note LONGTEXT)");
            for (int i = 1; i <= 20; i++) {
                primary.execute("INSERT INTO shop.orders VALUES (" + i + ", REPEAT('n', " + i * 1000 + "))");
            }
            // More than one packet, and more than one compressed frame.
            primary.execute("INSERT INTO shop.orders VALUES (21, REPEAT('y', 15000000))");

            assertThat(status(primary, "Rpl_semi_sync_master_status")).isEqualTo("ON");
            assertThat(status(replica, "Rpl_semi_sync_slave_status")).isEqualTo("ON");
            assertThat(Long.parseLong(status(primary, "Rpl_semi_sync_master_yes_tx")) - before)
                    .as("each of 22 commits was acknowledged")
                    .isEqualTo(22);
            String position = primary.query("SELECT @@GLOBAL.gtid_binlog_pos");
            assertThat(replica.query("SELECT MASTER_GTID_WAIT('" + position + "', 30)"))
                    .isEqualTo("0");
            String checksum = "SELECT CONCAT(COUNT(*), ' ', SUM(CRC32(note))) FROM shop.orders";
            assertThat(replica.query(checksum)).isEqualTo(primary.query(checksum));

            // Heartbeats keep an idle replica connected for longer than its slave_net_timeout.
            long received = Long.parseLong(status(replica, "Slave_received_heartbeats"));
            await().atMost(PATIENCE)
                    .until(() -> Long.parseLong(status(replica, "Slave_received_heartbeats")) >= received + 7);
            assertThat(slave("Slave_IO_Running")).isEqualTo("Yes");
            assertThat(proxy.connections("accepted")).as("one dump connection").isLessThanOrEqualTo(2);
            primary.execute("INSERT INTO shop.orders VALUES (22, 'after the silence')");
            assertThat(status(primary, "Rpl_semi_sync_master_no_tx")).isEqualTo("0");
            replica.execute("STOP SLAVE");
        }
    }

    private static String status(EmbeddedServer server, String name) {
        return server.query(
                "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME='" + name + "'");
    }

    private static String slave(String column) throws SQLException {
        try (Connection connection = replica.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SHOW SLAVE STATUS")) {
            return rows.next() ? rows.getString(column) : "";
        }
    }
}
