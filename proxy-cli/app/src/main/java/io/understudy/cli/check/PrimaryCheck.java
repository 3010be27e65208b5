package io.understudy.cli.check;

import io.understudy.config.Address;
import io.understudy.config.LoadedConfig;
import io.understudy.config.MonitorConfig;
import io.understudy.config.PrimaryConfig;
import io.understudy.config.SendProxyProtocol;
import io.understudy.plugin.CheckedPrimary;
import io.understudy.server.QueryPool;
import io.understudy.servers.Identity;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.AccountGrants;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks the primary: reachable, writable, logging; the monitor account's privileges. */
public final class PrimaryCheck {
    /** So many in a row, without one login between them, come from no health check that anybody keeps. */
    private static final long PLENTY = 1_000_000;

    private static final Set<String> OF_THE_SERVER = Set.of("information_schema", "performance_schema", "mysql", "sys");
    private static final String WHERE = "primary";

    private final LoadedConfig loaded;
    private final List<CheckResult> findings = new ArrayList<>();
    private @Nullable Identity identity;
    private CheckedPrimary facts = CheckedPrimary.UNKNOWN;
    private Address present;
    private boolean known = true;

    public PrimaryCheck(LoadedConfig loaded) {
        this.loaded = loaded;
        present = loaded.config().primary().address();
    }

    /** Returns the primary's address; of the candidates, that of the one which is checked as the primary. */
    public Address address() {
        return present;
    }

    /** Returns the primary's address, or null if which server is the primary is not known. */
    public @Nullable Address knownAddress() {
        return known ? present : null;
    }

    /** Returns the primary's identity, or null if it could not be queried, or it is not known which server that is. */
    public @Nullable Identity identity() {
        return known ? identity : null;
    }

    /** Returns what was read of the server. */
    public CheckedPrimary facts() {
        return facts;
    }

    public List<CheckResult> run() {
        PrimaryConfig primary = loaded.config().primary();
        MonitorConfig monitor = primary.monitor();
        if (monitor == null) {
            reach(primary);
            return findings;
        }
        Address address = primary.address();
        if (!primary.candidates().isEmpty()) {
            CandidatesCheck candidates = new CandidatesCheck(loaded, monitor);
            findings.addAll(candidates.run());
            address = candidates.chosen();
            present = address;
            known = candidates.isKnown();
            if (!candidates.responded()) {
                return findings;
            }
        }
        query(address, primary, monitor);
        return findings;
    }

    private void query(Address address, PrimaryConfig primary, MonitorConfig monitor) {
        try (ServerQueries server = QueryPool.connect(address, primary.tls(), monitor.user(), monitor.password())) {
            String version = server.text("SELECT VERSION()");
            boolean mariaDb = server.isMariaDb();
            identity = Identity.of(server);
            facts = facts(server, monitor.user());
            if (known) {
                add(CheckResult.ok(WHERE, address + " responds, version " + version));
            }
            if (primary.candidates().isEmpty() && server.isReadOnly()) {
                known = false;
                add(CheckResult.error(WHERE, "read_only is ON: this is a standby, or a primary that was fenced"));
            }
            findings.addAll(groupReplication(WHERE, mariaDb ? null : server.variable("group_replication_group_name")));
            findings.addAll(handshakeErrors(server, mariaDb, primary.proxyProtocol()));
            readiness(server.grants(), mariaDb);
            new PluginsCheck(loaded, server, facts, monitor.user(), "", findings).run();
        } catch (SQLException e) {
            add(CheckResult.error(
                    WHERE,
                    LoginFailure.of(
                            e,
                            address,
                            monitor.user(),
                            WHERE,
                            LoginFailure.OF_PRIMARY,
                            product -> AccountSql.monitor(monitor.user(), loaded, product))));
        }
    }

    /** Reads what plugins and the checks of standbys want to know of the primary. */
    private static CheckedPrimary facts(ServerQueries server, String user) throws SQLException {
        List<String> schemas = server.column("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA").stream()
                .filter(name -> !OF_THE_SERVER.contains(name.toLowerCase(Locale.ROOT)))
                .sorted()
                .toList();
        String pool = server.variable("innodb_buffer_pool_size");
        return new CheckedPrimary(
                schemas,
                server.grants().hasAny("SHOW DATABASES", "SELECT"),
                AccountSql.account(server.text("SELECT CURRENT_USER()"), user),
                pool.isEmpty() ? -1 : Long.parseLong(pool));
    }

