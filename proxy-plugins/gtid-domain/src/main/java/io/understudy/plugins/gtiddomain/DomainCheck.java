package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.CheckedPrimary;
import io.understudy.plugin.CheckedServer;
import io.understudy.plugin.CheckedServer.Level;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.gtiddomain.steering.Lever;
import io.understudy.plugins.gtiddomain.tagging.Guard;
import io.understudy.plugins.gtiddomain.tagging.Mode;
import io.understudy.sql.AccountGrants;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;

/** Checks what the plugin needs on the primary, and a standby's parallel apply. */
final class DomainCheck {
    private static final long SMALL_QUEUE = 131_072;

    private final GtidDomainConfig config;
    private final CheckedServer server;

    DomainCheck(GtidDomainConfig config, CheckedServer server) {
        this.config = config;
        this.server = server;
    }

    void run() throws SQLException {
        if (!server.isPrimary()) {
            parallelApply();
            return;
        }
        if (config.usesDomains() && config.binlog()) {
            server.needsBinaryLog(Level.WARNING, "writes that no statement through the proxy announces are not seen");
        }
        if (!server.isMariaDb()) {
            server.warning("this server is not MariaDB and has no GTID domains: the plugin does nothing here. MySQL:"
                    + " writesets need no tag");
            return;
        }
        server.needsInjection("their sessions are never tagged");
        if (config.usesDomains()) {
            domains();
        }
        levers();
    }

    private void domains() throws SQLException {
        tags();
        server.ok("accounts whose sessions are to be tagged need: GRANT BINLOG REPLAY ON *.* TO …"
                + " before the proxy starts; without it their statements run untagged and are counted, and"
                + " tables that they have written stay untagged until it restarts");
        String format = String.valueOf(server.variable("binlog_format"));
        if (!format.toUpperCase(Locale.ROOT).equals("ROW")) {
            server.warning("binlog_format is " + format
                    + ": of statements that are logged as such the guard sees what their text names, and not what"
                    + " triggers and cascades write; tables that a write reads stay with those that it writes; with"
                    + " ROW it sees all rows");
        }
        hiddenCode();
        if (config.guard() != Guard.OFF && !server.grants().hasAny("PROCESS")) {
            server.warning("the monitor account has no PROCESS: what began before the proxy's start or a reload is not"
                    + " waited for, and tables of a lost session's statement stay where they are until the proxy"
                    + " restarts; GRANT PROCESS ON *.* TO " + server.account());
        }
        if ("OFF".equals(server.variable("binlog_alter_two_phase"))) {
            server.ok("if only ALTER TABLE makes standbys late, SET GLOBAL binlog_alter_two_phase = 1 on the primary"
                    + " helps without any domain");
        }
        String procedure = config.procedure();
        if (procedure != null) {
            procedure(procedure);
        }
    }

    /** Says whether the configuration lets statements be tagged; {@code /api/domains} knows what else prevents it. */
    private void tags() {
        if (config.mode() != Mode.TAG) {
            server.ok("mode advise: nothing is tagged, what would be is counted");
        } else if (server.hasStandbys() || config.guard() == Guard.OFF) {
            server.ok("mode tag: statements that match a rule are tagged, once their account may set a domain");
        } else {
            server.warning("nothing will be tagged: standbys has no server beside the primary, so nothing is ever known"
                    + " to be applied, and no table may change its domain; list the standbys");
        }
    }

    /** Triggers and events that the monitor account has no privilege for are not in its dictionary at all. */
    private void hiddenCode() throws SQLException {
        AccountGrants grants = server.grants();
        boolean events = "ON".equals(server.variable("event_scheduler"));
        for (String privilege : events ? List.of("TRIGGER", "EVENT") : List.of("TRIGGER")) {
            List<String> hidden = server.primary().without(name -> grants.has(privilege, name));
            if (!hidden.isEmpty()) {
                server.warning("the monitor account has no " + privilege + " on " + String.join(", ", hidden)
                        + ": tables there stay in the default domain; "
                        + CheckedPrimary.grant(hidden, privilege, server.account()));
            }
        }
    }

    /** The actions that need no privilege, but a server that has their variable. */
    private void levers() throws SQLException {
        for (Lever lever : Lever.values()) {
            if (!config.leverRules(lever).isEmpty()) {
                String refusal = lever.refusal(ServerFlavor.MARIADB, server.version());
                if (refusal.isEmpty()) {
                    server.ok("'" + lever.action() + "' needs no privilege");
                } else {
                    server.warning("'" + lever.action() + "' has no effect here: " + refusal);
                }
            }
        }
    }

    /** For accounts without BINLOG REPLAY: checks the procedure, or prints how to create it. */
    private void procedure(String name) throws SQLException {
        int dot = name.indexOf('.');
        String schema = name.substring(0, dot);
        String routine = name.substring(dot + 1);
        List<String> found = server.all(
                "SELECT SECURITY_TYPE FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = '" + schema
                        + "' AND ROUTINE_NAME = '" + routine + "' AND ROUTINE_TYPE = 'PROCEDURE'",
                1);
        String quoted = "`" + schema + "`.`" + routine + "`";
        String sql = "CREATE DEFINER = 'root'@'localhost' PROCEDURE " + quoted
                + "(d BIGINT UNSIGNED) SQL SECURITY DEFINER SET SESSION gtid_domain_id = d; GRANT EXECUTE ON PROCEDURE "
                + quoted + " TO …";
        if (found.isEmpty()) {
            server.warning("the procedure " + name
                    + " does not exist, or the monitor account has no EXECUTE on it to see it; an administrator creates"
                    + " it with: " + sql);
        } else if (!found.get(0).equals("DEFINER")) {
            server.report(Level.ERROR, "", "the procedure " + name + " does not run with its definer's rights; " + sql);
        } else {
            server.ok("the procedure " + name + " is there; made as: " + sql);
        }
    }

    private void parallelApply() throws SQLException {
        if (!server.isMariaDb()) {
            return;
        }
        if ("0".equals(server.variable("slave_parallel_threads"))) {
            server.warning("slave_parallel_threads is 0: tagging and steering are useless until it is above; 4 is a"
                    + " beginning: STOP SLAVE SQL_THREAD; SET GLOBAL slave_parallel_threads = 4; START SLAVE"
                    + " SQL_THREAD");
        }
        String mode = String.valueOf(server.variable("slave_parallel_mode"));
        if (mode.equals("none") || mode.equals("minimal")) {
            server.warning("slave_parallel_mode is " + mode
                    + ": domains are not applied in parallel; STOP SLAVE SQL_THREAD; SET GLOBAL slave_parallel_mode ="
                    + " optimistic (or conservative); START SLAVE SQL_THREAD");
        }
        String queued = server.variable("slave_parallel_max_queued");
        if (queued != null && Long.parseLong(queued) <= SMALL_QUEUE) {
            server.warning("slave_parallel_max_queued is " + queued
                    + " bytes: large row transactions still stall the others; 16777216 lets them pass: SET GLOBAL"
                    + " slave_parallel_max_queued = 16777216");
        }
    }
}
