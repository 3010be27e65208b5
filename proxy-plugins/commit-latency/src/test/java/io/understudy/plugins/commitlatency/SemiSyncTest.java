package io.understudy.plugins.commitlatency;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ServerFlavor;
import io.understudy.testkit.CapturedLog;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class SemiSyncTest {
    private final List<String> classified = new ArrayList<>();
    private final SemiSyncClassifier classifier = new SemiSyncClassifier(
            10, (tracked, state) -> classified.add(tracked.commit().gtid() + " " + state.label()));

    static SemiSyncSample sample(long nanos, boolean enabled, boolean on, long unacknowledged) {
        return sample(nanos, enabled, on, unacknowledged, Map.of());
    }

    private static SemiSyncSample sample(
            long nanos, boolean enabled, boolean on, long unacknowledged, Map<String, String> more) {
        Map<String, String> values = new HashMap<>(more);
        values.put("rpl_semi_sync_master_enabled", enabled ? "ON" : "OFF");
        values.put("rpl_semi_sync_master_status", on ? "ON" : "OFF");
        values.put("rpl_semi_sync_master_clients", "1");
        values.put("rpl_semi_sync_master_wait_point", "AFTER_SYNC");
        values.put("rpl_semi_sync_master_no_tx", String.valueOf(unacknowledged));
        return SemiSyncSample.of(nanos, nanos, ServerFlavor.MARIADB, values);
    }

    private void commits(long... okNanos) {
        for (long ok : okNanos) {
            classifier.commit(new Tracked(GtidJoinTest.commit("c" + ok, ok - 1, ok)));
        }
    }

    @Test
    void commitsBetweenTwoProbesWithSemiSyncOnAreOn() {
        classifier.sample(sample(0, true, true, 5));
        commits(10, 20);
        classifier.sample(sample(100, true, true, 5));
        assertThat(classified).containsExactly("c10 on", "c20 on");
    }

    @Test
    void commitsWithoutSemiSyncAreOff() {
        classifier.sample(sample(0, false, false, 0));
        commits(10);
        classifier.sample(sample(100, false, false, 0));
        assertThat(classified).containsExactly("c10 off");
    }

    /** There the group's majority acknowledges, while the variables of semi-synchronous replication say OFF. */
    @Test
    void commitsOfAGroupsMemberAreUnknown() {
        for (long nanos = 0; nanos <= 100; nanos += 100) {
            classifier.sample(SemiSyncSample.of(
                    nanos,
                    nanos,
                    ServerFlavor.MYSQL,
                    Map.of(
                            "rpl_semi_sync_source_enabled",
                            "OFF",
                            "group_replication_group_name",
                            "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa")));
            commits(nanos + 10);
        }
        assertThat(classified).containsExactly("c10 unknown");
    }

    @Test
    void theLastOnesWhenTheServerFellBack() {
        classifier.sample(sample(0, true, true, 5));
        commits(30, 10, 20);
        classifier.sample(sample(100, true, false, 7));
        assertThat(classified).containsExactly("c10 on", "c20 degraded", "c30 degraded");
        commits(110);
        classifier.sample(sample(200, true, false, 8));
        assertThat(classified).endsWith("c110 degraded");
    }

    @Test
    void theFirstOnesWhenItRecovered() {
        classifier.sample(sample(0, true, false, 5));
        commits(10, 20);
        classifier.sample(sample(100, true, true, 6));
        assertThat(classified).containsExactly("c10 degraded", "c20 on");
    }

    @Test
    void fromTheSlowestOnWhenItDidBothInBetween() {
        classifier.sample(sample(0, true, true, 5));
        commits(10);
        classifier.commit(new Tracked(GtidJoinTest.commit("slow", 11, 60)));
        commits(70, 80);
        classifier.sample(sample(100, true, true, 7));
        assertThat(classified).containsExactly("c10 on", "slow degraded", "c70 degraded", "c80 on");
    }

    @Test
    void unknownWhileThePrimaryCannotBeQueried() {
        classifier.sample(sample(0, true, true, 5));
        commits(10);
        classifier.sample(SemiSyncSample.unknown(100, 100));
        assertThat(classified).containsExactly("c10 unknown");
    }

    @Test
    void countersOfARestartedServerBeginAtZero() {
        classifier.sample(sample(0, true, true, 500));
        commits(10, 20);
        classifier.sample(sample(100, true, false, 1));
        assertThat(classified).containsExactly("c10 on", "c20 degraded");
    }

    /** It may have counted while it applied as a standby. */
    @Test
    void countersOfAnotherServerTellNothing() {
        classifier.sample(sample(0, true, true, 0, Map.of("server_id", "1", "uptime", "10")));
        commits(10, 20);
        classifier.sample(sample(100, true, true, 50_000, Map.of("server_id", "2", "uptime", "10")));
        commits(110, 120);
        classifier.sample(sample(200, true, true, 50_000, Map.of("server_id", "2", "uptime", "11")));
        assertThat(classified).containsExactly("c10 on", "c20 on", "c110 on", "c120 on");
    }

    @Test
    void aRestartedServerMayHaveCountedMoreThanBefore() {
        classifier.sample(sample(0, true, true, 1, Map.of("server_id", "1", "uptime", "10")));
        commits(10, 20, 30);
        classifier.sample(sample(100, true, false, 2, Map.of("server_id", "1", "uptime", "0")));
        assertThat(classified).containsExactly("c10 on", "c20 degraded", "c30 degraded");
    }

    /** They may be the last ones of the primary before, or the first ones of its successor. */
    @Test
    void commitsBetweenPrimariesInUnlikeStatesAreUnknown() {
        classifier.sample(sample(0, true, true, 0, Map.of("server_id", "1")));
        commits(10);
        classifier.sample(sample(100, false, false, 0, Map.of("server_id", "2")));
        commits(110);
        classifier.sample(sample(200, true, false, 0, Map.of("server_id", "1")));
        commits(210);
        classifier.sample(sample(300, true, true, 0, Map.of("server_id", "2")));
        commits(310);
        classifier.sample(sample(400, true, true, 0, Map.of("server_id", "1")));
        assertThat(classified).containsExactly("c10 unknown", "c110 unknown", "c210 unknown", "c310 on");
    }

    @Test
    void aClockThatIsSetBackIsNoRestart() {
        classifier.sample(sample(0, true, true, 7, Map.of("server_id", "1", "uptime", "9000")));
        commits(10, 20, 30);
        classifier.sample(sample(100, true, true, 7, Map.of("server_id", "1", "uptime", "5400")));
        assertThat(classified).containsExactly("c10 on", "c20 on", "c30 on");
    }

    @Test
    void aCounterThatFellTellsOfARestart() {
        Map<String, String> running = Map.of("server_id", "1", "uptime", "9", "binlog_group_commits", "70");
        Map<String, String> started = Map.of("server_id", "1", "uptime", "9", "binlog_group_commits", "3");
        classifier.sample(sample(0, true, true, 1, running));
        commits(10, 20, 30);
        classifier.sample(sample(10_000_000_000L, true, false, 2, started));
        assertThat(classified).containsExactly("c10 on", "c20 degraded", "c30 degraded");
    }

    @Test
    void laterCommitsWaitForTheNextProbe() {
        classifier.sample(sample(0, true, true, 5));
        commits(10, 150);
        classifier.sample(sample(100, true, true, 5));
        assertThat(classified).containsExactly("c10 on");
    }

    @Test
    void commitsBeyondTheCapacityUseTheLastProbe() {
        classifier.sample(sample(0, true, true, 5));
        commits(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
        assertThat(classified).containsExactly("c11 on", "c12 on");
    }

    @Test
    void bothNamingSchemesReadTheSame() {
        Map<String, String> master = Map.of(
                "rpl_semi_sync_master_status", "ON",
                "rpl_semi_sync_master_clients", "2",
                "rpl_semi_sync_master_yes_tx", "10",
                "rpl_semi_sync_master_no_tx", "3",
                "rpl_semi_sync_master_tx_waits", "9",
                "rpl_semi_sync_master_tx_wait_time", "8000",
                "rpl_semi_sync_master_enabled", "ON",
                "rpl_semi_sync_master_wait_point", "AFTER_SYNC");
        Map<String, String> source = new HashMap<>();
        master.forEach((name, value) -> source.put(name.replace("master", "source"), value));
        SemiSyncSample first = SemiSyncSample.of(1, 2, ServerFlavor.MYSQL, master);
        assertThat(SemiSyncSample.of(1, 2, ServerFlavor.MYSQL, source)).isEqualTo(first);
        assertThat(first.state()).isEqualTo(SemiSync.ON);
        assertThat(first.source().clients()).isEqualTo(2);
        assertThat(first.waitMicros()).isEqualTo(8000);
        assertThat(first.queuesCommits()).isFalse();
        assertThat(SemiSyncSample.of(1, 2, ServerFlavor.MARIADB, master).queuesCommits())
                .isTrue();
        assertThat(SemiSyncSample.of(1, 2, ServerFlavor.MYSQL, Map.of()).state())
                .isEqualTo(SemiSync.OFF);
    }

    /** A server whose status stays ON acknowledges nothing while no replica is connected and none is waited for. */
    @Test
    void nobodyAcknowledgesWithoutAReplica() {
        Map<String, String> values = new HashMap<>(Map.of(
                "rpl_semi_sync_master_status", "ON",
                "rpl_semi_sync_master_clients", "0",
                "rpl_semi_sync_master_enabled", "ON",
                "rpl_semi_sync_master_wait_no_slave", "OFF"));
        Exposure exposure = new Exposure(nanos -> Instant.EPOCH);
        SemiSyncClassifier probed = new SemiSyncClassifier(10, (tracked, state) -> {
            if (state.unacknowledged()) {
                exposure.unacknowledged(tracked, state);
            } else {
                exposure.acknowledged(tracked.commit().okNanos());
            }
        });
        try (CapturedLog log = new CapturedLog()) {
            for (int i = 0; i < 6; i++) {
                values.put("rpl_semi_sync_master_status", i % 2 == 0 ? "ON" : "OFF");
                values.put("rpl_semi_sync_master_no_tx", String.valueOf(i / 2));
                probed.sample(SemiSyncSample.of(i * 100L, i * 100L, ServerFlavor.MARIADB, values));
                probed.commit(new Tracked(GtidJoinTest.commit("c" + i, i * 100 + 10, i * 100 + 20)));
            }
            probed.finish();
            assertThat(log.text()).containsOnlyOnce("without a replica's acknowledgement");
            assertThat(log.text()).doesNotContain("acknowledges again");
        }
        values.put("rpl_semi_sync_master_status", "ON");
        values.put("rpl_semi_sync_master_wait_no_slave", "ON");
        assertThat(SemiSyncSample.of(0, 0, ServerFlavor.MARIADB, values).state())
                .as("a commit waits until the timeout, and the status turns OFF")
                .isEqualTo(SemiSync.ON);
    }

    @Test
    void exposureIsAWindowThatAClockStepDoesNotStretch() {
        Instant noon = Instant.parse("2026-01-01T12:00:00Z");
        AtomicReference<Instant> wallClock = new AtomicReference<>(noon);
        Exposure exposure = new Exposure(nanos -> wallClock.get());
        Tracked first = new Tracked(GtidJoinTest.commit("0-1-7", 0, 1_000_000_000L));
        first.attributed(new Breakdown(1, 0, 0), 300);
        exposure.unacknowledged(first, SemiSync.DEGRADED);
        wallClock.set(noon.plusSeconds(3600));
        exposure.unacknowledged(new Tracked(GtidJoinTest.commit("0-1-8", 0, 3_000_000_000L)), SemiSync.DEGRADED);
        Exposure.Window open = exposure.current();
        assertThat(open).isNotNull();
        assertThat(open.milliseconds()).isEqualTo(2000);
        wallClock.set(noon.minusSeconds(3600));
        exposure.acknowledged(5_000_000_000L);
        wallClock.set(noon);
        exposure.acknowledged(6_000_000_000L);
        assertThat(exposure.current()).isNull();
        assertThat(exposure.past())
                .containsExactly(new Exposure.Window(noon, noon.minusSeconds(3600), 4000, 2, "0-1-7", "0-1-8", 300));
        assertThat(exposure.total()).isEqualTo(2);
    }

    /** Where semi-sync is not in use, no acknowledgement is missing. */
    @Test
    void warnsOnlyWhereAcknowledgementsAreExpected() throws Exception {
        Exposure exposure = new Exposure(nanos -> Instant.EPOCH);
        try (CapturedLog log = new CapturedLog()) {
            exposure.unacknowledged(new Tracked(GtidJoinTest.commit("0-1-1", 1, 1)), SemiSync.OFF);
            assertThat(exposure.expected()).isFalse();
            assertThat(log.text()).doesNotContain("acknowledge");
            exposure.acknowledged(2);
            assertThat(exposure.expected()).isTrue();
            assertThat(log.text()).doesNotContain("acknowledge");
            exposure.unacknowledged(new Tracked(GtidJoinTest.commit("0-1-2", 3, 3)), SemiSync.OFF);
            assertThat(log.text()).contains("without a replica's acknowledgement, the first is 0-1-2");
            exposure.acknowledged(4);
            assertThat(log.text()).contains("a replica acknowledges again");
        }
    }

    /** Enabled while the commits of a window were not acknowledged, and no replica came. */
    @Test
    void warnsWhenSemiSyncIsEnabledInVain() throws Exception {
        Exposure exposure = new Exposure(nanos -> Instant.EPOCH);
        try (CapturedLog log = new CapturedLog()) {
            exposure.unacknowledged(new Tracked(GtidJoinTest.commit("0-1-1", 1, 1)), SemiSync.OFF);
            exposure.unacknowledged(new Tracked(GtidJoinTest.commit("0-1-2", 2, 2)), SemiSync.DEGRADED);
            exposure.unacknowledged(new Tracked(GtidJoinTest.commit("0-1-3", 3, 3)), SemiSync.DEGRADED);
            assertThat(log.text()).containsOnlyOnce("without a replica's acknowledgement");
        }
    }

    @Test
    void pastWindowsAreBounded() {
        Exposure exposure = new Exposure(nanos -> Instant.EPOCH);
        for (int i = 0; i < 500; i++) {
            exposure.unacknowledged(new Tracked(GtidJoinTest.commit("0-1-" + i, i, i)), SemiSync.OFF);
            exposure.acknowledged(i);
        }
        assertThat(exposure.past()).hasSize(100);
        assertThat(exposure.past().get(99).firstGtid()).isEqualTo("0-1-499");
    }
}
