package io.understudy.readiness;

import java.util.Set;
import java.util.TreeSet;

/** Prepared XA transactions, which only their coordinator ends. */
final class XaCheck {
    private static final int SHOWN = 10;
    private static final String END = "let its coordinator end it; else there: XA RECOVER; XA COMMIT or XA ROLLBACK";

    private XaCheck() {}

    static void find(Findings found) {
        Known<Set<String>> standby = found.standby().get(ServerFacts.PREPARED);
        Known<Set<String>> primary = found.primary().get(ServerFacts.PREPARED);
        Set<String> here = standby.value();
        Set<String> there = primary.value();
        if (here == null || found.primary().responded() && there == null) {
            found.unread(
                    "privilege",
                    "prepared XA transactions",
                    here == null,
                    here == null ? standby : primary,
                    "their rows stay locked, or are lost, after the promotion");
        }
        if (here == null) {
            return;
        }
        TreeSet<String> all = new TreeSet<>(here);
        all.addAll(there == null ? Set.of() : there);
        for (String name : all.stream().limit(SHOWN).toList()) {
            String what = "the XA transaction '" + name + "' is prepared";
            if (!here.contains(name)) {
                found.blocks(
                        "primary " + name,
                        what + " on the primary alone",
                        "after the promotion nobody can commit it: its rows are lost",
                        END);
            } else if (there != null && !there.contains(name)) {
                found.blocks(
                        "standby " + name,
                        what + " on the standby alone",
                        "its rows stay locked there, and are not the primary's if somebody commits it",
                        END);
            } else {
                found.warns(
                        "both " + name,
                        what,
                        "its rows stay locked after the promotion until somebody ends it on the new primary",
                        END);
            }
        }
    }
}
