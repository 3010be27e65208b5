package io.understudy.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.report.ReportText;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The report on a change of the primary, second by second. */
class RehearsalRecorderTest {
    private static final long MILLI = 1_000_000;

    private final LatencyHistograms histograms = new LatencyHistograms();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Map<String, Object> primary = new HashMap<>(
            Map.of("address", "a:1", "since", "2026-01-01T00:00:00Z", "reason", "start", "reachable", true));
    private Instant now = Instant.parse("2026-01-01T01:00:00Z");
    private @Nullable Map<String, Object> digests;

    private final RehearsalRecorder recorder =
            new RehearsalRecorder(() -> primary, histograms, meters, () -> digests, new Clock() {
                @Override
                public Instant instant() {
                    return now;
                }

                @Override
                public ZoneId getZone() {
                    return ZoneOffset.UTC;
                }

                @Override
                public Clock withZone(ZoneId zone) {
                    throw new UnsupportedOperationException();
                }
            });

    /** A second in which so many SELECTs took that long. */
    private void second(int commands, long millis) {
        for (int i = 0; i < commands; i++) {
            histograms
                    .series("understudy_command_seconds", "", "kind", "select")
                    .record(millis * MILLI);
        }
        now = now.plus(Duration.ofSeconds(1));
        recorder.tick();
    }

    private void seconds(int count, int commands, long millis) {
        for (int i = 0; i < count; i++) {
            second(commands, millis);
        }
    }

    private void change(String to) {
        primary.putAll(Map.of("address", to, "since", now.toString(), "reason", "api", "reachable", true));
    }

    private void failed(String meter, String tag, String reason, int times) {
        meters.counter(meter, tag, reason).increment(times);
    }

    private static Map<?, ?> first(Map<String, Object> view, String key) {
        return (Map<?, ?>) ((List<?>) Objects.requireNonNull(view.get(key), key)).get(0);
    }

