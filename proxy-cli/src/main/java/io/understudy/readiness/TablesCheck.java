package io.understudy.readiness;

import io.understudy.pages.ServerQueries;
import io.understudy.pages.TableOrPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Tables that only one of the servers has. */
final class TablesCheck implements Check.OfRound {
    private static final String NAME = "tables";
    private static final int SHOWN = 20;

    @Override
    public List<Finding> findings(Situation.Round round, Situation situation) {
        if (!round.standby().responded() || !round.primary().responded()) {
            return List.of();
        }
        TableNames here = round.standby().tables().value();
        TableNames there = round.primary().tables().value();
        if (here == null || there == null) {
            Known<TableNames> missing =
                    here == null ? round.standby().tables() : round.primary().tables();
            return List.of(Finding.unknown(
                    NAME,
                    "privilege",
                    "the tables of the " + (here == null ? "standby" : "primary") + " cannot be read: "
                            + missing.reason(),
                    "a table that it lacks is gone after the promotion",
                    missing.statement()));
        }
        if (here.onlyInnoDb() != there.onlyInnoDb()) {
            return List.of(Finding.unknown(
                    NAME,
                    "privilege",
                    "the tables cannot be compared: the account has SELECT ON *.* on one server only",
                    "a table that it lacks is gone after the promotion",
                    "on the primary: GRANT SELECT ON *.* TO the account of primary.monitor, or PROCESS alone on both"));
        }
        List<Finding> findings = new ArrayList<>();
        // A list that was cut off cannot tell that a table is missing.
        if (here.complete()) {
            for (String group : only(there.names(), here.names())) {
                findings.add(Finding.warns(
                        NAME,
                        "missing " + group,
                        "only the primary has " + group,
                        "it is gone after the promotion",
                        there.views().contains(group)
                                ? "on the primary: SHOW CREATE VIEW " + quoted(group)
                                        + "; run the result on the standby after SET SESSION sql_log_bin = 0"
                                : "copy it with mariadb-dump or mysqldump --single-transaction, with sql_log_bin = 0 on"
                                        + " the standby"));
            }
        }
        if (there.complete()) {
            for (String group : only(here.names(), there.names())) {
                findings.add(Finding.warns(
                        NAME,
                        "more " + group,
                        "only the standby has " + group,
                        "a CREATE TABLE of the same name fails after the promotion, or the table was dropped on the"
                                + " primary",
                        isOne(here, group)
                                ? "on the standby, if nobody needs it: SET SESSION sql_log_bin = 0; DROP "
                                        + (here.views().contains(group) ? "VIEW " : "TABLE ") + quoted(group)
                                : ""));
            }
        }
        if (!there.complete() || !here.complete()) {
            findings.add(Finding.unknown(
                    NAME,
                    "many",
                    "there are more tables than are compared (" + here.names().size() + ")",
                    "a table that it lacks is gone after the promotion",
                    ""));
        }
        return findings;
    }

    /** Returns whether a group is one table, and not all beyond a number. */
    private static boolean isOne(TableNames server, String group) {
        return server.names().contains(group);
    }

    private static String quoted(String name) {
        TableOrPartition table = TableOrPartition.written(name);
        return table == null ? name : ServerQueries.name(table.schema()) + "." + ServerQueries.name(table.table());
    }

    /** Returns each name of {@code all} that is not in {@code others}; beyond a number all the rest as one. */
    private static List<String> only(Set<String> all, Set<String> others) {
        TreeSet<String> left = new TreeSet<>(all);
        left.removeAll(others);
        List<String> shown = left.stream().limit(SHOWN).collect(Collectors.toCollection(ArrayList::new));
        if (left.size() > SHOWN) {
            shown.add((left.size() - SHOWN) + " more tables");
        }
        return shown;
    }
}
