package io.understudy.cli.check;

import io.understudy.config.Address;
import io.understudy.config.FailoverAccount;
import io.understudy.config.FailoverConfig;
import io.understudy.config.LoadedConfig;
import io.understudy.config.MonitorConfig;
import io.understudy.config.PagesConfig;
import io.understudy.config.PrimaryConfig;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.config.SwitchoverConfig;
import io.understudy.move.SessionSecrets;
import io.understudy.server.QueryPool;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Tries the accounts of {@code failover.accounts}, and finds by what the primary's other accounts can be moved. */
final class MovedAccountsCheck {
    private static final String ACCOUNTS = "failover.accounts";
    private static final int MOST = 10;

    /**
     * MariaDB tries the methods of an account in this order; a role has none, and a system's account is locked. Without
     * a password are those of sockets too, and the first method of an installation's root.
     */
    private static final String MARIADB = "SELECT User, Host,"
            + " COALESCE(JSON_VALUE(Priv, '$.auth_or[0].plugin'), JSON_VALUE(Priv, '$.plugin'), '')"
            + " FROM mysql.global_priv WHERE JSON_VALUE(Priv, '$.is_role') IS NULL"
            + " AND COALESCE(JSON_VALUE(Priv, '$.account_locked'), 'false') NOT IN ('true', '1')"
            + " AND (COALESCE(JSON_VALUE(Priv, '$.auth_or[0].authentication_string'),"
            + " JSON_VALUE(Priv, '$.authentication_string'), '') NOT IN ('', 'invalid')"
            + " OR COALESCE(JSON_VALUE(Priv, '$.plugin'), '') IN ('pam', 'gssapi')) ORDER BY 1, 2";

    private static final String MYSQL =
            "SELECT User, Host, plugin FROM mysql.user WHERE account_locked = 'N' AND plugin <> 'auth_socket'"
                    + " AND NOT (authentication_string = '' AND plugin IN ('caching_sha2_password',"
                    + " 'sha256_password', 'mysql_native_password')) ORDER BY 1, 2";

    /** A granted column or role is not looked for. */
    private static final String NO_USER_VARIABLES =
            "SELECT User, Host FROM mysql.user u WHERE account_locked = 'N' AND Select_priv = 'N' AND NOT EXISTS"
                    + " (SELECT 1 FROM mysql.db d WHERE d.User = u.User AND d.Host = u.Host"
                    + " AND d.Db = 'performance_schema' AND d.Select_priv = 'Y') AND NOT EXISTS"
                    + " (SELECT 1 FROM mysql.tables_priv t WHERE t.User = u.User AND t.Host = u.Host"
                    + " AND t.Db = 'performance_schema' AND t.Table_name = 'user_variables_by_thread'"
                    + " AND FIND_IN_SET('Select', t.Table_priv)) ORDER BY 1, 2";

    /** Authentication plugins of which MySQL keeps a second password. */
    private static final Set<String> TWO_PASSWORDS =
            Set.of("caching_sha2_password", "sha256_password", "mysql_native_password");

    private final LoadedConfig loaded;
    private final FailoverConfig failover;
    private final Address present;
    private final List<CheckResult> findings = new ArrayList<>();

    /** @param present the primary's address */
    MovedAccountsCheck(LoadedConfig loaded, Address present) {
        this.loaded = loaded;
        this.failover = loaded.config().failover();
        this.present = present;
    }

    /** An account that logs in by a method. */
    private record Account(String user, String host, String method) {
        String name() {
            return AccountSql.account(user + "@" + host, user);
        }
    }

    List<CheckResult> run() {
        if (failover.accounts().isEmpty() && failover.sessions() == FailoverConfig.Sessions.CLOSE) {
            return findings;
        }
        PrimaryConfig primary = loaded.config().primary();
        for (FailoverAccount account : failover.accounts()) {
            tryOut(account, "the primary", present, primary.tls());
            for (StandbyConfig standby : loaded.config().standbys()) {
                if (!standby.address().equals(present)) {
                    tryOut(account, standby.name(), standby.address(), standby.tls());
                }
            }
        }
        MonitorConfig monitor = primary.monitor();
        if (monitor != null) {
            classify(primary, monitor);
        }
        return findings;
    }

    private void tryOut(FailoverAccount account, String name, Address address, ServerTlsConfig tls) {
        try (ServerQueries server = QueryPool.connect(address, tls, account.user(), account.password())) {
            findings.add(CheckResult.ok(
                    ACCOUNTS, "the proxy's password of " + server.text("SELECT CURRENT_USER()") + " works on " + name));
        } catch (SQLException e) {
            findings.add(CheckResult.error(
                    ACCOUNTS,
                    LoginFailure.of(
                            e,
                            address,
                            account.user(),
                            ACCOUNTS,
                            "the address",
                            product -> AccountSql.secondPassword(
                                    AccountSql.account(account.user()), "", product != PrivilegeNames.MYSQL))));
        }
    }

