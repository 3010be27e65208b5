package io.understudy.steering.parallelism;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ParallelApplyTest {

    private static AppliedTransaction t(int number, long duration) {
        return new AppliedTransaction("T" + number, 0, 0, duration, false, 0);
    }

    private static ApplyCost cost(long commit) {
        return new ApplyCost(0, 1, commit, 4);
    }

    /** Returns the log of one domain. */
    private static List<AppliedTransaction> log(List<List<AppliedTransaction>> groups) {
        List<AppliedTransaction> log = new ArrayList<>();
        for (int group = 0; group < groups.size(); group++) {
            for (AppliedTransaction each : groups.get(group)) {
                log.add(new AppliedTransaction(each.name(), 0, group, each.duration(), each.waits(), each.distance()));
            }
        }
        return log;
    }

    private static ParallelApply.Result simulate(List<List<AppliedTransaction>> groups, int workers, long commit) {
        return ParallelApply.simulate(log(groups), workers, cost(commit));
    }

    /** T1 of 12 units begins first; five of 3 units; commits of 1 unit; two commit groups. */
    private static List<List<AppliedTransaction>> example() {
        return List.of(List.of(t(1, 12), t(2, 3), t(3, 3), t(4, 3)), List.of(t(5, 3), t(6, 3)));
    }

    @Test
    void sixTransactionsTake33UnitsAloneAnd17WithFourThreads() {
        assertThat(simulate(example(), 1, 1).makespan()).isEqualTo(33);

        ParallelApply.Result four = simulate(example(), 4, 1);

        assertThat(four.makespan()).isEqualTo(17);
        assertThat(four.serial()).isEqualTo(33);
        assertThat(four.commits()).isEqualTo(2);
        assertThat(four.speedup()).isEqualTo(33.0 / 17);
        assertThat(four.stalls()).containsExactly(new ParallelApply.Stall("T1", 27));
    }

    @Test
    void theLongTransactionStallsThePipelineWhereverItStands() {
        List<List<AppliedTransaction>> late =
                List.of(List.of(t(2, 3), t(3, 3), t(4, 3), t(5, 3)), List.of(t(6, 3), t(1, 12)));

        assertThat(simulate(late, 4, 1).makespan()).isEqualTo(17);
    }

    @Test
    void twoThreadsKeepTheirTransactionsUntilTheyHaveCommitted() {
        // T1 occupies the first worker until 13; T2 is done at 3 but waits for T1; both commit at 12. T3 and T4 run to
        // 16 and commit until 17; T5 and T6 to 20 and 21.
        assertThat(simulate(example(), 2, 1).makespan()).isEqualTo(21);
    }

    @Test
    void aDomainOfItsOwnLeavesTheOthersUnstalled() {
        ParallelApply.Result apart = ParallelApply.simulate(
                ParallelismReport.apart(log(example()), each -> each.duration() >= 10), 4, cost(1));

        assertThat(apart.makespan()).isEqualTo(13);
        assertThat(apart.stalls()).isEmpty();
    }

    @Test
    void domainsShareTheWorkersAndNothingElse() {
        List<AppliedTransaction> two = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            two.add(new AppliedTransaction("A" + i, 0, i, 3, false, 0));
            two.add(new AppliedTransaction("B" + i, 10, 100 + i, 3, false, 0));
        }
        ParallelApply.Result both = ParallelApply.simulate(two, 4, cost(1));
        ParallelApply.Result one = ParallelApply.simulate(
                two.stream().filter(each -> each.domain() == 0).toList(), 4, cost(1));
        assertThat(both.makespan()).isEqualTo(one.makespan()).isEqualTo(31);
        assertThat(both.stalls()).isEmpty();
        assertThat(ParallelApply.simulate(two, 1, cost(1)).makespan())
                .as("one worker applies all")
                .isEqualTo(both.serial());
    }

    /** As the server does: each of a group reaches the commit stage before the next group starts executing. */
    @Test
    void aGroupBeginsWhenTheLastOneHasReachedItsCommit() {
        // The first group commits from 12 to 13, while free workers execute the second from 12 to 15; it commits to 16.
        assertThat(simulate(example(), 6, 1).makespan()).isEqualTo(16);

        List<List<AppliedTransaction>> alone = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            alone.add(List.of(t(i, 5)));
        }
        assertThat(simulate(alone, 2, 5).makespan())
                .as("one commits while the next executes")
                .isEqualTo(55);
    }

    /** The next group executes while the last one commits, so what waits for that commit shares the next one. */
    @Test
    void groupsOfOneShareACommitThatTakesLong() {
        List<List<AppliedTransaction>> alone = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            alone.add(List.of(t(i, 1)));
        }
        // The first commits from 1 to 11, the next three from 11 to 21; a worker is free again when it has committed.
        ParallelApply.Result four = simulate(alone, 4, 10);
        assertThat(four.commits()).isEqualTo(5);
        assertThat(four.makespan()).isEqualTo(51);
        assertThat(simulate(alone, 1, 10).commits()).isEqualTo(9);
    }

    @Test
    void moreWorkersThanTransactionsChangeNothing() {
        assertThat(simulate(example(), 40, 1).makespan()).isEqualTo(16);
        assertThat(simulate(List.of(), 4, 1).speedup()).isEqualTo(1);
    }

    @Test
    void aTransactionThatConflictsRunsAgainAndOneThatWaitsDoesNot() {
        // Both run from 0 to 10; the first commits at 11; the second runs again from 11, with 4 for the retry.
        List<List<AppliedTransaction>> conflict =
                List.of(List.of(t(1, 10), new AppliedTransaction("T2", 0, 0, 10, false, 1)));
        ParallelApply.Result again = simulate(conflict, 4, 1);
        assertThat(again.makespan()).isEqualTo(26);
        assertThat(again.retries()).isEqualTo(1);

        List<List<AppliedTransaction>> waiting =
                List.of(List.of(t(1, 10), new AppliedTransaction("T2", 0, 0, 10, true, 1)));
        ParallelApply.Result once = simulate(waiting, 4, 1);
        assertThat(once.makespan()).isEqualTo(22);
        assertThat(once.retries()).isZero();

        assertThat(simulate(conflict, 1, 1).retries())
                .as("one worker runs nothing beside another")
                .isZero();
    }

    @Property(tries = 300)
    void theMakespanLiesBetweenItsBounds(
            @ForAll @Size(max = 30) List<@IntRange(max = 50) Integer> durations,
            @ForAll @IntRange(min = 1, max = 7) int groupSize,
            @ForAll @IntRange(min = 1, max = 9) int workers,
            @ForAll @IntRange(max = 5) int commitCost) {
        List<List<AppliedTransaction>> groups = new ArrayList<>();
        long work = 0;
        for (int i = 0; i < durations.size(); i += groupSize) {
            List<AppliedTransaction> group = new ArrayList<>();
            for (int j = i; j < Math.min(durations.size(), i + groupSize); j++) {
                group.add(t(j, durations.get(j)));
                work += durations.get(j);
            }
            groups.add(group);
        }

        ParallelApply.Result result = simulate(groups, workers, commitCost);

        assertThat(result.makespan()).isBetween(work / workers, result.serial());
        // Not one for each group: MariaDB 11.4 applied 4,000 groups of one transaction with 2,848 commits.
        assertThat(result.commits()).isBetween(Math.min(1, durations.size()), durations.size());
        assertThat(simulate(groups, 1, commitCost).makespan()).isEqualTo(result.serial());
    }
}
