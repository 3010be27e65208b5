package io.understudy.readiness;

import java.util.Comparator;
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
            // What blocks is not hidden by what warns.
            found.all().sort(Comparator.comparing(Finding::severity));
            found.keep(SHOWN);
        });
    }

    private static void compare(
            String account, @Nullable AccountShape standby, @Nullable AccountShape primary, Findings found) {
        String unlogged = found.standby().writable();
        String copy = "on the primary: SHOW CREATE USER " + account + "; SHOW GRANTS FOR " + account
                + "; run both results on the standby after " + unlogged;
        if (standby == null) {
            found.blocks(
                    account,
                    "only the primary has the account " + account,
                    "it cannot log in after the promotion",
                    copy);
        } else if (primary == null) {
            found.warns(
                    account,
                    "only the standby has the account " + account,
                    "after the promotion it can log in to the primary",
                    "on the standby, if nobody needs it: " + unlogged + "; DROP USER " + account);
        } else if (!primary.difference(standby).isEmpty()) {
            boolean less = primary.isRefusedBy(standby);
            found.either(
                    less,
                    account,
                    "the account " + account + " differs in " + primary.difference(standby),
                    less
                            ? "it cannot log in, or can do less, after the promotion"
                            : "it can do more after the promotion",
                    copy);
        }
    }

    private static String user(String account) {
        int end = account.indexOf("'@'");
        return account.substring(1, end < 0 ? account.length() - 1 : end).replace("''", "'");
    }

    private static boolean isOfTheInstallation(String account) {
        return OF_THE_INSTALLATION.contains(user(account)) && !account.endsWith("@'%'");
    }
}