    private void classify(PrimaryConfig primary, MonitorConfig monitor) {
        try (ServerQueries server = QueryPool.connect(present, primary.tls(), monitor.user(), monitor.password())) {
            boolean mariaDb = server.isMariaDb();
            List<Account> accounts;
            try {
                accounts = server.rows(
                        mariaDb ? MARIADB : MYSQL,
                        row -> new Account(
                                ServerQueries.text(row, 1), ServerQueries.text(row, 2), ServerQueries.text(row, 3)));
            } catch (SQLException denied) {
                findings.add(CheckResult.warning(
                        "primary.monitor",
                        "which accounts' sessions can move is not known, and none by mysql_native_password can: "
                                + SessionSecrets.grant(mariaDb, server.text("SELECT CURRENT_USER()"))));
                return;
            }
            Set<String> ours = ours(monitor);
            accounts.removeIf(each -> each.user().isEmpty()
                    || ours.contains(each.user())
                    || each.method().equals("unix_socket"));
            report(accounts, mariaDb);
            if (!mariaDb) {
                userVariables(server, ours);
            }
        } catch (SQLException e) {
            // The check of the primary has reported it.
            findings.add(CheckResult.warning(ACCOUNTS, "accounts cannot be read: " + e.getMessage()));
        }
    }

    private void userVariables(ServerQueries server, Set<String> ours) {
        Set<String> names = new TreeSet<>();
        try {
            server
                    .rows(
                            NO_USER_VARIABLES,
                            row -> new Account(ServerQueries.text(row, 1), ServerQueries.text(row, 2), ""))
                    .stream()
                    .filter(each -> !each.user().isEmpty() && !ours.contains(each.user()))
                    .forEach(each -> names.add(each.name()));
        } catch (SQLException denied) {
            return; // privileges are the monitor's to see only if it may read all of the schema mysql
        }
        if (!names.isEmpty()) {
            findings.add(CheckResult.warning(
                    ACCOUNTS,
                    "sessions of these accounts that have set a user variable are closed: GRANT SELECT ON"
                            + " performance_schema.user_variables_by_thread TO " + some(names)));
        }
    }

    private Set<String> ours(MonitorConfig monitor) {
        Set<String> users = new TreeSet<>(Set.of(monitor.user()));
        failover.accounts().forEach(each -> users.add(each.user()));
        loaded.config().standbys().forEach(each -> users.add(each.user()));
        SwitchoverConfig switchover = loaded.config().switchover();
        PagesConfig pages = loaded.config().pages();
        if (switchover != null) {
            users.add(switchover.user());
        }
        if (pages != null) {
            users.add(pages.user());
        }
        return users;
    }

    private void report(List<Account> accounts, boolean mariaDb) {
        boolean readable = loaded.config().listen().tls().terminates();
        List<Account> rest = new ArrayList<>();
        Set<String> byKey = new TreeSet<>();
        Set<String> byPassword = new TreeSet<>();
        for (Account each : accounts) {
            if (each.method().equals("mysql_native_password")) {
                byKey.add(each.name());
            } else if (readable && sendsPassword(each.method())) {
                byPassword.add(each.name());
            } else {
                rest.add(each);
            }
        }
        names("move by the key of mysql_native_password: ", byKey);
        names("move if their client has TLS, by the password that it sends: ", byPassword);
        rest.stream()
                .limit(MOST)
                .forEach(each -> findings.add(CheckResult.warning(
                        ACCOUNTS,
                        "sessions of " + each.name() + " (" + each.method() + ") are not sure to move: "
                                + remedy(each, mariaDb))));
        if (rest.size() > MOST) {
            findings.add(CheckResult.warning(ACCOUNTS, "and those of " + (rest.size() - MOST) + " further accounts"));
        }
    }

    private boolean sendsPassword(String method) {
        return switch (method) {
            case "caching_sha2_password" -> failover.fullAuthentication();
            case "sha256_password", "pam", "authentication_pam", "authentication_ldap_simple" -> true;
            default -> false;
        };
    }

    private static String remedy(Account account, boolean mariaDb) {
        return mariaDb || TWO_PASSWORDS.contains(account.method())
                ? AccountSql.secondPassword(account.name(), account.method(), mariaDb) + ", and list it in " + ACCOUNTS
                : "MySQL has no second password for this method";
    }

    private void names(String what, Set<String> names) {
        if (!names.isEmpty()) {
            findings.add(CheckResult.ok(ACCOUNTS, "sessions of these accounts " + what + some(names)));
        }
    }

    private static String some(Set<String> names) {
        return names.stream().limit(MOST).collect(Collectors.joining(", "))
                + (names.size() > MOST ? " and " + (names.size() - MOST) + " more" : "");
    }
}
