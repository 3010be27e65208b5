package io.understudy.rebuild;

import io.understudy.testkit.Fakes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A server whose variables and statements a test scripts. */
abstract class FakeJdbcServer {
    final List<String> executed = new ArrayList<>();

    /** Returns the columns of the only row; empty for no row. */
    abstract List<String> row(String sql) throws SQLException;

    Connection connection() {
        return connection(Fakes.of(Statement.class, (proxy, method, arguments) -> {
            switch (method.getName()) {
                case "executeQuery" -> {
                    return rows(row((String) arguments[0]));
                }
                case "execute" -> {
                    row((String) arguments[0]);
                    return executed.add((String) arguments[0]);
                }
                default -> {
                    return null;
                }
            }
        }));
    }

    private static Connection connection(Statement statement) {
        return Fakes.of(
                Connection.class, (proxy, method, arguments) -> method.getName().equals("close") ? null : statement);
    }

    /** The metadata of SHOW ALL SLAVES STATUS. */
    private static final ResultSetMetaData COLUMNS = Fakes.of(
            ResultSetMetaData.class,
            (proxy, method, arguments) -> method.getName().equals("getColumnCount") ? 1 : "Seconds_Behind_Master");

    private static ResultSet rows(List<String> row) {
        AtomicInteger read = new AtomicInteger();
        return Fakes.of(ResultSet.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "next" -> !row.isEmpty() && read.getAndIncrement() == 0;
            case "getString" -> row.get((int) arguments[0] - 1);
            case "getLong" -> Long.parseLong(row.get((int) arguments[0] - 1));
            case "getMetaData" -> COLUMNS;
            default -> null;
        });
    }
}
