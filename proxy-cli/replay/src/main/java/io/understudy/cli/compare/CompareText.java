package io.understudy.cli.compare;

import io.understudy.terminal.Table;
import java.util.List;
import java.util.Map;

/** A comparison's report for a terminal: the summary, then every digest that is not alike. */
final class CompareText {
    private static final int SHOWN = 50;

    private CompareText() {}

    static String of(Map<String, Object> view) {
        StringBuilder out = new StringBuilder();
        line(out, "A", ReportRows.text(view, "a"));
        line(out, "B", ReportRows.text(view, "b"));
        line(out, "outcome", ReportRows.text(view, "outcome"));
        line(out, "executed", view.get("executed") + " of " + view.get("events") + " events, twice on each server");
        line(out, "left out", ReportRows.list(view.get("leftOut")));
        if (view.containsKey("clock")) {
            line(out, "clock", ReportRows.OWN_CLOCK);
        }
        line(out, "digests", ReportRows.list(view.get("counts")));
        int shown = 0;
        for (Map<String, Object> row : Table.rows(view, "digests")) {
            if ("alike".equals(row.get("finding"))) {
                continue;
            }
            if (++shown > SHOWN) {
                out.append("\nmore with --json or --html\n");
                break;
            }
            digest(out, row);
        }
        return out.toString();
    }

    private static void digest(StringBuilder out, Map<String, Object> row) {
        out.append('\n').append(row.get("finding")).append("  ").append(row.get("digest"));
        out.append("  ").append(row.get("text")).append('\n');
        line(out, "  results", ReportRows.results(row));
        line(out, "  times", ReportRows.times(row));
        if (row.containsKey("example")) {
            line(out, "  example", ReportRows.text(row, "example"));
        }
        plan(out, "  plan on A", ReportRows.plan(row, "planA"));
        plan(out, "  plan on B", ReportRows.plan(row, "planB"));
    }

    private static void plan(StringBuilder out, String label, List<List<String>> lines) {
        for (List<String> cells : lines) {
            line(out, label, String.join(" | ", cells));
            label = "";
        }
    }

    private static void line(StringBuilder out, String label, String value) {
        out.append(String.format("%-12s %s%n", label, value));
    }
}
