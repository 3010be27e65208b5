package io.understudy.plugins.gtiddomain;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Reads a {@link Catalog} from {@code information_schema}, which shows an account what it has privileges for. */
final class CatalogReader {
    private static final int MAX_ROWS = 200_000;
    private static final int TIMEOUT_SECONDS = 20;
    private static final String OURS =
            " NOT IN ('information_schema', 'performance_schema', 'mysql', 'sys') LIMIT " + MAX_ROWS;

    private CatalogReader() {}

    static Catalog read(Connection connection) throws SQLException {
        Catalog.Builder builder = new Catalog.Builder();
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(TIMEOUT_SECONDS);
            try (ResultSet rows = statement.executeQuery(
                    "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA"
                            + OURS)) {
                while (rows.next()) {
                    builder.table(
                            Catalog.name(rows.getString(1), rows.getString(2)),
                            rows.getString(3).equals("BASE TABLE"));
                }
            }
            try (ResultSet rows = statement.executeQuery("SELECT CONSTRAINT_SCHEMA, TABLE_NAME,"
                    + " UNIQUE_CONSTRAINT_SCHEMA, REFERENCED_TABLE_NAME"
                    + " FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA" + OURS)) {
                while (rows.next()) {
                    builder.foreignKey(
                            Catalog.name(rows.getString(1), rows.getString(2)),
                            Catalog.name(rows.getString(3), rows.getString(4)));
                }
            }
            try (ResultSet rows = statement.executeQuery("SELECT EVENT_OBJECT_SCHEMA, EVENT_OBJECT_TABLE"
                    + " FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA" + OURS)) {
                while (rows.next()) {
                    builder.trigger(Catalog.name(rows.getString(1), rows.getString(2)));
                }
            }
        }
        return builder.build();
    }
}
