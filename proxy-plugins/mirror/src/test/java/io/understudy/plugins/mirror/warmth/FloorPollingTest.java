package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.understudy.plugin.Primary;
import io.understudy.testkit.Fakes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FloorPollingTest {
    private final Deque<Runnable> queries = new ArrayDeque<>();
    private int connections;
    private final DataSource source = Fakes.of(DataSource.class, (proxy, method, arguments) -> {
        connections++;
        throw new SQLException("down");
    });
    private @Nullable Runnable changed;
    private final Primary primary = Fakes.of(Primary.class, (proxy, method, arguments) -> {
        if (method.getName().equals("onChange")) {
            changed = (Runnable) arguments[0];
            return (AutoCloseable) () -> {};
        }
        return source;
    });
    private final FloorPolling polling = new FloorPolling(primary, queries::add);

    /** Returns a server's counters after so many periods with 1,000 queries and 100 pages each. */
    private static DataSource server(int periods, Runnable whileRead) {
        String[][] rows = {
            {"Uptime", String.valueOf(5 * periods)},
            {"Innodb_buffer_pool_reads", String.valueOf(100 * periods)},
            {"Innodb_buffer_pool_pages_data", "5000"},
            {"Com_select", String.valueOf(1000 * periods)}
        };
        return Fakes.of(DataSource.class, (proxy, method, arguments) -> {
            whileRead.run();
            return Fakes.of(
                    Connection.class,
                    (connection, called, none) -> called.getReturnType() == Statement.class
                            ? Fakes.of(
                                    Statement.class,
                                    (statement, query, sql) -> query.getReturnType() == ResultSet.class
                                            ? rows(
                                                    String.valueOf(sql[0]).contains("VERSION")
                                                            ? new String[][] {{"11.4.2"}}
                                                            : rows)
                                            : null)
                            : null);
        });
    }

    private static ResultSet rows(String[][] rows) {
        int[] at = {-1};
        return Fakes.of(ResultSet.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "next" -> ++at[0] < rows.length;
            case "getString" -> rows[at[0]][(int) arguments[0] - 1];
            case "getLong" -> Long.valueOf(rows[at[0]][(int) arguments[0] - 1]);
            default -> null;
        });
    }

    private void ask(DataSource counters) {
        polling.poll(counters);
        Objects.requireNonNull(queries.poll()).run();
    }

    /** The counters read meanwhile are the former primary's, and no base for those of the next. */
    @Test
    void aChangeWhileTheCountersAreReadIsNoWindow() {
        polling.start(Fakes.of(ScheduledExecutorService.class, (proxy, method, arguments) -> null));
        ask(server(1, () -> {}));
        ask(server(2, () -> {}));
        assertThat(polling.floor().estimate(Estimate.UNKNOWN, System.nanoTime()).known())
                .isTrue();
        ask(server(3, () -> Objects.requireNonNull(changed).run()));
        assertThat(polling.floor().estimate(Estimate.UNKNOWN, System.nanoTime()).known())
                .isFalse();
        ask(server(40, () -> {}));
        assertThat(polling.floor().estimate(Estimate.UNKNOWN, System.nanoTime()).known())
                .as("the first reading of the next primary")
                .isFalse();
        ask(server(41, () -> {}));
        assertThat(polling.floor().estimate(Estimate.UNKNOWN, System.nanoTime()).mean())
                .isCloseTo(0.1, within(1e-9));
    }

    /** A frozen primary responds to no query for seconds: no thread of the plugin may wait for it, and none queue. */
    @Test
    void thePluginsThreadNeverWaitsForThePrimary() {
        polling.poll(source);
        polling.poll(source);
        assertThat(connections).isZero();
        assertThat(queries).as("one query at a time").hasSize(1);
        Objects.requireNonNull(queries.poll()).run();
        assertThat(connections).isEqualTo(1);
        assertThat(polling.floor().breaks()).isEqualTo(1);
        polling.poll(source);
        assertThat(queries).as("the next one").hasSize(1);
    }
}
