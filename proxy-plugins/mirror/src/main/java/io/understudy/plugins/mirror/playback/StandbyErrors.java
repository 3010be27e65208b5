package io.understudy.plugins.mirror.playback;

import io.understudy.base.RepeatedWarning;
import io.understudy.plugins.mirror.tables.StandbyError;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last error of each rule on one standby, for the admin endpoint, and few log lines for all of them. Bounded,
 * because rules are few. Thread-safe.
 */
final class StandbyErrors {
    private static final Logger log = LoggerFactory.getLogger(StandbyErrors.class);

    private record Last(StandbyError error, String when, long digest) {}

    private final String standby;
    private final Clock clock;
    private final ConcurrentMap<String, Last> byRule = new ConcurrentHashMap<>();
    private final RepeatedWarning warning = new RepeatedWarning(System::nanoTime);

    StandbyErrors(String standby, Clock clock) {
        this.standby = standby;
        this.clock = clock;
    }

    /** Called when the standby refused a statement of a rule, or refused to set or prepare it. */
    void failed(String rule, long digest, StandbyError error) {
        byRule.put(
                rule,
                new Last(error, clock.instant().truncatedTo(ChronoUnit.MILLIS).toString(), digest));
        long others = warning.mayLog("");
        if (others < 0) {
            return;
        }
        log.warn(
                "standby {} refuses mirrored statements: error {}: {} (rule {}, digest {}; {} more since the last"
                        + " such line); see lastErrors in /api/mirror{}",
                standby,
                error.code(),
                error.text(),
                rule,
                String.format("%016x", digest),
                others,
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
