package io.understudy.plugins.gtiddomain.parallelism;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.binlog.ApplyHints;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.LoggedStatement;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.binlog.Transactions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ParallelismReportTest {
    private final Workload workload = new Workload(100, new ApplyCost(1_000, 20, 0, 0));

    private void write(int sequence, long group, long bytes) {
        workload.add(Transactions.of(
                "0-1-" + sequence, TransactionKind.WRITE, 0, 1, sequence, group, bytes, 0, Set.of("s.t"), true));
    }

    private void alter(int sequence, long seconds) {
        LoggedStatement statement = new LoggedStatement("s", "ALTER TABLE big ADD c INT DEFAULT 'secret'", true);
        workload.add(new BinlogTransaction(
                "0-1-" + sequence,
                TransactionKind.SCHEMA,
                0,
                1,
                sequence,
                -1,
                100,
                0,
                0,
                true,
                Set.of(),
                false,
                false,
                statement,
                seconds,
                0,
                0,
                ApplyHints.NONE));
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> rows(Map<String, Object> report, String key) {
        return (List<Map<String, Object>>) Objects.requireNonNull(report.get(key), key);
    }

    @Test
    void groupsAreAdjacentTransactionsWithOneCommitId() {
        for (int i = 0; i < 4; i++) {
            write(i, 7, 0);
        }
        write(4, BinlogTransaction.NO_GROUP, 0);
        write(5, BinlogTransaction.NO_GROUP, 0);

        Map<String, Object> report = ParallelismReport.of(workload, 500_000);

        assertThat(report.get("groups")).isEqualTo(3);
        assertThat(report.get("groupSizes")).hasToString("{1=2, 4-7=1}");
        // Four in parallel take 1 ms, two alone 1 ms each: 3 ms instead of 6.
        assertThat(rows(report, "conservative").get(1))
                .containsEntry("threads", 5)
                .containsEntry("speedup", 2.0);
        assertThat(rows(report, "optimistic").get(2)).containsEntry("speedup", 6.0);
    }

    @Test
    void theDialsShowWhatLargerGroupsWouldBring() {
        for (int i = 0; i < 16; i++) {
            write(i, BinlogTransaction.NO_GROUP, 0);
        }

        List<Map<String, Object>> dials = rows(ParallelismReport.of(workload, 500_000), "dials");

        assertThat(dials.get(0)).containsEntry("waitCount", 0).containsEntry("transactionsPerGroup", 1.0);
        assertThat(dials.get(0).get("speedups")).hasToString("{1=1.0, 2=1.0, 4=1.0, 8=1.0}");
        assertThat(dials.get(2)).containsEntry("waitCount", 4).containsEntry("transactionsPerGroup", 4.0);
        assertThat(dials.get(2).get("speedups")).hasToString("{1=1.0, 2=2.0, 4=4.0, 8=4.0}");
    }

    @Test
    void aLongSchemaChangeIsNamedWithoutItsTextAndGainsFromADomainOfItsOwn() {
        alter(1, 4);
        for (int i = 2; i < 52; i++) {
            write(i, BinlogTransaction.NO_GROUP, 40_000);
        }

        Map<String, Object> report = ParallelismReport.of(workload, 500_000);

        Map<String, Object> named = rows(report, "long").get(0);
        assertThat(named).containsEntry("gtid", "0-1-1").containsEntry("what", "alter s.big");
        Map<String, Object> five = rows(report, "conservative").get(1);
        assertThat(five).containsEntry("speedup", 1.0);
        assertThat(five)
                .hasEntrySatisfying(
                        "speedupLongInOwnDomain",
                        speedup -> assertThat((double) speedup).isGreaterThan(1.0));
    }
}
