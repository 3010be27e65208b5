package io.understudy.plugins.commitlatency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.data.Percentage.withPercentage;

import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.binlog.Transactions;
import io.understudy.plugins.binlog.WitnessState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

@SuppressWarnings("NullAway") // absent keys are null
class FiguresTest {
    private static final long MS = 1_000_000L;

    @Test
    void partsAddUpAndAreNeverNegative() {
        assertThat(Breakdown.of(0, 10, 95, 4)).isEqualTo(new Breakdown(6, 4, 85));
        assertThat(Breakdown.of(0, 99, 95, 0)).as("the event came after the OK").isEqualTo(new Breakdown(95, 0, 0));
        Random random = new Random(3);
        for (int i = 0; i < 10_000; i++) {
            long sent = random.nextInt(1000);
            long ok = random.nextInt(1000);
            Breakdown parts = Breakdown.of(sent, random.nextInt(1000), ok, random.nextInt(1000) - 100);
            assertThat(parts.executeNanos()).isNotNegative();
            assertThat(parts.queuedNanos()).isNotNegative();
            assertThat(parts.ackNanos()).isNotNegative();
            assertThat(parts.executeNanos() + parts.queuedNanos() + parts.ackNanos())
                    .isEqualTo(Math.max(0, ok - sent));
        }
    }

    @Test
    void lastOfTheReportedGtids() {
        assertThat(ReportedGtids.last("0-1-42")).isEqualTo("0-1-42");
        assertThat(ReportedGtids.last("3E11FA47-71ca-11e1-9e33-c80aa9429562:28-29"))
                .isEqualTo("3e11fa47-71ca-11e1-9e33-c80aa9429562:29");
        assertThat(ReportedGtids.last("u:5:foo:1-2")).isEqualTo("u:foo:2");
        assertThat(ReportedGtids.last("u:1-5,\nv:7")).isEqualTo("v:7");
    }

    /** As a primary with 10,000 commits a second has after three days. */
    @Test
    void quantilesGoOnBeyondWhatAnIntCounts() {
        Quantiles quantiles = new Quantiles();
        quantiles.record(MS);
        for (int i = 0; i < quantiles.counts.length; i++) {
            quantiles.counts[i] *= Integer.MAX_VALUE;
        }
        quantiles.record(MS);
        quantiles.record(1000 * MS);
        assertThat(quantiles.at(0.5)).isCloseTo(MS, withPercentage(6));
    }

    @Test
    void quantilesAreKnownToSixPercent() {
        Quantiles quantiles = new Quantiles();
        for (int i = 1; i <= 10_000; i++) {
            quantiles.record(i * 10_000L);
        }
        assertThat(quantiles.at(0.5)).isCloseTo(50 * MS, withPercentage(6));
        assertThat(quantiles.at(0.99)).isCloseTo(99 * MS, withPercentage(6));
        assertThat(quantiles.at(1)).isEqualTo(quantiles.max()).isEqualTo(100 * MS);
        quantiles.clear();
        quantiles.record(-5);
        quantiles.record(Long.MAX_VALUE);
        assertThat(quantiles.at(0.5)).isLessThan(1024 * 2);
        assertThat(quantiles.count()).isEqualTo(2);
    }

    @Test
    void tablesAreBoundedAndTheRestIsOther() {
        CommitTable table = new CommitTable(2, Commit::user);
        for (int i = 0; i < 5; i++) {
            Commit commit = new Commit(CommitKind.AUTOCOMMIT, 1, 70, "user" + i, null, null, null, 0, MS * (i + 1));
            table.commit(commit);
            table.attributed(commit, new Breakdown(0, 0, MS));
        }
        List<CommitTable.Line> lines = table.lines();
        assertThat(lines).extracting(CommitTable.Line::key).containsExactly("user1", "user0", CommitTable.OTHER);
        assertThat(lines.get(2).commits()).isEqualTo(3);
        assertThat(lines.get(0).ackShare()).isEqualTo(0.5);
    }

    @Test
    void predictionFollowsLittlesLaw() {
        Prediction prediction = new Prediction();
        assertThat(prediction.figures(0, new WitnessState()).commits()).isZero();
        for (int i = 0; i < 1000; i++) {
            prediction.commit(GtidJoinTest.commit("g", i * (10 * MS), i * (10 * MS) + 88 * MS));
            prediction.attributed(new Breakdown(2 * MS, 0, 86 * MS));
        }
        long end = 1000 * 10 * MS;
        Prediction.Figures figures = prediction.figures(end, new WitnessState());
        assertThat(figures.commitsPerSecond()).isEqualTo(100);
        assertThat(figures.roundTripMillis()).isCloseTo(86, within(5.0));
        assertThat(figures.ceilingPerConnection()).isCloseTo(11.4, within(0.7));
        assertThat(figures.connectionsNeeded()).isEqualTo(8.8);
        assertThat(figures.commitsPerSecondNow()).isCloseTo(100, within(10.0));
    }

