package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Gauge;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.understudy.config.Address;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logins and sessions at a boundary wait while there is no primary; {@code limits.handshakeTimeout} is 2 s here. */
class FailoverHoldTest extends FollowingProxy {
    private static final int ER_SERVER_SHUTDOWN = 1053;
    private static final int ER_BAD_HOST = 1042;
    private static final String HOLD = "failover: { hold: 60s }";

    private final ExecutorService clients = Executors.newCachedThreadPool();
    private final List<RawClient> raws = new ArrayList<>();

    @TempDir
    private Path folder;

    @AfterEach
    void closeClients() throws IOException {
        for (RawClient client : raws) {
            client.close();
        }
        clients.shutdownNow();
    }

    private RawClient open(ProxyUnderTest proxy) throws IOException {
        RawClient client = RawClient.open(proxy.address());
        client.timeout(Duration.ofSeconds(60));
        raws.add(client);
        return client;
    }

    private RawClient loggedIn(ProxyUnderTest proxy) throws IOException {
        RawClient client = open(proxy);
        client.login("app", PASSWORD, "shop", RawClient.PLAIN);
        return client;
    }

    /** Returns the port of the server at which the login ends. */
    private Future<Integer> login(ProxyUnderTest proxy) {
        Callable<Integer> task = () -> {
            String url = "jdbc:mariadb://127.0.0.1:" + proxy.port()
                    + "/shop?sslMode=disable&connectTimeout=60000&socketTimeout=60000";
            try (Connection connection = DriverManager.getConnection(url, "app", PASSWORD)) {
                return port(connection);
            }
        };
        return clients.submit(task);
    }

    private static double waiting(ProxyUnderTest proxy, String what) {
        Gauge gauge = proxy.meters()
                .find("understudy.failover.waiting")
                .tag("what", what)
                .gauge();
        return gauge == null ? -1 : gauge.value();
    }

    private static double held(ProxyUnderTest proxy, String what, String outcome) {
        return proxy.meters()
                .get("understudy.failover.held")
                .tags("what", what, "outcome", outcome)
                .counter()
                .count();
    }

