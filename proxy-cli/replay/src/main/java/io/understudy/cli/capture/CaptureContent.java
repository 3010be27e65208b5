package io.understudy.cli.capture;

import io.understudy.replay.log.LogEvent;
import io.understudy.replay.log.StatementLog;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Counts what is in a capture. */
final class CaptureContent {
    private static final int MOST = 1 << 20;

    private final SqlAnalyzer analyzer = new SqlAnalyzer();
    private final Set<Long> sessions = new HashSet<>();
    private final Set<Long> digests = new HashSet<>();
    private final Map<String, Long> refused = new TreeMap<>();
    private long statements;
    private long executions;
    private long hashes;
    private long first = Long.MAX_VALUE;
    private long last = Long.MIN_VALUE;

    /** Reads to the end, or to where the log is damaged: what precedes it is counted then. */
    void add(StatementLog log) throws IOException {
        try {
            for (LogEvent event = log.next(); event != null; event = log.next()) {
                if (event.kind() == LogEvent.Kind.STATEMENT) {
                    add(event);
                }
            }
        } finally {
            log.counts().refused().forEach((reason, count) -> refused.merge(reason, count, Long::sum));
        }
    }

    private void add(LogEvent event) {
        statements++;
        executions += event.execution() == null ? 0 : 1;
        hashes += event.result() == null ? 0 : 1;
        byte[] text = event.text();
        if (sessions.size() < MOST) {
            sessions.add(event.threadId());
        }
        if (digests.size() < MOST) {
            digests.add(analyzer.digest(text, 0, text.length, SqlModes.NONE));
        }
        if (event.startMicros() != LogEvent.UNKNOWN) {
            first = Math.min(first, event.startMicros());
            last = Math.max(last, event.startMicros());
        }
    }

    boolean isEmpty() {
        return statements == 0;
    }

    Map<String, Object> view() {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("statements", statements);
        view.put("prepared", executions);
        view.put("resultHashes", hashes);
        view.put("sessions", sessions.size());
        view.put("digests", digests.size());
        if (first <= last) {
            view.put("from", time(first));
            view.put("until", time(last));
        }
        if (!refused.isEmpty()) {
            view.put("refused", refused);
        }
        return view;
    }

    private static String time(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
    }
}