    @Test
    void aWitnessTakesTheAcknowledgementsPlace() {
        Prediction prediction = new Prediction();
        prediction.commit(GtidJoinTest.commit("g", 0, 88 * MS));
        assertThat(prediction.figures(0, new WitnessState()).witness())
                .as("neither part is known")
                .isNull();
        prediction.attributed(new Breakdown(2 * MS, 0, 86 * MS));
        assertThat(prediction.figures(0, new WitnessState()).witness())
                .as("no ping yet")
                .isNull();
        prediction.pinged(90 * MS); // the first one, on a cold connection
        prediction.pinged(MS / 4);
        prediction.pinged(MS / 4);
        Prediction.WithWitness with = prediction.figures(0, new WitnessState()).witness();
        assertThat(with).isNotNull();
        assertThat(with.roundTripMillis()).isEqualTo(0.25);
        assertThat(with.memoryMillis()).isCloseTo(2.25, within(0.15));
        assertThat(with.memoryCeilingPerConnection()).isCloseTo(444, within(30.0));
        assertThat(with.diskMillis()).as("no directory was measured").isNull();
        WitnessState present = new WitnessState();
        present.sync(Duration.ofMillis(4));
        assertThat(prediction.figures(0, present).witness())
                .extracting(Prediction.WithWitness::diskMillis)
                .isEqualTo(with.memoryMillis() + 4);
    }

    /** The rate of a burst is not the present rate once nobody commits. */
    @Test
    void aBurstHasItsAge() {
        Prediction prediction = new Prediction();
        for (int i = 0; i < 100; i++) {
            prediction.commit(GtidJoinTest.commit("g", i * (10 * MS), i * (10 * MS) + MS));
        }
        Prediction.Figures figures = prediction.figures(600_000 * MS, new WitnessState());
        assertThat(figures.commitsPerSecond()).isEqualTo(100);
        assertThat(figures.commitsPerSecondNow()).isZero();
        assertThat(figures.lastCommitSecondsAgo()).isEqualTo(599.0);
    }

    @Test
    void groupsAreCountedWhenTheNumberChanges() {
        List<Long> sizes = new ArrayList<>();
        GroupCommits groups = new GroupCommits(sizes::add);
        for (long group : new long[] {5, 5, 5, -1, -1, 6, 7, 7, -1}) {
            groups.transaction(ofGroup(group));
        }
        assertThat(sizes).containsExactly(3L, 1L, 1L, 1L, 2L, 1L);
        assertThat(groups.groups()).isEqualTo(6);
        assertThat(groups.transactions()).isEqualTo(9);
    }

    private static BinlogTransaction ofGroup(long group) {
        return Transactions.of("g", TransactionKind.WRITE, 0, 1, 1, group, 1, 1, Set.of(), true);
    }

    @Test
    void groupsAreReportedBySetting() {
        GroupCommits groups = new GroupCommits(size -> {});
        groups.settings(0, 100_000);
        groups.transaction(ofGroup(BinlogTransaction.NO_GROUP));
        groups.transaction(ofGroup(BinlogTransaction.NO_GROUP));
        groups.commit(1_000_000);
        groups.settings(0, 100_000);
        groups.settings(8, 50_000);
        for (int i = 0; i < 3; i++) {
            groups.transaction(ofGroup(77));
        }
        groups.transaction(ofGroup(BinlogTransaction.NO_GROUP));
        groups.commit(2_000_000);
        groups.commit(4_000_000);
        assertThat(groups.under())
                .containsExactly(
                        new GroupCommits.Under(0, 100_000, 2, 1.0, 1, 1.0),
                        new GroupCommits.Under(8, 50_000, 2, 2.0, 2, 3.0));
    }

    @Test
    void invalidConfigurationIsRejected() {
        CommitLatencyConfig defaults = new CommitLatencyConfig(null, null, null, null, null, null);
        assertThat(defaults.attribution()).isEqualTo(Attribution.AUTO);
        assertThat(defaults.slow()).isEqualTo(Duration.ofMillis(250));
        assertThatThrownBy(() -> config(Duration.ofSeconds(-1), 5, 0)).hasMessageStartingWith("slow");
        assertThatThrownBy(() -> config(Duration.ZERO, 0, 0)).hasMessageStartingWith("rows");
        assertThatThrownBy(() -> config(Duration.ZERO, 5, 1L << 32)).hasMessageStartingWith("serverId");
    }

    private static CommitLatencyConfig config(Duration slow, int rows, long serverId) {
        return new CommitLatencyConfig(
                Attribution.OFF, slow, Duration.ofSeconds(1), rows, Duration.ofSeconds(30), serverId);
    }

    @Test
    void slowCommitsAreDescribedWithTheirParts() {
        Commit commit = new Commit(CommitKind.DDL, 7, 70, "app", null, "00ff", "0-1-2", 0, 300 * MS);
        assertThat(SlowCommits.describe(commit, new Breakdown(10 * MS, 90 * MS, 200 * MS)))
                .isEqualTo("slow commit: 300.0 ms, kind ddl, session 7, user app, schema -, digest 00ff: execution and"
                        + " flush"
                        + " 10.0, queued behind other acknowledgements 90.0, own acknowledgement 200.0");
        assertThat(SlowCommits.describe(commit, null)).endsWith("parts unknown");
    }
}
