package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.config.Address;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import java.net.Socket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An operator holds sessions at their boundaries; running transactions finish, and new connections wait, too. */
@Timeout(120)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class HoldTest {
    private static final String PASSWORD = CommitProxy.PASSWORD;
    private static final CompletableFuture<Void> STAYS = new CompletableFuture<>();
    private static final int ER_SERVER_SHUTDOWN = 1053;

    private static EmbeddedPair pair;

    private final ExecutorService clients = Executors.newCachedThreadPool();
    private final List<Connection> connections = new ArrayList<>();
    private ProxyUnderTest proxy;

    @BeforeAll
    static void startServers() {
        pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false).withRtt(Duration.ZERO));
        pair.createAccount("app", PASSWORD, "ALL ON shop.*");
        pair.primary()
                .execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT AUTO_INCREMENT PRIMARY KEY, v TEXT)");
        pair.awaitCaughtUp(Duration.ofSeconds(30));
    }

    @AfterAll
    static void stopServers() {
        pair.close();
    }

    @BeforeEach
    void start() throws Exception {
        proxy = ProxyUnderTest.to(pair.primary().address());
    }

    @AfterEach
    void stop() throws Exception {
        for (Connection connection : connections) {
            connection.close();
        }
        clients.shutdownNow();
        proxy.close();
    }

    private Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + proxy.address().getPort()
                        + "/shop?sslMode=disable&allowPublicKeyRetrieval=true",
                "app",
                PASSWORD);
        connections.add(connection);
        return connection;
    }

    private static void write(Connection connection, String value) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO t (v) VALUES ('" + value + "')");
        }
    }

    private static int port(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@port")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static boolean there(String value) {
        return !pair.primary()
                .query("SELECT 1 FROM shop.t WHERE v='" + value + "'")
                .isEmpty();
    }

    private Future<Boolean> writes(Connection connection, String value) {
        Callable<Boolean> task = () -> {
            write(connection, value);
            return true;
        };
        return clients.submit(task);
    }

    private String held(String key) {
        return String.valueOf(proxy.server().holdView().get(key));
    }

    @Test
    @Order(1)
    void newWorkWaitsAndRunningTransactionsFinish() throws Exception {
        Connection idle = connect();
        Connection working = connect();
        working.setAutoCommit(false);
        write(working, "begun");
        assertThat(proxy.server().hold(Duration.ofSeconds(8), STAYS))
                .containsEntry("held", true)
                .containsEntry("atBoundary", 1)
                .containsEntry("notYet", 1);
        assertThatThrownBy(() -> proxy.server().hold(Duration.ofSeconds(1), STAYS))
                .hasMessageContaining("held already");

        Future<Boolean> waits = writes(idle, "idle");
        Future<Connection> login = clients.submit(this::connect);
        write(working, "ended");
        working.commit();
        await().until(() -> held("atBoundary").equals("2"));
        assertThat(held("notYet")).isEqualTo("0");
        assertThat(there("ended")).isTrue();
        await().until(() -> held("newConnections").equals("1"));
        Future<Boolean> next = writes(working, "next");
        await("held clients get no response")
                .during(Duration.ofMillis(300))
                .until(() -> !waits.isDone() && !login.isDone() && !next.isDone());
        assertThat(there("idle")).isFalse();

        assertThat(proxy.server().release()).containsEntry("held", false).containsEntry("newConnections", 0);
        assertThat(waits.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(next.get(20, TimeUnit.SECONDS)).isTrue();
        write(login.get(20, TimeUnit.SECONDS), "login");
        working.commit();
        assertThat(there("idle") && there("next") && there("login")).isTrue();
        assertThat(proxy.server().histograms().all().stream()
                        .filter(series -> series.name().equals("understudy_held_seconds"))
                        .mapToLong(series -> {
                            long[] counts = series.histogram().cumulative();
                            return counts[counts.length - 1];
                        })
                        .sum())
                .isEqualTo(3);
    }

    @Test
    @Order(1)
    void aClientThatHasLeftWaitsNoMore() throws Exception {
        proxy.server().hold(Duration.ofSeconds(8), STAYS);
        try (Socket client =
                new Socket(proxy.address().getAddress(), proxy.address().getPort())) {
            await().until(() -> held("newConnections").equals("1"));
        }
        await().atMost(Duration.ofSeconds(5)).until(() -> held("newConnections").equals("0"));
        proxy.server().release();
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** What takes locks, and what releases them. SET GLOBAL read_only, and others, wait for the release. */
    @ParameterizedTest
    @Order(1)
    @CsvSource({
        "LOCK TABLES t WRITE, UNLOCK TABLES, LOCK TABLES",
        "FLUSH TABLES WITH READ LOCK, UNLOCK TABLES, FLUSH TABLES WITH READ LOCK",
        "FLUSH /*!40101 LOCAL */ TABLES t WITH READ LOCK, START TRANSACTION, LOCK TABLES",
        "BACKUP STAGE START, BACKUP STAGE END, a backup lock"
    })
    void aSessionWithALockGoesOnUntilItHasReleasedIt(String lock, String release, String in) throws Exception {
        pair.primary().execute("GRANT RELOAD ON *.* TO app");
        Connection locking = connect();
        execute(locking, lock);
        assertThat(proxy.server().hold(Duration.ofSeconds(9), STAYS))
                .containsEntry("atBoundary", 0)
                .containsEntry("notYet", 1);
        assertThat(held("waitsFor")).contains("user=app", "in=" + in, "forMillis=");
        Future<Boolean> released = clients.submit(() -> {
            execute(locking, release);
            locking.commit();
            return true;
        });
        assertThat(released.get(8, TimeUnit.SECONDS)).isTrue();
        await().until(() -> held("atBoundary").equals("1"));
        proxy.server().release();
        execute(locking, "DO 1");
    }

    @Test
    @Order(2)
    void theHoldEndsWithItsTimeAndWithTheConnectionThatAskedForIt() throws Exception {
        Connection client = connect();
        proxy.server().hold(Duration.ofMillis(1500), STAYS);
        long begun = System.nanoTime();
        write(client, "time");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(150));

        CompletableFuture<Void> gone = new CompletableFuture<>();
        proxy.server().hold(Duration.ofSeconds(9), gone);
        Future<Boolean> waits = writes(client, "gone");
        gone.complete(null);
        assertThat(waits.get(8, TimeUnit.SECONDS)).isTrue();
        // The first hold's timer does not end the second one.
        assertThatThrownBy(() -> proxy.server().hold(Duration.ofMinutes(5), STAYS))
                .hasMessageContaining("limits.handshakeTimeout");
    }

    @Test
    @Order(3)
    void aHeldStatementOfAClientThatEndsItsSendingSideIsExecuted() throws Exception {
        try (RawClient client = RawClient.open(proxy.address())) {
            client.login("app", PASSWORD, "shop", RawClient.PLAIN);
            proxy.server().hold(Duration.ofSeconds(9), STAYS);
            client.query("INSERT INTO t (v) VALUES ('half')");
            client.shutdownOutput();
            await("the session stays").during(Duration.ofMillis(300)).until(() -> proxy.sessions() == 1);
            proxy.server().release();
            assertThat(client.read().isOk()).isTrue();
            assertThat(client.readAll()).isEmpty();
        }
        assertThat(there("half")).isTrue();
    }

    /** A socket that is closed with unread input resets the connection, and the client may not see why it ended. */
    @Test
    @Order(3)
    void aClientThatIsSendingALongStatementIsToldThatItWasNotExecuted() throws Exception {
        try (RawClient client = RawClient.open(proxy.address())) {
            client.login("app", PASSWORD, "shop", RawClient.PLAIN);
            proxy.server().hold(Duration.ofSeconds(9), STAYS);
            Future<Boolean> sent = clients.submit(() -> {
                client.query("INSERT INTO t (v) VALUES ('" + "x".repeat(12_000_000) + "')");
                return true;
            });
            await().until(() -> held("atBoundary").equals("1"));
            await("it cannot send all of it").during(Duration.ofMillis(300)).until(() -> !sent.isDone());
            proxy.server()
                    .choosePrimary(Address.parse("127.0.0.1:" + pair.standby().port()), true);
            assertThat(sent.get(20, TimeUnit.SECONDS)).isTrue();
            assertThat(client.read().errorCode()).isEqualTo(ER_SERVER_SHUTDOWN);
            assertThat(client.readAll()).isEmpty();
        }
    }

    /** As {@code switchover} does: no commit that got an OK is lost, and new connections notice nothing. */
    @Test
    @Order(4)
    void aHeldSessionIsToldWhenThePrimaryChangesAndANewConnectionIsNot() throws Exception {
        Connection client = connect();
        write(client, "before");
        proxy.server().hold(Duration.ofSeconds(9), STAYS);
        Future<Boolean> waits = writes(client, "held");
        Future<Integer> login = clients.submit(() -> port(connect()));
        await().until(() -> held("newConnections").equals("1"));
        pair.primary().execute("SET GLOBAL read_only=1");
        pair.awaitCaughtUp(Duration.ofSeconds(10));
        pair.standby().execute("STOP SLAVE", "SET GLOBAL read_only=0");
        proxy.server().choosePrimary(Address.parse("127.0.0.1:" + pair.standby().port()), true);
        proxy.server().release();
        assertThat(login.get(20, TimeUnit.SECONDS)).isEqualTo(pair.standby().port());
        assertThatThrownBy(() -> waits.get(20, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(ER_SERVER_SHUTDOWN));
        assertThat(there("held")).isFalse();
    }
}