    /** {@code ready} reads replication, accounts and definitions with the monitor account, on both servers. */
    private void readiness(AccountGrants grants, boolean mariaDb) {
        boolean sees = mariaDb
                ? grants.hasAny("SLAVE MONITOR", "REPLICA MONITOR", "REPLICATION SLAVE ADMIN", "SUPER")
                : grants.hasAny("REPLICATION CLIENT", "SUPER");
        if (!loaded.config().standbys().isEmpty() && !sees) {
            String privilege = mariaDb ? "SLAVE MONITOR" : "REPLICATION CLIENT";
            add(CheckResult.warning(
                    WHERE,
                    "ready cannot read a standby's replication: the monitor account lacks " + privilege + "; GRANT "
                            + privilege + " ON *.* TO " + facts.account()));
        }
        List<String> lacking = AccountSql.forDefinitions(mariaDb).stream()
                .filter(privilege -> !grants.hasAny(privilege))
                .toList();
        if (!loaded.config().standbys().isEmpty() && !lacking.isEmpty()) {
            add(CheckResult.warning(
                    WHERE,
                    "ready cannot compare definitions: the monitor account lacks " + String.join(", ", lacking)
                            + "; GRANT " + String.join(", ", lacking) + " ON *.* TO " + facts.account()));
        }
    }

    private void reach(PrimaryConfig primary) {
        if (primary.address().isUnix()) {
            add(CheckResult.warning(WHERE, "no primary.monitor account: nothing but the socket file is known"));
            return;
        }
        try (Socket socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress(
                            primary.address().host(), primary.address().port()),
                    (int) primary.connectTimeout().toMillis());
            add(CheckResult.ok(
                    WHERE, primary.address() + " accepts connections; without primary.monitor no more is asked"));
        } catch (java.io.IOException e) {
            add(CheckResult.error(WHERE, "cannot connect to " + primary.address() + ": " + e.getMessage()));
        }
    }

    private void add(CheckResult finding) {
        findings.add(finding);
    }

    /**
     * Checks whether the server may come to refuse the proxy because of clients that connect and leave: each client
     * connection opens one to the server, which counts a handshake that was not finished as an error of the host that
     * connected.
     */
    private static List<CheckResult> handshakeErrors(ServerQueries server, boolean mariaDb, SendProxyProtocol header)
            throws SQLException {
        String most = server.variableOrNull("max_connect_errors");
        if (most == null) {
            return List.of();
        }
        if ("ON".equals(server.variable("skip_name_resolve")) || "0".equals(server.variable("host_cache_size"))) {
            return List.of(CheckResult.ok(
                    WHERE,
                    "the server has no host cache (skip_name_resolve, host_cache_size), so max_connect_errors (" + most
                            + ") refuses nobody"));
        }
        if (Long.parseUnsignedLong(most) >= PLENTY) {
            return List.of(CheckResult.ok(WHERE, "max_connect_errors is " + most));
        }
        String host = header == SendProxyProtocol.DISABLED ? "the proxy's" : "the client's";
        String forget = mariaDb ? "FLUSH HOSTS" : "TRUNCATE TABLE performance_schema.host_cache";
        return List.of(CheckResult.warning(
                WHERE,
                "max_connect_errors is " + most
                        + ": the server counts a client that connects and leaves without a login as"
                        + " an error of " + host + " address, and after " + most
                        + " of them in a row refuses that address, and with it every client behind it (ERROR 1129)."
                        + " Check health by HTTP or with a login (docs/health-checks.md), or raise it on all servers,"
                        + " and in their option files (ready compares them): SET GLOBAL max_connect_errors = "
                        + PLENTY + "; when it has happened: " + forget
                        + " (performance_schema.host_cache shows the counts)"));
    }

    /**
     * Refuses a member of a MySQL Group Replication group: the proxy's verdicts are about replication from one primary.
     *
     * @param where the key of the configuration
     * @param group the server's {@code group_replication_group_name}; null or empty outside of a group
     */
    static List<CheckResult> groupReplication(String where, @Nullable String group) {
        return group == null || group.isEmpty()
                ? List.of()
                : List.of(CheckResult.error(
                        where,
                        "this server is a member of the Group Replication group " + group
                                + ", which is not supported: sessions are relayed, but ready, switchover, the lag, the"
                                + " exposure of commit-latency and report lost know replication from one primary only;"
                                + " use MySQL Router, or asynchronous or semi-synchronous replicas"));
    }
}
