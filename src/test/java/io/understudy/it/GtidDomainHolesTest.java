package io.understudy.it;

import static io.understudy.it.DomainPair.one;
import static io.understudy.it.DomainPair.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Statements whose first keyword does not show what they write, after a statement that {@code gtid-domain} has tagged.
 */
@Timeout(240)
@Tag("long")
class GtidDomainHolesTest {
    private static final String RULES = """
            mode: tag
            guard: pin
            learn: 0s
            poll: 20ms
            rules: [ { name: archive, match: { table: archive }, domain: 18 } ]
            """;

    private static DomainPair pair;

    @BeforeAll
    static void start() throws Exception {
        pair = DomainPair.start();
        pair.primary()
                .execute(
                        "CREATE TABLE dom.archive (id INT PRIMARY KEY, v INT)",
                        "INSERT INTO dom.archive VALUES (1, 1)",
                        "CREATE TABLE dom.orders (id INT PRIMARY KEY, v INT)",
                        "INSERT INTO dom.orders VALUES (1, 1)",
                        "CREATE TABLE dom.calling (id INT PRIMARY KEY, v INT)",
                        "CREATE SEQUENCE dom.s",
                        "CREATE VIEW dom.next_s AS SELECT NEXTVAL(dom.s) AS n",
                        "CREATE FUNCTION dom.f(x INT) RETURNS INT DETERMINISTIC MODIFIES SQL DATA BEGIN"
                                + " UPDATE dom.orders SET v = v + x; RETURN x; END");
        pair.awaitCaughtUp();
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    private static Connection connect(DomainProxy proxy, String options) throws SQLException {
        int port = ((InetSocketAddress) proxy.server().addresses().get(0)).getPort();
        return DriverManager.getConnection("jdbc:mariadb://127.0.0.1:" + port + "/dom?sslMode=disable&user=tagger"
                + "&allowMultiQueries=true&password=" + DomainPair.PASSWORD + options);
    }

    private static void tag(DomainProxy proxy, Connection connection) {
        awaitDomain(proxy, connection, "UPDATE archive SET v = v + 1", "18-");
        try {
            run(connection, "UPDATE archive SET v = v + 1");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET STATEMENT max_statement_time=5 FOR UPDATE orders SET v = v + 1",
                "DO f(1)",
                "SET @a = f(1)",
                "INSERT INTO calling VALUES (1, f(1)) ON DUPLICATE KEY UPDATE v = f(2)",
                "DO NEXTVAL(s)",
                "INSERT INTO archive SELECT 100 + n, 1 FROM next_s",
                "UPDATE orders SET v = v + 1; SELECT ROW_COUNT()",
                "UPDATE /*!50000 orders */ SET v = v + 1"
            })
    void runsInTheDefaultDomain(String sql) throws Exception {
        try (DomainProxy proxy = pair.proxy(RULES);
                Connection connection = connect(proxy, "")) {
            tag(proxy, connection);
            run(connection, sql);
            assertThat(one(connection, "SELECT @@last_gtid")).startsWith("0-");
        }
        pair.awaitCaughtUp();
    }

    /** The binary log would show the sequence with the first write, so the test goes without it. */
    @Test
    void tablesWithTheSameSequenceAsADefaultAreWrittenInOneDomain() throws Exception {
        pair.primary()
                .execute(
                        "CREATE SEQUENCE dom.ids",
                        "CREATE TABLE dom.one (id BIGINT DEFAULT NEXTVAL(dom.ids) PRIMARY KEY, v INT)",
                        "CREATE TABLE dom.two (id BIGINT DEFAULT NEXTVAL(dom.ids) PRIMARY KEY, v INT)");
        pair.awaitCaughtUp();
        String rules = """
                mode: tag
                guard: pin
                learn: 0s
                poll: 20ms
                binlog: false
                rules: [ { name: one, match: { table: one }, domain: 18 },
                         { name: two, match: { table: two }, domain: 19 } ]
                """;
        try (DomainProxy proxy = pair.proxy(rules);
                Connection one = connect(proxy, "");
                Connection two = connect(proxy, "");
                Connection lock = pair.primary().connect()) {
            awaitDomain(proxy, two, "INSERT INTO two (v) VALUES (1)", "19-");
            awaitDomain(proxy, one, "INSERT INTO one (v) VALUES (1)", "18-");
            run(lock, "LOCK TABLES dom.one WRITE");
            CompletableFuture<Void> held = CompletableFuture.runAsync(() -> {
                try {
                    run(one, "INSERT INTO one (v) VALUES (2)");
                } catch (SQLException e) {
                    throw new CompletionException(e);
                }
            });
            try {
                await().until(() -> Long.parseLong(String.valueOf(proxy.state("writesInFlight"))) == 1);
                run(two, "INSERT INTO two (v) VALUES (2)");
                assertThat(one(two, "SELECT @@last_gtid")).startsWith("18-");
            } finally {
                run(lock, "UNLOCK TABLES");
            }
            held.join();
        }
        pair.awaitCaughtUp();
    }

    private static void awaitDomain(DomainProxy proxy, Connection connection, String sql, String domain) {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            proxy.awaitGuard();
            run(connection, sql);
            assertThat(one(connection, "SELECT @@last_gtid")).startsWith(domain);
        });
    }

    @Test
    void theFirstExecutionOfAServerSidePreparedStatementIsTagged() throws Exception {
        try (DomainProxy proxy = pair.proxy(RULES);
                Connection connection = connect(proxy, "&useServerPrepStmts=true")) {
            tag(proxy, connection);
            run(connection, "SELECT 1");
            try (PreparedStatement statement =
                    connection.prepareStatement("UPDATE archive SET v = v + ? WHERE id = ?")) {
                statement.setInt(1, 1);
                statement.setInt(2, 1);
                statement.executeUpdate();
            }
            assertThat(one(connection, "SELECT @@last_gtid")).startsWith("18-");
            run(connection, "UPDATE archive SET v = v + 1");
            assertThat(one(connection, "SELECT @@last_gtid")).startsWith("18-");
            assertThat(one(connection, "SELECT @@gtid_domain_id")).isEqualTo("0");
        }
        pair.awaitCaughtUp();
    }

    @Test
    void aStatementWithADriverTimeoutIsTagged() throws Exception {
        try (DomainProxy proxy = pair.proxy(RULES);
                Connection connection = connect(proxy, "");
                Statement statement = connection.createStatement()) {
            tag(proxy, connection);
            statement.setQueryTimeout(5);
            statement.execute("UPDATE archive SET v = v + 1");
            assertThat(one(connection, "SELECT @@last_gtid")).startsWith("18-");
        }
        pair.awaitCaughtUp();
    }

    /**
     * Names in a prepared statement refer to the schema at preparation, whatever the default schema at execution is.
     */
    @Test
    void aPreparedStatementUsesTheSchemaOfItsPreparation() throws Exception {
        pair.primary()
                .execute(
                        "CREATE DATABASE other",
                        "CREATE TABLE other.archive (id INT PRIMARY KEY, v INT)",
                        "INSERT INTO other.archive VALUES (1, 1)");
        pair.awaitCaughtUp();
        try (DomainProxy proxy = pair.proxy(RULES.replace("table: archive", "table: dom.archive"));
                Connection connection = connect(proxy, "&useServerPrepStmts=true")) {
            tag(proxy, connection);
            try (PreparedStatement inDom = connection.prepareStatement("UPDATE archive SET v = v + 1 WHERE id = ?")) {
                inDom.setInt(1, 1);
                inDom.executeUpdate();
                connection.setCatalog("other");
                try (PreparedStatement inOther =
                        connection.prepareStatement("UPDATE archive SET v = v + 2 WHERE id = ?")) {
                    inOther.setInt(1, 1);
                    for (String schema : List.of("other", "dom", "other")) {
                        connection.setCatalog(schema);
                        inOther.executeUpdate();
                        assertThat(one(connection, "SELECT @@last_gtid"))
                                .as("prepared in other, executed in " + schema)
                                .startsWith("0-");
                        inDom.executeUpdate();
                        assertThat(one(connection, "SELECT @@last_gtid"))
                                .as("prepared in dom, executed in " + schema)
                                .startsWith("18-");
                    }
                }
            }
            assertThat(one(connection, "SELECT v FROM other.archive")).isEqualTo("7");
            assertThat(proxy.conflicts()).isZero();
        } finally {
            pair.primary().execute("DROP DATABASE other");
        }
        pair.awaitCaughtUp();
    }

    /**
     * A built-in function writes nothing, however often it is called. The table can still be handed over, and the
     * dictionary stays settled.
     */
    @Test
    void repeatedBuiltInFunctionsDoNotPreventAHandover() throws Exception {
        try (DomainProxy proxy = pair.proxy(RULES);
                Connection connection = connect(proxy, "");
                Connection asking = connect(proxy, "")) {
            tag(proxy, connection);
            for (int i = 0; i < 20; i++) {
                run(asking, "SELECT PASSWORD('x')");
                run(asking, "SELECT 1; SELECT 2");
                assertThat(proxy.state())
                        .containsEntry("dictionaryStale", false)
                        .containsEntry("writesInFlight", 0);
                run(connection, "UPDATE archive SET v = v + 1");
                assertThat(one(connection, "SELECT @@last_gtid")).startsWith("18-");
            }
        }
        pair.awaitCaughtUp();
    }

    @Test
    void anotherTaggingProxyIsReported() throws Exception {
        try (DomainProxy proxy = pair.proxy(RULES);
                DomainProxy other = pair.proxy(RULES);
                Connection connection = connect(other, "")) {
            proxy.awaitGuard();
            await().until(() -> proxy.state("binlog").equals("reading"));
            tag(other, connection);
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                run(connection, "UPDATE archive SET v = v + 1");
                assertThat(proxy.state("taggedByOthers").toString()).startsWith("{18=");
            });
            assertThat(other.state().get("taggedByOthers")).hasToString("{}");
        }
        pair.awaitCaughtUp();
    }

    /** As docs/gtid-domains.md says: with {@code advise} every table starts without an owner. */
    @Test
    void adviseCountsFromTheFirstStatementOn() throws Exception {
        try (DomainProxy proxy =
                        pair.proxy(RULES.replace("mode: tag", "mode: advise").replace("learn: 0s", "learn: 10m"));
                Connection connection = connect(proxy, "")) {
            for (int i = 0; i < 60; i++) {
                run(connection, "UPDATE archive SET v = v + 1");
            }
            assertThat(proxy.count("advised")).isEqualTo(60);
            assertThat(proxy.count("kept_default")).isZero();
        }
        pair.awaitCaughtUp();
    }

    /** As an ALTER whose proxy was restarted: it is in no position until it has ended. */
    @Test
    void whileAStatementRunsThatBeganBeforeTheProxyNoTableLeavesTheDefaultDomain() throws Exception {
        try (Connection lock = pair.primary().connect();
                Connection earlier = pair.primary().connect()) {
            run(lock, "LOCK TABLES dom.orders WRITE");
            CompletableFuture<Void> held = CompletableFuture.runAsync(() -> {
                try {
                    run(earlier, "UPDATE dom.orders SET v = v + 1");
                } catch (SQLException e) {
                    throw new CompletionException(e);
                }
            });
            await().until(() -> one(
                            lock,
                            "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE"
                                    + " 'UPDATE dom.orders%'")
                    .equals("1"));
            try (DomainProxy proxy = pair.proxy(RULES);
                    Connection connection = connect(proxy, "")) {
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> proxy.state("problem").toString().contains("began before the guard"));
                run(connection, "UPDATE archive SET v = v + 1");
                assertThat(one(connection, "SELECT @@last_gtid")).startsWith("0-");
                run(lock, "UNLOCK TABLES");
                held.join();
                awaitDomain(proxy, connection, "UPDATE archive SET v = v + 1", "18-");
            }
        }
        pair.awaitCaughtUp();
    }

    /** A second proxy with the same rules, passive at first. */
    @Test
    void aPassiveProxyTagsTheSameTablesOnceItIsActive() throws Exception {
        try (DomainProxy passive = pair.proxy(RULES)) {
            passive.awaitGuard();
            await().until(() -> passive.state("binlog").equals("reading"));
            try (DomainProxy active = pair.proxy(RULES);
                    Connection connection = connect(active, "")) {
                for (int i = 0; i < 20; i++) {
                    run(connection, "UPDATE archive SET v = v + 1");
                }
                tag(active, connection);
                for (int i = 0; i < 20; i++) {
                    run(connection, "UPDATE archive SET v = v + 1");
                }
            }
            pair.awaitCaughtUp();
            try (Connection connection = connect(passive, "")) {
                awaitDomain(passive, connection, "UPDATE archive SET v = v + 1", "18-");
            }
        }
        pair.awaitCaughtUp();
    }

    /** No position has it, and its thread runs no statement. */
    @Test
    void whileATransactionIsOpenThatBeganBeforeTheProxyNoTableLeavesTheDefaultDomain() throws Exception {
        try (Connection earlier = pair.primary().connect()) {
            run(earlier, "BEGIN");
            run(earlier, "UPDATE dom.archive SET v = v + 1 WHERE id = 1");
            try (DomainProxy proxy = pair.proxy(RULES);
                    Connection connection = connect(proxy, "")) {
                staysInTheDefaultDomainUntil(proxy, connection, () -> run(earlier, "COMMIT"));
            }
        }
        pair.awaitCaughtUp();
    }

    /** It survives its connection, and a restart of the server. */
    @Test
    void whileATransactionIsPreparedThatBeganBeforeTheProxyNoTableLeavesTheDefaultDomain() throws Exception {
        try (Connection earlier = pair.primary().connect()) {
            run(earlier, "XA START 'before'");
            run(earlier, "UPDATE dom.archive SET v = v + 1 WHERE id = 1");
            run(earlier, "XA END 'before'");
            run(earlier, "XA PREPARE 'before'");
        }
        try (DomainProxy proxy = pair.proxy(RULES);
                Connection connection = connect(proxy, "");
                Connection later = pair.primary().connect()) {
            try {
                staysInTheDefaultDomainUntil(proxy, connection, () -> run(later, "XA COMMIT 'before'"));
            } finally {
                rollBackPrepared(later);
            }
        }
        pair.awaitCaughtUp();
    }

    /** Its locks would hold up every other test. */
    private static void rollBackPrepared(Connection connection) throws SQLException {
        boolean prepared;
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("XA RECOVER")) {
            prepared = rows.next();
        }
        if (prepared) {
            run(connection, "XA ROLLBACK 'before'");
        }
    }

    /** Its writes were not announced, since nothing was guarded. */
    @Test
    void whileATransactionIsOpenThatBeganBeforeAReloadNoTableLeavesTheDefaultDomain() throws Exception {
        try (DomainProxy proxy =
                        pair.proxy(RULES.replace("mode: tag", "mode: advise").replace("guard: pin", "guard: \"off\""));
                Connection before = connect(proxy, "");
                Connection connection = connect(proxy, "")) {
            run(before, "BEGIN");
            run(before, "UPDATE archive SET v = v + 1 WHERE id = 1");
            proxy.reload(pair, RULES);
            staysInTheDefaultDomainUntil(proxy, connection, () -> run(before, "COMMIT"));
        }
        pair.awaitCaughtUp();
    }

    /** A step of a test. */
    private interface Step {
        void run() throws SQLException;
    }

    /** Writes to another row than the one that a transaction has locked. */
    private static void staysInTheDefaultDomainUntil(DomainProxy proxy, Connection connection, Step ends)
            throws SQLException {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> proxy.state("problem").toString().contains("began before the guard"));
        await().atMost(Duration.ofSeconds(30))
                .until(() -> proxy.state("dictionaryStale").equals(false));
        for (int i = 0; i < 20; i++) {
            run(connection, "REPLACE INTO archive VALUES (2, " + i + ")");
            assertThat(one(connection, "SELECT @@last_gtid")).startsWith("0-");
        }
        ends.run();
        awaitDomain(proxy, connection, "REPLACE INTO archive VALUES (2, 99)", "18-");
    }
}
