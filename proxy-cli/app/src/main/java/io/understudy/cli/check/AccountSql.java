package io.understudy.cli.check;

import io.understudy.config.LoadedConfig;
import io.understudy.plugins.gtiddomain.GtidDomainConfig;
import io.understudy.plugins.mirror.MirrorConfig;
import io.understudy.sql.Quoting;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The statements that create the proxy's accounts, complete but for the password. */
final class AccountSql {
    /** Beyond it one grant on all schemas takes the place of one for each. */
    private static final int MOST_SCHEMAS = 10;

    private AccountSql() {}

    /** Returns the statements for the account with which a standby is mirrored to and monitored. */
    static String mirror(String user, PrimarySchemas schemas, PrivilegeNames product) {
        String account = account(user);
        List<String> statements = new ArrayList<>();
        statements.add(create(account));
        if (schemas.all() && !schemas.names().isEmpty() && schemas.names().size() <= MOST_SCHEMAS) {
            schemas.names()
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
        List<String> privileges = new ArrayList<>();
        if (loaded.plugins().containsKey("mirror")) {
            privileges.add("SHOW DATABASES");
        }
        if (verifies(loaded) && !usesDomains(loaded)) {
            privileges.add("SELECT");
        }
        if (readsBinaryLog(loaded)) {
            privileges.add("REPLICATION SLAVE");
        }
        if (usesDomains(loaded)) {
            privileges.addAll(List.of("PROCESS", "SELECT", "TRIGGER", "SHOW VIEW", "EVENT"));
            if (product == PrivilegeNames.MARIADB_11_3) {
                privileges.add("SHOW CREATE ROUTINE");
            }
        }
        return create(account)
                + (privileges.isEmpty() ? "" : "; GRANT " + String.join(", ", privileges) + " ON *.* TO " + account);
    }

    /** Returns whether results of mirrored reads are compared with the primary's. */
    static boolean verifies(LoadedConfig loaded) {
        return loaded.plugins().get("mirror") instanceof MirrorConfig mirror
                && mirror.verify() != null
                && mirror.verify().millionths() > 0;
    }

    /** Returns the privileges on everything with which {@code ready} compares definitions. */
    static List<String> forDefinitions(boolean mariaDb) {
        return mariaDb ? List.of("SELECT", "SHOW VIEW", "TRIGGER") : List.of("SELECT", "SHOW VIEW", "TRIGGER", "EVENT");
    }

    private static boolean usesDomains(LoadedConfig loaded) {
        return loaded.plugins().get("gtid-domain") instanceof GtidDomainConfig config && config.usesDomains();
    }

    private static boolean readsBinaryLog(LoadedConfig loaded) {
        return verifies(loaded)
                || loaded.plugins().containsKey("commit-latency")
                || loaded.plugins().containsKey("black-box")
                || loaded.plugins().get("gtid-domain") instanceof GtidDomainConfig config && config.binlog();
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

    /** Returns the GRANT of privileges on schemas, one statement for each. */
    static String onEach(List<String> schemas, String privilege, String account) {
        return schemas.stream()
                .map(name -> "GRANT " + privilege + " ON " + Quoting.schemaPattern(name) + " TO " + account)
                .collect(Collectors.joining("; "));
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

    private static String create(String account) {
        return "CREATE USER " + account + " IDENTIFIED BY '…'";
    }
}
