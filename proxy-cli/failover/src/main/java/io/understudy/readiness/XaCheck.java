package io.understudy.readiness;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Prepared XA transactions, which only their coordinator ends. */
final class XaCheck implements Check.OfRound {
    private static final Findings FOUND = new Findings("xa");
    private static final int SHOWN = 10;
    private static final String END = "let its coordinator end it; else there: XA RECOVER; XA COMMIT or XA ROLLBACK";

    @Override
    public List<Finding> findings(Situation.Round round, Situation situation) {
        ServerFacts standby = round.standby();
        ServerFacts primary = round.primary();
        if (!standby.responded()) {
            return List.of();
        }
        Set<String> here = standby.get(ServerFacts.PREPARED).value();
        Set<String> there = primary.get(ServerFacts.PREPARED).value();
        List<Finding> findings = new ArrayList<>();
        if (here == null || primary.responded() && there == null) {
            Known<?> unread = here == null ? standby.get(ServerFacts.PREPARED) : primary.get(ServerFacts.PREPARED);
            findings.add(FOUND.unread(
                    "privilege",
                    "prepared XA transactions",
                    here == null,
                    unread,
                    "their rows stay locked, or are lost, after the promotion"));
        }
        if (here == null || there == null) {
            if (here != null) {
                here.stream().limit(SHOWN).forEach(name -> findings.add(onBoth(name)));
            }
            return findings;
        }
        TreeSet<String> all = new TreeSet<>(here);
        all.addAll(there);
        all.stream()
                .limit(SHOWN)
                .forEach(name -> findings.add(
                        !here.contains(name) ? lost(name) : !there.contains(name) ? more(name) : onBoth(name)));
        return findings;
    }

    private static Finding lost(String name) {
        return FOUND.blocks(
                "primary " + name,
                "the XA transaction '" + name + "' is prepared on the primary alone",
                "after the promotion nobody can commit it: its rows are lost",
                END);
    }

    private static Finding more(String name) {
        return FOUND.blocks(
                "standby " + name,
                "the XA transaction '" + name + "' is prepared on the standby alone",
                "its rows stay locked there, and are not the primary's if somebody commits it",
                END);
    }

    private static Finding onBoth(String name) {
        return FOUND.warns(
                "both " + name,
                "the XA transaction '" + name + "' is prepared",
                "its rows stay locked after the promotion until somebody ends it on the new primary",
                END);
    }
}
