package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.config.Address;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import io.understudy.it.PooledLoad.Step;
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
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Many sessions whose primary dies, or is changed, with {@code failover: { sessions: move, hold: 60s }}. */
@Tag("long")
class MovedAfterKillTest extends FollowingProxy {
    private static final String MOVE = "failover: { sessions: move, hold: 60s }";
    private static final int THREADS = 8;
    private static final int IDLE = 20;
    private static final int MANY = 1_000;

    private final List<Connection> connections = new ArrayList<>();

    /** {@code -Dunderstudy.it.kills=20} for the figures. */
    static IntStream rounds() {
        return IntStream.rangeClosed(1, Integer.getInteger("understudy.it.kills", 2));
    }

    @Override
    PairOptions options() {
        return super.options()
                .withSemiSync(true)
                .withPrimary(ServerOptions.of(1).withArguments("--max-connections=2000"))
                .withStandby(ServerOptions.of(2).withArguments("--max-connections=2000"));
    }

    private void idle(ProxyUnderTest proxy, int count) throws SQLException {
        for (int i = 0; i < count; i++) {
            connections.add(DriverManager.getConnection(
                    "jdbc:mariadb://127.0.0.1:" + proxy.port() + "/shop?sslMode=disable&useServerPrepStmts=true",
                    "app",
                    PASSWORD));
        }
    }

    private void closeIdle() throws SQLException {
        for (Connection connection : connections) {
            connection.close();
        }
    }

    @ParameterizedTest
    @MethodSource("rounds")
    void atABoundaryAKillIsAPause(int round) throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), MOVE));
                PooledLoad load = new PooledLoad(proxy.port(), PASSWORD, THREADS, Duration.ofMillis(250))) {
            idle(proxy, IDLE);
            List<PreparedStatement> statements = new ArrayList<>();
            for (int i = 0; i < IDLE; i++) {
                try (Statement settings = connections.get(i).createStatement()) {
                    settings.execute("SET time_zone = '+0" + i % 10 + ":00'");
                }
                statements.add(connections.get(i).prepareStatement("SELECT ? * 2, @@time_zone, DATABASE()"));
                assertThat(answers(statements.get(i), i)).isTrue();
            }
            load.awaitMore();
            load.takeSteps();
            long killing = System.nanoTime();
            old.kill();
            long killed = System.nanoTime();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> !proxy.server().notReady().isEmpty());
            promote();
            proxy.server().choosePrimary(Address.parse(text(promoted)), false);
            load.awaitMore();
            int paused = 0;
            int wrong = 0;
            for (int i = 0; i < IDLE; i++) {
                try {
                    wrong += answers(statements.get(i), i) ? 0 : 1;
                    paused++;
                } catch (SQLException closed) {
                    System.out.println("idle session: " + closed.getMessage());
                }
            }
            load.close();
            List<Step> next = firstAtBoundary(load.takeSteps(), killing, killed);
            long well = next.stream().filter(step -> step.problem() == null).count();
            System.out.println("FIGURE kill " + round + ": idle " + paused + " of " + IDLE + ", busy at a boundary "
                    + well + " of " + next.size() + ", moved " + proxy.count("understudy.sessions.moved", "moved")
                    + " of " + proxy.count("understudy.sessions.moved") + ", failed " + load.failures() + ", wrong "
                    + (wrong + load.wrong()) + ", lost " + load.lost(promoted).size());
            assertThat(wrong + load.wrong()).isZero();
            assertThat(PooledLoad.doubled(promoted)).isEmpty();
            assertThat(load.lost(promoted)).isEmpty();
            assertThat(paused + well).isGreaterThanOrEqualTo(Math.round(0.95 * (IDLE + next.size())));
            closeIdle();
        }
    }

    /** Returns the first call after the kill of each thread that had none in progress, and no transaction. */
    private static List<Step> firstAtBoundary(List<Step> steps, long killing, long killed) {
        return IntStream.range(0, THREADS)
                .mapToObj(thread -> firstAfter(steps, thread, killing, killed))
                .filter(step -> step != null && step.atBoundary())
                .toList();
    }

    private static @Nullable Step firstAfter(List<Step> steps, int thread, long killing, long killed) {
        for (Step step : steps) {
            if (step.thread() == thread && step.ended() - killing > 0) {
                return step.begun() - killed > 0 ? step : null;
            }
        }
        return null;
    }

    private static boolean answers(PreparedStatement statement, int number) throws SQLException {
        statement.setInt(1, number);
        try (ResultSet row = statement.executeQuery()) {
            return row.next()
                    && row.getInt(1) == 2 * number
                    && row.getString(2).equals("+0" + number % 10 + ":00")
                    && row.getString(3).equals("shop");
        }
    }

    @Test
    void aThousandIdleSessionsMove() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), MOVE))) {
            idle(proxy, MANY);
            proxy.server().hold(Duration.ofSeconds(2), new CompletableFuture<>());
            pair.awaitCaughtUp(Duration.ofSeconds(10));
            promote();
            long begun = System.nanoTime();
            proxy.server().choosePrimary(Address.parse(text(promoted)), true);
            proxy.server().release();
            await().pollInterval(Duration.ofMillis(5))
                    .atMost(Duration.ofSeconds(120))
                    .until(() -> proxy.count("understudy.sessions.moved") == MANY);
            report("1,000 idle sessions moved in", Duration.ofNanos(System.nanoTime() - begun));
            assertThat(proxy.count("understudy.sessions.moved", "moved")).isEqualTo(MANY);
            for (Connection connection : connections) {
                assertThat(port(connection)).isEqualTo(promoted.port());
            }
            closeIdle();
        }
    }
}
