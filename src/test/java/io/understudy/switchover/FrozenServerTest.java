package io.understudy.switchover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.plugin.ServerFlavor;
import io.understudy.server.DriverSource;
import io.understudy.servers.Dialect;
import io.understudy.servers.ReplicaStatus;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Real servers of which one is frozen (SIGSTOP) when a switchover sends it a statement, and thaws later: never are two
 * of them writable. Opt-in, since it takes minutes: {@code -Dunderstudy.it.freezes=true}.
 */
@Timeout(120)
@EnabledIfSystemProperty(named = "understudy.it.freezes", matches = "true")
@Tag("long")
class FrozenServerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Duration HOLD = Duration.ofSeconds(3);
    private static final String WRITABLE = "SET GLOBAL read_only=0";
    private static final String READ_ONLY = "SET GLOBAL read_only=1";
    private static final String STOP = "STOP SLAVE ''";

    private static EmbeddedPair pair;

    @BeforeAll
    static void startServers() {
        pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false).withRtt(Duration.ZERO));
        pair.createAccount(
                "switcher", "secret", "READ_ONLY ADMIN, REPLICATION SLAVE ADMIN, SLAVE MONITOR, RELOAD, EVENT ON *.*");
        pair.awaitCaughtUp(PATIENCE);
    }

    @AfterAll
    static void stopServers() {
        pair.close();
    }

    /** Connections to a server that is frozen when a statement is sent to it, once. */
    private static final class Freezing {
        private final EmbeddedServer server;
        private final String statement;
        private final long millis;
        private @Nullable CompletableFuture<Void> thawed;

        Freezing(EmbeddedServer server, String statement, long millis) {
            this.server = server;
            this.statement = statement;
            this.millis = millis;
        }

        /** Returns the object, with this called before each of its statements and those of what it returns. */
        <T> T watched(Class<T> type, Object real) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                        if (method.getName().equals("execute") && statement.equals(arguments[0]) && thawed == null) {
                            server.freeze();
                            thawed = CompletableFuture.runAsync(
                                    server::thaw, CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS));
                        }
                        Object result;
                        try {
                            result = method.invoke(real, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                        return result instanceof Connection
                                ? watched(Connection.class, result)
                                : result instanceof Statement ? watched(Statement.class, result) : result;
                    }));
        }

        void awaitThawed() {
            if (thawed != null) {
                thawed.join();
            }
        }
    }

    private static DataSource source(EmbeddedServer server) {
        return new DriverSource(
                address(server),
                ServerTlsConfig.preferred(),
                "switcher",
                Secret.parse("secret"),
                Duration.ofSeconds(5));
    }

    private static Address address(EmbeddedServer server) {
        return Address.parse("127.0.0.1:" + server.port());
    }

    /** Stands for the steps of the proxy, which is not needed here. */
    private record NoProxy(HoldClock clock) implements Step {
        @Override
        public String plan() {
            return "hold";
        }

        @Override
        public String run() {
            clock.begin();
            return "";
        }
    }

    private static Steps steps(Pair servers) {
        HoldClock clock = new HoldClock(HOLD);
        LastTransaction last = new LastTransaction(servers);
        Step none = new NoProxy(new HoldClock(HOLD));
        return new Steps(
                List.of(),
                List.of(
                        new NoProxy(clock),
                        new ReadOnlyStep(servers, clock, new Unchanged(servers, servers.primaryAddress()::toString)),
                        last.applied(clock),
                        new StopReplicationStep(servers, clock)),
                promotion(servers, last, clock),
                none,
                none,
                List.of());
    }

    private static Step promotion(Pair servers, LastTransaction last, HoldClock clock) {
        PromoteStep.Check ready = () -> {
            last.ensureLast();
            clock.left("and the standby is not promoted");
        };
        return new PromoteStep(servers, ready, "");
    }

    private static boolean readOnly(EmbeddedServer server) {
        return !server.query("SELECT @@GLOBAL.read_only").equals("0");
    }

    private static String replication(EmbeddedServer standby) {
        return standby.query(
                "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS" + " WHERE VARIABLE_NAME='Slave_running'");
    }

    /** Nothing that the switchover has sent is executed after this. */
    private static void awaitNoConnection(EmbeddedServer server) {
        await().atMost(PATIENCE)
                .until(() -> server.query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER='switcher'")
                        .equals("0"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "standby | " + WRITABLE + " | 1000",
                "standby | " + WRITABLE + " | 2990",
                "standby | " + WRITABLE + " | 3010",
                "standby | " + WRITABLE + " | 4000",
                "standby | " + WRITABLE + " | 9000",
                "standby | " + WRITABLE + " | 25000",
                "standby | " + STOP + " | 1000",
                "standby | " + STOP + " | 4000",
                "standby | " + STOP + " | 9000",
                "primary | " + READ_ONLY + " | 1000",
                "primary | " + READ_ONLY + " | 2690",
                "primary | " + READ_ONLY + " | 4000",
                "primary | " + READ_ONLY + " | 9000",
            })
    void neverAreTwoServersWritable(String which, String statement, long millis) throws Exception {
        EmbeddedServer old = pair.primary();
        EmbeddedServer chosen = pair.standby();
        Freezing freezing = new Freezing(which.equals("standby") ? chosen : old, statement, millis);
        StringWriter out = new StringWriter();
        DataSource primary = source(old);
        DataSource standby = source(chosen);
        boolean ofStandby = which.equals("standby");
        Pair servers = new Pair(
                new Node("the old primary", ofStandby ? primary : freezing.watched(DataSource.class, primary)),
                address(old),
                new Node("standby-1", ofStandby ? freezing.watched(DataSource.class, standby) : standby),
                address(chosen),
                Dialect.of(ServerFlavor.MARIADB),
                new ReplicaStatus(Map.of("master_user", "repl")));
        long begun = System.nanoTime();
        ChangeOutcome outcome;
        try (Switchover switchover = new Switchover(servers, steps(servers), new PrintWriter(out, true))) {
            outcome = switchover.run();
        }
        long took = (System.nanoTime() - begun) / 1_000_000;
        freezing.awaitThawed();
        awaitNoConnection(old);
        awaitNoConnection(chosen);
        System.out.println(which + " frozen for " + millis + " ms at " + statement + ": " + outcome + " after " + took
                + " ms; primary read-only " + readOnly(old) + ", standby read-only " + readOnly(chosen)
                + ", replication " + replication(chosen));
        assertThat(readOnly(old) || readOnly(chosen)).as(out.toString()).isTrue();
        switch (outcome) {
            case DONE -> assertThat(readOnly(chosen)).as(out.toString()).isFalse();
            case NOT_PROMOTED -> {
                assertThat(readOnly(old)).as(out.toString()).isFalse();
                await().atMost(PATIENCE).until(() -> replication(chosen).equals("ON"));
            }
            default -> assertThat(out.toString()).containsAnyOf("is not known", "NOT UNDONE");
        }
        chosen.execute(READ_ONLY, "START SLAVE");
        old.execute(WRITABLE);
        await().atMost(PATIENCE).until(() -> replication(chosen).equals("ON"));
    }
}
