package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.MonitorConfig;
import io.understudy.config.PrimaryConfig;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.config.StandbyConfig;
import io.understudy.connection.NameLookup;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import io.understudy.plugin.AccountUse;
import io.understudy.plugin.ServerFlavor;
import io.understudy.server.DriverSource;
import io.understudy.server.LiveAccount;
import io.understudy.server.PrimaryAddress;
import io.understudy.server.PrimaryMonitor;
import io.understudy.server.QueryPool;
import io.understudy.server.StandbyMonitor;
import io.understudy.servers.ServerQueries;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The proxy's probes of a primary and a standby, with their results. */
@Timeout(180)
@SuppressWarnings("NullAway") // absent keys are null
class QueryPoolTest {
    private static final Duration OFTEN = Duration.ofMillis(50);
    private static final ScheduledExecutorService EXECUTOR = Executors.newScheduledThreadPool(2);
    private static EmbeddedPair pair;

    @BeforeAll
    static void start() throws Exception {
        pair = EmbeddedPair.start(PairOptions.defaults());
        pair.createAccount("watch", "s3same", "SELECT, REPLICA MONITOR ON *.*");
        pair.createAccount("plain", "s3same", "SELECT ON *.*");
        pair.awaitCaughtUp(Duration.ofSeconds(20));
    }

    @AfterAll
    static void stop() throws Exception {
        EXECUTOR.shutdownNow();
        pair.close();
    }

    private static StandbyConfig standby(String address, String user, ServerTlsMode tls, @Nullable Path ca) {
        return new StandbyConfig(
                "s1",
                Address.parse(address),
                new ServerTlsConfig(tls, ca, null, null),
                Duration.ofSeconds(5),
                user,
                Secret.parse("s3same"));
    }

    private static String address(EmbeddedServer server) {
        return "127.0.0.1:" + server.port();
    }

    private static String cipher(StandbyConfig config) throws Exception {
        try (QueryPool queries = QueryPool.to(config);
                Connection connection = queries.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW SESSION STATUS LIKE 'Ssl_cipher'")) {
            row.next();
            return row.getString(2);
        }
    }

    /** It was being opened when the primary changed: no list of connections had it, so no eviction met it. */
    /** As of a primary that is known not to respond: attempts that fail have the pool pause before the next. */
    @Test
    void aPoolTriesNothingWhileItIsToldNotTo() throws Exception {
        AtomicReference<@Nullable String> refusal = new AtomicReference<>("nobody is the primary");
        DriverSource source = new DriverSource(
                Address.parse("127.0.0.1:" + pair.primary().port()),
                ServerTlsConfig.preferred(),
                "watch",
                Secret.parse("s3same"),
                Duration.ofSeconds(1));
        try (QueryPool queries = new QueryPool("told", source, AccountUse.NONE, refusal::get)) {
            assertThatThrownBy(() -> queries.dataSource().getConnection()).hasMessage("nobody is the primary");
            refusal.set(null);
            try (Connection connection = queries.dataSource().getConnection()) {
                assertThat(connection.isValid(5)).isTrue();
            }
        }
    }

    @Test
    void aConnectionToTheFormerPrimaryIsNotUsed() throws Exception {
        Address former = Address.parse(address(pair.primary()));
        Address present = Address.parse(address(pair.standby()));
        AtomicBoolean asked = new AtomicBoolean();
        PrimaryAddress primary = new PrimaryAddress(present, new SimpleMeterRegistry(), Clock.systemUTC());
        MonitorConfig account = new MonitorConfig("watch", Secret.parse("s3same"));
        LiveAccount live = Objects.requireNonNull(LiveAccount.of(account, primary, new SimpleMeterRegistry()));
        DriverSource source = new DriverSource(
                () -> asked.getAndSet(true) ? present : former,
                NameLookup.RUNTIME,
                ServerTlsConfig.preferred(),
                live::credentials,
                Duration.ofSeconds(5));
        try (QueryPool pool = new QueryPool("primary", source, live.health().use("a test"));
                Connection connection = pool.dataSource().getConnection()) {
            assertThat(ServerQueries.brief(connection).variable("port")).isEqualTo(Integer.toString(present.port()));
        }
    }

