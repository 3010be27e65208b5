package io.understudy.plugins.mirror.tables;

import io.understudy.servers.ServerQueries;
import io.understudy.sql.Quoting;
import io.understudy.sql.SqlModes;
import io.understudy.sql.TableName;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Looks names up on one server: tables, views, or neither. Blocks. */
public interface TableDictionary extends AutoCloseable {
    /**
     * A table or view.
     *
     * @param view whether reading it executes something else than reading rows
     * @param definition of a view; null or empty if the account must not see it
     * @param engine of a table as {@code information_schema.TABLES} has it, which for a partitioned table is that of
     *     its partitions; null if the server cannot open the table's definition
     */
    record Found(
            boolean view,
            @Nullable String definition,
            @Nullable String engine) {
        /**
         * The storage engines that read a table's rows on the server itself and from no other table. FEDERATED,
         * CONNECT, SPIDER, S3, ColumnStore or NDB may open connections to other servers, and MRG_MyISAM reads tables
         * that no statement names. An engine that is not listed here is not read by the mirror.
         */
        private static final Set<String> LOCAL =
                Set.of("innodb", "myisam", "aria", "memory", "archive", "csv", "blackhole", "rocksdb", "tokudb");

        /** Returns null if a table may be read, or the reason why not. */
        @Nullable
        String unfitEngine() {
            String name = engine == null ? "unknown" : engine.toLowerCase(Locale.ROOT);
            return LOCAL.contains(name) ? null : "engine_" + name;
        }

        public static Found table(@Nullable String engine) {
            return new Found(false, null, engine);
        }

        public static Found view(@Nullable String definition) {
            return new Found(true, definition, null);
        }
    }

    /** Opens the dictionary of a server. */
    @FunctionalInterface
    interface Source {
        TableDictionary open() throws SQLException;
    }

    /** Returns what the name is, or null if the account sees nothing of that name. */
    @Nullable
    Found find(TableName table) throws SQLException;

    /** Returns the error that the account gets for a read of the name, or null if it can be read. */
    @Nullable
    StandbyError errorOfReading(TableName table) throws SQLException;

    /** Returns the {@link SqlModes} of view definitions: they are stored in the server's default mode. */
    int modes();

    @Override
    void close() throws SQLException;

    /** Returns the dictionary that the server's {@code information_schema} is. */
    static TableDictionary of(DataSource server) throws SQLException {
        return of(server.getConnection());
    }

    /** As above; closing the dictionary closes the connection. */
    static TableDictionary of(Connection connection) throws SQLException {
        try {
            return new InformationSchema(connection);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** Looks names up one by one: with both parts given, neither product walks through its other tables. */
    final class InformationSchema implements TableDictionary {
        private static final String TYPES =
                "SELECT TABLE_TYPE, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?";
        private static final String DEFINITIONS =
                "SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?";

        private final ServerQueries server;
        private final int modes;

        private InformationSchema(Connection connection) throws SQLException {
            server = new ServerQueries(connection);
            modes = server.isMariaDb() ? SqlModes.MARIADB : SqlModes.MYSQL;
        }

        @Override
        public @Nullable Found find(TableName table) throws SQLException {
            // More than one row only where names differ by case alone: then all of them decide.
            Found found = null;
            for (Found each : server.rows(TYPES, parts(table), row -> found(row, table))) {
                found = worse(found, each);
            }
            return found;
        }

        private Found found(ResultSet row, TableName table) throws SQLException {
            return switch (String.valueOf(row.getString(1)).toUpperCase(Locale.ROOT)) {
                case "BASE TABLE", "SYSTEM VERSIONED", "SEQUENCE" -> Found.table(row.getString(2));
                case "VIEW" -> definition(table);
                default -> Found.view(null);
            };
        }

        private static List<@Nullable String> parts(TableName table) {
            return Arrays.asList(table.schema(), table.table());
        }

        private static Found worse(@Nullable Found known, Found next) {
            return known != null && rank(known) > rank(next) ? known : next;
        }

        private static int rank(Found found) {
            return found.view() ? 1 : found.unfitEngine() == null ? 0 : 2;
        }

        private Found definition(TableName table) throws SQLException {
            List<String> texts = server.rows(DEFINITIONS, parts(table), row -> ServerQueries.text(row, 1));
            return Found.view(texts.size() == 1 ? texts.get(0) : null);
        }

        @Override
        public @Nullable StandbyError errorOfReading(TableName table) throws SQLException {
            try {
                server.column(
                        "SELECT 1 FROM " + Quoting.name(String.valueOf(table.schema()), table.table()) + " LIMIT 0");
                return null;
            } catch (SQLException e) {
                ServerQueries.ensureRefused(e);
                return StandbyError.of(e.getErrorCode(), withoutId(String.valueOf(e.getMessage())));
            }
        }

        /** Returns the server's message: the driver writes {@code (conn=7)} in front of it. */
        private static String withoutId(String message) {
            return message.startsWith("(conn=")
                    ? message.substring(message.indexOf(')') + 1).strip()
                    : message;
        }

        @Override
        public int modes() {
            return modes;
        }

        @Override
        public void close() throws SQLException {
            server.close();
        }
    }
}
