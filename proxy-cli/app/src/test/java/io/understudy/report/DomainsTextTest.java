package io.understudy.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DomainsTextTest {
    private static Map<String, Object> view(String mode) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("mode", mode);
        view.put("guard", "pin");
        view.put("defaultDomain", 0);
        view.put(
                "window",
                Map.of(
                        "seconds",
                        32,
                        "writes",
                        17_683,
                        "independentShare",
                        0.409,
                        "rules",
                        List.of(
                                Map.of(
                                        "name",
                                        "archive",
                                        "wants",
                                        10,
                                        "domains",
                                        List.of(Map.of("domain", "10", "advised", 5_270))),
                                Map.of("name", "nobody", "wants", 14, "domains", List.of())),
                        "tablesWrittenFromTwoDomains",
                        List.of(Map.of("table", "shop.mixed", "domains", List.of("0", "11")))));
        view.put("conflicts", Map.of("pinned", 0, "two_domains", 0));
        view.put("guardState", Map.of("problem", "", "binlog", "reading"));
        view.put("standbys", List.of());
        view.put("applierErrors", List.of());
        return view;
    }

    @Test
    void adviceReportsWhereWritesWouldGo() {
        assertThat(ReportText.DOMAINS.of(view("advise")))
                .startsWith("gtid-domain: mode advise, guard pin, default domain 0\n")
                .contains("Last 32 s: 17683 writes, 40.9 % would be independent of the default domain\n")
                .contains("  rule archive (domain 10)\n    would go to domain 10         {advised=5270}\n")
                .contains("  rule nobody (domain 14)\n    nothing matched\n")
                .contains("  tables whose writes would want two domains:\n    shop.mixed  ")
                .contains("domains [0, 11]\n")
                .contains("Conflicts since the start\n  none\n")
                .contains("Guard\n  binlog               reading\n");
    }

    @Test
    void taggingReportsTaggedStatements() {
        assertThat(ReportText.DOMAINS.of(view("tag")))
                .contains("40.9 % were independent")
                .contains("    went to domain 10 ")
                .contains("whose writes wanted two domains:")
                .doesNotContain("Nothing is tagged");
    }

    @Test
    void theReasonThatNothingIsTaggedIsReported() {
        Map<String, Object> view = view("tag");
        view.put("nothingTagged", "GRANT BINLOG REPLAY");
        assertThat(ReportText.DOMAINS.of(view)).contains("\nNothing is tagged: GRANT BINLOG REPLAY\n");
    }

    @Test
    void unsafeConflictsAreReported() {
        Map<String, Object> view = view("tag");
        view.put("conflicts", Map.of("pinned", 3, "two_domains", 1, "unseen", 0));

        assertThat(ReportText.DOMAINS.of(view).lines())
                .anyMatch(line -> line.contains("pinned ") && line.endsWith("3  (harmless)"))
                .anyMatch(line -> line.contains("two_domains ") && line.endsWith("1  A REPLICA MAY SUFFER"))
                .noneMatch(line -> line.contains("unseen"));
    }

    @Test
    void standbysAreShownWithTheirLagAndTheirErrors() {
        Map<String, Object> view = view("tag");
        view.put(
                "standbys",
                List.of(
                        Map.of(
                                "standby",
                                "s1",
                                "domain",
                                0,
                                "known",
                                true,
                                "lagTransactions",
                                6_614,
                                "lagSeconds",
                                8.12),
                        Map.of("standby", "s2", "domain", 0, "known", false)));
        view.put(
                "applierErrors",
                List.of(
                        Map.of(
                                "standby",
                                "s1",
                                "errno",
                                1032,
                                "table",
                                "shop.mixed",
                                "domainsThatWroteIt",
                                List.of("0", "11")),
                        Map.of("standby", "s2", "errno", 1062, "table", "", "domainsThatWroteIt", List.of()),
                        Map.of("standby", "s3", "unknown", "its applier cannot be probed")));

        assertThat(ReportText.DOMAINS.of(view).lines())
                .anyMatch(line -> line.contains("s1") && line.endsWith("6614 transactions, 8.12 s behind"))
                .anyMatch(line -> line.contains("s2") && line.endsWith("position not known"))
                .anyMatch(line -> line.endsWith("STOPPED with 1032 on shop.mixed, written in the domains [0, 11]"))
                .anyMatch(line -> line.endsWith("STOPPED with 1062 on a table that is not told"))
                .anyMatch(line -> line.contains("s3") && line.endsWith("its applier cannot be probed"));
    }
}
