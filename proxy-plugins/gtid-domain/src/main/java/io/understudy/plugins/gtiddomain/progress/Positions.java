package io.understudy.plugins.gtiddomain.progress;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** Short queries to servers. */
public final class Positions {
    private static final int TIMEOUT_SECONDS = 5;

    private Positions() {}

    public static Statement statement(Connection connection) throws SQLException {
        Statement statement = connection.createStatement();
        statement.setQueryTimeout(TIMEOUT_SECONDS);
        return statement;
    }

    public static @Nullable String one(Connection connection, String sql) throws SQLException {
        try (Statement statement = statement(connection);
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : null;
        }
    }
}
