package io.understudy.cli.steering;

import io.understudy.terminal.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Formats the advice of {@code report steering} as text: what held up the standbys, and which action would help. */
public final class SteeringText {
    private static final Map<String, String> OUTCOMES = new LinkedHashMap<>();

    static {
        OUTCOMES.put("steered", "steered");
        OUTCOMES.put("advised", "would be");
        OUTCOMES.put("not_covered", "not covered");
        OUTCOMES.put("in_transaction", "in transactions");
        OUTCOMES.put("no_boundary", "pipelined, or reading diagnostics");
        OUTCOMES.put("respected", "left to the client's own setting");
        OUTCOMES.put("unsupported", "not supported by the server");
        OUTCOMES.put("left_alone", "left alone, since the server refused");
    }

    private SteeringText() {}

    /**
     * Returns the report as text.
     *
     * @param view the response of {@code /api/steering}, or a map with {@code advice}
     */
    public static String of(Map<String, Object> view) {
        Table out = new Table();
        if (!view.containsKey("advice")) {
            rules(out, Table.rows(view, "rules"));
            out.line("What held up the standbys: understudy report steering -c FILE, or its binary log files");
            return out.text();
        }
        Map<String, Object> advice = Table.map(view, "advice");
        if (advice.containsKey("problem")) {
            out.line("No advice: %s", advice.get("problem"));
            return out.text();
        }
        out.line(
                "%d transactions; the last %d, in %d s, are simulated%s",
                Table.whole(advice, "transactions"),
                Table.whole(advice, "simulatedTransactions"),
                Table.whole(advice, "simulatedSeconds"),
                Boolean.TRUE.equals(advice.get("assumed"))
                        ? " with 8 workers in the mode optimistic (assumed, since no standby's settings are known)"
                        : ", and what they show is scaled to all");
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
        return out.text();
    }

    private static String settings(Map<String, Object> standby) {
        double late = Table.number(standby, "lateSeconds");
        return standby.get("slaveParallelThreads") + " workers, " + standby.get("slaveParallelMode")
                + (Boolean.FALSE.equals(standby.get("parallel")) ? " (no parallel apply)" : "")
                + (standby.containsKey("retries")
                        ? ", " + Table.whole(standby, "retries") + " retries"
                        : ", retries not known")
                + (standby.containsKey("delaySeconds")
                        ? ", late on purpose by " + Table.whole(standby, "delaySeconds") + " s: not judged"
                        : late < 0.1 ? "" : String.format(Locale.ROOT, ", up to %.1f s late", late));
    }

    private static void findings(Table out, Map<String, Object> advice) {
        List<Map<String, Object>> findings = Table.rows(advice, "findings");
        out.line("");
        if (findings.isEmpty()) {
            out.line(
                    known(advice)
                            ? nothing(advice)
                            : "Nothing was found, but not all is known: whether something held up the standbys is"
                                    + " not.");
            return;
        }
        int number = 0;
        for (Map<String, Object> finding : findings) {
            out.line(
                    "%d. %s: %s, %.2f s lost%s (%s) by %d transactions%s",
                    ++number,
                    finding.get("kind"),
                    finding.get("subject"),
                    Table.number(finding, "lostSeconds"),
                    on(finding),
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
                if (action.containsKey("sameRuleAs")) {
                    out.line("     the same rule as of %d.", Table.whole(action, "sameRuleAs"));
                }
            }
        }
        out.line("");
        out.line("Rules go to plugins.gtid-domain.rules, with mode: tag. Simulated times are those of a model, without"
                + " locks and disk.");
    }

    private static String nothing(Map<String, Object> advice) {
        double longest = Table.number(advice, "longestBriefStallSeconds");
        return String.format(
                Locale.ROOT,
                "Nothing held up the standbys for %.1f s or longer%s.",
                Table.number(advice, "leastStallSeconds"),
                longest == 0
                        ? ", nor was a shorter stall seen"
                        : String.format(Locale.ROOT, "; the longest stall below that was %.3f s", longest));
    }

    /** Returns the standbys that lost it; the time is that of the one that lost most. */
    private static String on(Map<String, Object> finding) {
        List<String> names = new ArrayList<>();
        if (finding.get("standbys") instanceof List<?> standbys) {
            standbys.forEach(name -> names.add(String.valueOf(name)));
        }
        return names.isEmpty() ? "" : (names.size() > 1 ? " at most on " : " on ") + String.join(", ", names);
    }

    /** Returns whether the log was read and each standby was asked. */
    private static boolean known(Map<String, Object> advice) {
        return !Boolean.TRUE.equals(advice.get("assumed"))
                && Table.rows(advice, "standbys").stream()
                        .noneMatch(standby -> standby.containsKey("problem") || standby.containsKey("delaySeconds"));
    }

    private static void rules(Table out, List<Map<String, Object>> rules) {
        out.line("Rules with alter and parallel%s", rules.isEmpty() ? ": none" : "");
        for (Map<String, Object> rule : rules) {
            List<String> counts = new ArrayList<>();
            OUTCOMES.forEach((outcome, words) -> {
                if (outcome.equals("steered") || Table.whole(rule, outcome) > 0) {
                    counts.add(Table.whole(rule, outcome) + " " + words);
                }
            });
            out.line("  %-20s %-18s %s", rule.get("name"), rule.get("action"), String.join(", ", counts));
        }
    }
}
