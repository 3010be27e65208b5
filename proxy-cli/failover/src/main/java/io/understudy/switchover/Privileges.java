package io.understudy.switchover;

import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.SemiSyncVariables;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.AccountGrants;
import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The privileges that a switchover needs, and those that its account lacks. */
public final class Privileges {
    static final List<String> ON_MARIADB =
            List.of("READ_ONLY ADMIN", "REPLICATION SLAVE ADMIN", "SLAVE MONITOR", "RELOAD", "EVENT");
    static final List<String> ON_MYSQL =
            List.of("SYSTEM_VARIABLES_ADMIN", "REPLICATION_SLAVE_ADMIN", "REPLICATION CLIENT", "RELOAD", "EVENT");

    /** For the transactions of a black box; MariaDB 11 has taken it out of SUPER. */
    private static final List<String> REPLAY_ON_MARIADB = List.of("BINLOG REPLAY");

    private static final List<String> REPLAY_ON_MYSQL = List.of("REPLICATION_APPLIER", "CONNECTION_ADMIN");

    /** For rows on MySQL, perhaps on the application's schemas alone. */
    private static final List<String> ROWS_ON_MYSQL = List.of("INSERT", "UPDATE", "DELETE");

    /** For the source side of semi-synchronous replication, on MariaDB. */
    private static final String SOURCE_ADMIN = "REPLICATION MASTER ADMIN";

    /**
     * MySQL's, not a part of SUPER. An event whose definer has it can be altered by accounts alone that have it, too.
     */
    private static final String SYSTEM_USER = "SYSTEM_USER";

    private Privileges() {}

    /**
     * Ensures that the account may do all that a switchover does on both servers, before anything is changed.
     *
     * @param replays whether it also has to apply transactions of a black box
     * @param enables whether it also has to enable semi-synchronous replication where it is off
     * @throws SQLException if it may not; the message has the GRANT
     */
    static void check(boolean replays, boolean enables, Node... nodes) throws SQLException {
        List<String> problems = new ArrayList<>();
        Set<String> all = new HashSet<>();
        for (Node node : nodes) {
            List<String> missing = missing(node, ScheduledEvent.enabled(node), replays, enables);
            if (!missing.isEmpty()) {
                problems.add("on " + node.name() + " it lacks " + String.join(", ", missing));
                all.addAll(missing);
            }
        }
        if (!problems.isEmpty()) {
            throw new SQLException("the account of section switchover may do too little: "
                    + String.join("; ", problems) + ". On the primary: "
                    + grant(nodes[0], all.stream().sorted().toList())
                    + ", and where it lacks more than replication brings, there too");
        }
    }

    /** Returns the statement that gives the account privileges. */
    public static String grant(Node node, List<String> privileges) throws SQLException {
        String account = node.value("SELECT CURRENT_USER()");
        int at = account.lastIndexOf('@');
        return "GRANT " + String.join(", ", privileges) + " ON *.* TO " + Quoting.account(account.substring(0, at))
                + "@" + Quoting.account(account.substring(at + 1));
    }

    /** Returns that statement for a standby, which does not replicate it further. */
    public static String grantOnStandby(Node node, List<String> privileges) throws SQLException {
        return onStandby(node, grant(node, privileges));
    }

    /** Returns statements that change a standby's accounts: on MySQL super_read_only refuses them. */
    public static String onStandby(Node node, String grant) throws SQLException {
        String statements = "SET SESSION sql_log_bin=0; " + grant;
        return isSuperReadOnly(node)
                ? "SET GLOBAL super_read_only=0; " + statements + "; SET GLOBAL super_read_only=1"
                : statements;
    }

    /** Returns whether the server refuses writes of each account: on MySQL alone. */
    public static boolean isSuperReadOnly(Node node) throws SQLException {
        return node.flavor() == ServerFlavor.MYSQL && ServerQueries.isOn(node.value("SELECT @@GLOBAL.super_read_only"));
    }

