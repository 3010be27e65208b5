package io.understudy.cli.check;

import io.understudy.config.Address;
import io.understudy.config.Secret;
import io.understudy.config.ServerTlsConfig;
import io.understudy.pages.ServerQueries;
import io.understudy.plugin.CheckedPrimary;
import io.understudy.server.QueryPool;
import io.understudy.sql.AccountGrants;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A connection to one server with one account, for a few queries. */
final class CheckConnection implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private static final Set<String> OF_THE_SERVER = Set.of("information_schema", "performance_schema", "mysql", "sys");

    private final Connection connection;
    private final ServerQueries queries;

    private CheckConnection(Connection connection) {
        this.connection = connection;
        this.queries = new ServerQueries(connection);
    }

    static CheckConnection to(Address address, ServerTlsConfig tls, String user, Secret password) throws SQLException {
        return new CheckConnection(QueryPool.connect(address, tls, user, password, TIMEOUT));
    }

    /** Returns the first column of the first row, or null without a row. */
    @Nullable
    String one(String sql) throws SQLException {
        return queries.first(sql);
    }

    /** Returns one column of every row. */
    List<String> all(String sql, int column) throws SQLException {
        return queries.rows(sql, row -> ServerQueries.text(row, column));
    }

    /** Returns every row, by the lower-case names of its columns; null values are left out. */
    List<Map<String, String>> rows(String sql) throws SQLException {
        return queries.named(sql);
    }

    /** Returns a system variable, or null if the server does not have it. */
    @Nullable
    String variable(String name) throws SQLException {
        List<String> values = all("SHOW GLOBAL VARIABLES LIKE '" + name + "'", 2);
        return values.isEmpty() ? null : values.get(0);
    }

    /** Returns whether the server refuses writes of ordinary accounts. */
    boolean readOnly() throws SQLException {
        String value = String.valueOf(one("SELECT @@global.read_only"));
        return !value.equals("0") && !value.equalsIgnoreCase("OFF");
    }

    String version() throws SQLException {
        return String.valueOf(one("SELECT VERSION()"));
    }

    AccountGrants grants() throws SQLException {
        return new AccountGrants(all("SHOW GRANTS", 1));
    }

    /** Returns what plugins and the checks of standbys want to know of the primary, this server. */
    CheckedPrimary primary(String user) throws SQLException {
        List<String> schemas = all("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA", 1).stream()
                .filter(name -> !OF_THE_SERVER.contains(name.toLowerCase(Locale.ROOT)))
                .sorted()
                .toList();
        String pool = variable("innodb_buffer_pool_size");
        return new CheckedPrimary(
                schemas,
                grants().hasAny("SHOW DATABASES", "SELECT"),
                account(user),
                pool == null ? -1 : Long.parseLong(pool));
    }

    /** Returns the account that the server has logged in, as GRANT wants it. */
    String account(String user) throws SQLException {
        return AccountSql.account(String.valueOf(one("SELECT CURRENT_USER()")), user);
    }

    Connection connection() {
        return connection;
    }

    boolean isMariaDb() throws SQLException {
        return version().contains("MariaDB");
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
