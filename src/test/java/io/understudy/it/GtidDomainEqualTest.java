package io.understudy.it;

import static io.understudy.it.DomainPair.one;
import static io.understudy.it.DomainPair.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs two dependent statements while a lock on the standby delays the domain of the first one. In another domain the
 * second one would be applied first. {@code gtid-domain} keeps or moves both into one domain, and the standby's data
 * end equal.
 */
@Timeout(240)
class GtidDomainEqualTest {
    private static final String RULES = """
            mode: tag
            guard: pin
            learn: 0s
            poll: 20ms
            rules:
              - { name: archive, match: { table: archive }, domain: 18 }
              - { name: schema-changes, match: { kind: ddl, user: tagger }, domain: 18 }
            """;

    private static DomainPair pair;

    @BeforeAll
    static void start() throws Exception {
        pair = DomainPair.start();
        pair.primary()
                .execute(
                        "CREATE TABLE dom.archive (id INT PRIMARY KEY, v INT)",
                        "INSERT INTO dom.archive VALUES (1, 1)",
                        "CREATE TABLE dom.gate (id INT PRIMARY KEY)",
                        "CREATE TABLE dom.orders (id INT PRIMARY KEY, v INT)",
                        "CREATE TABLE dom.big (id INT PRIMARY KEY, v INT)",
                        "INSERT INTO dom.big SELECT seq, seq FROM dom.seq_1_to_50");
        pair.awaitCaughtUp();
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    /** Blocks the standby from applying further writes to the table until the connection is closed. */
    private static Connection hold(String table) throws SQLException {
        Connection connection = pair.standby().connect();
        run(connection, "LOCK TABLES " + table + " WRITE");
        return connection;
    }

    private static void awaitTagged(DomainProxy proxy, Connection connection) {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            proxy.awaitGuard();
            run(connection, "UPDATE archive SET v = v + 1");
            assertThat(one(connection, "SELECT @@last_gtid")).startsWith("18-");
        });
    }

    private static void applierRuns() throws SQLException {
        try (Connection connection = pair.standby().connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SHOW ALL SLAVES STATUS")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getInt("Last_SQL_Errno"))
                    .as(rows.getString("Last_SQL_Error"))
                    .isZero();
        }
    }

    private static String contents(String table) throws SQLException {
        String sql = "SELECT CONCAT(COUNT(*), ' ', COALESCE(SUM(CRC32(CONCAT_WS(':', id, v))), 0)) FROM dom." + table;
        return pair.primary().query(sql) + " = " + pair.standby().query(sql);
    }

    private static void equal(String table) throws SQLException {
        String[] both = contents(table).split(" = ");
        assertThat(both[1]).as(table).isEqualTo(both[0]);
    }

    /**
     * Found with Connector/J, which sends SET STATEMENT for every {@code setQueryTimeout}: error 1032 on the standby.
     */
    @Test
    void aSetStatementDoesNotOvertakeTheInsertOfItsRow() throws Exception {
        try (DomainProxy proxy = pair.proxy(RULES);
                Connection tagged = proxy.connect("tagger");
                Connection plain = proxy.connect("archiver");
                Connection standby = pair.direct(pair.standby())) {
            awaitTagged(proxy, tagged);
            pair.awaitCaughtUp();
            try (Connection held = hold("dom.gate")) {
                run(plain, "INSERT INTO gate VALUES (1)");
                run(plain, "INSERT INTO orders VALUES (5, 5)");
                run(tagged, "UPDATE archive SET v = v + 1");
                String archived = one(tagged, "SELECT @@last_gtid");
                assertThat(archived).startsWith("18-");
                run(tagged, "SET STATEMENT max_statement_time=5 FOR UPDATE orders SET v = 7 WHERE id = 5");

                // Transactions in domain 18 are applied while the default domain waits.
                assertThat(one(standby, "SELECT MASTER_GTID_WAIT('" + archived + "', 20)"))
                        .isEqualTo("0");
                run(tagged, "UPDATE archive SET v = v + 1");
                archived = one(tagged, "SELECT @@last_gtid");
                assertThat(one(standby, "SELECT MASTER_GTID_WAIT('" + archived + "', 20)"))
                        .isEqualTo("0");
                assertThat(one(standby, "SELECT COUNT(*) FROM dom.orders")).isEqualTo("0");
                applierRuns();
            }
            pair.awaitCaughtUp();
            applierRuns();
            equal("orders");
            equal("archive");
            assertThat(pair.standby().query("SELECT v FROM dom.orders WHERE id = 5"))
                    .isEqualTo("7");
            assertThat(proxy.conflicts()).isZero();
        }
    }

    /** Found as a table without the new column on the standby, without any error. */
    @Test
    void createTableLikeAnAlteredTableCopiesItsNewColumn() throws Exception {
        try (DomainProxy proxy = pair.proxy(RULES);
                Connection tagged = proxy.connect("tagger");
                Connection plain = proxy.connect("archiver");
                Connection standby = pair.direct(pair.standby())) {
            awaitTagged(proxy, tagged);
            pair.awaitCaughtUp();
            try (Connection held = hold("dom.archive")) {
                run(tagged, "UPDATE archive SET v = v + 1");
                run(tagged, "ALTER TABLE big ADD COLUMN added INT DEFAULT 3");
                assertThat(one(tagged, "SELECT @@last_gtid")).startsWith("18-");
                run(plain, "CREATE TABLE copied LIKE big");
                run(plain, "CREATE VIEW seen AS SELECT id, added FROM big");
                run(plain, "INSERT INTO gate VALUES (2)");
                String passed = one(plain, "SELECT @@last_gtid");

                // Transactions in the default domain are applied while domain 18 waits.
                assertThat(passed).startsWith("0-");
                assertThat(one(standby, "SELECT MASTER_GTID_WAIT('" + passed + "', 20)"))
                        .isEqualTo("0");
                assertThat(one(
                                standby,
                                "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_NAME IN ('copied',"
                                        + " 'seen')"))
                        .isEqualTo("0");
                applierRuns();
            }
            pair.awaitCaughtUp();
            applierRuns();
            for (String table : new String[] {"big", "copied", "seen"}) {
                String columns =
                        "SELECT GROUP_CONCAT(COLUMN_NAME ORDER BY ORDINAL_POSITION) FROM information_schema.COLUMNS"
                                + " WHERE TABLE_SCHEMA = 'dom' AND TABLE_NAME = '" + table + "'";
                assertThat(pair.standby().query(columns))
                        .as(table)
                        .contains("added")
                        .isEqualTo(pair.primary().query(columns));
            }
            equal("big");
            assertThat(proxy.conflicts()).isZero();
        }
    }
}
