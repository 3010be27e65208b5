package io.understudy.plugins.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Standby;
import io.understudy.plugins.binlog.BinlogTrouble;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The choice of a server for a report, with both servers under {@code standbys}. */
class SurvivorsTest extends BlackBoxHarness {
    private interface Method {
        Object call(String name, List<?> arguments);
    }

    private static <T> T object(Class<T> type, Method method) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, called, arguments) -> called.getName().equals("close")
                        ? null
                        : method.call(called.getName(), arguments == null ? List.of() : Arrays.asList(arguments))));
    }

    /** A server that has replicated nothing. */
    private static Standby server(int id, String logged, String readOnly) {
        List<String> row = List.of("", logged, readOnly, "host:3306:" + id);
        Statement statement = object(Statement.class, (name, sql) -> {
            boolean version = String.valueOf(sql.get(0)).contains("VERSION");
            AtomicInteger rows = new AtomicInteger(String.valueOf(sql.get(0)).startsWith("SHOW") ? 0 : 1);
            return object(
                    ResultSet.class,
                    (method, arguments) -> method.equals("next")
                            ? (Object) (rows.getAndDecrement() > 0)
                            : version ? "10.11-MariaDB" : row.get((int) arguments.get(0) - 1));
        });
        Connection connection = object(Connection.class, (name, arguments) -> statement);
        DataSource source = object(DataSource.class, (name, arguments) -> connection);
        return object(Standby.class, (name, arguments) -> switch (name) {
            case "name" -> "server-" + id;
            case "dataSource" -> source;
            default -> false;
        });
    }

    private Survivor choose(Standby... standbys) {
        start(1, "0-1-10", "0-1-10");
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "account is locked"));
        PluginContext context = object(PluginContext.class, (name, arguments) -> List.of(standbys));
        return new Survivors(context, box).choose();
    }

    @Test
    void theLivingPrimaryIsNotChosenWhileItsLogCannotBeRead() {
        Standby primary = server(1, "0-1-10", "0");
        assertThat(choose(primary, server(2, "0-1-9", "1")).name()).isEqualTo("server-2");
        assertThatThrownBy(() -> choose(primary))
                .hasMessageContaining("server-1: is the primary itself")
                .hasMessageContaining("--on HOST:PORT");
    }

    @Test
    void aServerThatHasReplicatedNothingShowsWhatItLogged() {
        assertThat(choose(server(2, "0-1-9", "1")).position()).isEqualTo("0-1-9");
    }

    @Test
    void nothingCountsAsComparedWithoutAName() {
        PluginContext context = object(PluginContext.class, (name, arguments) -> List.of());
        assertThatThrownBy(() -> new Survivors(context, box).named(Map.of())).hasMessageContaining("on=NAME");
    }
}
