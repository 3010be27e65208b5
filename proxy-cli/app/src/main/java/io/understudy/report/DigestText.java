package io.understudy.report;

import io.understudy.terminal.Table;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Formats {@code report digest} as text. */
public final class DigestText {
    private DigestText() {}

    /** Returns a row of {@code /api/digests} with the keys that it has. */
    public static Map<String, Object> row(Map<?, ?> row) {
        Map<String, Object> named = new LinkedHashMap<>();
        row.forEach((key, value) -> named.put(String.valueOf(key), value));
        return named;
    }

    /**
     * Returns the report as text.
     *
     * @param row of {@code /api/digests}
     */
    public static String of(Map<String, Object> row) {
        Table out = new Table();
        out.line("%s  %s", row.get("digest"), row.get("kind"));
        out.line("%s", text(row));
        out.line("");
        out.line("reads %s; writes %s", names(row, "reads"), names(row, "writes"));
        out.line(
                "users %s; schemas %s%s",
                names(row, "users"), names(row, "schemas"), Boolean.TRUE.equals(row.get("more")) ? "; and others" : "");
        Map<String, Object> seconds = Table.map(row, "seconds");
        out.line(
                "%d times, %d errors, since %s, last %s",
                Table.whole(row, "count"), Table.whole(row, "errors"), row.get("firstSeen"), row.get("lastSeen"));
        out.line(
                "mean %.3f ms, p50 %.3f, p95 %.3f, p99 %.3f, max %.3f; %.3f s in all",
                millis(seconds, "mean"),
                millis(seconds, "p50"),
                millis(seconds, "p95"),
                millis(seconds, "p99"),
                millis(seconds, "max"),
                Table.number(seconds, "total"));
        Map<String, Object> mirror = Table.map(row, "mirror");
        if (!mirror.isEmpty()) {
            out.line(
                    "mirror: %s; rules %s, reasons %s",
                    Boolean.TRUE.equals(mirror.get("mirrored")) ? "mirrored" : "not mirrored",
                    names(mirror, "rules"),
                    names(mirror, "reasons"));
        }
        return out.text();
    }

    private static String text(Map<String, Object> row) {
        Object text = row.get("text");
        if (text != null) {
            return text.toString();
        }
        return row.containsKey("text")
                ? "(its text is shown when the server has accepted a statement of it)"
                : "(its text needs the token: --token-file, or -c with admin.token)";
    }

    private static double millis(Map<String, Object> seconds, String key) {
        return Table.number(seconds, key) * 1000;
    }

    private static String names(Map<String, Object> from, String key) {
        List<?> names = from.get(key) instanceof List<?> list ? list : List.of();
        return names.isEmpty() ? "-" : names.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
}
