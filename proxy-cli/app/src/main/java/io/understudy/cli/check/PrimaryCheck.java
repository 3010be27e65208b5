package io.understudy.cli.check;

import io.understudy.config.Address;
import io.understudy.config.LoadedConfig;
import io.understudy.config.MonitorConfig;
import io.understudy.config.PrimaryConfig;
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
            findings.addAll(
                    GroupReplicationCheck.of(WHERE, mariaDb ? null : server.variable("group_replication_group_name")));
            findings.addAll(HandshakeErrorsCheck.of(server, mariaDb, primary.proxyProtocol()));
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
}
