package io.understudy.plugins.blackbox.kept;

import io.understudy.plugin.Standby;
import io.understudy.plugin.StandbyState;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

/** A MariaDB server of which only its position is asked. */
final class ScriptedStandby {
    /** What an object does for all its methods. */
    interface Method {
        Object call(String name, List<?> arguments) throws SQLException;
    }

    /** Replicated and logged GTIDs, {@code read_only} and identity; or the reason why it does not respond. */
    interface Position {
        List<String> row() throws SQLException;
    }

    private ScriptedStandby() {}

    static <T> T object(Class<T> type, Method method) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, called, arguments) -> called.getName().equals("close")
                        ? null
                        : method.call(called.getName(), arguments == null ? List.of() : Arrays.asList(arguments))));
    }

    static Standby of(String name, Position position) {
        return of(name, position, () -> false);
    }

    static Standby of(String name, Position position, BooleanSupplier primary) {
        DataSource source = object(DataSource.class, (method, arguments) -> connection(position.row()));
        return object(Standby.class, (method, arguments) -> switch (method) {
            case "name" -> name;
            case "dataSource" -> source;
            case "state" -> StandbyState.UNKNOWN;
            case "isPrimary" -> primary.getAsBoolean();
            default -> false;
        });
    }

    private static Connection connection(List<String> row) {
        Statement statement = object(Statement.class, (name, sql) -> {
            boolean version = String.valueOf(sql.get(0)).contains("VERSION");
            AtomicInteger rows = new AtomicInteger(String.valueOf(sql.get(0)).startsWith("SHOW") ? 0 : 1);
            return object(
                    ResultSet.class,
                    (method, arguments) -> method.equals("next")
                            ? (Object) (rows.getAndDecrement() > 0)
                            : version ? "10.11-MariaDB" : row.get((int) arguments.get(0) - 1));
        });
        return object(Connection.class, (name, arguments) -> statement);
    }
}
