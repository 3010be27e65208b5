package io.understudy.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SteeringTextTest {
    private static Map<String, Object> advice(List<Map<String, Object>> findings) {
        return Map.of(
                "problem",
                "",
                "transactions",
                1_200,
                "seconds",
                60,
                "workers",
                8,
                "mode",
                "optimistic",
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
                "transactions",
                1,
                "worst",
                "0-1-57",
                "why",
                "745 transactions waited behind it",
                "actions",
                List.of(Map.of(
                        "action", "alter: two-phase",
                        "savesSeconds", 2.9,
                        "rule", "- { name: alters, match: { kind: ddl }, alter: two-phase }",
                        "note", "a note")));

        String text = SteeringText.of(Map.of("advice", advice(List.of(finding))));

        assertThat(text.lines())
                .contains(
                        "  s1                   8 workers, optimistic, 12 retries",
                        "1. schema-change: alter shop.orders, 2.90 s lost (measured) by 1 transactions, the worst"
                                + " 0-1-57",
                        "   alter: two-phase     saves 2.90 s (simulated); a note",
                        "     - { name: alters, match: { kind: ddl }, alter: two-phase }",
                        "  which rows 3 of the transactions changed");
    }

    @Test
    void aQuietLoadHasNone() {
        assertThat(SteeringText.of(Map.of("advice", advice(List.of())))).contains("Nothing held up the standbys.");
    }

    /** Whoever reads it must not take silence for health. */
    @Test
    void whatIsNotKnownIsNotNothing() {
        Map<String, Object> unread = new HashMap<>(advice(List.of()));
        unread.put("problem", "the account has no REPLICATION SLAVE");
        Map<String, Object> unasked = new HashMap<>(advice(List.of()));
        unasked.put("assumed", true);
        Map<String, Object> silent = new HashMap<>(advice(List.of()));
        silent.put("standbys", List.of(Map.of("name", "s1", "problem", "access denied")));

        for (Map<String, Object> advice : List.of(unread, unasked, silent)) {
            assertThat(SteeringText.of(Map.of("advice", advice)))
                    .contains("Nothing was found, but not all is known")
                    .doesNotContain("Nothing held up");
        }
    }
}
