package io.understudy.plugins.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Standby;
import io.understudy.plugin.StandbyState;
import io.understudy.plugins.binlog.PrimaryFacts;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The primary is asked with each probe whether it has begun anew. */
class StandbyPositionsTest extends BlackBoxHarness {
    private interface Method {
        Object call(String name, List<?> arguments) throws SQLException;
    }

    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger dead = new AtomicInteger();
    private Runnable during = () -> {};
    private @Nullable String position = "0-1-10";
    private @Nullable String primary = "0-1-10";
    private final StandbyPositions positions = new StandbyPositions(
            object(PluginContext.class, (name, arguments) -> List.of(standby())),
            box,
            this::facts,
            dead::incrementAndGet);

    private PrimaryFacts facts() throws SQLException {
        asked.incrementAndGet();
        during.run();
        String at = primary;
        if (at == null) {
            throw new SQLException("dead");
        }
        return primary(1, at);
    }

    private static <T> T object(Class<T> type, Method method) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, called, arguments) -> called.getName().equals("close")
                        ? null
                        : method.call(called.getName(), arguments == null ? List.of() : Arrays.asList(arguments))));
    }

    private Standby standby() {
        Statement statement = object(Statement.class, (name, sql) -> {
            boolean version = String.valueOf(sql.get(0)).contains("VERSION");
            AtomicInteger rows = new AtomicInteger(String.valueOf(sql.get(0)).startsWith("SHOW") ? 0 : 1);
            List<String> row = List.of(String.valueOf(position), "", "1", "host:3306:2");
            return object(
                    ResultSet.class,
                    (method, arguments) -> method.equals("next")
                            ? (Object) (rows.getAndDecrement() > 0)
                            : version ? "10.11-MariaDB" : row.get((int) arguments.get(0) - 1));
        });
        Connection connection = object(Connection.class, (name, arguments) -> statement);
        DataSource source = object(DataSource.class, (name, arguments) -> {
            if (position == null) {
                throw new SQLException("down");
            }
            return connection;
        });
        return object(Standby.class, (name, arguments) -> switch (name) {
            case "name" -> "server-2";
            case "dataSource" -> source;
            case "state" -> StandbyState.UNKNOWN;
            default -> false;
        });
    }

    private void probe(@Nullable String at) {
        position = at;
        positions.run();
    }

    /** Its stream may stay open and silent. */
    @Test
    void aStreamOfAPrimaryThatHasBegunAnewIsDead() {
        start(1, "0-1-10");
        probe("0-1-9");
        probe("0-1-10");
        assertThat(dead).hasValue(0);
        primary = "0-1-4";
        probe("0-1-3");
        assertThat(dead).hasValue(1);
    }

    /** It may be ahead of what was read, and more may be read before it responds. */
    @Test
    void whatArrivesWhileThePrimaryIsAskedProvesNothing() {
        start(1, "0-1-10");
        primary = "0-1-12";
        during = () -> {
            event("g", true);
            box.onTransaction(write(0, 1, 13));
        };
        probe("0-1-10");
        assertThat(dead).hasValue(0);
    }

    @Test
    void aPrimaryThatDoesNotRespondProvesNothing() {
        start(1, "0-1-10");
        primary = null;
        probe("0-1-10");
        assertThat(asked).hasValue(1);
        assertThat(dead).hasValue(0);
    }
}
