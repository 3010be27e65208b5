package io.understudy.rehearsal;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One change of the primary with what it did to the clients. Guarded by its recorder. */
final class Change {
    /** Time after the change whose latencies are compared with those before, and whose errors are counted. */
    private static final long AFTER_MILLIS = 60_000;
    /** Longest time that the load may take to become steady. */
    private static final long STEADY_MILLIS = 600_000;

    private final Map<String, Object> head = new LinkedHashMap<>();
    private final long atMillis;
    private final @Nullable Long awaySinceMillis;
    private final @Nullable Figures baseline;
    private final @Nullable Figures untilChange;
    private final Figures atChange;
    private final Steadiness steadiness;
    private final Map<String, Long> failures = new TreeMap<>();
    private Figures latest;
    private long seenMillis;
    private boolean ended;

    /**
     * @param awaySinceMillis since when the old primary did not respond; null if it did until the change
     * @param baseline the oldest figures of the last minute before the trouble; null if there are none
     * @param untilChange the newest figures before the trouble
     * @param atChange figures at the change
     */
    Change(
            String from,
            String to,
            String reason,
            Instant at,
            @Nullable Long awaySinceMillis,
            @Nullable Figures baseline,
            @Nullable Figures untilChange,
            Figures atChange,
            Steadiness steadiness) {
        atMillis = at.toEpochMilli();
        this.awaySinceMillis = awaySinceMillis;
        this.baseline = baseline;
        this.untilChange = untilChange;
        this.atChange = atChange;
        this.steadiness = steadiness;
        latest = atChange;
        head.put("from", from);
        head.put("to", to);
        head.put("reason", reason);
        head.put("at", at.toString());
    }

    void failed(Map<String, Long> more) {
        more.forEach((reason, count) -> failures.merge(reason, count, Long::sum));
    }

    /** Takes the reading of a second. */
    void add(Sample before, Sample now) {
        long after = before.atMillis() - atMillis;
        seenMillis = Math.max(seenMillis, after);
        Map<String, Long> failed = now.failuresSince(before);
        if (!ended && after < STEADY_MILLIS) {
            steadiness.add(now.commandsSince(before), !failed.isEmpty(), now.atMillis() - before.atMillis(), after);
        }
        if (!ended && after < AFTER_MILLIS) {
            failed(failed);
        }
    }

    /** Takes newer figures, until the time that is compared is over. */
    void figures(Figures figures) {
        if (!ended && latest.atMillis() - atMillis < AFTER_MILLIS) {
            latest = figures;
        }
    }

    /** Ends the comparison, because the primary changes again. */
    void end() {
        ended = true;
    }

    private String steady() {
        if (steadiness.seconds() != null) {
            return "yes";
        }
        if (!steadiness.comparable()) {
            return "no_load_before";
        }
        if (steadiness.isSilent()) {
            return "clients_stopped";
        }
        return ended || seenMillis >= STEADY_MILLIS ? "no" : "not_yet";
    }

    /** @param texts whether the normalised texts are shown */
    Map<String, @Nullable Object> view(boolean texts) {
        Map<String, @Nullable Object> view = new LinkedHashMap<>(head);
        view.put(
                "unreachableSecondsBefore",
                awaySinceMillis == null ? null : Math.max(0, atMillis - awaySinceMillis) / 1e3);
        view.put("steadyAfterSeconds", steadiness.seconds());
        view.put("steady", steady());
        view.put("commandsPerSecondBefore", Math.round(steadiness.rate() * 10) / 10.0);
        view.put("errors", new TreeMap<>(failures));
        LatencyComparison comparison = new LatencyComparison(baseline, untilChange, atChange, latest);
        view.put("secondsBefore", comparison.secondsBefore());
        view.put("secondsAfter", comparison.secondsAfter());
        view.put("kinds", comparison.kinds());
        view.put("digests", comparison.digests(texts));
        return view;
    }
}
