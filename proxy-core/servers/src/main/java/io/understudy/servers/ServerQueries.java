package io.understudy.servers;

import io.understudy.plugin.ServerFlavor;
import io.understudy.sql.AccountGrants;
import io.understudy.sql.Quoting;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Statements over one connection, and the values that they return. Waits for the server. Not thread-safe. */
public final class ServerQueries implements AutoCloseable {
    private static final int ER_DBACCESS_DENIED = 1044;
    private static final int ER_TABLEACCESS_DENIED = 1142;
    private static final int ER_SPECIFIC_ACCESS_DENIED = 1227;
    /** Characters of a value that SHOW VARIABLES of each product shows; MySQL's manual, MariaDB 10.11 shows 4,096. */
    private static final int SHOWN = 1024;

    private final Connection connection;
    private final int seconds;
    private final @Nullable Long deadline;
    private @Nullable ServerFlavor flavor;

    /** Queries over a connection that the caller closes. */
    public ServerQueries(Connection connection) {
        this(connection, 0, null);
    }

    private ServerQueries(Connection connection, int seconds, @Nullable Long deadline) {
        this.connection = connection;
        this.seconds = seconds;
        this.deadline = deadline;
    }

    /** Takes a connection, which {@link #close} returns. */
    public static ServerQueries of(DataSource source) throws SQLException {
        return new ServerQueries(source.getConnection());
    }

    /** Queries over a connection that the caller closes, each of which is ended on the server after this time. */
    public static ServerQueries endedAfter(int seconds, Connection connection) {
        return new ServerQueries(connection, seconds, null);
    }

    /** As above, for short queries: after five seconds. */
    public static ServerQueries brief(Connection connection) {
        return endedAfter(5, connection);
    }

    /**
     * Queries over a connection that the caller closes. They fail once the time is up, and no response is awaited
     * longer.
     *
     * @param deadline by {@link System#nanoTime}
     */
    public static ServerQueries until(long deadline, Connection connection) {
        return new ServerQueries(connection, 0, deadline);
    }

    /** Returns the milliseconds until the deadline; a driver's timeout is in whole ones. */
    private long leftMillis() {
        return deadline == null ? Long.MAX_VALUE : TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    }

    /** Returns whether the time is up. */
    public boolean isOver() {
        return leftMillis() <= 1;
    }

    private Connection inTime() throws SQLException {
        if (deadline != null) {
            long left = leftMillis();
            if (left <= 0) {
                throw new SQLTimeoutException("no response in time");
            }
            within(Duration.ofMillis(left));
        }
        return connection;
    }

    /** Lets each further response take this long at most; the connection is closed then. At least a millisecond. */
    public ServerQueries within(Duration longest) throws SQLException {
        // The driver reads 0 as no limit.
        connection.setNetworkTimeout(Runnable::run, (int) Math.max(1, longest.toMillis()));
        return this;
    }

    public Connection connection() {
        return connection;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    /** Converts the current row of a result set. */
    @FunctionalInterface
    public interface Row<T> {
        T of(ResultSet row) throws SQLException;
    }

    /** Takes the current row of a result set. */
    @FunctionalInterface
    public interface RowReader {
        void read(ResultSet row) throws SQLException;
    }

    /** Reads every row of the result set. */
    public void each(String sql, RowReader reader) throws SQLException {
        try (Statement statement = statement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                reader.read(rows);
            }
        }
    }

    private Statement statement() throws SQLException {
        Statement statement = inTime().createStatement();
        if (seconds > 0) {
            statement.setQueryTimeout(seconds);
        }
        return statement;
    }

    /** Returns every row of the result set, converted. */
    public <T> List<T> rows(String sql, Row<T> row) throws SQLException {
        List<T> all = new ArrayList<>();
        each(sql, each -> all.add(row.of(each)));
        return all;
    }

