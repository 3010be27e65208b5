package io.understudy.cli.compare;

import io.understudy.terminal.Table;
import java.util.List;
import java.util.Map;

/** A comparison's report as one page without scripts or other files. */
final class CompareHtml {
    private static final String HEAD = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>Understudy: comparison</title>
            <meta name="viewport" content="width=device-width">
            <style>
            body{font:15px/1.4 system-ui,sans-serif;margin:2em auto;max-width:75em;padding:0 1em;color:#222}
            code,pre{font:13px/1.4 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
            table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ddd;padding:.4em;text-align:left;
            vertical-align:top}.different{color:#a11}.slower{color:#a60}.faster{color:#171}
            @media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}td,th{border-color:#444}
            .different{color:#f77}.slower{color:#fb5}.faster{color:#7d7}}
            </style></head><body>
            """;

    private CompareHtml() {}

    static String of(Map<String, Object> view) {
        StringBuilder out = new StringBuilder(HEAD);
        String outcome = ReportRows.text(view, "outcome");
        out.append("<h1 class=\"").append(outcome).append("\">").append(outcome).append("</h1>\n<table>\n");
        pair(out, "A", ReportRows.text(view, "a"));
        pair(out, "B", ReportRows.text(view, "b"));
        pair(out, "executed", view.get("executed") + " of " + view.get("events") + " events, twice on each server");
        pair(out, "left out", ReportRows.list(view.get("leftOut")));
        pair(out, "digests", ReportRows.list(view.get("counts")));
        if (view.containsKey("clock")) {
            pair(out, "clock", ReportRows.OWN_CLOCK);
        }
        if (view.containsKey("stopped")) {
            pair(out, "stopped", ReportRows.text(view, "stopped"));
        }
        out.append("</table>\n<table>\n<tr><th>finding<th>statement<th>results<th>times</tr>\n");
        for (Map<String, Object> row : Table.rows(view, "digests")) {
            digest(out, row);
        }
        return out.append("</table>\n</body></html>\n").toString();
    }

    private static void digest(StringBuilder out, Map<String, Object> row) {
        String finding = ReportRows.text(row, "finding");
        out.append("<tr><td class=\"").append(finding).append("\">").append(finding);
        out.append("<td><code>").append(escape(ReportRows.text(row, "text"))).append("</code><br><small>");
        out.append(escape(ReportRows.text(row, "digest"))).append("</small>");
        if (row.containsKey("example")) {
            out.append("<pre>").append(escape(ReportRows.text(row, "example"))).append("</pre>");
        }
        plan(out, "A", ReportRows.plan(row, "planA"));
        plan(out, "B", ReportRows.plan(row, "planB"));
        out.append("<td>").append(escape(ReportRows.results(row)));
        out.append("<td>").append(escape(ReportRows.times(row))).append("</tr>\n");
    }

    private static void plan(StringBuilder out, String server, List<List<String>> lines) {
        if (lines.isEmpty()) {
            return;
        }
        out.append("<details open><summary>plan on ").append(server).append("</summary><table>");
        for (List<String> cells : lines) {
            out.append("<tr>");
            cells.forEach(cell -> out.append("<td>").append(escape(cell)));
            out.append("</tr>");
        }
        out.append("</table></details>");
    }

    private static void pair(StringBuilder out, String label, String value) {
        out.append("<tr><th>")
                .append(label)
                .append("<td>")
                .append(escape(value))
                .append("</tr>\n");
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
