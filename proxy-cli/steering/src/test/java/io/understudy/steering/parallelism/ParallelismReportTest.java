package io.understudy.steering.parallelism;

import static org.assertj.core.api.Assertions.assertThat;

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
        workload.add(
                Transactions.of(
                        "0-1-" + sequence, TransactionKind.WRITE, 0, 1, sequence, group, bytes, 0, Set.of("s.t"), true),
                ApplyHints.NONE);
    }

    private void alter(int sequence, long seconds, long domain) {
        LoggedStatement statement = new LoggedStatement("s", "ALTER TABLE big ADD c INT DEFAULT 'secret'", true);
        workload.add(
                new BinlogTransaction(
                        domain + "-1-" + sequence,
                        TransactionKind.SCHEMA,
                        domain,
                        1,
                        sequence,
                        -1,
                        100,
                        0,
                        true,
                        Set.of(),
                        false,
                        false,
                        statement,
                        seconds,
                        0),
                ApplyHints.NONE);
    }

    /** Under WRITESET last_committed is that of a conflict, not of a group commit. */
    @Test
    void aMySqlServersLogIsNotSimulated() {
        for (int i = 1; i <= 4; i++) {
            workload.add(
                    Transactions.of(
                            "3e11fa47-71ca-11e1-9e33-c80aa9429562:" + i,
                            TransactionKind.WRITE,
                            0,
                            1,
                            i,
                            0,
                            100_000_000,
                            0,
                            Set.of("s.t"),
                            true),
                    ApplyHints.NONE);
        }
        Map<String, Object> report = ParallelismReport.of(workload, 500_000);

        assertThat(report).containsEntry("transactions", 4).containsKey("problem");
        assertThat(report).doesNotContainKeys("groups", "conservative", "optimistic", "dials");
        assertThat(rows(report, "long")).hasSize(4);
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

    private void write(int sequence, long domain, long group, long thread, long second) {
        workload.add(
                new BinlogTransaction(
                        domain + "-1-" + sequence,
                        TransactionKind.WRITE,
                        domain,
                        1,
                        sequence,
                        group,
                        0,
                        0,
                        true,
                        Set.of("s.t"),
                        true,
                        false,
                        null,
                        0,
                        thread),
                new ApplyHints(true, false, AlterPhase.WHOLE, second, RowImages.UNKNOWN));
    }

    private Map<String, Object> dial(int count, long micros) {
        return rows(ParallelismReport.of(workload, 500_000), "dials").stream()
                .filter(row -> Integer.valueOf(count).equals(row.get("waitCount"))
                        && Long.valueOf(micros).equals(row.get("waitMicros")))
                .findFirst()
                .orElseThrow();
    }

    /** 10 groups of up to 8 sessions in a second, so one each 100 ms. */
    @Test
    void theDialsShowWhatLargerGroupsWouldBring() {
        int sequence = 0;
        for (int group = 0; group < 10; group++) {
            for (int i = 0; i < (group == 0 ? 8 : 1); i++) {
                write(++sequence, 0, group, 0, 1_000);
            }
        }
        for (int group = 10; group < 90; group++) {
            write(++sequence, 0, BinlogTransaction.NO_GROUP, 0, 1_001);
        }

        assertThat(dial(0, 0).get("transactionsPerGroup")).isEqualTo(97 / 90.0);
        assertThat(ParallelismReport.of(workload, 500_000)).containsEntry("sessions", 8);
        // 12.5 ms between two in the second second: four within 37.5 ms, eight within 100 ms.
        assertThat((double) Objects.requireNonNull(dial(4, 100_000).get("transactionsPerGroup")))
                .isBetween(3.0, 4.0);
        assertThat((double) Objects.requireNonNull(dial(8, 100_000).get("transactionsPerGroup")))
                .isBetween(5.0, 8.0);
        assertThat(dial(32, 100_000).get("transactionsPerGroup"))
                .as("there are no more than eight sessions")
                .isEqualTo(dial(8, 100_000).get("transactionsPerGroup"));
        assertThat((double) Objects.requireNonNull(dial(32, 100_000).get("meanWaitSeconds")))
                .as("who waits for more sessions than there are waits for the whole time")
                .isGreaterThan((double) Objects.requireNonNull(dial(8, 100_000).get("meanWaitSeconds")));
        assertThat((double) Objects.requireNonNull(dial(8, 1_000).get("transactionsPerGroup")))
                .as("within a millisecond none comes")
                .isEqualTo(97 / 90.0);
    }

    @Test
    void commitsThatAreFarApartMakeNoGroup() {
        for (int i = 0; i < 100; i++) {
            write(i, 0, i / 4, 0, 1_000 + i);
        }
        assertThat(dial(16, 100_000)).containsEntry("transactionsPerGroup", 4.0);

        Workload single = new Workload(100, new ApplyCost(1_000, 20, 0, 0));
        for (int i = 0; i < 100; i++) {
            single.add(
                    Transactions.of("0-1-" + i, TransactionKind.WRITE, 0, 1, i, -1, 0, 0, Set.of("s.t"), true),
                    ApplyHints.NONE);
        }
        assertThat(rows(ParallelismReport.of(single, 500_000), "dials"))
                .as("one session, as far as the log shows: its commits cannot wait for each other")
                .allSatisfy(row -> assertThat(row).containsEntry("transactionsPerGroup", 1.0));
    }

    @Test
    void aGroupHasOneTransactionOfEachConnection() {
        for (int i = 0; i < 60; i++) {
            write(i, 0, BinlogTransaction.NO_GROUP, 7 + i % 3, 1_000);
        }
        assertThat(ParallelismReport.of(workload, 500_000)).containsEntry("sessions", 3);
        assertThat(dial(4, 100_000)).containsEntry("transactionsPerGroup", 3.0);
    }

    @Test
    void whatHasADomainOfItsOwnGainsNothingMoreByOne() {
        alter(1, 4, 10);
        for (int i = 2; i < 52; i++) {
            write(i, BinlogTransaction.NO_GROUP, 40_000);
        }
        for (String mode : List.of("conservative", "optimistic")) {
            for (Map<String, Object> row : rows(ParallelismReport.of(workload, 500_000), mode)) {
                assertThat(row.get("speedupLongInOwnDomain")).isEqualTo(row.get("speedup"));
                assertThat(row.get("worstStalls")).isEqualTo(List.of());
            }
        }
    }

    @Test
    void aLongSchemaChangeIsNamedWithoutItsTextAndGainsFromADomainOfItsOwn() {
        alter(1, 4, 0);
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
