package io.understudy.cli.check;

import io.understudy.config.Address;
import io.understudy.config.LoadedConfig;
import io.understudy.host.PluginTypes;
import io.understudy.plugin.CheckedPrimary;
import io.understudy.plugin.CheckedServer;
import io.understudy.server.QueryLimits;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.AccountGrants;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Has the configured plugins check one server. */
final class PluginsCheck implements CheckedServer {
    private final LoadedConfig loaded;
    private final ServerQueries server;
    private final CheckedPrimary primary;
    private final String user;
    private final String standby;
    private final List<CheckResult> findings;
    private String plugin = "";

    /**
     * @param user the account of the connection
     * @param standby where findings about a standby are; empty for the primary
     * @param findings where they are added
     */
    PluginsCheck(
            LoadedConfig loaded,
            ServerQueries server,
            CheckedPrimary primary,
            String user,
            String standby,
            List<CheckResult> findings) {
        this.loaded = loaded;
        this.server = server;
        this.primary = primary;
        this.user = user;
        this.standby = standby;
        this.findings = findings;
    }

    void run() throws SQLException {
        for (PluginTypes.Configured<?> each : PluginTypes.installed().configured(loaded)) {
            plugin = "plugins." + each.plugin().id();
            each.check(this);
        }
    }

    @Override
    public void report(Level level, String key, String text) {
        String where = standby.isEmpty() ? plugin : standby;
        findings.add(new CheckResult(level, key.isEmpty() ? where : where + "." + key, text));
    }

    @Override
    public void needsBinaryLog(Level level, String without) throws SQLException {
        if (!"ON".equals(variable("log_bin"))) {
            report(
                    level,
                    "",
                    "log_bin is OFF: " + without + "; start the primary with log_bin, without which nothing is"
                            + " replicated either");
        } else if (!grants().hasAny("REPLICATION SLAVE", "REPLICATION REPLICA")) {
            report(
                    level,
                    "",
                    "the monitor account cannot read the binary log: " + without
                            + "; GRANT REPLICATION SLAVE ON *.* TO " + account());
        } else {
            ok("the monitor account may read the binary log");
        }
    }

    @Override
    public void needsInjection(String without) {
        try {
            List<String> limited = server.column(QueryLimits.SQL);
            if (!limited.isEmpty()) {
                warning("nothing is injected for accounts with MAX_QUERIES_PER_HOUR, whose allowance it would use up: "
                        + String.join(", ", limited) + "; " + without);
            }
        } catch (SQLException e) {
            ok("the monitor account cannot read mysql.user: of accounts with MAX_QUERIES_PER_HOUR the proxy learns when"
                    + " the server refuses an injected statement (ERROR 1226); grant it SELECT on that table if there"
                    + " are such accounts");
        }
    }

    @Override
    public boolean isPrimary() {
        return standby.isEmpty();
    }

    @Override
    public CheckedPrimary primary() {
        return primary;
    }

    @Override
    public boolean hasStandbys() {
        Address present = loaded.config().primary().address();
        return loaded.config().standbys().stream()
                .anyMatch(each -> !each.address().equals(present));
    }

    @Override
    public boolean isMariaDb() throws SQLException {
        return server.isMariaDb();
    }

    @Override
    public String version() throws SQLException {
        return server.text("SELECT VERSION()");
    }

    @Override
    public Connection connection() {
        return server.connection();
    }

    @Override
    public String user() {
        return user;
    }

    @Override
    public String account() throws SQLException {
        return AccountSql.account(server.text("SELECT CURRENT_USER()"), user);
    }

    @Override
    public AccountGrants grants() throws SQLException {
        return server.grants();
    }

    @Override
    public @Nullable String one(String sql) throws SQLException {
        return server.first(sql);
    }

    @Override
    public List<String> all(String sql, int column) throws SQLException {
        return server.rows(sql, row -> ServerQueries.text(row, column));
    }

    @Override
    public @Nullable String variable(String name) throws SQLException {
        return server.variableOrNull(name);
    }
}
