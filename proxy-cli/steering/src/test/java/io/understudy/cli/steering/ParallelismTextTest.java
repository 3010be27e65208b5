package io.understudy.cli.steering;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ParallelismTextTest {
    private static Map<String, Object> row(int threads, double speedup, double stalled) {
        return Map.of(
                "threads", threads,
                "makespanSeconds", 8.709 / speedup,
                "speedup", speedup,
                "speedupLongInOwnDomain", 1.24,
                "speedupLongSplit", speedup,
                "stalledSeconds", stalled,
                "worstStalls", List.of("0-1-1101"));
    }

    private static Map<String, Object> report(List<Object> longOnes) {
        return Map.of(
                "transactions",
                5_539,
                "groups",
                4_947,
                "transactionsPerGroup",
                1.12,
                "groupSizes",
                Map.of("1", 4_517),
                "longAboveSeconds",
                0.5,
                "long",
                longOnes,
                "conservative",
                List.of(row(1, 1, 0.0004), row(5, 1.02, 0.27)),
                "optimistic",
                List.of(row(40, 1.23, 0)));
    }

    @Test
    void aMySqlServersLogIsNotSimulated() {
        String text = ParallelismReportCommand.TEXT.text(
                Map.of("transactions", 4, "problem", "no commit groups", "longAboveSeconds", 0.5, "long", List.of()));
        assertThat(text).contains("4 transactions: no commit groups").doesNotContain("slave_parallel_mode");
    }

    @Test
    void showsGroupsSpeedupsAndTheTransactionsThatStalledOthers() {
        String text = ParallelismReportCommand.TEXT.text(report(List.of()));

        assertThat(text)
                .startsWith("5539 transactions in 4947 commit groups, 1.12 per group\n")
                .contains("groups by size: {1=4517}")
                .contains("Long transactions (from 0.500 s on)\n  none\n");
        assertThat(text.lines())
                .anyMatch(line -> line.matches(" +1 +8\\.709 +1\\.00 +1\\.24 +1\\.00 +0\\.000"))
                .anyMatch(line -> line.matches(" +5 +8\\.538 +1\\.02 +1\\.24 +1\\.02 +0\\.270  behind \\[0-1-1101]"))
                .anyMatch(line -> line.matches(" +40 .* 1\\.23 +0\\.000"));
    }

    @Test
    void longTransactionsAreListed() {
        String text = ParallelismReportCommand.TEXT.text(
                report(List.of(Map.of("gtid", "0-1-2966", "seconds", 3.0, "bytes", 155, "what", "alter shop.big"))));

        assertThat(text.lines()).anyMatch(line -> line.matches(" +0-1-2966 +3\\.000 s +155 bytes  alter shop\\.big"));
    }
}
