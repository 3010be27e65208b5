package io.understudy.switchover;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections to a server whose responses a test chooses. */
final class ScriptedServer {
    /** Responds to a statement. */
    interface Script {
        /**
         * Returns the only row of the result by its columns; an empty map for no row.
         *
         * @param connection the number of the connection, from 1
         */
        Map<String, String> row(int connection, String sql) throws SQLException;
    }

    private interface Method {
        @Nullable
        Object call(String name, List<?> arguments) throws SQLException;
    }

    private ScriptedServer() {}

    static DataSource of(Script script) {
        AtomicInteger connections = new AtomicInteger();
        return object(DataSource.class, (name, arguments) -> connection(script, connections.incrementAndGet()));
    }

    private static Connection connection(Script script, int number) {
        return object(
                Connection.class,
                (name, arguments) -> name.equals("createStatement") ? statement(script, number) : null);
    }

    private static Statement statement(Script script, int number) {
        return object(Statement.class, (name, arguments) -> {
            if (name.equals("close")) {
                return null;
            }
            Map<String, String> row = script.row(number, String.valueOf(arguments.get(0)));
            return name.equals("execute") ? false : result(row);
        });
    }

    private static ResultSet result(Map<String, String> row) {
        AtomicBoolean before = new AtomicBoolean(!row.isEmpty());
        return object(ResultSet.class, (name, arguments) -> switch (name) {
            case "next" -> before.getAndSet(false);
            case "getString" -> List.copyOf(row.values()).get((int) arguments.get(0) - 1);
            case "getMetaData" -> columns(List.copyOf(row.keySet()));
            default -> null;
        });
    }

    private static ResultSetMetaData columns(List<String> names) {
        return object(
                ResultSetMetaData.class,
                (name, arguments) ->
                        name.equals("getColumnCount") ? names.size() : names.get((int) arguments.get(0) - 1));
    }

    private static <T> T object(Class<T> type, Method method) {
        return type.cast(Proxy.newProxyInstance(
                ScriptedServer.class.getClassLoader(),
                new Class<?>[] {type},
                (self, called, arguments) ->
                        method.call(called.getName(), arguments == null ? List.of() : Arrays.asList(arguments))));
    }
}