    /** Returns every row of a statement with question marks, converted. */
    public <T> List<T> rows(String sql, List<? extends @Nullable Object> parameters, Row<T> row) throws SQLException {
        List<T> all = new ArrayList<>();
        try (PreparedStatement statement = inTime().prepareStatement(sql)) {
            if (seconds > 0) {
                statement.setQueryTimeout(seconds);
            }
            for (int i = 0; i < parameters.size(); i++) {
                statement.setObject(i + 1, parameters.get(i));
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    all.add(row.of(rows));
                }
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

    /** Returns the second column by the first in lower case, as of SHOW VARIABLES and SHOW STATUS; NULL is empty. */
    public Map<String, String> pairs(String sql) throws SQLException {
        Map<String, String> all = new HashMap<>();
        each(sql, row -> all.put(text(row, 1).toLowerCase(Locale.ROOT), text(row, 2)));
        return all;
    }

    /** Returns the first column of every row; NULL is empty. */
    public List<String> column(String sql) throws SQLException {
        return rows(sql, row -> text(row, 1));
    }

    /** Returns the first column of the first row, or null without a row; NULL is empty. */
    public @Nullable String first(String sql) throws SQLException {
        List<String> values = column(sql);
        return values.isEmpty() ? null : values.get(0);
    }

    /** Returns the first column of the first row, or an empty text. */
    public String text(String sql) throws SQLException {
        String value = first(sql);
        return value == null ? "" : value;
    }

    /** Returns the first column of the first row as a number, or 0. */
    public long number(String sql) throws SQLException {
        String value = text(sql);
        return value.isEmpty() ? 0 : Long.parseLong(value);
    }

    /** Returns all system variables by name. */
    public Map<String, String> variables() throws SQLException {
        Map<String, String> variables = pairs("SHOW GLOBAL VARIABLES");
        for (Map.Entry<String, String> variable : variables.entrySet()) {
            variable.setValue(whole(variable.getKey(), variable.getValue()));
        }
        return variables;
    }

    /** Returns a system variable, or null when the server has no variable of that name. */
    public @Nullable String variableOrNull(String name) throws SQLException {
        List<String> values = rows("SHOW GLOBAL VARIABLES LIKE " + Quoting.text(name), row -> text(row, 2));
        return values.isEmpty() ? null : whole(name, values.get(0));
    }

    /** Reads again what may have been cut: sets of GTIDs become that long. */
    private String whole(String name, String shown) throws SQLException {
        return shown.length() < SHOWN ? shown : text("SELECT @@GLOBAL." + Quoting.name(name));
    }

    /** Returns a system variable, or an empty text when the server has no variable of that name. */
    public String variable(String name) throws SQLException {
        String value = variableOrNull(name);
        return value == null ? "" : value;
    }

    /** Returns a status counter, or 0 when the server has no counter of that name. */
    public long status(String name) throws SQLException {
        List<Long> values = rows("SHOW GLOBAL STATUS LIKE " + Quoting.text(name), row -> row.getLong(2));
        return values.isEmpty() ? 0 : values.get(0);
    }

    /** Executes statements one after the other; their results are ignored. */
    public void execute(String... statements) throws SQLException {
        try (Statement statement = statement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Returns the server's product, which is queried once. */
    public ServerFlavor flavor() throws SQLException {
        ServerFlavor known = flavor;
        if (known == null) {
            known = ServerFlavor.of(text("SELECT VERSION()"));
            flavor = known;
        }
        return known;
    }

    public boolean isMariaDb() throws SQLException {
        return flavor() == ServerFlavor.MARIADB;
    }

    /** Returns whether the server refuses writes of ordinary accounts, as {@code super_read_only} makes it, too. */
    public boolean isReadOnly() throws SQLException {
        String value = text("SELECT @@GLOBAL.read_only");
        if (value.isEmpty()) {
            throw new SQLException("the server does not say whether it is read-only");
        }
        return isOn(value);
    }

    /**
     * Returns whether the value of a switch means on; an empty one does not. MariaDB 12 has several words for a
     * {@code read_only} that is on.
     */
    public static boolean isOn(@Nullable String value) {
        return value != null && !value.isEmpty() && !value.equals("0") && !value.equalsIgnoreCase("OFF");
    }

    /** Returns the privileges that the account has on everything, those of its roles left out. */
    public Set<String> ownPrivileges() throws SQLException {
        // An account with SELECT on the grant tables sees the privileges of all accounts there.
        return new HashSet<>(column("SELECT PRIVILEGE_TYPE FROM information_schema.USER_PRIVILEGES"
                + " WHERE GRANTEE = CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''')"));
    }

    /** Returns the grants of the account. MySQL names its roles, without what they may do. */
    public AccountGrants grants() throws SQLException {
        return new AccountGrants(column("SHOW GRANTS"));
    }

    /** As above, with the privileges of the roles that are active. */
    public AccountGrants grantsWithRoles() throws SQLException {
        // MariaDB lists them by itself.
        String roles = isMariaDb() ? "" : text("SELECT CURRENT_ROLE()");
        return roles.isEmpty() || roles.equalsIgnoreCase("NONE")
                ? grants()
                : new AccountGrants(column("SHOW GRANTS FOR CURRENT_USER() USING " + roles));
    }

    /** Returns whether the server refused the statement because a privilege is missing. */
    public static boolean denied(SQLException e) {
        int code = e.getErrorCode();
        return code == ER_DBACCESS_DENIED || code == ER_TABLEACCESS_DENIED || code == ER_SPECIFIC_ACCESS_DENIED;
    }

    /** Throws the failure unless it is a response of the server: then the connection failed, not the statement. */
    public static void ensureRefused(SQLException failure) throws SQLException {
        if (failure.getErrorCode() == 0) {
            throw failure;
        }
    }

    /** Returns a nullable column as text. */
    public static String text(ResultSet row, int column) throws SQLException {
        String value = row.getString(column);
        return value == null ? "" : value;
    }
}