    /**
     * Returns the privileges of those of a switchover that the account lacks on a server.
     *
     * @param events that it has to change
     * @param replays whether it also has to apply transactions of a black box
     * @param enables whether it has to enable semi-synchronous replication where it is off
     */
    public static List<String> missing(Node node, List<ScheduledEvent> events, boolean replays, boolean enables)
            throws SQLException {
        AccountGrants grants = node.ask("SHOW GRANTS", ServerQueries::grantsWithRoles);
        boolean mariaDb = node.flavor() == ServerFlavor.MARIADB;
        List<String> missing =
                new ArrayList<>(mariaDb ? onMariaDb(grants, node, events, enables) : onMySql(grants, node, events));
        if (replays) {
            missing.addAll(forReplay(grants, mariaDb, node.value("SELECT VERSION()")));
        }
        return missing;
    }

    static List<String> forReplay(AccountGrants grants, boolean mariaDb, String version) {
        if (mariaDb) {
            return REPLAY_ON_MARIADB.stream()
                    .filter(name -> !has(grants, name, version))
                    .toList();
        }
        List<String> missing = new ArrayList<>(grants.hasAny("SUPER") ? List.of() : REPLAY_ON_MYSQL);
        missing.removeIf(grants::hasAny);
        ROWS_ON_MYSQL.stream().filter(name -> !grants.hasSomewhere(name)).forEach(missing::add);
        return missing;
    }

    private static List<String> onMariaDb(AccountGrants grants, Node node, List<ScheduledEvent> events, boolean enables)
            throws SQLException {
        String version = node.value("SELECT VERSION()");
        List<String> missing = new ArrayList<>(onMariaDb(grants, version));
        SemiSyncVariables semiSync = node.semiSync();
        if ((enables || semiSync.isOn(semiSync.source())) && !has(grants, SOURCE_ADMIN, version)) {
            missing.add(SOURCE_ADMIN);
        }
        if (!events.isEmpty() && !has(grants, "SET USER", version)) {
            missing.add("SET USER");
        }
        return missing;
    }

    static List<String> onMariaDb(AccountGrants grants, String version) {
        return ON_MARIADB.stream().filter(name -> !has(grants, name, version)).toList();
    }

    private static boolean has(AccountGrants grants, String name, String version) {
        return grants.hasAny(name) || grants.hasAny("SUPER") && isPartOfSuper(name, version);
    }

    /** SUPER lost READ_ONLY ADMIN in 10.11 (MDEV-29596), and the replication privileges in 11.0. */
    private static boolean isPartOfSuper(String privilege, String version) {
        return switch (privilege) {
            case "RELOAD", "EVENT" -> false;
            case "READ_ONLY ADMIN" -> version.matches("10\\.\\d\\D.*|10\\.10\\D.*");
            default -> version.startsWith("10.");
        };
    }

    static List<String> onMySql(AccountGrants grants, Node node, List<ScheduledEvent> events) throws SQLException {
        List<String> missing = new ArrayList<>(ON_MYSQL);
        if (!events.isEmpty() && !grants.hasAny("SET_USER_ID")) { // its name before 8.2
            missing.add("SET_ANY_DEFINER");
        }
        missing.removeIf(grants::hasAny);
        if (!grants.hasAny(SYSTEM_USER) && isForDefiner(node, events)) {
            missing.add(SYSTEM_USER);
        }
        missing.removeIf(name ->
                grants.hasAny("SUPER") && !name.equals(SYSTEM_USER) && !name.equals("RELOAD") && !name.equals("EVENT"));
        return missing;
    }

    /**
     * The privileges of other accounts are not to be read. The server checks the definer before it looks for the event,
     * and changes nothing. A standby executes none; its accounts are the primary's.
     */
    private static boolean isForDefiner(Node node, List<ScheduledEvent> events) throws SQLException {
        for (ScheduledEvent event : events) {
            try {
                node.execute(event.named("understudy_no_such_event").alter("COMMENT ''"));
            } catch (SQLException e) {
                if (String.valueOf(e.getMessage()).contains("the " + SYSTEM_USER + " privilege")) {
                    return true;
                }
            }
        }
        return false;
    }
}