    private static Map<?, ?> part(Map<?, ?> view, String key) {
        return (Map<?, ?>) Objects.requireNonNull(view.get(key), key);
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> newest() {
        return (Map<String, Object>) first(recorder.view(true), "changes");
    }

    @Test
    void timesUntilSteadyAndErrorsOfAPlannedChange() {
        recorder.tick();
        seconds(30, 100, 5);
        change("b:2");
        failed("understudy.sessions.closed", "reason", "primary_changed", 8);
        failed("understudy.sessions.closed", "reason", "client_closed", 5);
        second(20, 50);
        second(100, 40);
        second(100, 40);
        assertThat(newest()).containsEntry("steady", "not_yet").containsEntry("steadyAfterSeconds", null);
        seconds(5, 95, 6);
        assertThat(newest())
                .containsEntry("from", "a:1")
                .containsEntry("to", "b:2")
                .containsEntry("steady", "yes")
                .containsEntry("steadyAfterSeconds", 3.0)
                .containsEntry("commandsPerSecondBefore", 100.0)
                .containsEntry("unreachableSecondsBefore", null)
                .containsEntry("errors", Map.of("primary_changed", 8L))
                .containsEntry("digests", null);
        Map<?, ?> kind = first(newest(), "kinds");
        assertThat(part(kind, "before").get("p50Seconds")).isEqualTo(0.0051);
        assertThat(part(kind, "after").get("p95Seconds")).isEqualTo(0.041);
        assertThat(ReportText.FAILOVER.of(recorder.view(true)))
                .contains("from a:1 to b:2 (api)", "steady 3.0 s after it", "primary_changed 8", "query-log");
    }

    @Test
    void clientsThatHaveStoppedAreNotCalledUnsteady() {
        recorder.tick();
        seconds(20, 100, 5);
        change("b:2");
        second(100, 5);
        seconds(9, 0, 0);
        assertThat(newest()).containsEntry("steady", "not_yet");
        second(0, 0);
        assertThat(newest()).containsEntry("steady", "clients_stopped");
        assertThat(ReportText.FAILOVER.of(recorder.view(true))).contains("the clients have stopped");
        failed("understudy.connections", "outcome", "primary_unreachable", 1);
        second(0, 0);
        assertThat(newest()).as("they try, and are refused").containsEntry("steady", "not_yet");
        seconds(5, 100, 5);
        assertThat(newest()).containsEntry("steady", "yes");
    }

    @Test
    void errorsOfTheOutageBeforeTheChangeCount() {
        recorder.tick();
        seconds(20, 100, 5);
        primary.put("reachable", false);
        failed("understudy.sessions.closed", "reason", "server_closed", 8);
        second(0, 0);
        failed("understudy.connections", "outcome", "primary_unreachable", 3);
        second(0, 0);
        change("b:2");
        seconds(6, 100, 5);
        assertThat(newest())
                .containsEntry("errors", Map.of("server_closed", 8L, "primary_unreachable", 3L))
                .containsEntry("unreachableSecondsBefore", 1.0)
                .containsEntry("commandsPerSecondBefore", 100.0)
                .containsEntry("steady", "yes");
    }

    /** It is counted by its outcome and as a session that has ended. */
    @Test
    void aRefusedLoginCountsOnce() {
        recorder.tick();
        seconds(20, 100, 5);
        change("b:2");
        login("primary_unreachable", "primary_unreachable", 340);
        login("primary_silent", "primary_unreachable", 7);
        login("refused_tls_required", "refused_by_proxy", 6);
        login("handshake_malformed", "client_malformed", 5);
        login("closed_by_server_in_handshake", "server_closed", 4);
        login("server_tls_failed", "server_tls_failed", 3);
        failed("understudy.sessions.closed", "reason", "server_tls_failed", 2);
        failed("understudy.connections", "outcome", "refused_max_connections", 1);
        seconds(6, 100, 5);
        assertThat(newest())
                .containsEntry(
                        "errors",
                        Map.of(
                                "primary_unreachable", 340L,
                                "primary_silent", 7L,
                                "refused_tls_required", 6L,
                                "client_malformed", 5L,
                                "server_closed", 4L,
                                "server_tls_failed", 5L,
                                "refused_max_connections", 1L));
    }

    private void login(String outcome, String reason, int times) {
        failed("understudy.connections", "outcome", outcome, times);
        failed("understudy.sessions.closed", "reason", reason, times);
    }

    @Test
    void anOutageOfMinutesLeavesTheTimeBeforeIt() {
        recorder.tick();
        seconds(70, 100, 5);
        primary.put("reachable", false);
        seconds(300, 0, 0);
        change("b:2");
        seconds(6, 100, 5);
        assertThat(newest())
                .containsEntry("unreachableSecondsBefore", 299.0)
                .containsEntry("commandsPerSecondBefore", 100.0)
                .containsEntry("steady", "yes");
        assertThat((double) Objects.requireNonNull(newest().get("secondsBefore")))
                .isBetween(50.0, 70.0);
    }

    /** The primary came back by itself, so that its absence is no part of the time before a later change. */
    @Test
    void anOutageWithoutAChangeDoesNotThinTheLoadBeforeALaterOne() {
        recorder.tick();
        seconds(70, 100, 5);
        primary.put("reachable", false);
        seconds(300, 0, 0);
        primary.put("reachable", true);
        seconds(20, 100, 5);
        change("b:2");
        second(100, 5);
        assertThat(newest())
                .containsEntry("unreachableSecondsBefore", null)
                .containsEntry("commandsPerSecondBefore", 100.0);
    }

    private void digest(long count, long errors, double seconds) {
        digests = Map.of(
                "digests",
                List.of(Map.of(
                        "digest",
                        "0f",
                        "kind",
                        "select",
                        "text",
                        "SELECT ?",
                        "count",
                        count,
                        "errors",
                        errors,
                        "seconds",
                        Map.of("total", seconds))));
    }

    @Test
    void digestsAreComparedWhereTheQueryLogIsOn() {
        digest(0, 0, 0);
        recorder.tick();
        digest(1000, 0, 1);
        seconds(20, 10, 1);
        change("b:2");
        second(10, 1);
        digest(1100, 4, 2);
        second(10, 1);
        Map<?, ?> row = first(newest(), "digests");
        assertThat(row.get("text")).isEqualTo("SELECT ?");
        assertThat(row.get("before")).isEqualTo(Map.of("count", 1000L, "errors", 0L, "meanSeconds", 0.001));
        assertThat(row.get("after")).isEqualTo(Map.of("count", 100L, "errors", 4L, "meanSeconds", 0.01));
        assertThat(recorder.view(false).toString()).doesNotContain("SELECT ?");
    }

    @Test
    void withoutLoadNothingIsClaimed() {
        recorder.tick();
        second(0, 0);
        change("b:2");
        seconds(10, 10, 1);
        assertThat(newest()).containsEntry("steady", "no_load_before");
        change("c:3");
        second(10, 1);
        assertThat((List<?>) recorder.view(true).get("changes")).hasSize(2);
        assertThat(newest()).containsEntry("to", "c:3");
    }
}
