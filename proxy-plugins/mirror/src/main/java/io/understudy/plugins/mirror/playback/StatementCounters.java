package io.understudy.plugins.mirror.playback;

import io.micrometer.core.instrument.Counter;
import io.understudy.plugin.LatencyRecorder;
import io.understudy.plugins.mirror.selection.DropReason;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Counts what became of the statements for one standby: dropped by reason, executed by rule and outcome. Thread-safe.
 */
final class StatementCounters {
    private final String standby;
    private final MirrorMeters meters;
    private final DigestTimes times;
    private final LatencyRecorder seconds;
    private final Map<DropReason, Counter> dropped = new EnumMap<>(DropReason.class);
    /** By rule and outcome. */
    private final ConcurrentMap<String, ConcurrentMap<String, Counter>> executed = new ConcurrentHashMap<>();

    /**
     * @param times of digests, on primary and standbys
     * @param seconds of executions on this standby
     */
    StatementCounters(String standby, MirrorMeters meters, DigestTimes times, LatencyRecorder seconds) {
        this.standby = standby;
        this.meters = meters;
        this.times = times;
        this.seconds = seconds;
        for (DropReason reason : DropReason.values()) {
            if (reason != DropReason.NOT_GRANTED) {
                dropped.put(reason, meters.dropped(standby, reason.label()));
            }
        }
    }

    void dropped(DropReason reason) {
        Counter counter = dropped.get(reason);
        if (counter != null) {
            counter.increment();
        }
    }

    /**
     * Counts a statement that was not sent. One that the standby would refuse for want of a privilege counts as an
     * error: a grant that is missing there shows whether or not it hides the tables too.
     */
    void dropped(MirroredStatement statement, DropReason reason) {
        if (reason == DropReason.NOT_GRANTED) {
            count(statement, "error");
        } else {
            dropped(reason);
        }
    }

    private void count(MirroredStatement statement, String outcome) {
        String rule = statement.rule().name();
        executed.computeIfAbsent(rule, key -> new ConcurrentHashMap<>())
                .computeIfAbsent(outcome, key -> meters.executed(standby, rule, outcome))
                .increment();
    }

    void executed(MirroredStatement statement, String outcome, long nanos) {
        count(statement, outcome);
        seconds.record(nanos);
        if (outcome.equals("ok")) {
            times.record(statement.digest(), statement.lookup(), statement.primaryNanos(), nanos);
        }
    }

    /** Returns the sums for the admin endpoint. */
    Map<String, Object> view() {
        Map<String, Long> drops = new LinkedHashMap<>();
        dropped.forEach((reason, counter) -> drops.put(reason.label(), (long) counter.count()));
        Map<String, Long> done = new TreeMap<>();
        executed.values()
                .forEach(rule ->
                        rule.forEach((outcome, counter) -> done.merge(outcome, (long) counter.count(), Long::sum)));
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("dropped", drops);
        view.put("executed", done);
        return view;
    }
}
