package io.understudy.cli.check;

import io.understudy.config.Address;
import io.understudy.config.LoadedConfig;
import io.understudy.config.MonitorConfig;
import io.understudy.config.PrimaryConfig;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.gtiddomain.GtidDomainConfig;
import io.understudy.plugins.gtiddomain.steering.Lever;
import io.understudy.plugins.gtiddomain.tagging.Guard;
import io.understudy.plugins.gtiddomain.tagging.Mode;
import io.understudy.server.QueryLimits;
import io.understudy.sql.AccountGrants;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Checks the primary: reachable, writable, logging; the monitor account's privileges. */
public final class PrimaryCheck {
    private static final String WHERE = "primary";
    private static final String GTID_DOMAIN = "plugins.gtid-domain";

    private final LoadedConfig loaded;
    private final List<CheckResult> findings = new ArrayList<>();
    private @Nullable Identity identity;
    private PrimarySchemas schemas = PrimarySchemas.UNKNOWN;
    private Address present;
    private long poolBytes = -1;

    public PrimaryCheck(LoadedConfig loaded) {
        this.loaded = loaded;
        present = loaded.config().primary().address();
    }

    /** Returns the primary's address; of the candidates, that of the one which is checked as the primary. */
    public Address address() {
        return present;
    }

    /** Returns the server's identity, or null if it could not be queried. */
    public @Nullable Identity identity() {
        return identity;
    }

    /** Returns the application's schemas on the primary. */
    public PrimarySchemas schemas() {
        return schemas;
    }