    private static void awaitWaiting(ProxyUnderTest proxy, int logins, int sessions) {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(waiting(proxy, "login")).as("logins").isEqualTo(logins);
            assertThat(waiting(proxy, "session")).as("sessions").isEqualTo(sessions);
        });
    }

    private static void awaitAbsent(ProxyUnderTest proxy) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> !proxy.server().notReady().isEmpty());
    }

    private static void begin(RawClient client, String sql) throws IOException {
        client.query(sql);
        assertThat(client.read().isOk()).isTrue();
    }

    /** The proxy has their keys, and so holds them as those in clear text. */
    @Tag("long")
    @Test
    void clientsWithTlsWaitToo() throws Exception {
        X509Bundle certificate = new CertificateBuilder()
                .ecp256()
                .subject("CN=127.0.0.1")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        Path pem = Files.writeString(folder.resolve("p.pem"), certificate.getCertificatePEM());
        Path key = Files.writeString(folder.resolve("p.key"), certificate.getPrivateKeyPEM());
        String listen = "listen: { address: \"127.0.0.1:0\"";
        String file = config(address(old), HOLD)
                .replace(listen, listen + ", tls: { mode: required, certificate: '" + pem + "', key: '" + key + "' }");
        try (ProxyUnderTest proxy = ProxyUnderTest.start(file)) {
            String url = "jdbc:mariadb://127.0.0.1:" + proxy.port()
                    + "/shop?sslMode=trust&connectTimeout=60000&socketTimeout=60000";
            try (Connection idle = DriverManager.getConnection(url, "app", PASSWORD)) {
                assertThat(port(idle)).isEqualTo(old.port());
                old.kill();
                awaitWaiting(proxy, 0, 1);
                Future<Integer> login = clients.submit(() -> {
                    try (Connection connection = DriverManager.getConnection(url, "app", PASSWORD)) {
                        return port(connection);
                    }
                });
                awaitWaiting(proxy, 1, 1);
                promote();
                proxy.server().choosePrimary(Address.parse(text(promoted)), false);
                assertThat(login.get(30, TimeUnit.SECONDS)).isEqualTo(promoted.port());
                assertThatThrownBy(() -> write(idle, "held")).hasMessageContaining("connection");
                awaitWaiting(proxy, 0, 0);
                assertThat(promoted.query("SELECT COUNT(*) FROM shop.t")).isEqualTo("0");
            }
        }
    }

    @Test
    void afterAKillTheyGoOnWhereTheOperatorSays() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), HOLD))) {
            RawClient idle = loggedIn(proxy);
            RawClient asking = loggedIn(proxy);
            RawClient working = loggedIn(proxy);
            RawClient sleeping = loggedIn(proxy);
            begin(working, "BEGIN");
            sleeping.query("SELECT SLEEP(600)");
            await().until(() -> old.query(
                            "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT SLEEP%'")
                    .equals("1"));
            old.kill();
            assertThatThrownBy(sleeping::read)
                    .as("in flight: not at a boundary")
                    .isInstanceOf(EOFException.class);
            assertThatThrownBy(working::read).as("its transaction is lost").isInstanceOf(EOFException.class);
            awaitWaiting(proxy, 0, 2);
            asking.query("INSERT INTO t (v) VALUES ('held')");
            Future<Integer> login = login(proxy);
            Future<Integer> second = login(proxy);
            awaitWaiting(proxy, 2, 2);
            awaitAbsent(proxy);
            assertThat(proxy.server().notReady().toString()).contains("primary");
            await("longer than limits.handshakeTimeout")
                    .during(Duration.ofSeconds(3))
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> !login.isDone() && waiting(proxy, "login") == 2);
            promote();
            proxy.server().choosePrimary(Address.parse(text(promoted)), false);
            assertThat(login.get(30, TimeUnit.SECONDS)).isEqualTo(promoted.port());
            assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(promoted.port());
            assertThat(asking.read().errorText()).contains("the connection to the primary was lost; connect again");
            assertThat(idle.read().errorCode()).isEqualTo(ER_SERVER_SHUTDOWN);
            assertThatThrownBy(asking::read).isInstanceOf(EOFException.class);
            assertThat(promoted.query("SELECT COUNT(*) FROM shop.t WHERE v='held'"))
                    .isEqualTo("0");
            awaitWaiting(proxy, 0, 0);
            assertThat(held(proxy, "login", "went_on")).isEqualTo(2);
            assertThat(held(proxy, "session", "went_on")).isEqualTo(2);
            assertThat(held(proxy, "session", "left")).isZero();
            assertThat(held(proxy, "session", "timed_out")).isZero();
            assertThat(held(proxy, "login", "left")).isZero();
            assertThat(proxy.count("understudy.failover.held")).isEqualTo(4);
            await().until(() -> proxy.server().notReady().isEmpty());
        }
    }

    @Tag("long")
    @Test
    void theSamePrimaryMayComeBack() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), HOLD))) {
            RawClient idle = loggedIn(proxy);
            old.kill();
            Future<Integer> login = login(proxy);
            awaitWaiting(proxy, 1, 1);
            awaitAbsent(proxy);
            old.restart();
            assertThat(login.get(30, TimeUnit.SECONDS)).isEqualTo(old.port());
            assertThat(idle.read().errorCode()).isEqualTo(ER_SERVER_SHUTDOWN);
            untilWritten(proxy, old, "again");
        }
    }

    @Tag("long")
    @Test
    void candidatesThatAreFollowedLetThemGoOn() throws Exception {
        String candidates = "candidates: [\"" + text(old) + "\", \"" + text(promoted) + "\"]";
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(candidates, HOLD))) {
            RawClient session = loggedIn(proxy);
            old.execute("SET GLOBAL read_only=1");
            awaitWaiting(proxy, 0, 1);
            session.query("INSERT INTO t (v) VALUES ('held')");
            Future<Integer> login = login(proxy);
            awaitWaiting(proxy, 1, 1);
            pair.awaitCaughtUp(Duration.ofSeconds(10));
            promote();
            assertThat(login.get(30, TimeUnit.SECONDS)).isEqualTo(promoted.port());
            assertThat(session.read().errorText()).contains("the primary has changed; connect again");
            assertThat(old.query("SELECT COUNT(*) FROM shop.t")).isEqualTo("0");
        }
    }

    @Tag("long")
    @Test
    void afterTheTimeTheyFailAsWithoutIt() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), "failover: { hold: 1s }"))) {
            RawClient idle = loggedIn(proxy);
            old.kill();
            RawClient login = open(proxy);
            Packet refused = login.read();
            assertThat(refused.errorCode()).isEqualTo(ER_BAD_HOST);
            assertThat(refused.errorText()).contains("connection refused", "; waited 1s for a primary (failover.hold)");
            idle.query("DO 1");
            Packet lost = idle.read();
            assertThat(lost.errorCode()).isEqualTo(ER_SERVER_SHUTDOWN);
            assertThat(lost.errorText()).contains("there is none within failover.hold");
            assertThat(held(proxy, "login", "timed_out")).isEqualTo(1);
            assertThat(held(proxy, "session", "timed_out")).isEqualTo(1);
        }
    }

    @Tag("long")
    @Test
    void withoutIt() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), ""))) {
            RawClient idle = loggedIn(proxy);
            old.kill();
            assertThatThrownBy(idle::read).isInstanceOf(EOFException.class);
            assertThat(open(proxy).read().errorText())
                    .contains("connection refused")
                    .doesNotContain("waited");
            assertThat(proxy.count("understudy.failover.held")).isZero();
        }
    }

    @Tag("long")
    @Test
    void aFrozenPrimaryGetsNothingMoreAndExecutesItWhenItWakesUp() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), HOLD))) {
            RawClient idle = loggedIn(proxy);
            old.freeze();
            Future<Integer> early;
            try {
                early = login(proxy);
                awaitWaiting(proxy, 1, 1);
                idle.query("INSERT INTO t (v) VALUES ('later')");
                await().during(Duration.ofSeconds(1))
                        .atMost(Duration.ofSeconds(10))
                        .until(() -> !early.isDone());
            } finally {
                old.thaw();
            }
            assertThat(early.get(30, TimeUnit.SECONDS)).isEqualTo(old.port());
            assertThat(idle.read().isOk()).isTrue();
            begin(idle, "DO 2");
            assertThat(old.query("SELECT COUNT(*) FROM shop.t WHERE v='later'")).isEqualTo("1");
            assertThat(held(proxy, "session", "went_on")).isEqualTo(1);
        }
    }

    @Tag("long")
    @Test
    void whatAFrozenPrimaryWasNotSentIsNotExecutedThereAfterTheChange() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), HOLD))) {
            RawClient idle = loggedIn(proxy);
            old.freeze();
            try {
                Future<Integer> login = login(proxy);
                awaitWaiting(proxy, 1, 1);
                idle.query("INSERT INTO t (v) VALUES ('never')");
                promote();
                proxy.server().choosePrimary(Address.parse(text(promoted)), false);
                assertThat(login.get(30, TimeUnit.SECONDS)).isEqualTo(promoted.port());
                assertThat(idle.read().errorText()).contains("the primary has changed; connect again");
            } finally {
                old.thaw();
            }
            assertThat(old.query("SELECT COUNT(*) FROM shop.t WHERE v='never'")).isEqualTo("0");
        }
    }

    @Tag("long")
    @Test
    void aSessionThatALivingPrimaryEndsDoesNotWait() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), HOLD))) {
            await().until(() -> proxy.server().notReady().isEmpty());
            RawClient idle = loggedIn(proxy);
            old.execute("KILL " + idle.threadId());
            assertThatThrownBy(idle::read).isInstanceOf(EOFException.class);
            assertThat(proxy.count("understudy.failover.held")).isZero();
        }
    }

    @Tag("long")
    @Test
    void nothingIsKeptOfAClientThatLeavesWhateverItHasSent() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), HOLD))) {
            RawClient session = loggedIn(proxy);
            RawClient asking = loggedIn(proxy);
            old.kill();
            RawClient silent = open(proxy);
            RawClient noisy = open(proxy);
            awaitWaiting(proxy, 2, 2);
            asking.query("DO 1");
            noisy.sendRaw(new byte[100_000]);
            silent.close();
            noisy.close();
            session.close();
            asking.close();
            awaitWaiting(proxy, 0, 0);
            await().until(() -> proxy.sessions() == 0);
            assertThat(held(proxy, "login", "left")).isEqualTo(2);
            assertThat(held(proxy, "session", "left")).isEqualTo(2);
        }
    }

    @Tag("long")
    @Test
    void aReloadADrainAndAStopEndTheWait() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), HOLD))) {
            old.kill();
            RawClient login = open(proxy);
            awaitWaiting(proxy, 1, 0);
            proxy.reload(config(address(old), "failover: { hold: 0s }"));
            assertThat(login.read().errorCode()).isEqualTo(ER_BAD_HOST);
            proxy.reload(config(address(old), HOLD));
            RawClient next = open(proxy);
            awaitWaiting(proxy, 1, 0);
            proxy.server().drain(Duration.ofSeconds(30));
            assertThatThrownBy(next::read).isInstanceOf(EOFException.class);
            awaitWaiting(proxy, 0, 0);
        }
    }

    @Tag("long")
    @Test
    void anOperatorsHoldMayBeginAndEndMeanwhile() throws Exception {
        String config = config(address(old), HOLD).replace("handshakeTimeout: 2s", "handshakeTimeout: 60s");
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config)) {
            RawClient idle = loggedIn(proxy);
            old.kill();
            Future<Integer> login = login(proxy);
            awaitWaiting(proxy, 1, 1);
            proxy.server().hold(Duration.ofSeconds(60), new CompletableFuture<>());
            idle.query("DO 1");
            proxy.server().release();
            awaitWaiting(proxy, 1, 1);
            proxy.server().hold(Duration.ofSeconds(60), new CompletableFuture<>());
            old.restart();
            await().until(() -> String.valueOf(proxy.server().holdView()).contains("newConnections=1"));
            assertThat(idle.read().errorCode()).isEqualTo(ER_SERVER_SHUTDOWN);
            assertThat(login).isNotDone();
            proxy.server().release();
            assertThat(login.get(30, TimeUnit.SECONDS)).isEqualTo(old.port());
        }
    }

    @Tag("long")
    @Test
    void manyLoginsAreBoundedAndAllGoOn() throws Exception {
        String config =
                config(address(old), HOLD).replace("\"127.0.0.1:0\" }", "\"127.0.0.1:0\", maxConnections: 400 }");
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config)) {
            old.kill();
            List<RawClient> all = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                all.add(open(proxy));
            }
            awaitWaiting(proxy, 400, 0);
            assertThat(open(proxy).read().errorCode())
                    .as("listen.maxConnections")
                    .isEqualTo(1040);
            old.restart();
            for (RawClient each : all) {
                assertThat(each.read().isErr()).as("the server's first packet").isFalse();
                each.close();
            }
            awaitWaiting(proxy, 0, 0);
            assertThat(held(proxy, "login", "went_on")).isEqualTo(400);
        }
    }

    @Tag("long")
    @Test
    void aLoginBehindThePROXYProtocolKeepsItsClient() throws Exception {
        String config = config(address(old), HOLD)
                .replace("\"127.0.0.1:0\" }", "\"127.0.0.1:0\", proxyProtocol: v1, trustedNetworks: 127.0.0.1 }");
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config)) {
            old.kill();
            RawClient client = open(proxy);
            client.sendRaw("PROXY TCP4 203.0.113.7 127.0.0.1 4000 3306\r\n".getBytes(StandardCharsets.US_ASCII));
            awaitWaiting(proxy, 1, 0);
            old.restart();
            client.login("app", PASSWORD, "shop", RawClient.PLAIN);
            assertThat(String.valueOf(proxy.server().sessionsView())).contains("203.0.113.7:4000");
        }
    }

    @Tag("long")
    @Test
    void theErrorOfALoginInJdbc() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), "failover: { hold: 1s }"))) {
            old.kill();
            assertThatThrownBy(() -> login(proxy).get(60, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("waited 1s for a primary");
        }
    }
}
