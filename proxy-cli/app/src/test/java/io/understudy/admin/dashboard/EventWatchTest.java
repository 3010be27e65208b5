package io.understudy.admin.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.admin.dashboard.EventWatch.RecentEvents;
import io.understudy.metrics.LatencyHistograms;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EventWatchTest {

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final LatencyHistograms histograms = new LatencyHistograms();
    private final RecentEvents log = new RecentEvents();
    private final EventWatch watch = new EventWatch(log);
    private final AtomicInteger standbyUp = new AtomicInteger(1);
    private Instant now = Instant.parse("2026-01-15T09:00:00Z");

    private List<String> after(int seconds, String... notReady) {
        now = now.plusSeconds(seconds);
        int before = log.newestFirst().size();
        watch.check(new Meters(registry, histograms), List.of(notReady), now);
        List<RecentEvents.Entry> all = log.newestFirst();
        return all.subList(0, all.size() - before).stream()
                .map(entry -> entry.level() + " " + entry.subject() + ": " + entry.text())
                .toList();
    }

    @Test
    void aStandbyThatGoesAndComesBackIsTwoEvents() {
        Gauge.builder("understudy.standby.up", standbyUp, AtomicInteger::get)
                .tag("standby", "a")
                .register(registry);
        assertThat(after(2)).isEmpty();
        standbyUp.set(0);
        assertThat(after(2)).containsExactly("problem standby a: does not respond, or refuses the login");
        assertThat(after(2)).isEmpty();
        standbyUp.set(1);
        assertThat(after(2)).containsExactly("recovered standby a: responds");
    }

    @Test
    void aWitnessThatWithdrawsIsAnEvent() {
        AtomicInteger present = new AtomicInteger(1);
        Gauge.builder("understudy.witness.present", present, AtomicInteger::get).register(registry);
        assertThat(after(2)).isEmpty();
        present.set(0);
        assertThat(after(2))
                .containsExactly("problem witness: does not acknowledge; /api/witness has reason and remedy");
        present.set(1);
        assertThat(after(2)).containsExactly("recovered witness: acknowledges to the primary");
    }

    @Test
    void aStoppedReplicationAndARefusedAccountAreEvents() {
        AtomicInteger stopped = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        Gauge.builder("understudy.standby.replication.stopped", stopped, AtomicInteger::get)
                .tag("standby", "a")
                .register(registry);
        Gauge.builder("understudy.account.broken", refused, AtomicInteger::get)
                .tags("account", "primary.monitor", "standby", "")
                .register(registry);
        assertThat(after(2)).isEmpty();
        stopped.set(1);
        assertThat(after(2)).containsExactly("problem standby a: replication is stopped");
        refused.set(1);
        assertThat(after(2))
                .singleElement()
                .asString()
                .startsWith("problem account of primary.monitor: the server ref");
        stopped.set(0);
        refused.set(0);
        assertThat(after(2)).hasSize(2).allMatch(event -> event.startsWith("recovered "));
    }

    @Test
    void aStandbyThatIsAwayFromTheStartIsAnEvent() {
        standbyUp.set(0);
        Gauge.builder("understudy.standby.up", standbyUp, AtomicInteger::get)
                .tag("standby", "a")
                .register(registry);
        assertThat(after(2)).containsExactly("problem standby a: does not respond, or refuses the login");
    }

    @Test
    void dropsAreOneEventWhenTheyBeginAndOneAMinuteAfterTheLast() {
        registry.counter("understudy.mirror.dropped", "standby", "a", "reason", "queue_full")
                .increment(7);
        assertThat(after(2)).as("from before the log").isEmpty();
        registry.counter("understudy.mirror.dropped", "standby", "a", "reason", "queue_full")
                .increment(3);
        assertThat(after(2)).containsExactly("problem mirror: statements dropped (queue full) began: 3");
        registry.counter("understudy.mirror.dropped", "standby", "b", "reason", "queue_full")
                .increment(4);
        assertThat(after(30)).isEmpty();
        registry.counter("understudy.mirror.statements", "outcome", "ok").increment();
        assertThat(after(30)).isEmpty();
        assertThat(after(31))
                .containsExactly(
                        "recovered mirror: statements dropped (queue full) ended: 7 in all, none for a minute");
        assertThat(after(60)).isEmpty();
    }

    /** A plugin that was taken out and put back counts from 0. */
    @Test
    void aCounterThatBeginsAnewCountsWhatWasBefore() {
        registry.counter("understudy.mirror.dropped", "reason", "queue_full");
        assertThat(after(2)).isEmpty();
        Counter dropped = registry.counter("understudy.mirror.dropped", "reason", "queue_full");
        dropped.increment(100);
        assertThat(after(2)).hasSize(1);
        registry.remove(dropped);
        registry.counter("understudy.mirror.dropped", "reason", "queue_full");
        assertThat(after(2)).isEmpty();
        registry.counter("understudy.mirror.dropped", "reason", "queue_full").increment(3);
        assertThat(after(2)).isEmpty();
        assertThat(after(61)).singleElement().asString().contains("103 in all");
    }

    /** Nobody reads any more: that nothing is dropped then does not say that the standby is well. */
    @Test
    void dropsThatEndWithTheTrafficAreNoRecoveryUntilAStatementSucceeds() {
        Counter dropped = registry.counter("understudy.mirror.dropped", "standby", "a", "reason", "standby_down");
        Counter ok = registry.counter("understudy.mirror.statements", "outcome", "ok");
        ok.increment(100);
        assertThat(after(2)).isEmpty();
        dropped.increment(3);
        assertThat(after(2)).containsExactly("problem mirror: statements dropped (standby down) began: 3");
        assertThat(after(61))
                .containsExactly(
                        "info mirror: statements dropped (standby down) no longer: 3 in all, none for a minute;"
                                + " nothing of that kind has succeeded since, so the cause may last");
        assertThat(after(300)).isEmpty();
        ok.increment();
        assertThat(after(2))
                .containsExactly("recovered mirror: statements dropped (standby down) ended: others succeed again");
        assertThat(after(2)).isEmpty();
    }

    @Test
    void dropsThatGoOnAfterAPauseAreAProblemAgain() {
        Counter dropped = registry.counter("understudy.mirror.dropped", "standby", "a", "reason", "standby_down");
        assertThat(after(2)).isEmpty();
        dropped.increment(3);
        assertThat(after(2)).hasSize(1);
        assertThat(after(61)).singleElement().asString().startsWith("info mirror");
        dropped.increment(2);
        assertThat(after(2)).containsExactly("problem mirror: statements dropped (standby down) began: 2");
    }

    @Test
    void whatTheConfigurationSaysIsNoEvent() {
        assertThat(after(2)).isEmpty();
        registry.counter("understudy.mirror.dropped", "standby", "a", "reason", "rate_limited")
                .increment();
        registry.counter("understudy.mirror.statements", "outcome", "ok").increment();
        registry.counter("understudy.connections", "outcome", "accepted").increment();
        registry.counter("understudy.gtid.domain.conflicts", "kind", "pinned").increment();
        assertThat(after(2)).isEmpty();
        registry.counter("understudy.connections", "outcome", "primary_silent").increment();
        assertThat(after(2)).containsExactly("problem clients: connections (primary silent) began: 1");
    }

    @Test
    void commitsWithoutAcknowledgementAreAnEventWhereSemiSyncWasOn() {
        Counter unacknowledged = registry.counter("understudy.commits.unacknowledged");
        histograms.series("understudy_commit_seconds", "", "semisync", "off").record(1);
        assertThat(after(2)).isEmpty();
        unacknowledged.increment(5);
        assertThat(after(2)).as("it never was on").isEmpty();
        histograms.series("understudy_commit_seconds", "", "semisync", "on").record(1);
        assertThat(after(2)).as("from before").isEmpty();
        unacknowledged.increment(2);
        assertThat(after(2)).containsExactly("problem commits: without acknowledgement began: 2");
    }

    /** Semi-sync comes on between two checks: only what it missed afterwards is an event. */
    @Test
    void commitsFromBeforeSemiSyncWasOnAreNoEvent() {
        Counter unacknowledged = registry.counter("understudy.commits.unacknowledged");
        assertThat(after(2)).isEmpty();
        unacknowledged.increment(5);
        histograms.series("understudy_commit_seconds", "", "semisync", "on").record(1);
        assertThat(after(2)).isEmpty();
        unacknowledged.increment(2);
        assertThat(after(2)).containsExactly("problem commits: without acknowledgement began: 2");
    }

    @Test
    void commitsThatSemiSyncMissedAtOnceAreAnEvent() {
        Counter unacknowledged = registry.counter("understudy.commits.unacknowledged");
        assertThat(after(2)).isEmpty();
        unacknowledged.increment(5 + 1);
        histograms
                .series("understudy_commit_seconds", "", "semisync", "degraded")
                .record(1);
        assertThat(after(2)).containsExactly("problem commits: without acknowledgement began: 1");
    }

    @Test
    void readinessAndReloadsAreEvents() {
        assertThat(after(2)).isEmpty();
        assertThat(after(2, "primary: gone")).containsExactly("problem proxy: is not ready: primary: gone");
        assertThat(after(2, "primary: gone")).isEmpty();
        registry.counter("understudy.config.reloads", "outcome", "applied").increment();
        assertThat(after(2)).containsExactly("info configuration: reloaded", "recovered proxy: is ready");
    }

    @Test
    void theLogKeepsTheNewest() {
        for (int i = 0; i < RecentEvents.ENTRIES + 10; i++) {
            log.add(now, RecentEvents.Level.INFO, "x", "event " + i);
        }
        assertThat(log.newestFirst()).hasSize(RecentEvents.ENTRIES);
        assertThat(log.newestFirst().get(0).text()).isEqualTo("event " + (RecentEvents.ENTRIES + 9));
    }
}
