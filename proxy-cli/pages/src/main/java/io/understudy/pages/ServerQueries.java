package io.understudy.pages;

import io.understudy.sql.Quoting;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Runs queries over one connection and returns their values. Not thread-safe. */
public final class ServerQueries {
    private static final int ER_DBACCESS_DENIED = 1044;
    private static final int ER_TABLEACCESS_DENIED = 1142;
    private static final int ER_SPECIFIC_ACCESS_DENIED = 1227;

    private final Connection connection;

    public ServerQueries(Connection connection) {
        this.connection = connection;
    }

    /** Converts the current row of a result set. */
    @FunctionalInterface
    public interface Row<T> {
        T of(ResultSet row) throws SQLException;
    }

    /** Returns every row of the result set, converted. */
    public <T> List<T> rows(String sql, Row<T> row) throws SQLException {
        List<T> all = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                all.add(row.of(rows));
            }
        }
        return all;
    }

    /** Returns every row, by the lower-case names of its columns; null values are left out. */
    public List<Map<String, String>> named(String sql) throws SQLException {
        return rows(sql, ServerQueries::named);
    }

    private static Map<String, String> named(ResultSet row) throws SQLException {
        ResultSetMetaData columns = row.getMetaData();
        Map<String, String> values = new HashMap<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            String value = row.getString(i);
            if (value != null) {
                values.put(columns.getColumnLabel(i).toLowerCase(Locale.ROOT), value);
            }
        }
        return values;
    }

    /** Returns the first column of the first row, or null without a row. */
    public @Nullable String first(String sql) throws SQLException {
        List<String> values = rows(sql, row -> text(row, 1));
        return values.isEmpty() ? null : values.get(0);
    }

    /** Returns the first column of the first row, or an empty text. */
    public String text(String sql) throws SQLException {
        String value = first(sql);
        return value == null ? "" : value;
    }

    /** Returns the first column of the first row as a number, or 0. */
    public long number(String sql) throws SQLException {
        String value = first(sql);
        return value == null || value.isEmpty() ? 0 : Long.parseLong(value);
    }

    /** Returns a system variable, or an empty text when the server has no variable of that name. */
    public String variable(String name) throws SQLException {
        List<String> values = rows("SHOW GLOBAL VARIABLES LIKE " + Quoting.text(name), row -> text(row, 2));
        return values.isEmpty() ? "" : values.get(0);
    }

    /** Returns a status counter, or 0 when the server has no counter of that name. */
    public long status(String name) throws SQLException {
        List<Long> values = rows("SHOW GLOBAL STATUS LIKE " + Quoting.text(name), row -> row.getLong(2));
        return values.isEmpty() ? 0 : values.get(0);
    }

    public void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Returns whether the server refused the statement because a privilege is missing. */
    public static boolean denied(SQLException e) {
        int code = e.getErrorCode();
        return code == ER_DBACCESS_DENIED || code == ER_TABLEACCESS_DENIED || code == ER_SPECIFIC_ACCESS_DENIED;
    }

    /** Returns a nullable column as text. */
    public static String text(ResultSet row, int column) throws SQLException {
        String value = row.getString(column);
        return value == null ? "" : value;
    }
}
