package io.understudy.cli.steering;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SteeringTextTest {
    private static Map<String, Object> advice(List<Map<String, Object>> findings) {
        return Map.of(
                "transactions",
                1_200,
                "simulatedTransactions",
                1_000,
                "simulatedSeconds",
                60,
                "assumed",
                false,
                "standbys",
                List.of(Map.of(
                        "name", "s1", "slaveParallelThreads", 8, "slaveParallelMode", "optimistic", "retries", 12)),
                "findings",
                findings,
                "notKnown",
                List.of("which rows 3 of the transactions changed"));
    }

    @Test
    void aFindingHasItsActionsAndRules() {
        Map<String, Object> finding = Map.of(
                "kind",
                "schema-change",
                "subject",
                "alter shop.orders",
                "lostSeconds",
                2.9,
                "measured",
                true,
                "standbys",
                List.of("s1", "s2"),
                "transactions",
                1,
                "worst",
                "0-1-57",
                "why",
                "745 transactions waited behind it",
                "actions",
                List.of(
                        Map.of(
                                "action", "alter: two-phase",
                                "savesSeconds", 2.9,
                                "rule", "- { name: alters, match: { kind: ddl }, alter: two-phase }",
                                "note", "a note"),
                        Map.of("action", "alter: two-phase", "savesSeconds", 0.5, "sameRuleAs", 3)));

        String text = SteeringReportCommand.TEXT.text(Map.of("advice", advice(List.of(finding))));

        assertThat(text.lines())
                .contains(
                        "  s1                   8 workers, optimistic, 12 retries",
                        "1200 transactions; the last 1000, in 60 s, are simulated, and what they show is scaled to all",
                        "1. schema-change: alter shop.orders, 2.90 s lost at most on s1, s2 (measured) by 1"
                                + " transactions, the worst 0-1-57",
                        "     the same rule as of 3.",
                        "   alter: two-phase     saves 2.90 s (simulated); a note",
                        "     - { name: alters, match: { kind: ddl }, alter: two-phase }",
                        "  which rows 3 of the transactions changed");
    }

    @Test
    void aQuietLoadHasNone() {
        Map<String, Object> quiet = new HashMap<>(advice(List.of()));
        quiet.put("leastStallSeconds", 0.2);
        assertThat(SteeringReportCommand.TEXT.text(Map.of("advice", quiet)))
                .contains("Nothing held up the standbys for 0.2 s or longer, nor was a shorter stall seen.");
        quiet.put("longestBriefStallSeconds", 0.15);
        assertThat(SteeringReportCommand.TEXT.text(Map.of("advice", quiet)))
                .contains(
                        "Nothing held up the standbys for 0.2 s or longer; the longest stall below that was 0.150 s.");
    }

    @Test
    void aMySqlServersLogHasNone() {
        Map<String, Object> advice = Map.of("problem", "the primary is a MySQL server", "findings", List.of());
        assertThat(SteeringReportCommand.TEXT.text(Map.of("advice", advice)))
                .isEqualToIgnoringNewLines("No advice: the primary is a MySQL server");
    }

    /** Whoever reads it must not take silence for health. */
    @Test
    void whatIsNotKnownIsNotNothing() {
        Map<String, Object> unasked = new HashMap<>(advice(List.of()));
        unasked.put("assumed", true);
        Map<String, Object> silent = new HashMap<>(advice(List.of()));
        silent.put("standbys", List.of(Map.of("name", "s1", "problem", "access denied")));

        Map<String, Object> delayed = new HashMap<>(advice(List.of()));
        delayed.put("standbys", List.of(Map.of("name", "s1", "slaveParallelThreads", 8, "delaySeconds", 60)));

        for (Map<String, Object> advice : List.of(unasked, silent, delayed)) {
            assertThat(SteeringReportCommand.TEXT.text(Map.of("advice", advice)))
                    .contains("Nothing was found, but not all is known")
                    .doesNotContain("Nothing held up");
        }
    }

    /** A rule that the server does not support must not look merely unused. */
    @Test
    void aRuleSaysWhyItHasNoEffect() {
        Map<String, Object> rule = Map.of(
                "name", "alters", "action", "alter: two-phase", "steered", 0, "unsupported", 12, "left_alone", 3);

        assertThat(SteeringReportCommand.TEXT
                        .text(Map.of("mode", "tag", "rules", List.of(rule)))
                        .lines())
                .contains("  alters               alter: two-phase   0 steered, 12 not supported by the server, 3 left"
                        + " alone, since the server refused");
    }
}