    @Test
    void aLongPositionIsReadWhole() throws Exception {
        String position =
                IntStream.range(0, 500).mapToObj(domain -> domain + "-7-1000").collect(Collectors.joining(","));
        try (Connection connection = pair.primary().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET GLOBAL gtid_slave_pos = '" + position + "'");
            try {
                ServerQueries queries = ServerQueries.brief(connection);

                assertThat(queries.pairs("SHOW GLOBAL VARIABLES")).doesNotContainEntry("gtid_slave_pos", position);
                assertThat(queries.variable("gtid_slave_pos")).isEqualTo(position);
                assertThat(queries.variables()).containsEntry("gtid_slave_pos", position);
            } finally {
                statement.execute("SET GLOBAL gtid_slave_pos = '0-7-1000'");
            }
        }
    }

    @Test
    void everyTlsModeConnects() throws Exception {
        String address = address(pair.standby());
        Path ca = pair.standby().certificate();
        assertThat(cipher(standby(address, "watch", ServerTlsMode.DISABLED, null)))
                .isEmpty();
        assertThat(cipher(standby(address, "watch", ServerTlsMode.PREFERRED, null)))
                .isNotEmpty();
        assertThat(cipher(standby(address, "watch", ServerTlsMode.REQUIRED, null)))
                .isNotEmpty();
        assertThat(cipher(standby(address, "watch", ServerTlsMode.VERIFY_CA, ca)))
                .isNotEmpty();
        assertThat(cipher(standby(address, "watch", ServerTlsMode.VERIFY_FULL, ca)))
                .isNotEmpty();
    }

    /** Not that of the pool or the driver. */
    @Tag("long")
    @Test
    void aFailureHasItsOwnReason() throws Exception {
        int closed;
        try (ServerSocket free = new ServerSocket(0)) {
            closed = free.getLocalPort();
        }
        for (ServerTlsMode mode : List.of(ServerTlsMode.DISABLED, ServerTlsMode.PREFERRED)) {
            assertThatThrownBy(() -> cipher(standby("127.0.0.1:" + closed, "watch", mode, null)))
                    .hasMessage("cannot connect to 127.0.0.1:" + closed + ": Connection refused");
        }
        assertThatThrownBy(() -> cipher(standby("unix:/nowhere/s.sock", "watch", ServerTlsMode.DISABLED, null)))
                .hasMessage("cannot connect to unix:/nowhere/s.sock: No such file or directory");
        assertThatThrownBy(() -> cipher(standby(address(pair.standby()), "nobody", ServerTlsMode.DISABLED, null)))
                .hasMessageContaining("Access denied for user 'nobody'");
    }

    /** The proxy's own connections present the same client certificate as the relayed sessions. */
    @Tag("long")
    @Test
    void aClientCertificateIsPresented() throws Exception {
        Path certificate = pair.standby().certificate();
        Path key = certificate.resolveSibling("tls.key");
        try (EmbeddedServer server =
                EmbeddedServer.start(ServerOptions.of(3).withArguments("--ssl-ca=" + certificate))) {
            server.execute("CREATE USER watch@'%' IDENTIFIED BY 's3same' REQUIRE X509");
            for (ServerTlsMode mode : new ServerTlsMode[] {ServerTlsMode.REQUIRED, ServerTlsMode.VERIFY_CA}) {
                StandbyConfig without = standby(address(server), "watch", mode, certificate);
                assertThatThrownBy(() -> cipher(without)).rootCause().hasMessageContaining("Access denied");
                StandbyConfig with = new StandbyConfig(
                        "s1",
                        without.address(),
                        new ServerTlsConfig(mode, certificate, certificate, key),
                        Duration.ofSeconds(5),
                        "watch",
                        Secret.parse("s3same"));
                assertThat(cipher(with)).isNotEmpty();
            }
        }
    }

