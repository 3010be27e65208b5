package io.understudy.cli.check;

import io.understudy.config.Address;
import io.understudy.config.Secret;
import io.understudy.config.ServerTlsConfig;
import io.understudy.pages.ServerQueries;
import io.understudy.server.QueryPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A connection to one server with one account, for a few queries. */
final class CheckConnection implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

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

    /** Returns the account that the server has logged in, as GRANT wants it. */
    String account(String user) throws SQLException {
        return AccountSql.account(String.valueOf(one("SELECT CURRENT_USER()")), user);
    }

    Connection connection() {
        return connection;
    }

    boolean isMariaDb() throws SQLException {
        String version = one("SELECT VERSION()");
        return version != null && version.contains("MariaDB");
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
