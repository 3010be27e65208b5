package io.understudy.steering;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.binlog.Transactions;
import io.understudy.steering.parallelism.ApplyCost;
import io.understudy.steering.parallelism.ApplyHints;
import io.understudy.steering.parallelism.Workload;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StallsTest {
    private static final long SECOND = 1_000_000_000L;

    private final Workload workload = new Workload(100, ApplyCost.DEFAULT);
    private final Stalls stalls = new Stalls(List.of("s1"));

    private void logged(int first, int last) {
        for (int i = first; i <= last; i++) {
            stalls.logged(workload.add(
                    Transactions.of("0-1-" + i, TransactionKind.WRITE, 0, 1, i, -1, 100, 0, Set.of("s.t"), true),
                    ApplyHints.NONE));
        }
    }

    private void probed(double second, long applied, @Nullable Long received, boolean running) {
        long at = (long) (second * SECOND);
        stalls.probed("s1", Map.of(0L, applied), received == null ? null : Map.of(0L, received), running, at, at);
    }

    @Test
    void aTransactionThatStaysFirstWhileOthersWaitIsAStall() {
        logged(1, 5);
        probed(1, 2, 5L, true);
        probed(2, 2, 5L, true);
        assertThat(stalls.behind("s1")).isTrue();
        probed(3, 5, 5L, true);

        List<Stall> found = stalls.all();
        assertThat(found).hasSize(1);
        assertThat(found.get(0).head().gtid()).isEqualTo("0-1-3");
        assertThat(found.get(0).behind()).isEqualTo(2);
        assertThat(found.get(0).micros())
                .as("known for the time between two probes")
                .isEqualTo(1_000_000);
        assertThat(found.get(0).received()).isTrue();
        assertThat(stalls.behind("s1")).isFalse();
    }

    @Test
    void theLongestBriefStallIsKnownToo() {
        logged(1, 9);
        probed(1, 2, 9L, true);
        probed(1.1, 2, 9L, true);
        probed(1.2, 4, 9L, true);
        probed(1.25, 4, 9L, true);
        probed(1.3, 9, 9L, true);

        List<Stall> found = stalls.all();
        assertThat(found).hasSize(1);
        assertThat(found.get(0).brief()).isTrue();
        assertThat(found.get(0).micros()).isBetween(99_000L, 101_000L);
    }

    @Test
    void aStandbyIsLateSinceTheArrivalOfTheOldestThatItHasNotApplied() {
        for (int i = 1; i <= 50; i++) {
            stalls.logged(workload.add(
                    Transactions.of(
                            "0-1-" + i, TransactionKind.WRITE, 0, 1, i, -1, 100, i * SECOND / 10, Set.of("s.t"), true),
                    ApplyHints.NONE));
        }
        probed(4, 20, 50L, true);
        probed(5, 50, 50L, true);
        assertThat(stalls.all()).as("each head was applied in time").isEmpty();
        assertThat(stalls.lateMicros("s1")).isEqualTo(1_900_000);
        assertThat(stalls.lateMicros("s2")).isZero();
    }

    @Test
    void aStallThatLastsIsReportedToo() {
        logged(1, 2);
        probed(1, 0, null, true);
        probed(2, 0, null, true);

        assertThat(stalls.all()).extracting(Stall::received).containsExactly(false);
    }

    @Test
    void aStoppedApplierIsNoStall() {
        logged(1, 5);
        probed(1, 2, 5L, true);
        probed(2, 2, 5L, false);
        probed(3, 2, 5L, true);
        probed(4, 5, 5L, true);

        assertThat(stalls.all()).isEmpty();
    }

    @Test
    void timeBeforeTheStandbyHasTheTransactionIsNoStall() {
        logged(1, 5);
        probed(1, 2, 2L, true);
        probed(5, 2, 2L, true);
        probed(6, 5, 5L, true);

        assertThat(stalls.all()).isEmpty();
    }

    @Test
    void whatIsInFrontOfTheFirstTransactionReadIsNotBlamedOnIt() {
        logged(7, 9);
        probed(1, 5, 9L, true);
        probed(5, 5, 9L, true);
        assertThat(stalls.all()).isEmpty();
        probed(6, 6, 9L, true);
        probed(8, 6, 9L, true);

        assertThat(stalls.all()).extracting(Stall::head).extracting("gtid").containsExactly("0-1-7");
        assertThat(stalls.all()).extracting(Stall::micros).containsExactly(2_000_000L);
    }

    @Test
    void aTransactionThatNothingWaitsForIsNoStall() {
        logged(1, 3);
        probed(1, 2, 3L, true);
        probed(5, 2, 3L, true);
        probed(6, 3, 3L, true);

        assertThat(stalls.all()).isEmpty();
    }

    @Test
    void aStandbyThatIsLateButMovesHasNoStall() {
        logged(1, 50);
        for (int i = 0; i < 50; i++) {
            probed(1 + i * 0.1, i, 50L, true);
        }

        assertThat(stalls.all()).isEmpty();
    }

    /** Replication by file and position: Gtid_IO_Pos is empty. */
    @Test
    void whereNothingIsKnownToBeReceivedAStallIsMeasuredAllTheSame() {
        logged(1, 5);
        for (long second = 1; second <= 3; second++) {
            long at = second * SECOND;
            stalls.probed("s1", Map.of(0L, second < 3 ? 2L : 5L), Map.of(), true, at, at);
        }

        assertThat(stalls.all()).singleElement().satisfies(stall -> {
            assertThat(stall.micros()).isEqualTo(1_000_000);
            assertThat(stall.received()).isFalse();
        });
    }

    /** What is small is not kept behind the first thousands: a standby may be down for hours. */
    @Test
    void aStallFarBehindIsMeasuredAndTheLongOneNamed() {
        logged(1, 6_000);
        stalls.logged(workload.add(
                Transactions.of("0-1-6001", TransactionKind.WRITE, 0, 1, 6_001, -1, 4 << 20, 0, Set.of("s.big"), true),
                ApplyHints.NONE));
        logged(6_002, 6_003);
        probed(1, 5_000, 6_003L, true);
        probed(2, 5_000, 6_003L, true);
        probed(3, 6_000, 6_003L, true);
        probed(5, 6_000, 6_003L, true);
        probed(6, 6_003, 6_003L, true);

        List<Stall> found = stalls.all();
        assertThat(found)
                .extracting(stall -> stall.head().label())
                .containsExactly("a small transaction", "rows of s.big");
        assertThat(found).extracting(Stall::micros).containsExactly(1_000_000L, 2_000_000L);
        assertThat(found.get(0).head().gtid()).isEqualTo("0-?-5001");
    }

    /** The oldest of those that are known is younger than the one to be applied: it is late by that at least. */
    @Test
    void aStandbyIsLateAlsoWhereTheOldestIsNotKnown() {
        for (int i = 1; i <= 50_010; i++) {
            stalls.logged(Workload.Entry.small(0, i, SECOND));
        }
        probed(31, 5, 50_010L, true);

        assertThat(stalls.lateMicros("s1")).isEqualTo(30_000_000);
    }
}
