package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.config.Address;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With {@code failover.sessions: move}, sessions go on at the new primary, and their clients see a pause. */
class MovedSessionTest extends FollowingProxy {
    private static final String MOVE = "failover: { sessions: move, hold: 60s }";

    private final ExecutorService clients = Executors.newCachedThreadPool();
    private final List<Connection> connections = new ArrayList<>();

    @AfterEach
    void closeClients() {
        for (Connection connection : connections) {
            try {
                connection.close();
            } catch (SQLException closed) {
                // It was closed by the test.
            }
        }
        clients.shutdownNow();
    }

    private Connection client(ProxyUnderTest proxy) throws SQLException {
        Connection connection = DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + proxy.port()
                        + "/shop?sslMode=disable&connectTimeout=60000&socketTimeout=60000&useServerPrepStmts=true",
                "app",
                PASSWORD);
        connections.add(connection);
        return connection;
    }

    private static void run(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static String value(Connection connection, String expression) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT " + expression)) {
            row.next();
            return row.getString(1);
        }
    }

    /** Moves the proxy as a switchover does: sessions are held, the standby is promoted, the old one is read-only. */
    private void change(ProxyUnderTest proxy) throws InterruptedException {
        proxy.server().hold(Duration.ofSeconds(2), new CompletableFuture<>());
        old.execute("SET GLOBAL read_only=1");
        pair.awaitCaughtUp(Duration.ofSeconds(10));
        promote();
        proxy.server().choosePrimary(Address.parse(text(promoted)), false);
        proxy.server().release();
    }

    private static void choose(ProxyUnderTest proxy, EmbeddedServer server) throws InterruptedException {
        proxy.server().hold(Duration.ofSeconds(2), new CompletableFuture<>());
        proxy.server().choosePrimary(Address.parse(text(server)), true);
        proxy.server().release();
    }

    private static double waiting(ProxyUnderTest proxy) {
        return proxy.meters()
                .get("understudy.failover.waiting")
                .tag("what", "session")
                .gauge()
                .value();
    }

    private static void awaitMoved(ProxyUnderTest proxy, String outcome, double count) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(proxy.count("understudy.sessions.moved", outcome))
                        .isEqualTo(count));
    }

    @Test
    void aPlannedChangeIsAPause() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), MOVE))) {
            Connection session = client(proxy);
            run(
                    session,
                    "SET @kept = 'müll'",
                    "SET SESSION sort_buffer_size = 333824, sql_mode = 'ANSI_QUOTES'",
                    "SET time_zone = '+03:00'",
                    "INSERT INTO t (v) VALUES ('one')");
            PreparedStatement select = session.prepareStatement("SELECT v FROM t WHERE id = ?");
            select.setInt(1, 1);
            assertThat(select.executeQuery().next()).isTrue();
            String before = value(session, "CONNECTION_ID()");
            change(proxy);
            assertThat(port(session)).isEqualTo(promoted.port());
            assertThat(value(session, "@kept")).isEqualTo("müll");
            assertThat(value(session, "@@sort_buffer_size")).isEqualTo("333824");
            assertThat(value(session, "@@sql_mode")).isEqualTo("ANSI_QUOTES");
            assertThat(value(session, "@@time_zone")).isEqualTo("+03:00");
            assertThat(value(session, "LAST_INSERT_ID()")).isEqualTo("1");
            assertThat(value(session, "DATABASE()")).isEqualTo("shop");
            select.setInt(1, 1);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                assertThat(row.getString(1)).isEqualTo("one");
            }
            PreparedStatement later = session.prepareStatement("INSERT INTO t (v) VALUES (?)");
            later.setString(1, "two");
            assertThat(later.executeUpdate()).isEqualTo(1);
            later.setString(1, "three");
            assertThat(later.executeUpdate()).isEqualTo(1);
            select.setInt(1, 2);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                assertThat(row.getString(1)).isEqualTo("two");
            }
            assertThat(value(session, "CONNECTION_ID()")).isNotEqualTo(before);
            awaitMoved(proxy, "moved", 1);
            assertThat(promoted.query("SELECT COUNT(*) FROM shop.t")).isEqualTo("3");
        }
    }

    @Tag("long")
    @Test
    void aTransactionEndsWhereItBegan() throws Exception {
        try (ProxyUnderTest proxy =
                ProxyUnderTest.start(config(address(old), MOVE).replace("drainTimeout: 2s", "drainTimeout: 60s"))) {
            Connection session = client(proxy);
            session.setAutoCommit(false);
            assertThat(value(session, "COUNT(*) FROM t")).isEqualTo("0");
            change(proxy);
            assertThat(port(session)).isEqualTo(old.port());
            session.commit();
            assertThat(port(session)).isEqualTo(promoted.port());
            run(session, "INSERT INTO t (v) VALUES ('here')");
            session.commit();
            assertThat(promoted.query("SELECT COUNT(*) FROM shop.t")).isEqualTo("1");
            awaitMoved(proxy, "moved", 1);
        }
    }

    @Tag("long")
    @Test
    void aLoginInProgressEndsWhereItBeganAndMoves() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), MOVE));
                RawClient client = RawClient.open(proxy.address())) {
            client.awaitHandshakeV10();
            choose(proxy, promoted);
            client.send(1, client.handshakeResponse("app", PASSWORD, "shop", RawClient.PLAIN));
            assertThat(client.finishAuthentication(PASSWORD).isOk()).isTrue();
            client.query("SELECT @@port");
            assertThat(client.readResult())
                    .anyMatch(packet -> new String(packet.payload(), StandardCharsets.ISO_8859_1)
                            .contains(String.valueOf(promoted.port())));
            awaitMoved(proxy, "moved", 1);
        }
    }

    @Test
    void afterAKillTheSessionGoesOnFromWhatWasFollowed() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), MOVE))) {
            Connection session = client(proxy);
            run(session, "SET time_zone = '+03:00'", "SET NAMES utf8mb3");
            PreparedStatement insert = session.prepareStatement("INSERT INTO t (v) VALUES (?)");
            insert.setString(1, "before");
            insert.executeUpdate();
            pair.awaitCaughtUp(Duration.ofSeconds(10));
            old.kill();
            await("a write in flight would be lost").until(() -> waiting(proxy) == 1);
            Future<Integer> asked = clients.submit(() -> {
                insert.setString(1, "after");
                insert.executeUpdate();
                return port(session);
            });
            await().until(() -> !proxy.server().notReady().isEmpty());
            promote();
            proxy.server().choosePrimary(Address.parse(text(promoted)), false);
            assertThat(asked.get(60, TimeUnit.SECONDS)).isEqualTo(promoted.port());
            assertThat(value(session, "@@time_zone")).isEqualTo("+03:00");
            assertThat(value(session, "@@character_set_client")).isEqualTo("utf8mb3");
            assertThat(promoted.query("SELECT GROUP_CONCAT(v ORDER BY id) FROM shop.t"))
                    .isEqualTo("before,after");
            awaitMoved(proxy, "moved", 1);
        }
    }

    @Test
    void anIdThatTheClientGaveIsNotTakenForTheLastInsertId() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), MOVE))) {
            Connection given = client(proxy);
            run(given, "INSERT INTO t (v) VALUES ('one')", "INSERT INTO t (id, v) VALUES (50, 'fifty')");
            Connection generated = client(proxy);
            run(generated, "INSERT INTO t (id, v) VALUES (60, 'sixty')", "INSERT INTO t (v) VALUES ('more')");
            assertThat(value(given, "LAST_INSERT_ID()")).isEqualTo("1");
            assertThat(value(generated, "LAST_INSERT_ID()")).isEqualTo("61");
            pair.awaitCaughtUp(Duration.ofSeconds(10));
            old.kill();
            await().until(() -> !proxy.server().notReady().isEmpty());
            promote();
            proxy.server().choosePrimary(Address.parse(text(promoted)), false);
            assertThat(value(generated, "LAST_INSERT_ID()")).isEqualTo("61");
            assertThatThrownBy(() -> value(given, "LAST_INSERT_ID()")).isInstanceOf(SQLException.class);
            awaitMoved(proxy, "last_insert_id", 1);
        }
    }

    @Tag("long")
    @Test
    void aReadThatWasInFlightIsSentAgain() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), MOVE))) {
            Connection text = client(proxy);
            Connection prepared = client(proxy);
            Connection writing = client(proxy);
            Connection viewing = client(proxy);
            run(text, "INSERT INTO t (v) VALUES ('one')", "CREATE VIEW seen AS SELECT v FROM t");
            pair.awaitCaughtUp(Duration.ofSeconds(10));
            PreparedStatement select = prepared.prepareStatement("SELECT v FROM t WHERE id = ? AND v LIKE ?");
            PreparedStatement insert = writing.prepareStatement("INSERT INTO t (v) VALUES (?)");
            try (Connection locking = old.connect()) {
                run(locking, "LOCK TABLES shop.t WRITE");
                Future<String> first = clients.submit(() -> value(text, "v FROM t WHERE id = 1"));
                Future<String> second = clients.submit(() -> {
                    select.setInt(1, 1);
                    select.setString(2, "o%");
                    try (ResultSet row = select.executeQuery()) {
                        row.next();
                        return row.getString(1);
                    }
                });
                Future<Integer> third = clients.submit(() -> {
                    insert.setString(1, "never");
                    return insert.executeUpdate();
                });
                // Its functions may write, and the old server may have run it.
                Future<String> view = clients.submit(() -> value(viewing, "v FROM seen"));
                await().until(() -> old.query("SELECT COUNT(*) FROM information_schema.PROCESSLIST"
                                + " WHERE STATE LIKE 'Waiting for table metadata lock'")
                        .equals("4"));
                old.kill();
                await().until(() -> !proxy.server().notReady().isEmpty());
                assertThat(first).isNotDone();
                promote();
                proxy.server().choosePrimary(Address.parse(text(promoted)), false);
                assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo("one");
                assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo("one");
                assertThatThrownBy(() -> third.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(SQLException.class);
                assertThatThrownBy(() -> view.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(SQLException.class);
                awaitMoved(proxy, "statement", 1);
            } catch (SQLException killed) {
                // The connection that locked has no server to close on.
            }
            assertThat(port(text)).isEqualTo(promoted.port());
            assertThat(promoted.query("SELECT COUNT(*) FROM shop.t")).isEqualTo("1");
            awaitMoved(proxy, "moved", 2);
        }
    }

    @Tag("long")
    @Test
    void aSilentPrimaryIsLeftBehindByIdleSessionsToo() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), MOVE))) {
            Connection idle = client(proxy);
            Connection asking = client(proxy);
            run(idle, "INSERT INTO t (v) VALUES ('one')");
            run(asking, "INSERT INTO t (v) VALUES ('two')");
            pair.awaitCaughtUp(Duration.ofSeconds(10));
            old.freeze();
            try {
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> !proxy.server().notReady().isEmpty());
                Future<Integer> asked = clients.submit(() -> port(asking));
                promote();
                proxy.server().choosePrimary(Address.parse(text(promoted)), false);
                assertThat(asked.get(60, TimeUnit.SECONDS)).isEqualTo(promoted.port());
                awaitMoved(proxy, "moved", 2);
                assertThat(port(idle)).isEqualTo(promoted.port());
            } finally {
                old.thaw();
            }
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> old.query("SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'app'")
                            .equals("0"));
            old.kill();
            assertThat(port(idle)).isEqualTo(promoted.port());
            assertThat(port(asking)).isEqualTo(promoted.port());
        }
    }

    @Tag("long")
    @Test
    void anOldPrimaryThatEndsMeanwhileTakesNoSessionWithIt() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), "failover: { sessions: move }"))) {
            Connection session = client(proxy);
            run(session, "INSERT INTO t (v) VALUES ('one')"); // of which it could be asked how many
            pair.awaitCaughtUp(Duration.ofSeconds(10));
            promote();
            proxy.server().choosePrimary(Address.parse(text(promoted)), false);
            old.kill();
            assertThat(port(session)).isEqualTo(promoted.port());
            awaitMoved(proxy, "moved", 1);
        }
    }

    @Tag("long")
    @Test
    void aReleaseDuringTheMoveSendsNothingToTheOldServer() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), MOVE))) {
            Connection session = client(proxy);
            run(session, "SET time_zone = '+03:00'");
            promote();
            promoted.freeze(); // so that the move lasts
            try {
                proxy.server().choosePrimary(Address.parse(text(promoted)), true);
                Future<Integer> asked = clients.submit(() -> {
                    run(session, "INSERT INTO t (v) VALUES ('here')");
                    return port(session);
                });
                proxy.server().hold(Duration.ofSeconds(2), new CompletableFuture<>());
                proxy.server().release();
                await().during(Duration.ofMillis(500)).until(() -> !asked.isDone());
                promoted.thaw();
                assertThat(asked.get(60, TimeUnit.SECONDS)).isEqualTo(promoted.port());
            } finally {
                promoted.thaw();
            }
            assertThat(old.query("SELECT COUNT(*) FROM shop.t")).isEqualTo("0");
            assertThat(promoted.query("SELECT MIN(id) FROM shop.t"))
                    .as("the first insert id of a moved session")
                    .isEqualTo("1");
        }
    }

    @Tag("long")
    @Test
    void aChangeThatIsTakenBackLeavesIdleSessionsWhereTheyAre() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), MOVE))) {
            Connection session = client(proxy);
            assertThat(port(session)).isEqualTo(old.port());
            proxy.server().choosePrimary(Address.parse(text(promoted)), true);
            proxy.server().choosePrimary(Address.parse(text(old)), true);
            assertThat(clients.submit(() -> port(session)).get(30, TimeUnit.SECONDS))
                    .isEqualTo(old.port());
        }
    }

    @Tag("long")
    @Test
    void whatCannotMoveEndsWithItsReason() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), MOVE))) {
            Connection temporary = client(proxy);
            run(temporary, "CREATE TEMPORARY TABLE mine (a INT)");
            Connection locks = client(proxy);
            run(locks, "DO GET_LOCK('mine', 0)");
            change(proxy);
            for (Connection each : List.of(temporary, locks)) {
                assertThatThrownBy(() -> value(each, "1"))
                        .isInstanceOf(SQLException.class)
                        .satisfies(e ->
                                assertThat(((SQLException) e).getErrorCode()).isEqualTo(1053));
            }
            awaitMoved(proxy, "temporary_table", 1);
            awaitMoved(proxy, "user_lock", 1);
            assertThat(proxy.count("understudy.sessions.moved")).isEqualTo(2);
        }
    }

    /** An ERR_Packet does not say whether a transaction is open: the old server is asked. */
    @Tag("long")
    @Test
    void anErrorThatLeftATransactionOpenKeepsASessionAndAnotherOneDoesNot() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), MOVE))) {
            Connection open = client(proxy);
            Connection closed = client(proxy);
            String begins =
                    "BEGIN NOT ATOMIC START TRANSACTION; INSERT INTO t (v) VALUES ('x'); SIGNAL SQLSTATE '45000'; END";
            assertThatThrownBy(() -> run(open, begins)).isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> run(closed, "BEGIN NOT ATOMIC SIGNAL SQLSTATE '45000'; END"))
                    .isInstanceOf(SQLException.class);
            change(proxy);
            assertThat(clients.submit(() -> value(closed, "1")).get(30, TimeUnit.SECONDS))
                    .isEqualTo("1");
            assertThatThrownBy(() -> value(open, "1")).isInstanceOf(SQLException.class);
            awaitMoved(proxy, "transaction", 1);
            awaitMoved(proxy, "moved", 1);
        }
    }

    @Tag("long")
    @Test
    void aQuestionAboutTheStatementBeforeIsAnsweredByTheServerThatKnows() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), MOVE))) {
            Connection session = client(proxy);
            run(session, "SET sql_mode=''", "INSERT INTO t (v) VALUES ('a'), ('b'), ('c')");
            proxy.server().hold(Duration.ofSeconds(2), new CompletableFuture<>());
            Future<String> count = clients.submit(() -> value(session, "ROW_COUNT()"));
            old.execute("SET GLOBAL read_only=1");
            pair.awaitCaughtUp(Duration.ofSeconds(10));
            promote();
            proxy.server().choosePrimary(Address.parse(text(promoted)), false);
            proxy.server().release();
            assertThat(count.get(30, TimeUnit.SECONDS)).isEqualTo("3");
            assertThat(port(session)).isEqualTo(promoted.port());
        }
    }

    @Tag("long")
    @Test
    void thereAndBackAgain() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), MOVE))) {
            Connection session = client(proxy);
            PreparedStatement select = session.prepareStatement("SELECT ? + 1");
            for (int i = 0; i < 3; i++) {
                choose(proxy, promoted);
                assertThat(port(session)).isEqualTo(promoted.port());
                choose(proxy, old);
                assertThat(port(session)).isEqualTo(old.port());
                select.setInt(1, i);
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    assertThat(row.getInt(1)).isEqualTo(i + 1);
                }
            }
            assertThat(proxy.count("understudy.sessions.moved", "moved")).isGreaterThanOrEqualTo(6);
        }
    }

    /** Starts a server that knows nothing of the pair, with the same account and table. */
    private static EmbeddedServer third() {
        EmbeddedServer third = EmbeddedServer.start(ServerOptions.of(3));
        third.execute(
                "CREATE DATABASE shop",
                "CREATE TABLE shop.t (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20))",
                "CREATE USER app IDENTIFIED BY '" + PASSWORD + "'",
                "GRANT ALL ON shop.* TO app",
                "CREATE USER monitor IDENTIFIED BY '" + PASSWORD + "'",
                "GRANT ALL ON *.* TO monitor");
        return third;
    }

    @Tag("long")
    @Test
    void aThirdPrimaryDuringTheMoveIsWhereTheSessionArrives() throws Exception {
        try (EmbeddedServer third = third();
                ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), MOVE))) {
            Connection session = client(proxy);
            run(session, "SET time_zone = '+03:00'");
            promote();
            promoted.freeze(); // so that the move lasts
            try {
                proxy.server().choosePrimary(Address.parse(text(promoted)), true);
                Future<Integer> asked = clients.submit(() -> {
                    run(session, "INSERT INTO t (v) VALUES ('here')");
                    return port(session);
                });
                await().during(Duration.ofMillis(500)).until(() -> !asked.isDone());
                proxy.server().choosePrimary(Address.parse(text(third)), true);
                promoted.thaw();
                assertThat(asked.get(60, TimeUnit.SECONDS)).isEqualTo(third.port());
            } finally {
                promoted.thaw();
            }
            assertThat(value(session, "@@time_zone")).isEqualTo("+03:00");
            assertThat(third.query("SELECT COUNT(*) FROM shop.t")).isEqualTo("1");
            assertThat(proxy.count("understudy.sessions.moved", "moved"))
                    .as("the second primary was passed by")
                    .isEqualTo(1);
        }
    }

    @Tag("long")
    @Test
    void aReadSentAgainIsAnsweredBeforeTheSessionMovesToAThirdPrimary() throws Exception {
        try (EmbeddedServer third = third();
                ProxyUnderTest proxy = ProxyUnderTest.start(
                        config(address(old), MOVE).replace("drainTimeout: 2s", "drainTimeout: 60s"))) {
            Connection session = client(proxy);
            run(session, "INSERT INTO t (v) VALUES ('one')");
            pair.awaitCaughtUp(Duration.ofSeconds(10));
            try (Connection locking = old.connect();
                    Connection again = promoted.connect()) {
                run(locking, "LOCK TABLES shop.t WRITE");
                Future<String> read = clients.submit(() -> value(session, "v FROM t WHERE id = 1"));
                awaitLocked(old);
                promote();
                run(again, "LOCK TABLES shop.t WRITE");
                old.kill();
                await().until(() -> !proxy.server().notReady().isEmpty());
                proxy.server().choosePrimary(Address.parse(text(promoted)), false);
                awaitLocked(promoted);
                proxy.server().choosePrimary(Address.parse(text(third)), true);
                assertThat(read).isNotDone();
                run(again, "UNLOCK TABLES");
                assertThat(read.get(60, TimeUnit.SECONDS)).isEqualTo("one");
            } catch (SQLException killed) {
                // The connection that locked has no server to close on.
            }
            assertThat(port(session)).isEqualTo(third.port());
            awaitMoved(proxy, "moved", 2);
        }
    }

    private static void awaitLocked(EmbeddedServer server) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> server.query("SELECT COUNT(*) FROM information_schema.PROCESSLIST"
                                + " WHERE STATE LIKE 'Waiting for table metadata lock'")
                        .equals("1"));
    }

    @Tag("long")
    @Test
    void theSessionsOfAProxyThatFollowsMoveToo() throws Exception {
        String candidates = "candidates: [ \"" + text(old) + "\", \"" + text(promoted) + "\" ]";
        try (ProxyUnderTest switching = ProxyUnderTest.start(config(address(old), MOVE));
                ProxyUnderTest following = ProxyUnderTest.start(config(candidates, MOVE))) {
            List<Connection> sessions = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Connection session = client(i % 2 == 0 ? switching : following);
                run(session, "SET time_zone = '+0" + i + ":00'");
                sessions.add(session);
            }
            change(switching);
            for (int i = 0; i < sessions.size(); i++) {
                Connection session = sessions.get(i);
                await().atMost(Duration.ofSeconds(30)).until(() -> port(session) == promoted.port());
                assertThat(value(session, "@@time_zone")).isEqualTo("+0" + i + ":00");
                run(session, "INSERT INTO t (v) VALUES ('" + i + "')");
            }
            awaitMoved(switching, "moved", 4);
            awaitMoved(following, "moved", 4);
            assertThat(promoted.query("SELECT COUNT(DISTINCT v) FROM shop.t")).isEqualTo("8");
        }
    }
}
