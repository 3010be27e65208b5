package io.understudy.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.demo.LoadCounters.Kind;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
@Tag("long")
class DemoLoadTest {

    private static final int ORDERS = 5000;
    private static EmbeddedServer server;

    @BeforeAll
    static void start() throws SQLException {
        server = EmbeddedServer.start(ServerOptions.of(1));
        try (Connection connection = server.connect()) {
            DemoSchema.create(connection, ORDERS);
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static DemoLoad.Options options(int workers, Duration pause, long statementsPerWorker) {
        return new DemoLoad.Options(server.jdbcUrl(), workers, ORDERS, 42, pause, pause, 150, statementsPerWorker);
    }

    private static long query(String sql) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).isTrue();
            return rows.getLong(1);
        }
    }

    @Test
    void runsEveryKindOfStatementWithoutErrors() throws Exception {
        try (DemoLoad load = DemoLoad.start(options(4, Duration.ZERO, 1000))) {
            assertThat(load.awaitEnd(Duration.ofSeconds(90))).isTrue();
            assertThat(load.counters().lastError()).isNull();
            assertThat(load.counters().errors()).isZero();
            // Each of five workers finishes the transaction in which it reaches its limit.
            assertThat(load.counters().statements()).isBetween(5000L, 5000L + 5 * 5);
            assertThat(Kind.values()).allMatch(kind -> load.counters().statements(kind) > 0);
            assertThat(load.counters().statements(Kind.ALTER)).isGreaterThan(1);
        }
        assertThat(query("SELECT COUNT(*) FROM shop.audit")).isPositive();
        assertThat(query("SELECT COUNT(*) FROM shop.items")).isGreaterThan(ORDERS * 2L);
        assertThat(query("SELECT COUNT(*) FROM shop.archive")).isPositive();
        assertThat(query("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS"
                        + " WHERE VARIABLE_NAME='Com_stmt_execute'"))
                .isGreaterThan(500);
    }

    @Test
    void reconnectsAfterAnOutageAndStopsOnRequest() throws Exception {
        DemoLoad load = DemoLoad.start(options(2, Duration.ofMillis(1), Long.MAX_VALUE));
        try (load) {
            await().until(() -> load.counters().statements() > 100);
            server.kill();
            await().until(() -> load.counters().errors() > 0);
            server.restart();
            long before = load.counters().statements();
            await().atMost(Duration.ofSeconds(30)).until(() -> load.counters().statements() > before + 200);
        }
        long after = load.counters().statements();
        assertThat(load.awaitEnd(Duration.ofMillis(1))).isTrue();
        assertThat(load.counters().statements()).isEqualTo(after);
    }
}
