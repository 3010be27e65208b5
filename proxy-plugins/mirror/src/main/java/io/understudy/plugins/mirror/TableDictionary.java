package io.understudy.plugins.mirror;

import io.understudy.sql.Quoting;
import io.understudy.sql.SqlModes;
import io.understudy.sql.TableName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Looks names up on one server: tables, views, or neither. Blocks. */
interface TableDictionary extends AutoCloseable {
    /**
     * A table or view.
     *
     * @param view whether reading it executes something else than reading rows
     * @param definition of a view; null or empty if the account must not see it
     * @param engine of a table, see {@link LocalEngines}
     */
    record Found(
            boolean view,
            @Nullable String definition,
            @Nullable String engine) {
        static Found table(@Nullable String engine) {
            return new Found(false, null, engine);
        }

        static Found view(@Nullable String definition) {
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
        private final Connection connection;
        private final PreparedStatement types;
        private final PreparedStatement definitions;
        private final int modes;

        private InformationSchema(Connection connection) throws SQLException {
            this.connection = connection;
            types = connection.prepareStatement(
                    "SELECT TABLE_TYPE, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?"
                            + " AND TABLE_NAME = ?");
            definitions = connection.prepareStatement(
                    "SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?");
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT VERSION()")) {
                modes = rows.next() && rows.getString(1).contains("MariaDB") ? SqlModes.MARIADB : SqlModes.MYSQL;
            }
        }

        @Override
        public @Nullable Found find(TableName table) throws SQLException {
            set(types, table);
            Found found = null;
            // More than one row only where names differ by case alone: then all of them decide.
            try (ResultSet rows = types.executeQuery()) {
                while (rows.next()) {
                    String type = String.valueOf(rows.getString(1)).toUpperCase(Locale.ROOT);
                    switch (type) {
                        case "BASE TABLE", "SYSTEM VERSIONED", "SEQUENCE" ->
                            found = worse(found, Found.table(rows.getString(2)));
                        case "VIEW" -> found = worse(found, definition(table));
                        default -> found = worse(found, Found.view(null));
                    }
                }
            }
            return found;
        }

        private static Found worse(@Nullable Found known, Found next) {
            return known != null && rank(known) > rank(next) ? known : next;
        }

        private static int rank(Found found) {
            return found.view() ? 1 : LocalEngines.unfit(found.engine()) == null ? 0 : 2;
        }

        private Found definition(TableName table) throws SQLException {
            set(definitions, table);
            try (ResultSet rows = definitions.executeQuery()) {
                String text = rows.next() ? rows.getString(1) : null;
                return Found.view(rows.next() ? null : text);
            }
        }

        @Override
        public @Nullable StandbyError errorOfReading(TableName table) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement
                        .executeQuery("SELECT 1 FROM " + Quoting.name(String.valueOf(table.schema()), table.table())
                                + " LIMIT 0")
                        .close();
                return null;
            } catch (SQLException e) {
                if (e.getErrorCode() == 0) {
                    throw e; // the connection failed, not the query
                }
                return StandbyError.of(e.getErrorCode(), withoutId(String.valueOf(e.getMessage())));
            }
        }

        /** Returns the server's message: the driver writes {@code (conn=7)} in front of it. */
        private static String withoutId(String message) {
            return message.startsWith("(conn=")
                    ? message.substring(message.indexOf(')') + 1).strip()
                    : message;
        }

        private static void set(PreparedStatement statement, TableName table) throws SQLException {
            statement.setString(1, table.schema());
            statement.setString(2, table.table());
        }

        @Override
        public int modes() {
            return modes;
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }
}
