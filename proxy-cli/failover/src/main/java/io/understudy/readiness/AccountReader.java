package io.understudy.readiness;

import io.understudy.base.JsonReader;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.Quoting;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the accounts and their privileges from the grant tables, in a form that two servers share. */
final class AccountReader {
    private static final List<String> MARIADB =
            List.of("db", "tables_priv", "columns_priv", "procs_priv", "roles_mapping");
    private static final List<String> MYSQL =
            List.of("db", "tables_priv", "columns_priv", "procs_priv", "role_edges", "default_roles", "global_grants");

    /** Columns that differ between servers, or that name the account itself. */
    private static final Set<String> LEFT_OUT =
            Set.of("user", "host", "to_user", "to_host", "timestamp", "grantor", "password_last_changed");

    private static final Set<String> LEFT_OUT_OF_JSON = Set.of("version_id");
    private static final Set<String> PRIVILEGES_IN_JSON = Set.of("access", "is_role", "default_role");

    private final ServerQueries session;
    private final boolean mariaDb;
    private final Map<String, AccountShape> accounts = new TreeMap<>();

    AccountReader(ServerQueries session, boolean mariaDb) {
        this.session = session;
        this.mariaDb = mariaDb;
    }

    /** Returns the accounts by their names as statements take them. */
    Map<String, AccountShape> read() throws SQLException {
        if (mariaDb) {
            for (Map<String, String> row : session.named("SELECT User, Host, Priv FROM mysql.global_priv")) {
                json(account(row), row.getOrDefault("priv", "{}"));
            }
        } else {
            for (Map<String, String> row : session.named("SELECT * FROM mysql.user")) {
                user(account(row), row);
            }
        }
        for (String table : mariaDb ? MARIADB : MYSQL) {
            for (Map<String, String> row : session.named("SELECT * FROM mysql." + table)) {
                row(account(row), table, row);
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

    /** Reads MariaDB's form of an account; a key that is missing stands for its default. */
    static void json(AccountShape account, String row) {
        try {
            if (JsonReader.read(row) instanceof Map<?, ?> map) {
                map.forEach((key, value) -> {
                    String name = String.valueOf(key);
                    String text = String.valueOf(value);
                    if (name.equals("access") && value instanceof Number bits) {
                        for (int bit = 0; bit < Long.SIZE; bit++) {
                            if ((bits.longValue() >> bit & 1) == 1) {
                                account.privilege("access " + bit);
                            }
                        }
                    } else if (name.equals("password_last_changed")) {
                        if (isZero(value)) {
                            account.authentication("password_expired", "Y");
                        }
                    } else if (!isDefault(name, value)) {
                        if (PRIVILEGES_IN_JSON.contains(name)) {
                            account.privilege(name + "=" + text);
                        } else if (!LEFT_OUT_OF_JSON.contains(name)) {
                            account.authentication(name, text);
                        }
                    }
                });
            }
        } catch (IOException e) {
            account.authentication("text", row);
        }
    }

    private static boolean isZero(@Nullable Object value) {
        return value instanceof Number number && number.doubleValue() == 0;
    }

    private static boolean isDefault(String name, @Nullable Object value) {
        return name.equals("password_lifetime") // 0: it never expires
                ? value instanceof Number days && days.longValue() == -1
                : value == null || value.equals(false) || value.equals("") || isZero(value);
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

    /**
     * Adds what a row grants, each privilege by itself. One that is not granted is left out, so that a newer version's
     * columns do not count.
     */
    static void row(AccountShape account, String table, Map<String, String> row) {
        TreeSet<String> object = new TreeSet<>();
        TreeSet<String> granted = new TreeSet<>();
        row.forEach((column, value) -> {
            String name = column.toLowerCase(Locale.ROOT);
            if (LEFT_OUT.contains(column) || value.isEmpty() || value.equals("N")) {
                return;
            }
            if (name.endsWith("_priv") || name.endsWith("_option")) {
                for (String each : value.split(",")) {
                    granted.add(name + "=" + each);
                }
            } else {
                object.add(name + "=" + value);
            }
        });
        account.privilege(table + " " + object);
        granted.forEach(each -> account.privilege(table + " " + object + " " + each));
    }

    /** An account as the grant tables have it, without values that always differ between servers, such as times. */
    static final class AccountShape {
        private final Map<String, String> authentication = new TreeMap<>();
        private final Set<String> privileges = new TreeSet<>();

        /** Adds a property of the login: password hash, plugin, lock, TLS requirement. Never shown. */
        void authentication(String key, String value) {
            authentication.put(key, value);
        }

        void privilege(String line) {
            privileges.add(line);
        }

        /**
         * Returns whether a client of this account, on the primary, is refused something by the other, on the standby.
         * What the other has in addition refuses nothing.
         */
        boolean isRefusedBy(AccountShape other) {
            Set<String> keys = new TreeSet<>(authentication.keySet());
            keys.addAll(other.authentication.keySet());
            return !other.privileges.containsAll(privileges)
                    || keys.stream()
                            .anyMatch(key -> isStricter(
                                    key,
                                    authentication.getOrDefault(key, ""),
                                    other.authentication.getOrDefault(key, "")));
        }

        private static boolean isStricter(String key, String here, String there) {
            if (here.equals(there)) {
                return false;
            }
            return switch (key) {
                case "account_locked", "password_expired" -> there.equals("true") || there.equals("Y");
                case "max_questions", "max_updates", "max_connections", "max_user_connections", "max_statement_time" ->
                    limit(there) < limit(here);
                default -> true;
            };
        }

        /** 0 and a missing value stand for no limit; a negative one lets nobody in. */
        private static double limit(String value) {
            double number = value.isEmpty() ? 0 : Double.parseDouble(value);
            return number == 0 ? Double.MAX_VALUE : number;
        }

        boolean hasMoreThan(AccountShape other) {
            return !other.privileges.containsAll(privileges);
        }

        /** Returns what differs, in words, or an empty text. Names no hash. */
        String difference(AccountShape other) {
            boolean login = !authentication.equals(other.authentication);
            boolean grants = !privileges.equals(other.privileges);
            if (login && grants) {
                return "its password or login settings and its privileges";
            }
            return login ? "its password or login settings" : grants ? "its privileges" : "";
        }
    }
}
