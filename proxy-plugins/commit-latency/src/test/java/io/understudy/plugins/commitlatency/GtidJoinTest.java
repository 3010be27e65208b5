package io.understudy.plugins.commitlatency;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.binlog.Transactions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GtidJoinTest {
    private static final long EXPIRE = 1_000_000;

    private record Met(Commit commit, BinlogTransaction event, long queued) {}

    private final List<Met> met = new ArrayList<>();
    private final List<String> expiredEvents = new ArrayList<>();
    private final List<String> unmatched = new ArrayList<>();

    private GtidJoin join(int capacity) {
        return new GtidJoin(capacity, EXPIRE, new GtidJoin.Out() {
            @Override
            public void joined(Tracked commit, BinlogTransaction event, long queuedNanos) {
                met.add(new Met(commit.commit(), event, queuedNanos));
            }

            @Override
            public void unmatched(BinlogTransaction event) {
                expiredEvents.add(String.valueOf(event.gtid()));
            }

            @Override
            public void unmatched(Tracked commit, String reason) {
                unmatched.add(commit.commit().gtid() + " " + reason);
            }
        });
    }

    static Commit commit(String gtid, long sent, long ok) {
        return new Commit(CommitKind.AUTOCOMMIT, 1, 70, "app", "shop", null, gtid, sent, ok);
    }

    static BinlogTransaction event(String gtid, long nanos) {
        return Transactions.of(gtid, TransactionKind.WRITE, 0, 1, 1, -1, 100, nanos, Set.of(), true);
    }

    /** Returns a transaction that was read after a rest. */
    static BinlogTransaction late(String gtid, long nanos) {
        return new BinlogTransaction(
                gtid, TransactionKind.WRITE, 0, 1, 1, -1, 100, nanos, false, Set.of(), true, false, null, 0, 0);
    }

    private static void tell(GtidJoin join, Commit commit) {
        join.commit(new Tracked(commit), String.valueOf(commit.gtid()));
    }

    @Test
    void commitsAndEventsAreJoinedInEitherOrder() {
        GtidJoin join = join(10);
        tell(join, commit("0-1-1", 0, 100));
        join.event(event("0-1-1", 40));
        join.event(event("0-1-2", 140));
        tell(join, commit("0-1-2", 100, 200));
        assertThat(met).hasSize(2);
        assertThat(join.waitingCommits() + join.waitingEvents()).isZero();
    }

    @Test
    void timeBehindOtherAcknowledgementsIsQueued() {
        GtidJoin join = join(10);
        join.event(event("0-1-1", 10));
        tell(join, commit("0-1-1", 0, 110));
        // Sent while the first waited for its acknowledgement (10 to 110), but written only after that.
        join.event(event("0-1-2", 112));
        tell(join, commit("0-1-2", 50, 212));
        assertThat(met.get(0).queued()).isZero();
        assertThat(met.get(1).queued()).isEqualTo(60);
    }

    @Test
    void commitsAndEventsWithoutPartnerExpire() {
        GtidJoin join = join(10);
        tell(join, commit("0-1-1", 0, 100));
        join.event(event("0-1-9", 100));
        join.expire(100 + EXPIRE);
        assertThat(unmatched).isEmpty();
        join.expire(101 + EXPIRE);
        assertThat(unmatched).containsExactly("0-1-1 expired");
        assertThat(join.waitingEvents()).isZero();
    }

    @Test
    void bothSidesAreBounded() {
        GtidJoin join = join(3);
        for (int i = 0; i < 100; i++) {
            tell(join, commit("0-1-" + i, i, i + 1));
            join.event(event("0-2-" + i, i));
        }
        assertThat(join.waitingCommits()).isEqualTo(3);
        assertThat(join.waitingEvents()).isEqualTo(3);
        assertThat(unmatched).hasSize(97).allMatch(line -> line.endsWith("overflow"));
    }

    @Test
    void aGapReleasesWaitingCommits() {
        GtidJoin join = join(10);
        tell(join, commit("0-1-1", 0, 100));
        join.gap();
        assertThat(unmatched).containsExactly("0-1-1 gap");
        join.event(event("0-1-1", 200));
        assertThat(met).isEmpty();
    }

    @Test
    void anEventOfAnEarlierUseOfTheGtidIsNotJoined() {
        GtidJoin join = join(10);
        join.event(event("0-1-1", 50)); // before RESET MASTER, by a client that bypassed the proxy
        tell(join, commit("0-1-1", 100, 200));
        assertThat(met).isEmpty();
        join.event(event("0-1-1", 150));
        assertThat(met).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aHundredThousandCommitsAreJoinedWithTheirOwnEvents(long seed) {
        Random random = new Random(seed);
        GtidJoin join = join(1 << 16);
        int total = 100_000;
        List<Runnable> arrivals = new ArrayList<>();
        List<Long> due = new ArrayList<>();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < total; i++) {
            long sent = i * 100L;
            long event = sent + random.nextInt(2_000);
            long ok = event + random.nextInt(5_000) - 500;
            String gtid = i % 3 + "-1-" + i;
            Commit commit = commit(gtid, sent, Math.max(sent, ok));
            order.add(arrivals.size());
            due.add(commit.okNanos() + random.nextInt(10_000));
            arrivals.add(() -> tell(join, commit));
            order.add(arrivals.size());
            due.add(event + random.nextInt(10_000));
            arrivals.add(() -> join.event(event(gtid, event)));
        }
        order.sort(java.util.Comparator.comparing(due::get));
        for (int next : order) {
            arrivals.get(next).run();
            if (next % 100 == 0) {
                join.expire(due.get(next));
            }
        }
        assertThat(unmatched).isEmpty();
        assertThat(met).hasSize(total);
        assertThat(met)
                .allMatch(
                        m -> String.valueOf(m.commit().gtid()).equals(m.event().gtid()));
        assertThat(met.stream().map(m -> m.commit().gtid()).distinct()).hasSize(total);
        assertThat(met)
                .allMatch(m -> m.queued() >= 0
                        && m.queued() <= m.event().lastNanos() - m.commit().sentNanos());
    }
}
