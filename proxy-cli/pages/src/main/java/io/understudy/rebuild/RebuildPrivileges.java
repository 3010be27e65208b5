package io.understudy.rebuild;

import io.understudy.pages.PagesAccount;
import io.understudy.sql.AccountGrants;
import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The privileges of the account on a standby, and the GRANT statements for those that a rebuild lacks. */
final class RebuildPrivileges {
    private static final List<String> ON_TABLES = List.of("ALTER", "CREATE", "INSERT", "SELECT");

    private final AccountGrants grants;
    private final boolean mariaDb;
    private final String user;

    RebuildPrivileges(AccountGrants grants, boolean mariaDb, String user) {
        this.grants = grants;
        this.mariaDb = mariaDb;
        this.user = user;
    }

    static RebuildPrivileges of(StandbyQueries standby, String user) throws SQLException {
        return new RebuildPrivileges(
                standby.queries().grants(), standby.queries().isMariaDb(), user);
    }

    /** Returns the required privileges. Each entry lists alternatives; the first one is the one to grant. */
    private List<List<String>> onServer(boolean lowersSuperReadOnly) {
        List<List<String>> needs = new ArrayList<>();
        needs.add(List.of("PROCESS"));
        if (mariaDb) {
            needs.add(List.of("BINLOG ADMIN"));
            needs.add(List.of("READ_ONLY ADMIN", "READ ONLY ADMIN"));
            needs.add(List.of("REPLICA MONITOR", "SLAVE MONITOR"));
        } else {
            needs.add(List.of("REPLICATION CLIENT"));
            needs.add(List.of("CONNECTION_ADMIN", "SUPER"));
            needs.add(
                    lowersSuperReadOnly
                            ? List.of("SYSTEM_VARIABLES_ADMIN", "SUPER")
                            : List.of("SESSION_VARIABLES_ADMIN", "SYSTEM_VARIABLES_ADMIN", "SUPER"));
        }
        return needs;
    }

    /** Returns the statements that grant the missing privileges on the whole server; empty if none is missing. */
    List<String> missingOnServer(boolean lowersSuperReadOnly) {
        List<String> missing = onServer(lowersSuperReadOnly).stream()
                .filter(names -> !grants.hasAny(names.toArray(String[]::new)))
                .map(names -> names.get(0))
                .toList();
        List<String> statements = new ArrayList<>();
        if (!missing.isEmpty()) {
            statements.add("GRANT " + String.join(", ", missing) + " ON *.* TO " + PagesAccount.account(user) + ";");
        }
        if (!grants.has("SELECT", "mysql", "innodb_index_stats")) {
            statements.add("GRANT SELECT ON mysql.innodb_index_stats TO " + PagesAccount.account(user) + ";");
        }
        return statements;
    }

    /** Returns the statements that grant the missing privileges on one table; empty if none is missing. */
    List<String> missingOn(String schema, String table) {
        List<String> missing = ON_TABLES.stream()
                .filter(name -> !grants.has(name, schema, table))
                .toList();
        return missing.isEmpty()
                ? List.of()
                : List.of("GRANT " + String.join(", ", missing) + " ON " + Quoting.name(schema) + ".* TO "
                        + PagesAccount.account(user) + ";");
    }
}