    @Tag("long")
    @Test
    void preferredTlsConnectsWithoutTlsToAServerThatOffersNone() throws Exception {
        try (EmbeddedServer server = EmbeddedServer.start(ServerOptions.of(3).withArguments("--skip-ssl"))) {
            server.execute("CREATE USER watch@'%' IDENTIFIED BY 's3same'");
            StandbyConfig config = standby(address(server), "watch", ServerTlsMode.PREFERRED, null);
            assertThat(cipher(config)).isEmpty();
            assertThatThrownBy(() -> cipher(standby(address(server), "watch", ServerTlsMode.REQUIRED, null)))
                    .rootCause()
                    .hasMessageContaining("ssl not enabled");
        }
    }

    @Test
    void aUnixSocketConnects() throws Exception {
        String socket = "unix:" + pair.standby().socket().orElseThrow();
        assertThat(cipher(standby(socket, "watch", ServerTlsMode.PREFERRED, null)))
                .isEmpty();
    }

    @Test
    void probesFollowTheStatesOfAStandby() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        StandbyConfig config = standby(address(pair.standby()), "watch", ServerTlsMode.PREFERRED, null);
        try (QueryPool queries = QueryPool.to(config);
                StandbyMonitor monitor =
                        new StandbyMonitor("s1", queries.dataSource(), identity -> false, registry, EXECUTOR, OFTEN)) {
            monitor.start();
            await().until(() -> monitor.state().reachable());
            assertThat(monitor.state().readOnly()).isTrue();
            assertThat(monitor.state().problem()).isNull();
            assertThat(monitor.state().threadsRunning()).isPositive();
            await().until(() -> monitor.state().lagSeconds() != null);
            pair.standby().execute("SET GLOBAL read_only=0");
            await().until(() -> monitor.state().problem() != null);
            assertThat(monitor.state().reachable()).isTrue();
            pair.standby().execute("SET GLOBAL read_only=1");
            await().until(() -> monitor.state().readOnly());
            pair.standby().kill();
            await().until(() -> !monitor.state().reachable());
            assertThat(monitor.state().problem()).isNotBlank();
            pair.standby().restart();
            await().atMost(Duration.ofSeconds(60)).until(() -> monitor.state().reachable());
            pair.standby().execute("SET GLOBAL read_only=1", "START SLAVE");
        }
    }

    @Test
    void aStandbysLagIsUnknownWithoutThePrivilege() throws Exception {
        StandbyConfig config = standby(address(pair.standby()), "plain", ServerTlsMode.PREFERRED, null);
        try (QueryPool queries = QueryPool.to(config);
                StandbyMonitor monitor = new StandbyMonitor(
                        "s1", queries.dataSource(), identity -> false, new SimpleMeterRegistry(), EXECUTOR, OFTEN)) {
            monitor.start();
            await().until(() -> monitor.state().reachable());
            assertThat(monitor.state().lagSeconds()).isNull();
        }
    }

    private static PrimaryMonitor monitor(PrimaryAddress present, PrimaryConfig config) {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        return new PrimaryMonitor(
                present,
                config,
                LiveAccount.of(config.monitor(), present, meters),
                NameLookup.RUNTIME,
                meters,
                EXECUTOR,
                EXECUTOR,
                OFTEN);
    }

    @Test
    void probesThePrimaryWithAndWithoutAnAccount() {
        MonitorConfig account = new MonitorConfig("watch", Secret.parse("s3same"));
        PrimaryConfig withAccount =
                new PrimaryConfig(Address.parse(address(pair.primary())), null, null, null, null, null, account);
        PrimaryConfig withoutAccount = new PrimaryConfig(withAccount.address(), null, null, null, null, null, null);
        assertThat(QueryPool.to(withoutAccount, withAccount.address())).isNull();
        PrimaryAddress present =
                new PrimaryAddress(withAccount.address(), new SimpleMeterRegistry(), Clock.systemUTC());
        try (PrimaryMonitor with = monitor(present, withAccount);
                PrimaryMonitor without = monitor(present, withoutAccount)) {
            with.start();
            without.start();
            await().until(() -> with.state().reachable() && without.state().reachable());
            assertThat(with.state().flavor()).isEqualTo(ServerFlavor.MARIADB);
            assertThat(with.state().version()).contains("MariaDB");
            assertThat(without.state().flavor()).isNull();
        }
    }
}
