package io.understudy.plugins.commitlatency;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.plugin.LatencyRecorder;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.WitnessState;
import io.understudy.testkit.Fakes;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class CommitWorkerTest {
    private static final long MS = 1_000_000L;
    private static final PrimaryFacts FACTS = new PrimaryFacts(ServerFlavor.MARIADB, 1, "", true, "ROW", true, "0-1-1");

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Map<String, List<Long>> series = new TreeMap<>();
    private final WitnessState witness = new WitnessState();
    private long now = 1_000 * MS;
    /** What happens beside the worker when it has measured something. */
    private Runnable onValue = () -> {};

    private CommitWorker worker(Attribution attribution, boolean hasAccount) {
        PluginContext context = Fakes.of(PluginContext.class, (proxy, method, arguments) -> {
            if (method.getName().equals("meters")) {
                return meters;
            }
            List<Long> values = new ArrayList<>();
            series.put(arguments[0] + Arrays.toString((Object[]) arguments[2]), values);
            return (LatencyRecorder) value -> {
                values.add(value);
                onValue.run();
            };
        });
        CommitLatencyConfig config = new CommitLatencyConfig(
                attribution, Duration.ofMillis(250), Duration.ofSeconds(1), 10, Duration.ofSeconds(30), 0L);
        return new CommitWorker(
                config,
                new CommitMeters(context),
                new AttributionState(attribution, hasAccount),
                Clock.systemUTC(),
                () -> now,
                hasAccount,
                (commit, event, parts) -> {},
                witness);
    }

    private List<Long> commits(String kind, String state) {
        return series.getOrDefault("understudy_commit_seconds[kind, " + kind + ", semisync, " + state + "]", List.of());
    }

    private List<Long> waits(String source) {
        return series.getOrDefault("understudy_commit_semisync_wait_seconds[source, " + source + "]", List.of());
    }

    @Test
    void splitsACommitAndWaitsForTheNextProbe() {
        CommitWorker worker = worker(Attribution.AUTO, true);
        worker.sampled(SemiSyncTest.sample(now, true, true, 0));
        worker.onStart(FACTS);
        worker.onTransaction(GtidJoinTest.event("0-1-2", now + 2 * MS));
        worker.committed(GtidJoinTest.commit("0-1-2", now, now + 88 * MS));
        worker.run();
        assertThat(waits("binlog")).containsExactly(86 * MS);
        assertThat(commits("autocommit", "on")).isEmpty();
        worker.sampled(SemiSyncTest.sample(now + 100 * MS, true, true, 0));
        worker.run();
        assertThat(commits("autocommit", "on")).containsExactly(88 * MS);
        CommitsView view = worker.view();
        assertThat(view.attribution().active()).isEqualTo("binlog");
        assertThat(view.users().get(0).ackShare()).isEqualTo(0.977);
        assertThat(view.unattributed()).isEmpty();
    }

    /** The worker stands still: calls end in a burst, and the stream begins behind a full queue. */
    @Test
    void theStreamsBeginningIsNotLostBehindABurstOfCalls() {
        CommitWorker worker = worker(Attribution.AUTO, true);
        worker.sampled(SemiSyncTest.sample(now, true, true, 0));
        ProcedureCall call = new ProcedureCall(1, 70, "app", "shop", "d1", now);
        for (int i = 0; i < 70_000; i++) {
            worker.ended(call, now, null);
        }
        for (int i = 0; i < 300; i++) {
            worker.sampled(SemiSyncTest.sample(now, true, true, 0));
        }
        worker.onStart(FACTS);
        worker.run();
        assertThat(worker.view().attribution().active()).isEqualTo("binlog");
    }

    /** The worker stands still while a call ends: what others commit later is none of the call's. */
    @Test
    void theEndOfACallIsNotLostBehindABurstOfCommits() {
        CommitWorker worker = worker(Attribution.AUTO, true);
        worker.sampled(SemiSyncTest.sample(now, true, true, 0));
        worker.onStart(FACTS);
        ProcedureCall call = new ProcedureCall(1, 70, "app", "shop", "d1", now);
        assertThat(worker.began(call)).isTrue();
        for (int i = 0; i < 70_000; i++) {
            worker.committed(GtidJoinTest.commit("0-1-" + (i + 10), now, now + MS));
        }
        worker.ended(call, now + MS, null);
        assertThat(worker.began(call)).as("there is no room for another").isFalse();
        worker.run();
        now += 40_000 * MS;
        worker.onTransaction(GtidJoinTest.event("0-1-900001", now));
        worker.onTransaction(GtidJoinTest.event("0-1-900002", now + MS));
        worker.run();
        now += 40_000 * MS;
        worker.run();
        worker.finish();
        assertThat(worker.view().unattributed()).doesNotContainKey("inside");
    }

    /** Where ends of calls wait the stream has room: it begins again before the transactions that follow. */
    @Test
    void theStreamsBeginningDoesNotWaitBehindTheEndOfACall() {
        CommitWorker worker = worker(Attribution.AUTO, true);
        ProcedureCall call = new ProcedureCall(1, 70, "app", "shop", "d1", now);
        for (int i = 0; i < 10; i++) {
            worker.ended(call, now, "3e11fa47-71ca-11e1-9e33-c80aa9429562:4-6");
        }
        for (int i = 0; i < 70_000; i++) {
            worker.committed(GtidJoinTest.commit("0-1-" + (i + 10), now, now + MS));
        }
        worker.ended(call, now, null);
        List<String> values = new ArrayList<>();
        onValue = () -> {
            values.add("value");
            if (values.size() == 20) { // the worker has made room for some
                worker.onStart(FACTS);
                worker.onTransaction(GtidJoinTest.event("0-1-900001", now + 2 * MS));
            }
        };
        worker.run();
        worker.committed(GtidJoinTest.commit("0-1-900001", now, now + 5 * MS));
        worker.run();
        assertThat(waits("binlog")).containsExactly(3 * MS);
    }

    /** The stream begins while the queue is full, and ends when the worker has made room again. */
    @Test
    void theStreamsEndIsNotProcessedBeforeItsBeginning() {
        CommitWorker worker = worker(Attribution.AUTO, true);
        ProcedureCall call = new ProcedureCall(1, 70, "app", "shop", "d1", now);
        worker.ended(call, now, "3e11fa47-71ca-11e1-9e33-c80aa9429562:4-6");
        for (int i = 0; i < 70_000; i++) {
            worker.ended(call, now, null);
        }
        for (int i = 0; i < 300; i++) {
            worker.sampled(SemiSyncTest.sample(now, true, true, 0));
        }
        worker.onStart(FACTS);
        List<String> ends = new ArrayList<>();
        onValue = () -> {
            if (ends.isEmpty()) {
                ends.add("end");
                worker.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
            }
        };
        worker.run();
        assertThat(ends).hasSize(1);
        assertThat(worker.view().attribution().active()).isEqualTo("counters");
    }

    @Test
    void nothingIsLostAtTheEnd() {
        CommitWorker worker = worker(Attribution.AUTO, true);
        worker.sampled(SemiSyncTest.sample(now, true, true, 0));
        worker.onStart(FACTS);
        ProcedureCall call = new ProcedureCall(1, 70, "app", "shop", "d1", now);
        worker.began(call);
        worker.onTransaction(GtidJoinTest.event("0-1-2", now + 2 * MS));
        worker.onTransaction(GtidJoinTest.event("0-1-3", now + 5 * MS));
        worker.committed(GtidJoinTest.commit("0-1-3", now, now + 6 * MS));
        worker.ended(call, now + 6 * MS, "0-1-3");
        worker.finish();
        assertThat(commits("autocommit", "on")).containsExactlyInAnyOrder(2 * MS, 6 * MS);
        assertThat(worker.view().unattributed()).isEqualTo(Map.of("inside", 1L));
    }

    @Test
    void withoutTheLogACallsCommitsShareItsTime() {
        CommitWorker worker = worker(Attribution.OFF, false);
        String uuid = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
        ProcedureCall call = new ProcedureCall(1, 70, "app", "shop", "d1", now);
        worker.began(call);
        worker.committed(GtidJoinTest.commit(uuid + ":4-6", now, now + 9 * MS));
        worker.ended(call, now + 9 * MS, uuid + ":4-6");
        worker.run();
        assertThat(commits("autocommit", "unknown")).containsExactlyInAnyOrder(9 * MS, 3 * MS, 3 * MS);
    }

    @Test
    void restsOnlyWhileSemiSyncIsSwitchedOff() {
        CommitWorker worker = worker(Attribution.AUTO, true);
        assertThat(worker.restNanos()).isZero();
        worker.sampled(SemiSyncTest.sample(now, false, false, 0));
        worker.run();
        assertThat(worker.restNanos()).isEqualTo(20 * MS);
        worker.sampled(SemiSyncTest.sample(now, true, false, 0));
        worker.run();
        assertThat(worker.restNanos()).as("fallen back, may recover").isZero();
        worker.sampled(SemiSyncSample.unknown(now, now));
        worker.run();
        assertThat(worker.restNanos()).as("unknown").isZero();
    }

    @Test
    void aCommitReadAfterARestIsSplitOnlyIfItWaitedForNoAcknowledgement() {
        CommitWorker worker = worker(Attribution.AUTO, true);
        worker.onStart(FACTS);
        worker.sampled(SemiSyncTest.sample(now, false, false, 0));
        // Read after the first commit's OK and before the second was sent: by the clock alone the first would seem to
        // have waited for 3 ms.
        worker.committed(GtidJoinTest.commit("0-1-2", now, now + 5 * MS));
        worker.onTransaction(GtidJoinTest.late("0-1-2", now + 2 * MS));
        worker.run();
        assertThat(waits("binlog"))
                .as("not known yet whether semi-sync was off")
                .isEmpty();
        worker.sampled(SemiSyncTest.sample(now + 10 * MS, false, false, 0));
        worker.run();
        assertThat(waits("binlog")).containsExactly(0L);
        assertThat(commits("autocommit", "off")).containsExactly(5 * MS);
        // Semi-sync was switched on between two probes: this commit may have waited, and the event's time does not
        // decide it.
        worker.committed(GtidJoinTest.commit("0-1-3", now + 11 * MS, now + 15 * MS));
        worker.sampled(SemiSyncTest.sample(now + 20 * MS, true, true, 0));
        worker.onTransaction(GtidJoinTest.late("0-1-3", now + 21 * MS));
        worker.run();
        assertThat(waits("binlog")).hasSize(1);
        assertThat(worker.view().unattributed()).containsEntry("late", 1L);
    }

    /** The binary log is shared: another plugin may need it read as it arrives. */
    @Test
    void anArrivalWhileSemiSyncIsOffCountsOnlyIfItWasSwitchedOn() {
        CommitWorker worker = worker(Attribution.AUTO, true);
        worker.onStart(FACTS);
        worker.sampled(SemiSyncTest.sample(now, false, false, 0));
        worker.committed(GtidJoinTest.commit("0-1-2", now, now + 5 * MS));
        worker.onTransaction(GtidJoinTest.event("0-1-2", now + 2 * MS));
        worker.sampled(SemiSyncTest.sample(now + 10 * MS, false, false, 0));
        worker.run();
        assertThat(waits("binlog")).as("nobody waited").containsExactly(0L);
        worker.committed(GtidJoinTest.commit("0-1-3", now + 11 * MS, now + 15 * MS));
        worker.onTransaction(GtidJoinTest.event("0-1-3", now + 12 * MS));
        worker.sampled(SemiSyncTest.sample(now + 20 * MS, true, true, 0));
        worker.run();
        assertThat(waits("binlog")).containsExactly(0L, 3 * MS);
        assertThat(worker.view().unattributed()).isEmpty();
    }

    @Test
    void attributionIsChangedWhileItRuns() {
        CommitWorker worker = worker(Attribution.AUTO, true);
        worker.onStart(FACTS);
        worker.committed(GtidJoinTest.commit("0-1-2", now, now + MS));
        worker.run();
        worker.attribution(Attribution.OFF);
        worker.committed(GtidJoinTest.commit("0-1-3", now, now + MS));
        worker.run();
        assertThat(worker.view().attribution().active()).isEqualTo("off");
        assertThat(worker.view().attribution().configured()).isEqualTo("off");
        assertThat(worker.view().unattributed())
                .as("the one waited for its event when the log was left")
                .containsEntry("gap", 1L)
                .containsEntry("no_binlog", 1L);
        worker.attribution(Attribution.BINLOG);
        worker.run();
        assertThat(worker.view().attribution().reason()).isEqualTo("the binary log is not read yet");
        worker.onStart(FACTS);
        worker.run();
        assertThat(worker.view().attribution().active()).isEqualTo("binlog");
    }

    @Test
    void autoFallsBackToCountersWithTheRemedyAndComesBack() {
        CommitWorker worker = worker(Attribution.AUTO, true);
        worker.onGap(new BinlogTrouble(BinlogTrouble.Reason.PRIVILEGE, "denied; GRANT REPLICATION SLAVE"));
        worker.committed(GtidJoinTest.commit("0-1-2", now, now + 88 * MS));
        SemiSyncSample first = SemiSyncTest.sample(now, true, true, 0);
        worker.sampled(first);
        worker.sampled(SemiSyncSample.of(
                now,
                now + 200 * MS,
                ServerFlavor.MARIADB,
                Map.of(
                        "rpl_semi_sync_master_enabled", "ON",
                        "rpl_semi_sync_master_status", "ON",
                        "rpl_semi_sync_master_clients", "1",
                        "rpl_semi_sync_master_tx_waits", "2",
                        "rpl_semi_sync_master_tx_wait_time", "170000")));
        worker.run();
        CommitsView view = worker.view();
        assertThat(view.attribution().active()).isEqualTo("counters");
        assertThat(view.attribution().reason()).contains("GRANT REPLICATION SLAVE");
        assertThat(view.unattributed()).containsEntry("no_binlog", 1L);
        assertThat(view.binlogGaps()).containsEntry("privilege", 1L);
        assertThat(waits("counters")).containsExactly(85 * MS, 85 * MS);
        worker.onStart(FACTS);
        worker.run();
        assertThat(worker.view().attribution().active()).isEqualTo("binlog");
    }

    @Test
    void configuredBinlogHasNoFallback() {
        CommitWorker worker = worker(Attribution.BINLOG, true);
        worker.onGap(new BinlogTrouble(BinlogTrouble.Reason.BINLOG_OFF, "start the primary with log_bin"));
        worker.run();
        assertThat(worker.view().attribution().active()).isEqualTo("off");
        assertThat(worker.view().attribution().reason()).contains("log_bin");
    }

    @Test
    void withoutAnAccountCommitsAreOnlyTimed() {
        CommitWorker worker = worker(Attribution.AUTO, false);
        worker.committed(GtidJoinTest.commit("0-1-2", now, now + MS));
        worker.run();
        assertThat(commits("autocommit", "unknown")).containsExactly(MS);
        assertThat(worker.view().attribution().reason()).contains("primary.monitor");
    }

    @Test
    void commitWithoutGtidIsTimedButNotSplit() {
        CommitWorker worker = worker(Attribution.BINLOG, true);
        worker.onStart(FACTS);
        // The response to INSERT … RETURNING is a result set, which cannot carry a GTID.
        worker.committed(new Commit(CommitKind.AUTOCOMMIT, 1, 70, "app", null, null, null, now, now + MS));
        worker.run();
        assertThat(worker.view().unattributed()).containsEntry("no_gtid", 1L);
        assertThat(worker.view().users().get(0).commits()).isEqualTo(1);
    }

    @Test
    void replacedPrimaryReleasesCommitsThatWait() {
        CommitWorker worker = worker(Attribution.BINLOG, true);
        worker.onStart(FACTS);
        worker.committed(GtidJoinTest.commit("0-1-2", now, now + MS));
        worker.run();
        worker.onStart(FACTS);
        worker.run();
        assertThat(worker.view().unattributed()).containsEntry("gap", 1L);
    }

    @Test
    void unacknowledgedCommitsOpenAnExposureWindow() {
        CommitWorker worker = worker(Attribution.OFF, true);
        worker.sampled(SemiSyncTest.sample(now, true, true, 0));
        worker.committed(GtidJoinTest.commit("0-1-2", now, now + 10 * MS));
        worker.committed(GtidJoinTest.commit("0-1-3", now, now + 20 * MS));
        worker.sampled(SemiSyncTest.sample(now + 30 * MS, true, false, 1));
        worker.run();
        Exposure.Window open = worker.view().exposure().current();
        assertThat(open).isNotNull();
        assertThat(open.firstGtid()).isEqualTo("0-1-3");
        assertThat(meters.get("understudy.commits.unacknowledged").counter().count())
                .isEqualTo(1);
        worker.sampled(SemiSyncTest.sample(now + 60 * MS, true, true, 1));
        worker.run();
        assertThat(worker.view().exposure().current()).isNull();
        assertThat(worker.view().exposure().past()).hasSize(1);
    }

    /** Its acknowledgements begin behind commits that nobody has acknowledged, and that it does not have. */
    @Test
    void aWitnessThatHasNotAllEndsNoExposure() {
        AtomicBoolean all = new AtomicBoolean();
        witness.witness(new WitnessState.Witness() {
            @Override
            public boolean isPresent() {
                return true;
            }

            @Override
            public boolean holdsAll() {
                return all.get();
            }
        });
        CommitWorker worker = worker(Attribution.OFF, true);
        worker.sampled(SemiSyncTest.sample(now, true, false, 0));
        worker.committed(GtidJoinTest.commit("0-1-2", now, now + 10 * MS));
        worker.sampled(SemiSyncTest.sample(now + 30 * MS, true, false, 1));
        worker.committed(GtidJoinTest.commit("0-1-3", now, now + 50 * MS));
        worker.sampled(SemiSyncTest.sample(now + 60 * MS, true, true, 1));
        worker.committed(GtidJoinTest.commit("0-1-4", now, now + 70 * MS));
        worker.sampled(SemiSyncTest.sample(now + 90 * MS, true, true, 1));
        worker.run();
        assertThat(worker.view().exposure().current())
                .extracting(Exposure.Window::lastGtid)
                .as("what the witness has acknowledged is not exposed")
                .isEqualTo("0-1-2");
        all.set(true);
        worker.sampled(SemiSyncTest.sample(now + 120 * MS, true, true, 1));
        worker.run();
        assertThat(worker.view().exposure().current()).isNull();
        assertThat(worker.view().exposure().unacknowledged()).isEqualTo(1);
    }

    @Test
    void burstBeyondTheQueueIsCountedNotKept() {
        CommitWorker worker = worker(Attribution.OFF, true);
        for (int i = 0; i < 70_000; i++) {
            worker.committed(GtidJoinTest.commit("0-1-" + i, now, now + MS));
        }
        assertThat(worker.view().unattributed().get("overflow")).isBetween(4_000L, 5_000L);
        worker.sampled(SemiSyncTest.sample(now, true, true, 0));
        worker.run();
        assertThat(worker.view().semisync().state()).isEqualTo("on");
    }
}
