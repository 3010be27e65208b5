package io.understudy.cli.check;

import io.understudy.config.LoadedConfig;
import io.understudy.host.PluginTypes;
import io.understudy.plugin.CheckedPrimary;
import io.understudy.sql.Quoting;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The statements that create the proxy's accounts, complete but for the password. */
final class AccountSql {
    /** Beyond it one grant on all schemas takes the place of one for each. */
    private static final int MOST_SCHEMAS = 10;

    private AccountSql() {}

    /** Returns the statements for the account with which a standby is mirrored to and monitored. */
    static String mirror(String user, CheckedPrimary primary, PrivilegeNames product) {
        String account = account(user);
        List<String> statements = new ArrayList<>();
        statements.add(create(account));
        if (primary.all() && !primary.schemas().isEmpty() && primary.schemas().size() <= MOST_SCHEMAS) {
            primary.schemas()
                    .forEach(name -> statements.add(
                            "GRANT SELECT, SHOW VIEW ON " + Quoting.schemaPattern(name) + " TO " + account));
        } else {
            statements.add("GRANT SELECT, SHOW VIEW ON *.* TO " + account);
        }
        statements.add(seeReplication(account, product));
        return String.join("; ", statements);
    }

    /** Returns the statements for {@code primary.monitor}, with what the configured plugins need. */
    static String monitor(String user, LoadedConfig loaded, PrivilegeNames product) {
        String account = account(user);
        Set<String> privileges = new LinkedHashSet<>();
        PluginTypes.installed().configured(loaded).forEach(each -> privileges.addAll(each.monitorPrivileges()));
        if (product != PrivilegeNames.MARIADB_11_3) {
            privileges.remove("SHOW CREATE ROUTINE");
        }
        return create(account)
                + (privileges.isEmpty() ? "" : "; GRANT " + String.join(", ", privileges) + " ON *.* TO " + account);
    }

    /** Returns the privileges on everything with which {@code ready} compares definitions. */
    static List<String> forDefinitions(boolean mariaDb) {
        return mariaDb ? List.of("SELECT", "SHOW VIEW", "TRIGGER") : List.of("SELECT", "SHOW VIEW", "TRIGGER", "EVENT");
    }

    /** Returns the statement that lets an account see a replica's lag. */
    static String seeReplication(String account, PrivilegeNames product) {
        return switch (product) {
            case MARIADB_10_5, MARIADB_11_3 -> "GRANT REPLICA MONITOR ON *.* TO " + account;
            case MARIADB, MYSQL -> "GRANT REPLICATION CLIENT ON *.* TO " + account;
            case UNKNOWN ->
                "GRANT REPLICA MONITOR ON *.* TO " + account
                        + " (MySQL, and MariaDB before 10.5: REPLICATION CLIENT in place of REPLICA MONITOR)";
        };
    }

    /** Returns an account of that name from any host. */
    static String account(String user) {
        return Quoting.account(user) + "@'%'";
    }

    /** Returns what a server's {@code CURRENT_USER()} names, as GRANT wants it. */
    static String account(String currentUser, String user) {
        int at = currentUser.lastIndexOf('@');
        return at < 0
                ? account(user)
                : Quoting.account(currentUser.substring(0, at)) + "@" + Quoting.account(currentUser.substring(at + 1));
    }

    /**
     * Returns the statement that gives an account a second password, beside the present one.
     *
     * @param method the account's present method, or empty if it is not known
     */
    static String secondPassword(String account, String method, boolean mariaDb) {
        return "ALTER USER " + account + " IDENTIFIED "
                + (mariaDb
                        ? "VIA " + (method.isEmpty() ? "METHOD" : method)
                                + " USING 'as SHOW CREATE USER has it' OR mysql_native_password USING PASSWORD('…')"
                        : "BY '…' RETAIN CURRENT PASSWORD");
    }

    private static String create(String account) {
        return "CREATE USER " + account + " IDENTIFIED BY '…'";
    }
}
