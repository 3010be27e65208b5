package io.understudy.report;

import io.understudy.terminal.Table;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Formats {@code /api/failover} as text for {@code report failover}. */
public final class FailoverText {
    private static final int DIGESTS = 20;
    private static final int TEXT = 60;

    private FailoverText() {}

    /**
     * Returns the report as text.
     *
     * @param view the response of {@code /api/failover}
     */
    public static String of(Map<String, Object> view) {
        Table out = new Table();
        List<Map<String, Object>> changes = Table.rows(view, "changes");
        if (changes.isEmpty()) {
            out.line("The primary is %s and has not changed since the proxy's start.", view.get("primary"));
        }
        boolean first = true;
        for (Map<String, Object> change : changes) {
            if (!first) {
                out.line("");
            }
            first = false;
            change(out, change);
        }
        return out.text();
    }

    private static void change(Table out, Map<String, Object> change) {
        out.line(
                "%s: from %s to %s (%s)", change.get("at"), change.get("from"), change.get("to"), change.get("reason"));
        if (change.get("unreachableSecondsBefore") instanceof Number away) {
            out.line("  the old primary did not respond for %.1f s before", away.doubleValue());
        }
        out.line("  %s", steady(change));
        Map<String, Object> errors = Table.map(change, "errors");
        out.line("  sessions ended and logins refused: %s", errors.isEmpty() ? "none" : words(errors));
        out.line(
                "  latencies in the %.0f s before, and the %.0f s after:",
                Table.number(change, "secondsBefore"), Table.number(change, "secondsAfter"));
        out.line("  %-18s %9s %9s %9s   %9s %9s %9s", "kind", "count", "p50 ms", "p95 ms", "count", "p50 ms", "p95 ms");
        for (Map<String, Object> row : Table.rows(change, "kinds")) {
            Map<String, Object> before = Table.map(row, "before");
            Map<String, Object> after = Table.map(row, "after");
            out.line(
                    "  %-18s %9s %9s %9s   %9s %9s %9s",
                    row.get("kind"),
                    Table.whole(before, "count"),
                    millis(before, "p50Seconds"),
                    millis(before, "p95Seconds"),
                    Table.whole(after, "count"),
                    millis(after, "p50Seconds"),
                    millis(after, "p95Seconds"));
        }
        digests(out, change);
    }

    private static void digests(Table out, Map<String, Object> change) {
        List<Map<String, Object>> rows = Table.rows(change, "digests");
        if (change.get("digests") == null) {
            out.line("  latencies of digests: configure the plugin query-log");
            return;
        }
        out.line(
                "  %-18s %9s %9s %9s   %9s %9s %9s",
                "digest", "count", "mean ms", "errors", "count", "mean ms", "errors");
        for (Map<String, Object> row : rows.subList(0, Math.min(rows.size(), DIGESTS))) {
            Map<String, Object> before = Table.map(row, "before");
            Map<String, Object> after = Table.map(row, "after");
            out.line(
                    "  %-18s %9s %9s %9s   %9s %9s %9s  %s",
                    row.get("digest"),
                    Table.whole(before, "count"),
                    millis(before, "meanSeconds"),
                    Table.whole(before, "errors"),
                    Table.whole(after, "count"),
                    millis(after, "meanSeconds"),
                    Table.whole(after, "errors"),
                    text(row));
        }
        if (rows.size() > DIGESTS) {
            out.line("  … --json lists up to 100");
        }
    }

    private static String text(Map<String, Object> row) {
        String text = row.get("text") instanceof String known ? known : String.valueOf(row.get("kind"));
        return text.length() <= TEXT ? text : text.substring(0, TEXT) + "…";
    }

    private static String steady(Map<String, Object> change) {
        return switch (String.valueOf(change.get("steady"))) {
            case "yes" ->
                String.format(
                        Locale.ROOT,
                        "steady %.1f s after it (%.0f commands a second before)",
                        Table.number(change, "steadyAfterSeconds"),
                        Table.number(change, "commandsPerSecondBefore"));
            case "no" -> "not steady again until the next change, or within 10 minutes";
            case "clients_stopped" -> "the clients have stopped sending commands, so there is nothing to compare";
            case "no_load_before" -> "there was no load before it to compare with";
            default -> "not steady yet";
        };
    }

    private static String words(Map<String, Object> errors) {
        StringBuilder words = new StringBuilder();
        errors.forEach((reason, count) -> words.append(words.length() == 0 ? "" : ", ")
                .append(reason)
                .append(' ')
                .append(count));
        return words.toString();
    }

    private static String millis(Map<String, Object> from, String key) {
        return from.get(key) instanceof Number number
                ? String.format(Locale.ROOT, "%.2f", number.doubleValue() * 1e3)
                : "-";
    }
}
