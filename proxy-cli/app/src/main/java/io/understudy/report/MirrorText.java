package io.understudy.report;

import io.understudy.terminal.Table;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Formats {@code report mirror} as text: what is mirrored where, what is not, and how cold the standbys are. */
public final class MirrorText {
    private static final int ROWS = 10;

    private MirrorText() {}

    /**
     * Returns the report as text.
     *
     * @param view the response of {@code /api/mirror}
     */
    public static String of(Map<String, Object> view) {
        Table out = new Table();
        out.line("%-24s %10s %-10s %12s", "rule", "sample", "by", "statements");
        for (Map<String, Object> rule : Table.rows(view, "rules")) {
            out.line(
                    "%-24s %10s %-10s %12d%s",
                    rule.get("rule"),
                    rule.get("sample"),
                    rule.get("by"),
                    Table.whole(rule, "hits"),
                    Table.whole(rule, "patternAborts") == 0
                            ? ""
                            : "  (its pattern took too long " + rule.get("patternAborts") + " times)");
        }
        Table.rows(view, "standbys").forEach(standby -> standby(out, standby));
        out.line("");
        String skipped = Table.counts(Table.map(view, "skipped"));
        out.line("Not mirrored, by reason: %s", skipped.isEmpty() ? "none" : skipped);
        slower(out, Table.rows(view, "slowerOnStandby"));
        verify(out, Table.map(view, "verify"));
        return out.text();
    }

    private static void standby(Table out, Map<String, Object> standby) {
        out.line("");
        out.line(
                "%s: %s, %d connections, %d statements wait",
                standby.get("standby"),
                String.valueOf(standby.get("state")).replace('_', ' '),
                Table.whole(standby, "connections"),
                Table.whole(standby, "waitingStatements"));
        String executed = Table.counts(Table.map(standby, "executed"));
        out.line("  executed: %s", executed.isEmpty() ? "none" : executed);
        String dropped = Table.counts(Table.map(standby, "dropped"));
        out.line("  dropped: %s", dropped.isEmpty() ? "none" : dropped);
        warmth(out, Table.map(standby, "warmth"));
        Map<String, Object> adaptive = Table.map(standby, "adaptive");
        if (!adaptive.isEmpty()) {
            out.line("  adaptive sample: %s (%s)", adaptive.get("sample"), adaptive.get("reason"));
        }
        Map<String, Object> cold = Table.map(standby, "cold");
        for (Map<String, Object> row : head(Table.rows(cold, "tables"), 5)) {
            Object estimate = row.get("estimate");
            if (estimate != null) {
                out.line("  cold: %s, %s pages a statement", row.get("table"), estimate);
            }
        }
        for (Map<String, Object> error : head(Table.rows(standby, "lastErrors"), 3)) {
            out.line(
                    "  error: %s",
                    error.values().stream()
                            .map(String::valueOf)
                            .reduce((a, b) -> a + " " + b)
                            .orElse(""));
        }
        Object problem = Table.map(standby, "tables").get("problem");
        if (problem != null) {
            out.line("  tables are not known: %s", problem);
        }
    }

    private static void warmth(Table out, Map<String, Object> warmth) {
        if (warmth.isEmpty()) {
            return;
        }
        if (!"known".equals(warmth.get("state")) || !(warmth.get("warmth") instanceof Number share)) {
            out.line("  warmth: not known: %s", warmth.getOrDefault("why", warmth.getOrDefault("state", "no figures")));
            return;
        }
        Map<String, Object> excess = Table.map(warmth, "excessPages");
        out.line(
                "  warmth: %.0f%% of the way from a restart to the primary; %s pages a statement (%s to %s) more than"
                        + " the primary reads from disk",
                100 * share.doubleValue(), excess.get("estimate"), excess.get("low"), excess.get("high"));
        Map<String, Object> forecast = Table.map(warmth, "forecast");
        Object until = forecast.get("secondsUntilWarm");
        if (until != null && !isZero(until)) {
            out.line("  warm in %s at the present rate of mirroring", seconds(until));
        }
        Object reads = forecast.get("extraReadsFirstMinute");
        if (reads != null) {
            Object over = forecast.get("secondsOverCapacity");
            out.line(
                    "  if it took over now: %s page reads more in the first minute%s",
                    reads,
                    over == null
                            ? ""
                            : isZero(over) ? ", its disk keeps up" : ", its disk over capacity for " + seconds(over));
        }
    }

    private static boolean isZero(Object value) {
        return value instanceof Number number && number.doubleValue() == 0;
    }

    /** Returns a time of the forecast, which is a number or words such as "more than a day". */
    private static String seconds(Object value) {
        return value instanceof Number number
                ? String.format(Locale.ROOT, "about %.0f s", number.doubleValue())
                : String.valueOf(value);
    }

    private static void slower(Table out, List<Map<String, Object>> rows) {
        if (rows.isEmpty()) {
            return;
        }
        out.line("");
        out.line("%16s %9s %12s %12s %8s", "digest", "count", "primary", "standby", "ratio");
        for (Map<String, Object> row : head(rows, ROWS)) {
            out.line(
                    "%16s %9d %9.2f ms %9.2f ms %8.2f",
                    row.get("digest"),
                    Table.whole(row, "count"),
                    Table.number(row, "primaryMicros") / 1000,
                    Table.number(row, "standbyMicros") / 1000,
                    Table.number(row, "ratio"));
        }
    }

    private static void verify(Table out, Map<String, Object> verify) {
        if (verify.isEmpty()) {
            return;
        }
        String counts = Table.counts(Table.map(verify, "counts"));
        out.line("");
        out.line("Verified: %s", counts.isEmpty() ? "none yet" : counts);
        for (Map<String, Object> difference : head(Table.rows(verify, "differences"), ROWS)) {
            out.line(
                    "  different: %s",
                    difference.values().stream()
                            .filter(Objects::nonNull)
                            .map(String::valueOf)
                            .reduce((a, b) -> a + " " + b)
                            .orElse(""));
        }
    }

    private static List<Map<String, Object>> head(List<Map<String, Object>> rows, int most) {
        return rows.subList(0, Math.min(most, rows.size()));
    }
}
