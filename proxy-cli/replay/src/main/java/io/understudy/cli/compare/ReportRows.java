package io.understudy.cli.compare;

import io.understudy.terminal.Table;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Reads the view of a comparison's report. */
final class ReportRows {
    static final String OWN_CLOCK = "each server's own: one refuses SET timestamp, so NOW() differs by itself";

    private static final double MILLIS = 1000;
    private static final double TINY = 1e-6;

    private ReportRows() {}

    /** Returns a map's entries as {@code name value, …}, or "none". */
    static String list(@Nullable Object map) {
        StringJoiner out = new StringJoiner(", ").setEmptyValue("none");
        if (map instanceof Map<?, ?> entries) {
            entries.forEach((name, value) -> out.add(name + " " + value));
        }
        return out.toString();
    }

    /** Returns in words what differs in a digest's results. */
    static String results(Map<String, Object> row) {
        StringJoiner out = new StringJoiner(", ");
        for (String[] one : new String[][] {
            {"equal", "equal"},
            {"different", "different"},
            {"error", "errors differ"},
            {"orderOnly", "other order"},
            {"metadataOnly", "other column types"},
            {"roundingOnly", "last digits"},
            {"capturedLikeA", "of these, A as captured"},
            {"capturedLikeB", "of these, B as captured"},
            {"bySelf", "differs by itself"},
            {"failedOnBoth", "failed on both"},
            {"timeoutsA", "timed out on A"},
            {"timeoutsB", "timed out on B"},
            {"rowsHashedInPart", "rows above 1 MiB compared in part"}
        }) {
            if (row.get(one[0]) instanceof Number count) {
                out.add(count + " " + one[1]);
            }
        }
        if (row.get("errors") != null) {
            out.add("A / B: " + list(row.get("errors")));
        }
        return out.toString();
    }

    static String times(Map<String, Object> row) {
        String medians = String.format(
                Locale.ROOT,
                "A %.3f ms, B %.3f ms",
                Table.number(row, "secondsA") * MILLIS,
                Table.number(row, "secondsB") * MILLIS);
        if (!(row.get("pValue") instanceof Number p)) {
            return medians + ", too few to judge";
        }
        return medians
                + String.format(
                        Locale.ROOT,
                        ", B %.2f times A, %+.3f ms, p %s",
                        Table.number(row, "ratio"),
                        Table.number(row, "differenceSeconds") * MILLIS,
                        p.doubleValue() < TINY ? "< 0.000001" : String.format(Locale.ROOT, "%.6f", p.doubleValue()));
    }

    /** Returns a plan's lines of cells. */
    @SuppressWarnings("unchecked")
    static List<List<String>> plan(Map<String, Object> row, String key) {
        return row.get(key) instanceof List<?> list ? (List<List<String>>) list : List.of();
    }

    static String text(Map<String, Object> row, String key) {
        return row.get(key) == null ? "" : String.valueOf(row.get(key));
    }
}
