package io.understudy.report;

import io.understudy.terminal.Table;
import java.util.LinkedHashMap;
import java.util.Map;

/** Formats {@code /api/domains} as text for {@code report domains}. */
public final class DomainsText {
    private DomainsText() {}

    /**
     * Returns the report as text.
     *
     * @param view the response of {@code /api/domains}
     */
    public static String of(Map<String, Object> view) {
        Table out = new Table();
        boolean advise = "advise".equals(view.get("mode"));
        out.line(
                "gtid-domain: mode %s, guard %s, default domain %s",
                view.get("mode"), view.get("guard"), view.get("defaultDomain"));
        if (view.get("nothingTagged") instanceof String why) {
            out.line("Nothing is tagged: %s", why);
        }
        window(out, Table.map(view, "window"), advise);
        conflicts(out, view);
        guard(out, Table.map(view, "guardState"));
        standbys(out, view);
        return out.text();
    }

    private static void window(Table out, Map<String, Object> window, boolean advise) {
        out.line("");
        out.line(
                "Last %s s: %s writes, %.1f %% %s independent of the default domain",
                window.get("seconds"),
                window.get("writes"),
                100 * Table.number(window, "independentShare"),
                advise ? "would be" : "were");
        for (Map<String, Object> rule : Table.rows(window, "rules")) {
            out.line("  rule %s (domain %s)", rule.get("name"), rule.get("wants"));
            if (Table.rows(rule, "domains").isEmpty()) {
                out.line("    nothing matched");
            }
            for (Map<String, Object> domain : Table.rows(rule, "domains")) {
                Map<String, Object> outcomes = new LinkedHashMap<>(domain);
                Object name = outcomes.remove("domain");
                out.line("    %s domain %-10s %s", advise ? "would go to" : "went to", name, outcomes);
            }
        }
        out.line(
                "  tables whose writes %s: %s",
                advise ? "would want two domains" : "wanted two domains",
                Table.rows(window, "tablesWrittenFromTwoDomains").isEmpty() ? "none" : "");
        for (Map<String, Object> table : Table.rows(window, "tablesWrittenFromTwoDomains")) {
            out.line("    %-40s domains %s", table.get("table"), table.get("domains"));
        }
    }

    private static void conflicts(Table out, Map<String, Object> view) {
        out.line("");
        out.line("Conflicts since the start");
        Map<String, Object> conflicts = Table.map(view, "conflicts");
        conflicts.forEach((kind, count) -> {
            if (!(count instanceof Number number) || number.longValue() > 0) {
                out.line(
                        "  %-20s %12s%s",
                        kind, count, kind.equals("pinned") ? "  (harmless)" : "  A REPLICA MAY SUFFER");
            }
        });
        if (conflicts.values().stream().allMatch(count -> count instanceof Number number && number.longValue() == 0)) {
            out.line("  none");
        }
    }

    private static void guard(Table out, Map<String, Object> state) {
        out.line("");
        out.line("Guard");
        state.forEach((key, value) -> {
            if (!"".equals(value)) {
                out.line("  %-20s %s", key, value);
            }
        });
    }

    private static void standbys(Table out, Map<String, Object> view) {
        out.line("");
        out.line("Standbys");
        for (Map<String, Object> row : Table.rows(view, "standbys")) {
            if (Boolean.TRUE.equals(row.get("known"))) {
                out.line(
                        "  %-20s domain %-10s %8d transactions, %.2f s behind",
                        row.get("standby"),
                        row.get("domain"),
                        Table.whole(row, "lagTransactions"),
                        Table.number(row, "lagSeconds"));
            } else {
                out.line("  %-20s domain %-10s position not known", row.get("standby"), row.get("domain"));
            }
        }
        for (Map<String, Object> row : Table.rows(view, "applierErrors")) {
            out.line(
                    "  %-20s %s",
                    row.get("standby"),
                    row.containsKey("unknown")
                            ? row.get("unknown")
                            : "STOPPED with " + row.get("errno") + " on "
                                    + ("".equals(row.get("table"))
                                            ? "a table that is not told"
                                            : row.get("table") + ", written in the domains "
                                                    + row.get("domainsThatWroteIt")));
        }
    }
}
