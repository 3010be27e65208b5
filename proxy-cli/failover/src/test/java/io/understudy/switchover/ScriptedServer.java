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
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections to a server whose responses a test chooses. */
public final class ScriptedServer {
    /** Responds to a statement. */
    public interface Script {
        /**
         * Returns the only row of the result by its columns; an empty map for no row.
         *
         * @param connection the number of the connection, from 1
         */
        Map<String, String> row(int connection, String sql) throws SQLException;

        /** Returns all rows of the result. */
        default List<Map<String, String>> rows(int connection, String sql) throws SQLException {
            Map<String, String> only = row(connection, sql);
            return only.isEmpty() ? List.of() : List.of(only);
        }
    }

    private interface Method {
        @Nullable
        Object call(String name, List<?> arguments) throws SQLException;
    }

    private ScriptedServer() {}

    public static DataSource of(Script script) {
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
            List<Map<String, String>> rows = script.rows(number, String.valueOf(arguments.get(0)));
            return name.equals("execute") ? false : result(rows);
        });
    }

    private static ResultSet result(List<Map<String, String>> rows) {
        AtomicInteger row = new AtomicInteger(-1);
        return object(ResultSet.class, (name, arguments) -> switch (name) {
            case "next" -> row.incrementAndGet() < rows.size();
            case "getString" -> List.copyOf(rows.get(row.get()).values()).get((int) arguments.get(0) - 1);
            case "getMetaData" ->
                columns(rows.isEmpty() ? List.of() : List.copyOf(rows.get(0).keySet()));
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
