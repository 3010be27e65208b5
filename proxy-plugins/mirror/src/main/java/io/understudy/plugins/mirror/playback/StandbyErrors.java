package io.understudy.plugins.mirror.playback;

import io.understudy.plugins.mirror.tables.StandbyError;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last error of each rule on one standby, for the admin endpoint, and at most one log line for all of them in
 * {@link #QUIET_NANOS}. Bounded, because rules are few. Thread-safe.
 */
final class StandbyErrors {
    private static final Logger log = LoggerFactory.getLogger(StandbyErrors.class);
    /** Shortest interval between two log lines. */
    static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private record Last(StandbyError error, String when, long digest) {}

    private final String standby;
    private final Clock clock;
    private final ConcurrentMap<String, Last> byRule = new ConcurrentHashMap<>();
    private final AtomicLong unreported = new AtomicLong();
    private final AtomicLong quietUntil;

    /** @param nowNanos of the monotonic clock whose time is passed to {@link #failed} */
    StandbyErrors(String standby, Clock clock, long nowNanos) {
        this.standby = standby;
        this.clock = clock;
        this.quietUntil = new AtomicLong(nowNanos);
    }

    /** Called when the standby refused a statement of a rule, or refused to set or prepare it. */
    void failed(String rule, long digest, StandbyError error, long nowNanos) {
        byRule.put(
                rule,
                new Last(error, clock.instant().truncatedTo(ChronoUnit.MILLIS).toString(), digest));
        long count = unreported.incrementAndGet();
        long until = quietUntil.get();
        if (nowNanos - until < 0 || !quietUntil.compareAndSet(until, nowNanos + QUIET_NANOS)) {
            return;
        }
        unreported.addAndGet(-count);
        log.warn(
                "standby {} refuses mirrored statements: error {}: {} (rule {}, digest {}; {} since the last such"
                        + " line); see"
                        + " lastErrors in /api/mirror{}",
                standby,
                error.code(),
                error.text(),
                rule,
                String.format("%016x", digest),
                count,
                remedy(error.code()));
    }

    private static String remedy(int code) {
        return switch (code) {
            case 1044, 1142, 1143 ->
                "; GRANT SELECT to the mirror's account on the primary, check --connect says on which schemas";
            case 1049, 1146 -> "; the standby does not have what the primary has: see its replication filters";
            default -> "";
        };
    }

    List<Map<String, Object>> view() {
        List<Map<String, Object>> view = new ArrayList<>();
        byRule.forEach((rule, last) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("rule", rule);
            row.put("error", last.error().code());
            row.put("text", last.error().text());
            row.put("digest", String.format("%016x", last.digest()));
            row.put("when", last.when());
            view.add(row);
        });
        return view;
    }
}
