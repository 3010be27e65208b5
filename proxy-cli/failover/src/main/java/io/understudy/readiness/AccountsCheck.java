package io.understudy.readiness;

import io.understudy.readiness.AccountReader.AccountShape;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Accounts that only one of the servers has, or that differ. */
final class AccountsCheck {
    private static final int SHOWN = 20;
    /** Accounts that an installation creates, with its own passwords. */
    private static final Set<String> OF_THE_INSTALLATION = Set.of(
            "root", "mysql", "mariadb.sys", "mysql.sys", "mysql.session", "mysql.infoschema", "debian-sys-maint", "");

    private AccountsCheck() {}

    static void find(Findings found) {
        String why = "an account that it lacks cannot log in after the promotion";
        found.compare(ServerFacts.ACCOUNTS, "accounts", why, (here, there) -> {
            TreeSet<String> all = new TreeSet<>(here.keySet());
            all.addAll(there.keySet());
            Set<String> local = found.situation().localAccounts();
            all.removeIf(account -> local.contains(user(account)) || isOfTheInstallation(account));
            all.forEach(account -> compare(account, here.get(account), there.get(account), found));
            found.keep(SHOWN);
        });
    }

    private static void compare(
            String account, @Nullable AccountShape standby, @Nullable AccountShape primary, Findings found) {
        if (standby == null) {
            found.blocks(
                    account,
                    "only the primary has the account " + account,
                    "it cannot log in after the promotion",
                    copy(account, found, isRole(account, found) ? create(account) : "", ""));
        } else if (primary == null) {
            found.warns(
                    account,
                    "only the standby has the account " + account,
                    "after the promotion it can log in to the primary",
                    "on the standby, if nobody needs it: "
                            + found.standby()
                                    .unlogged((isRole(account, found) ? "DROP ROLE " : "DROP USER ") + account));
        } else if (!primary.difference(standby).isEmpty()) {
            boolean less = primary.isRefusedBy(standby);
            found.either(
                    less,
                    account,
                    "the account " + account + " differs in " + primary.difference(standby),
                    less
                            ? "it may not be able to log in, or can do less, after the promotion"
                            : "it can do more after the promotion",
                    replace(account, standby, primary, found));
        }
    }

    /** Returns how an account that both have becomes the primary's, with no privilege or setting beside that. */
    private static String replace(String account, AccountShape standby, AccountShape primary, Findings found) {
        if (isRole(account, found)) {
            return copy(account, found, "REVOKE ALL PRIVILEGES, GRANT OPTION FROM " + account + "; ", "");
        }
        if (found.standby().isMariaDb()) {
            // ALTER USER would keep its lock and limits, which the primary's SHOW CREATE USER does not mention.
            return copy(account, found, "", ", with CREATE OR REPLACE USER in place of CREATE USER");
        }
        // Which cannot contain DEFAULT ROLE.
        return copy(
                account,
                found,
                "",
                ", with ALTER USER in place of CREATE USER, and DEFAULT ROLE, if it has that, after the GRANTs in an"
                        + " ALTER USER of its own"
                        + (standby.hasMoreThan(primary)
                                ? "; REVOKE what SHOW GRANTS FOR " + account + " shows on the standby alone"
                                : ""));
    }

    private static String copy(String account, Findings found, String before, String how) {
        boolean role = isRole(account, found);
        // MySQL's hashes have control bytes, which a terminal spoils.
        String hex = found.primary().hasVariable("print_identified_with_as_hex")
                ? "SET SESSION print_identified_with_as_hex = 1; "
                : "";
        return "on the primary: " + (role ? "" : hex + "SHOW CREATE USER " + account + "; ") + "SHOW GRANTS FOR "
                + account + "; on the standby: "
                + found.standby().unlogged(before + (role ? "what it shows" : "what both show") + how);
    }

    private static String create(String account) {
        // Everybody's privileges, for which nothing is created.
        return account.equals("'PUBLIC'") ? "" : "CREATE ROLE " + account + "; ";
    }

    /** A role of MariaDB has no host, and no SHOW CREATE USER. */
    private static boolean isRole(String account, Findings found) {
        return found.primary().isMariaDb() && !account.contains("'@'");
    }

    private static String user(String account) {
        int end = account.indexOf("'@'");
        return account.substring(1, end < 0 ? account.length() - 1 : end).replace("''", "'");
    }

    private static boolean isOfTheInstallation(String account) {
        return OF_THE_INSTALLATION.contains(user(account)) && !account.endsWith("@'%'");
    }
}
