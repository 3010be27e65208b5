package io.understudy.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Formats the advice of {@code report steering} as text: what held up the standbys, and which action would help. */
public final class SteeringText {
    private SteeringText() {}

    /**
     * Returns the report as text.
     *
     * @param view the response of {@code /api/steering}, or one with {@code advice} alone
     */
    public static String of(Map<String, Object> view) {
        Table out = new Table();
        Map<String, Object> advice = Table.map(view, "advice");
        if (!"".equals(advice.getOrDefault("problem", ""))) {
            out.line("The binary log is not read: %s", advice.get("problem"));
        }
        out.line(
                "%d transactions in %d s; simulated with %d workers in the mode %s%s",
                Table.whole(advice, "transactions"),
                Table.whole(advice, "seconds"),
                Table.whole(advice, "workers"),
                advice.get("mode"),
                Boolean.TRUE.equals(advice.get("assumed")) ? " (assumed, since no standby was asked)" : "");
        for (Map<String, Object> standby : Table.rows(advice, "standbys")) {
            out.line(
                    "  %-20s %s",
                    standby.get("name"),
                    standby.containsKey("problem") ? "not known: " + standby.get("problem") : settings(standby));
        }
        findings(out, advice);
        if (advice.get("notKnown") instanceof List<?> gaps && !gaps.isEmpty()) {
            out.line("");
            out.line("Not known");
            gaps.forEach(gap -> out.line("  %s", gap));
        }
        rules(out, Table.rows(view, "rules"));
        return out.text();
    }

    private static String settings(Map<String, Object> standby) {
        double late = Table.number(standby, "lateSeconds");
        return standby.get("slaveParallelThreads") + " workers, " + standby.get("slaveParallelMode")
                + (Boolean.FALSE.equals(standby.get("parallel")) ? " (no parallel apply)" : "")
                + (standby.containsKey("retries")
                        ? ", " + Table.whole(standby, "retries") + " retries"
                        : ", retries not known")
                + (late < 0.1 ? "" : String.format(Locale.ROOT, ", up to %.1f s late", late));
    }

    private static void findings(Table out, Map<String, Object> advice) {
        List<Map<String, Object>> findings = Table.rows(advice, "findings");
        out.line("");
        if (findings.isEmpty()) {
            out.line(
                    known(advice)
                            ? "Nothing held up the standbys."
                            : "Nothing was found, but not all is known: whether something held up the standbys is"
                                    + " not.");
            return;
        }
        int number = 0;
        for (Map<String, Object> finding : findings) {
            out.line(
                    "%d. %s: %s, %.2f s lost (%s) by %d transactions%s",
                    ++number,
                    finding.get("kind"),
                    finding.get("subject"),
                    Table.number(finding, "lostSeconds"),
                    Boolean.TRUE.equals(finding.get("measured")) ? "measured" : "simulated",
                    Table.whole(finding, "transactions"),
                    "".equals(finding.get("worst")) ? "" : ", the worst " + finding.get("worst"));
            out.line("   %s", finding.get("why"));
            for (Map<String, Object> action : Table.rows(finding, "actions")) {
                out.line(
                        "   %-20s saves %.2f s (simulated)%s",
                        action.get("action"),
                        Table.number(action, "savesSeconds"),
                        action.containsKey("note") ? "; " + action.get("note") : "");
                List<Object> texts = new ArrayList<>();
                for (String key : List.of("rule", "statement", "change")) {
                    if (action.containsKey(key)) {
                        texts.add(action.get(key));
                    }
                }
                texts.forEach(text -> out.line("     %s", text));
            }
        }
        out.line("");
        out.line("Rules go to plugins.gtid-domain.rules, with mode: tag. Simulated times are those of a model, without"
                + " locks and disk.");
    }

    /** Returns whether the log was read and each standby was asked. */
    private static boolean known(Map<String, Object> advice) {
        return "".equals(advice.getOrDefault("problem", ""))
                && !Boolean.TRUE.equals(advice.get("assumed"))
                && Table.rows(advice, "standbys").stream().noneMatch(standby -> standby.containsKey("problem"));
    }

    private static void rules(Table out, List<Map<String, Object>> rules) {
        if (!rules.isEmpty()) {
            out.line("");
            out.line("Rules in force");
        }
        for (Map<String, Object> rule : rules) {
            out.line(
                    "  %-20s %-18s %d steered, %d would be, %d not covered, %d in transactions",
                    rule.get("name"),
                    rule.get("action"),
                    Table.whole(rule, "steered"),
                    Table.whole(rule, "advised"),
                    Table.whole(rule, "not_covered"),
                    Table.whole(rule, "in_transaction"));
        }
    }
}