    /** Returns the size of the server's buffer pool, or -1 if it could not be queried. */
    public long poolBytes() {
        return poolBytes;
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
            if (!candidates.responded()) {
                return findings;
            }
        }
        query(address, primary, monitor);
        return findings;
    }

    private void query(Address address, PrimaryConfig primary, MonitorConfig monitor) {
        try (CheckConnection server = CheckConnection.to(address, primary.tls(), monitor.user(), monitor.password())) {
            String version = String.valueOf(server.one("SELECT VERSION()"));
            boolean mariaDb = version.contains("MariaDB");
            identity = Identity.of(server);
            schemas = PrimarySchemas.of(server, monitor.user());
            String pool = server.variable("innodb_buffer_pool_size");
            poolBytes = pool == null ? -1 : Long.parseLong(pool);
            add(CheckResult.ok(WHERE, address + " responds, version " + version));
            if (primary.candidates().isEmpty() && server.readOnly()) {
                add(CheckResult.error(WHERE, "read_only is ON: this is a standby, or a primary that was fenced"));
            }
            findings.addAll(
                    GroupReplicationCheck.of(WHERE, mariaDb ? null : server.variable("group_replication_group_name")));
            findings.addAll(HandshakeErrorsCheck.of(server, mariaDb, primary.proxyProtocol()));
            AccountGrants grants = new AccountGrants(server.all("SHOW GRANTS", 1));
            BinaryLogCheck binaryLog = new BinaryLogCheck(loaded, grants, schemas.account());
            findings.addAll(binaryLog.run("ON".equals(server.variable("log_bin"))));
            verify(grants);
            readiness(grants, mariaDb);
            commitLatency(server, mariaDb);
            domains(server, grants, mariaDb);
            levers(mariaDb, version);
            queryLimits(server);
        } catch (SQLException e) {
            add(CheckResult.error(
                    WHERE,
                    LoginFailure.of(
                            e,
                            address,
                            monitor.user(),
                            WHERE,
                            "primary.address",
                            product -> AccountSql.monitor(monitor.user(), loaded, product))));
        }
    }

    /** mirror.verify executes reads on the primary with the monitor account. */
    private void verify(AccountGrants grants) {
        if (!AccountSql.verifies(loaded)) {
            return;
        }
        List<String> unread =
                schemas.names().stream().filter(name -> !grants.reads(name)).toList();
        if (!unread.isEmpty()) {
            add(CheckResult.warning(
                    "plugins.mirror.verify",
                    "the monitor account cannot read all of " + String.join(", ", unread)
                            + ": reads from there are not compared with the primary's; "
                            + AccountSql.onEach(unread, "SELECT", schemas.account())));
        } else if (schemas.all()) {
            add(CheckResult.ok("plugins.mirror.verify", "the monitor account can read every schema of the primary"));
        }
    }

    /** {@code ready} reads accounts and definitions with the monitor account, on both servers. */
    private void readiness(AccountGrants grants, boolean mariaDb) {
        List<String> lacking = AccountSql.forDefinitions(mariaDb).stream()
                .filter(privilege -> !grants.hasAny(privilege))
                .toList();
        if (!loaded.config().standbys().isEmpty() && !lacking.isEmpty()) {
            add(CheckResult.warning(
                    WHERE,
                    "ready cannot compare definitions: the monitor account lacks " + String.join(", ", lacking)
                            + "; GRANT " + String.join(", ", lacking) + " ON *.* TO " + schemas.account()));
        }
    }

    private void queryLimits(CheckConnection server) {
        if (!loaded.plugins().containsKey("commit-latency") && !loaded.plugins().containsKey("gtid-domain")) {
            return;
        }
        String where = "plugins";
        try {
            List<String> limited = server.all(QueryLimits.SQL, 1);
            if (!limited.isEmpty()) {
                add(CheckResult.warning(
                        where,
                        "nothing is injected for accounts with MAX_QUERIES_PER_HOUR, whose allowance it"
                                + " would use up: "
                                + String.join(", ", limited)
                                + "; their commits are timed without their GTIDs, and their sessions are"
                                + " never tagged"));
            }
        } catch (SQLException e) {
            add(CheckResult.ok(
                    where,
                    "the monitor account cannot read mysql.user: of accounts with MAX_QUERIES_PER_HOUR the proxy"
                            + " learns when"
                            + " the server refuses an injected statement (ERROR 1226); grant it SELECT on that table"
                            + " if there"
                            + " are such accounts"));
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

    private void commitLatency(CheckConnection server, boolean mariaDb) throws SQLException {
        if (!loaded.plugins().containsKey("commit-latency") || !"ON".equals(server.variable("log_bin"))) {
            return;
        }
        String where = "plugins.commit-latency";
        String semiSync = mariaDb ? server.variable("rpl_semi_sync_master_enabled") : semiSyncMySql(server);
        add(CheckResult.ok(
                where, "semi-synchronous replication is " + (semiSync == null ? "not installed" : semiSync)));
        if ("AFTER_SYNC".equals(server.variable("rpl_semi_sync_master_wait_point")) && mariaDb) {
            add(CheckResult.warning(
                    where,
                    "rpl_semi_sync_master_wait_point is AFTER_SYNC: on MariaDB a commit then also waits for the"
                            + " acknowledgements of those before it; AFTER_COMMIT, its default, does not"));
        }
    }

    private static @Nullable String semiSyncMySql(CheckConnection server) throws SQLException {
        String named = server.variable("rpl_semi_sync_source_enabled");
        return named == null ? server.variable("rpl_semi_sync_master_enabled") : named;
    }

    private void domains(CheckConnection server, AccountGrants grants, boolean mariaDb) throws SQLException {
        if (!loaded.plugins().containsKey("gtid-domain")) {
            return;
        }
        String where = GTID_DOMAIN;
        if (!mariaDb) {
            add(CheckResult.warning(
                    where,
                    "this server is not MariaDB and has no GTID domains: the plugin does nothing here. MySQL:"
                            + " writesets need no tag"));
            return;
        }
        if (!(loaded.plugins().get("gtid-domain") instanceof GtidDomainConfig config) || !config.usesDomains()) {
            return;
        }
        add(tags(config));
        add(CheckResult.ok(
                where,
                "accounts whose sessions are to be tagged need: GRANT BINLOG REPLAY ON *.* TO …"
                        + " before the proxy starts; without it their statements run untagged and are counted, and"
                        + " tables that they have written stay untagged until it restarts"));
        String format = String.valueOf(server.variable("binlog_format"));
        if (!format.toUpperCase(Locale.ROOT).equals("ROW")) {
            add(CheckResult.warning(
                    where,
                    "binlog_format is " + format + ": of statements that are logged as such the guard sees what their"
                            + " text names, and not what triggers and cascades write; tables that a write reads stay"
                            + " with those that it writes; with ROW it sees all rows"));
        }
        hiddenCode(grants, "ON".equals(server.variable("event_scheduler")));
        if (config.guard() != Guard.OFF && !grants.hasAny("PROCESS")) {
            add(CheckResult.warning(
                    where,
                    "the monitor account has no PROCESS: what began before the proxy's start or a reload is not waited"
                            + " for, and tables of a lost session's statement stay where they are until the proxy"
                            + " restarts; GRANT PROCESS ON *.* TO " + schemas.account()));
        }
        String twoPhase = server.variable("binlog_alter_two_phase");
        if ("OFF".equals(twoPhase)) {
            add(CheckResult.ok(
                    where,
                    "if only ALTER TABLE makes standbys late, SET GLOBAL binlog_alter_two_phase = 1 on the primary"
                            + " helps without"
                            + " any domain"));
        }
        if (config.procedure() != null) {
            procedure(server, where, config.procedure());
        }
    }

    /** Says whether the configuration lets statements be tagged; {@code /api/domains} knows what else prevents it. */
    private CheckResult tags(GtidDomainConfig config) {
        if (config.mode() != Mode.TAG) {
            return CheckResult.ok(GTID_DOMAIN, "mode advise: nothing is tagged, what would be is counted");
        }
        boolean standby = loaded.config().standbys().stream()
                .anyMatch(
                        each -> !each.address().equals(loaded.config().primary().address()));
        return standby || config.guard() == Guard.OFF
                ? CheckResult.ok(
                        GTID_DOMAIN,
                        "mode tag: statements that match a rule are tagged, once their account may set a domain")
                : CheckResult.warning(
                        GTID_DOMAIN,
                        "nothing will be tagged: standbys has no server beside the primary, so nothing is ever known to"
                                + " be applied, and no table may change its domain; list the standbys");
    }

    /** Triggers and events that the monitor account has no privilege for are not in its dictionary at all. */
    private void hiddenCode(AccountGrants grants, boolean events) {
        for (String privilege : events ? List.of("TRIGGER", "EVENT") : List.of("TRIGGER")) {
            List<String> hidden = schemas.names().stream()
                    .filter(name -> !grants.has(privilege, name))
                    .toList();
            if (!hidden.isEmpty()) {
                add(CheckResult.warning(
                        GTID_DOMAIN,
                        "the monitor account has no " + privilege + " on " + String.join(", ", hidden)
                                + ": tables there stay in the default domain; "
                                + AccountSql.onEach(hidden, privilege, schemas.account())));
            }
        }
    }

    /** The actions that need no privilege, but a server that has their variable. */
    private void levers(boolean mariaDb, String version) {
        if (!mariaDb || !(loaded.plugins().get("gtid-domain") instanceof GtidDomainConfig config)) {
            return;
        }
        for (Lever lever : Lever.values()) {
            if (!config.leverRules(lever).isEmpty()) {
                String refusal = lever.refusal(ServerFlavor.MARIADB, version);
                add(
                        refusal.isEmpty()
                                ? CheckResult.ok(GTID_DOMAIN, "'" + lever.action() + "' needs no privilege")
                                : CheckResult.warning(
                                        GTID_DOMAIN, "'" + lever.action() + "' has no effect here: " + refusal));
            }
        }
    }

    /** For accounts without BINLOG REPLAY: checks the procedure, or prints how to create it. */
    private void procedure(CheckConnection server, String where, String name) throws SQLException {
        int dot = name.indexOf('.');
        String schema = name.substring(0, dot);
        String routine = name.substring(dot + 1);
        List<String> found = server.all(
                "SELECT SECURITY_TYPE FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = '" + schema
                        + "' AND ROUTINE_NAME = '" + routine + "' AND ROUTINE_TYPE = 'PROCEDURE'",
                1);
        String sql = "CREATE DEFINER = 'root'@'localhost' PROCEDURE `" + schema + "`.`" + routine
                + "`(d BIGINT UNSIGNED) SQL SECURITY DEFINER SET SESSION gtid_domain_id = d; GRANT EXECUTE ON"
                + " PROCEDURE `"
                + schema + "`.`" + routine + "` TO …";
        if (found.isEmpty()) {
            add(CheckResult.warning(
                    where,
                    "the procedure " + name
                            + " does not exist, or the monitor account has no EXECUTE on it to see it; an"
                            + " administrator creates it with: " + sql));
        } else if (!found.get(0).equals("DEFINER")) {
            add(CheckResult.error(where, "the procedure " + name + " does not run with its definer's rights; " + sql));
        } else {
            add(CheckResult.ok(where, "the procedure " + name + " is there; made as: " + sql));
        }
    }

    private void add(CheckResult finding) {
        findings.add(finding);
    }
}
