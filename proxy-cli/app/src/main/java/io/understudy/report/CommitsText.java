package io.understudy.report;

import io.understudy.terminal.Table;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Formats {@code report commits} as text: what commits cost, and which could have been lost. */
public final class CommitsText {
    private static final int ROWS = 10;
    private static final int WINDOWS = 5;

    private CommitsText() {}

    /**
     * Returns the report as text.
     *
     * @param view the response of {@code /api/commits}
     */
    public static String of(Map<String, Object> view) {
        Table out = new Table();
        Map<String, Object> semiSync = Table.map(view, "semisync");
        out.line(
                "Semi-sync is %s%s; %d replicas acknowledge",
                semiSync.getOrDefault("state", "unknown"),
                "".equals(semiSync.getOrDefault("waitPoint", "")) ? "" : " (" + semiSync.get("waitPoint") + ")",
                Table.whole(semiSync, "replicas"));
        Map<String, Object> attribution = Table.map(view, "attribution");
        boolean split = !"off".equals(attribution.getOrDefault("active", "off"));
        boolean asked = !"unknown".equals(semiSync.getOrDefault("state", "unknown"));
        out.line(
                "The parts of a commit's time come from: %s%s",
                attribution.get("active"),
                "".equals(attribution.getOrDefault("reason", "")) ? "" : "; " + attribution.get("reason"));
        prediction(out, Table.map(view, "prediction"), split);
        exposure(out, Table.map(view, "exposure"), asked);
        groups(out, Table.map(view, "groupCommit"));
        table(out, "user", Table.rows(view, "users"), split);
        table(out, "schema", Table.rows(view, "schemas"), split);
        table(out, "digest of the first write", Table.rows(view, "digests"), split);
        if (Table.whole(Table.map(view, "prediction"), "commits") > 0) {
            out.line("Of a CALL or a text of several statements, a client without CLIENT_DEPRECATE_EOF may have more"
                    + " commits than are counted.");
        }
        counts(out, "Not split into parts", Table.map(view, "unattributed"));
        counts(out, "Interruptions of the binary log", Table.map(view, "binlogGaps"));
        return out.text();
    }

    /** @param split whether the parts of a commit's time are known */
    private static void prediction(Table out, Map<String, Object> figures, boolean split) {
        if (Table.whole(figures, "commits") == 0) {
            out.line("No commits in the last minutes.");
            return;
        }
        out.line(
                "%s%.1f commits a second, %.2f ms each (median), of which %s is the wait for the acknowledgement",
                present(figures),
                Table.number(figures, "commitsPerSecond"),
                Table.number(figures, "commitMillis"),
                split
                        ? String.format(Locale.ROOT, "%.2f ms", Table.number(figures, "roundTripMillis"))
                        : "a part that is not known");
        out.line(
                "A connection that commits one after another reaches %.0f a second; that rate needs %.1f at a time",
                Table.number(figures, "ceilingPerConnection"), Table.number(figures, "connectionsNeeded"));
    }

    /** Returns the rate of now: the others are of the last commits, which may be hours old. */
    private static String present(Map<String, Object> figures) {
        if (!(figures.get("lastCommitSecondsAgo") instanceof Number ago)) {
            return ""; // an older proxy
        }
        double rate = Table.number(figures, "commitsPerSecondNow");
        return rate > 0
                ? String.format(Locale.ROOT, "At present %.1f commits a second; of the last minutes: ", rate)
                : "At present nobody commits; the last commit was " + age(ago.longValue()) + " ago. Until then: ";
    }

    private static String age(long seconds) {
        return seconds < 120 ? seconds + " s" : seconds < 7200 ? seconds / 60 + " min" : seconds / 3600 + " h";
    }

    /** @param asked whether the primary has said if semi-sync is enabled */
    private static void exposure(Table out, Map<String, Object> exposure, boolean asked) {
        out.line("");
        long unacknowledged = Table.whole(exposure, "unacknowledged");
        if (Boolean.FALSE.equals(exposure.get("expected"))) {
            out.line(
                    asked
                            ? "Semi-sync was not seen enabled: no commit waits for a replica,"
                                    + " each could be lost with the primary."
                            : "Whether commits were acknowledged is not known: the primary could not be asked"
                                    + " (primary.monitor).");
            return;
        }
        out.line(
                unacknowledged == 0
                        ? "No commit is known to have got its OK without a replica's acknowledgement since the start"
                                + (asked ? "." : "; at present the primary cannot be asked.")
                        : "%d commits got their OK without a replica's acknowledgement:",
                unacknowledged);
        Map<String, Object> current = Table.map(exposure, "current");
        if (!current.isEmpty()) {
            out.line("  now, since %s: %s", current.get("begin"), window(current));
        }
        List<Map<String, Object>> past = Table.rows(exposure, "past");
        for (Map<String, Object> one : past.subList(Math.max(0, past.size() - WINDOWS), past.size())) {
            out.line("  %s to %s: %s", one.get("begin"), one.get("end"), window(one));
        }
    }

    private static String window(Map<String, Object> window) {
        String gtids =
                window.get("firstGtid") == null ? "" : ", " + window.get("firstGtid") + " to " + window.get("lastGtid");
        return String.format(
                Locale.ROOT,
                "%d commits in %.1f s%s",
                Table.whole(window, "commits"),
                Table.number(window, "milliseconds") / 1000,
                gtids);
    }

    private static void groups(Table out, Map<String, Object> groups) {
        if (Table.whole(groups, "groups") == 0) {
            return;
        }
        out.line("");
        out.line(
                "%d commit groups, %.2f transactions each",
                Table.whole(groups, "groups"), Table.number(groups, "transactionsPerGroup"));
        List<Map<String, Object>> settings = Table.rows(groups, "bySetting");
        for (Map<String, Object> one : settings.size() < 2 ? List.<Map<String, Object>>of() : settings) {
            out.line(
                    "  waiting for %d transactions or %d us: %.2f each, a commit took %.2f ms",
                    Table.whole(one, "waitCount"),
                    Table.whole(one, "waitMicros"),
                    Table.number(one, "transactionsPerGroup"),
                    Table.number(one, "commitMillis"));
        }
    }

    private static void table(Table out, String key, List<Map<String, Object>> lines, boolean split) {
        if (lines.isEmpty()) {
            return;
        }
        out.line("");
        out.line("%9s %9s %9s %9s %9s %6s  by %s", "commits", "p50", "p95", "p99", "max", "ack", key);
        for (Map<String, Object> line : lines.subList(0, Math.min(ROWS, lines.size()))) {
            out.line(
                    "%9d %6.2f ms %6.2f ms %6.2f ms %6.2f ms %6s  %s",
                    Table.whole(line, "commits"),
                    Table.number(line, "p50Millis"),
                    Table.number(line, "p95Millis"),
                    Table.number(line, "p99Millis"),
                    Table.number(line, "maxMillis"),
                    split ? String.format(Locale.ROOT, "%.0f%%", 100 * Table.number(line, "ackShare")) : "-",
                    "".equals(line.get("key")) ? "(none)" : line.get("key"));
        }
        if (lines.size() > ROWS) {
            out.line("and %d more; --json has them", lines.size() - ROWS);
        }
    }

    private static void counts(Table out, String title, Map<String, Object> counts) {
        String text = Table.counts(counts);
        if (!text.isEmpty()) {
            out.line("");
            out.line("%s: %s", title, text);
        }
    }
}
