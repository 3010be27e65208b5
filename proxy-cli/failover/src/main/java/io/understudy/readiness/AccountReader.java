package io.understudy.readiness;

import io.understudy.base.JsonReader;
import io.understudy.sql.Quoting;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Reads the accounts and their privileges from the grant tables, in a form that two servers share. */
final class AccountReader {
    private static final List<String> MARIADB =
            List.of("db", "tables_priv", "columns_priv", "procs_priv", "roles_mapping");
    private static final List<String> MYSQL =
            List.of("db", "tables_priv", "columns_priv", "procs_priv", "role_edges", "default_roles", "global_grants");

    /** Columns that differ between servers, or that name the account itself. */
    private static final Set<String> LEFT_OUT =
            Set.of("user", "host", "to_user", "to_host", "timestamp", "grantor", "password_last_changed");

    private static final Set<String> LEFT_OUT_OF_JSON = Set.of("password_last_changed", "version_id");
    private static final Set<String> PRIVILEGES_IN_JSON = Set.of("access", "is_role", "default_role");

    private final ServerSession session;
    private final boolean mariaDb;
    private final Map<String, AccountShape> accounts = new TreeMap<>();

    AccountReader(ServerSession session, boolean mariaDb) {
        this.session = session;
        this.mariaDb = mariaDb;
    }

    /** Returns the accounts by their names as statements take them. */
    Map<String, AccountShape> read() throws SQLException {
        if (mariaDb) {
            for (Map<String, String> row : session.rows("SELECT User, Host, Priv FROM mysql.global_priv")) {
                json(account(row), row.getOrDefault("priv", "{}"));
            }
        } else {
            for (Map<String, String> row : session.rows("SELECT * FROM mysql.user")) {
                user(account(row), row);
            }
        }
        for (String table : mariaDb ? MARIADB : MYSQL) {
            for (Map<String, String> row : session.rows("SELECT * FROM mysql." + table)) {
                account(row).privilege(table + " " + line(row));
            }
        }
        return accounts;
    }

    private AccountShape account(Map<String, String> row) {
        String user = row.getOrDefault("user", row.getOrDefault("to_user", ""));
        String host = row.getOrDefault("host", row.getOrDefault("to_host", ""));
        return accounts.computeIfAbsent(name(user, host), name -> new AccountShape());
    }

    /** A role of MariaDB has no host. */
    static String name(String user, String host) {
        String quoted = Quoting.account(user);
        return host.isEmpty() ? quoted : quoted + "@" + Quoting.account(host);
    }

    private static void json(AccountShape account, String text) {
        try {
            if (JsonReader.read(text) instanceof Map<?, ?> map) {
                map.forEach((key, value) -> {
                    String name = String.valueOf(key);
                    if (PRIVILEGES_IN_JSON.contains(name)) {
                        account.privilege(name + "=" + value);
                    } else if (!LEFT_OUT_OF_JSON.contains(name)) {
                        account.authentication(name, String.valueOf(value));
                    }
                });
            }
        } catch (IOException e) {
            account.authentication("text", text);
        }
    }

    private static void user(AccountShape account, Map<String, String> row) {
        row.forEach((column, value) -> {
            if (column.endsWith("_priv")) {
                if (value.equalsIgnoreCase("Y")) {
                    account.privilege(column);
                }
            } else if (!LEFT_OUT.contains(column) && !value.isEmpty()) {
                account.authentication(column, value);
            }
        });
    }

    /** A privilege that is not granted is left out, so that a newer version's columns do not count. */
    private static String line(Map<String, String> row) {
        TreeSet<String> parts = new TreeSet<>();
        row.forEach((column, value) -> {
            if (!LEFT_OUT.contains(column) && !value.isEmpty() && !value.equals("N")) {
                parts.add(column.toLowerCase(Locale.ROOT) + "=" + value);
            }
        });
        return parts.toString();
    }
}
