package io.understudy.plugins.gtiddomain.catalog;

import io.understudy.servers.ServerQueries;
import io.understudy.sql.Quoting;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a {@link Catalog} from {@code information_schema}, which shows an account the objects that it has privileges
 * for: SELECT for tables, their columns and foreign keys, TRIGGER, SHOW VIEW and EVENT for these, and for the text of
 * routines SHOW CREATE ROUTINE (MariaDB 11.3 and newer) or SELECT on {@code mysql.proc}.
 */
final class CatalogReader {
    private static final int MAX_ROWS = 200_000;
    private static final int TIMEOUT_SECONDS = 20;
    private static final String NOT_SYSTEM = " NOT IN ('information_schema', 'performance_schema', 'mysql', 'sys')";

    /**
     * Defaults that call a function. Generated columns and CHECK constraints may refer neither to a sequence nor to a
     * stored function (ERROR 1901).
     */
    private static final String CALLING_DEFAULTS =
            "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_DEFAULT FROM information_schema.COLUMNS WHERE COLUMN_DEFAULT"
                    + " LIKE '%(%' AND COLUMN_DEFAULT NOT LIKE 'current\\_timestamp(%' AND TABLE_SCHEMA";

    private final Connection connection;
    private final ServerQueries server;
    private final int maxRows;
    private final Catalog.Builder builder = new Catalog.Builder();

    private CatalogReader(Connection connection, int maxRows) {
        this.connection = connection;
        this.maxRows = maxRows;
        server = ServerQueries.endedAfter(TIMEOUT_SECONDS, connection);
    }

    static Catalog read(Connection connection) throws SQLException {
        return read(connection, MAX_ROWS);
    }

    /** @param maxRows of each kind of object; with more the catalogue is {@link Catalog#cut} */
    static Catalog read(Connection connection, int maxRows) throws SQLException {
        return new CatalogReader(connection, maxRows).read();
    }

    private Catalog read() throws SQLException {
        if (seesAllRoutines(new ServerQueries(connection))) {
            builder.routinesKnown();
        }
        Blindness blindness = Blindness.of(connection);
        // A table of the MERGE engine stores its rows in others, which only its definition names.
        List<String[]> merged = new ArrayList<>();
        each(
                "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA",
                row -> {
                    builder.table(
                            Catalog.name(row.getString(1), row.getString(2)),
                            row.getString(3).equals("BASE TABLE"));
                    if (blindness.hides(row.getString(1), row.getString(2))) {
                        builder.unseenCode(row.getString(1), row.getString(2));
                    }
                    if ("MRG_MyISAM".equalsIgnoreCase(row.getString(4))) {
                        merged.add(new String[] {row.getString(1), row.getString(2)});
                    }
                });
        each(
                "SELECT ROUTINE_SCHEMA, ROUTINE_NAME, ROUTINE_TYPE FROM information_schema.ROUTINES WHERE"
                        + " ROUTINE_SCHEMA",
                row -> {
                    builder.routine(row.getString(1), row.getString(2));
                    if (row.getString(3).startsWith("PACKAGE")) {
                        builder.storedPackage(row.getString(1), row.getString(2));
                    }
                });
        each(
                "SELECT CONSTRAINT_SCHEMA, TABLE_NAME, UNIQUE_CONSTRAINT_SCHEMA, REFERENCED_TABLE_NAME"
                        + " FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA",
                row -> builder.foreignKey(
                        Catalog.name(row.getString(1), row.getString(2)),
                        Catalog.name(row.getString(3), row.getString(4))));
        each(
                "SELECT EVENT_OBJECT_SCHEMA, EVENT_OBJECT_TABLE, ACTION_STATEMENT FROM information_schema.TRIGGERS"
                        + " WHERE EVENT_OBJECT_SCHEMA",
                row -> builder.trigger(row.getString(1), row.getString(2), row.getString(3)));
        each(CALLING_DEFAULTS, row -> builder.columnDefault(row.getString(1), row.getString(2), row.getString(3)));
        each(
                "SELECT TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION, IS_UPDATABLE FROM information_schema.VIEWS"
                        + " WHERE TABLE_SCHEMA",
                row -> builder.view(
                        row.getString(1), row.getString(2), row.getString(3), "YES".equals(row.getString(4))));
        each(
                "SELECT ROUTINE_SCHEMA, ROUTINE_NAME, ROUTINE_DEFINITION FROM information_schema.ROUTINES"
                        + " WHERE ROUTINE_SCHEMA",
                row -> builder.routineBody(row.getString(1), row.getString(2), row.getString(3)));
        each(
                "SELECT EVENT_SCHEMA, EVENT_NAME, EVENT_DEFINITION FROM information_schema.EVENTS WHERE"
                        + " EVENT_SCHEMA",
                row -> builder.event(row.getString(1), row.getString(2), row.getString(3)));
        for (String[] table : merged) {
            builder.merge(table[0], table[1], definition(Quoting.name(table[0], table[1])));
        }
        return builder.build();
    }

    /** Returns the statement that creates a table, or null if it was dropped meanwhile or is not visible. */
    private @Nullable String definition(String table) {
        try {
            return server.rows("SHOW CREATE TABLE " + table, row -> row.getString(2))
                    .get(0);
        } catch (SQLException e) {
            return null;
        }
    }

    /** Other accounts see only the routines that they have a privilege for. */
    private static boolean seesAllRoutines(ServerQueries server) {
        try {
            return server.ownPrivileges().contains("SHOW CREATE ROUTINE") || reads(server, "mysql.proc");
        } catch (SQLException e) {
            return reads(server, "mysql.proc");
        }
    }

    private static boolean reads(ServerQueries server, String table) {
        try {
            return server.first("SELECT COUNT(*) FROM " + table) != null;
        } catch (SQLException e) {
            return false;
        }
    }

    private void each(String select, ServerQueries.RowReader reader) throws SQLException {
        int[] read = {0};
        server.each(select + NOT_SYSTEM + " LIMIT " + (maxRows + 1L), row -> {
            if (read[0]++ == maxRows) {
                builder.cut();
            } else {
                reader.read(row);
            }
        });
    }
}
