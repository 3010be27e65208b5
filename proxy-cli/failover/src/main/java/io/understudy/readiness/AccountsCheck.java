package io.understudy.readiness;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Accounts that only one of the servers has, or that differ. */
final class AccountsCheck implements Check.OfRound {
    private static final Findings FOUND = new Findings("accounts");
    private static final int SHOWN = 20;
    /** Accounts that an installation creates, with its own passwords. */
    private static final Set<String> OF_THE_INSTALLATION = Set.of(
            "root", "mysql", "mariadb.sys", "mysql.sys", "mysql.session", "mysql.infoschema", "debian-sys-maint", "");

    @Override
    public List<Finding> findings(Situation.Round round, Situation situation) {
        ServerFacts standby = round.standby();
        ServerFacts primary = round.primary();
        if (!standby.responded() || !primary.responded() || standby.isMariaDb() != primary.isMariaDb()) {
            return List.of();
        }
        Map<String, AccountShape> here = standby.get(ServerFacts.ACCOUNTS).value();
        Map<String, AccountShape> there = primary.get(ServerFacts.ACCOUNTS).value();
        if (here == null || there == null) {
            Known<?> missing = here == null ? standby.get(ServerFacts.ACCOUNTS) : primary.get(ServerFacts.ACCOUNTS);
            return List.of(FOUND.unread(
                    "privilege",
                    "accounts",
                    here == null,
                    missing,
                    "an account that it lacks cannot log in after the promotion"));
        }
        List<Finding> findings = new ArrayList<>();
        TreeSet<String> all = new TreeSet<>(here.keySet());
        all.addAll(there.keySet());
        all.removeIf(account -> situation.localAccounts().contains(user(account)) || isOfTheInstallation(account));
        for (String account : all) {
            Finding finding =
                    compare(account, here, there, standby.isMariaDb() ? "" : "SET GLOBAL super_read_only = 0; ");
            if (finding != null) {
                findings.add(finding);
            }
        }
        // What blocks is not hidden by what warns.
        return findings.stream()
                .sorted(Comparator.comparing(Finding::severity))
                .limit(SHOWN)
                .toList();
    }

    private static @Nullable Finding compare(
            String account, Map<String, AccountShape> here, Map<String, AccountShape> there, String writable) {
        AccountShape standby = here.get(account);
        AccountShape primary = there.get(account);
        String copy = "on the primary: SHOW CREATE USER " + account + "; SHOW GRANTS FOR " + account
                + "; run both results on the standby after " + writable + "SET SESSION sql_log_bin = 0";
        if (standby == null) {
            return FOUND.blocks(
                    account,
                    "only the primary has the account " + account,
                    "it cannot log in after the promotion",
                    copy);
        }
        if (primary == null) {
            return FOUND.warns(
                    account,
                    "only the standby has the account " + account,
                    "after the promotion it can log in to the primary",
                    "on the standby, if nobody needs it: " + writable + "SET SESSION sql_log_bin = 0; DROP USER "
                            + account);
        }
        String difference = primary.difference(standby);
        if (difference.isEmpty()) {
            return null;
        }
        String what = "the account " + account + " differs in " + difference;
        return primary.isRefusedBy(standby)
                ? FOUND.blocks(account, what, "it cannot log in, or can do less, after the promotion", copy)
                : FOUND.warns(account, what, "it can do more after the promotion", copy);
    }

    private static String user(String account) {
        int end = account.indexOf("'@'");
        return account.substring(1, end < 0 ? account.length() - 1 : end).replace("''", "'");
    }

    private static boolean isOfTheInstallation(String account) {
        return OF_THE_INSTALLATION.contains(user(account)) && !account.endsWith("@'%'");
    }
}
