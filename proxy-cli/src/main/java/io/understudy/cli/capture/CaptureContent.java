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

/** Counts what is in a capture. */
final class CaptureContent {
    private static final int MOST = 1 << 20;

    private CaptureContent() {}

    static Map<String, Object> of(StatementLog log) throws IOException {
        SqlAnalyzer analyzer = new SqlAnalyzer();
        Set<Long> sessions = new HashSet<>();
        Set<Long> digests = new HashSet<>();
        long statements = 0;
        long executions = 0;
        long hashes = 0;
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (LogEvent event = log.next(); event != null; event = log.next()) {
            if (event.kind() != LogEvent.Kind.STATEMENT) {
                continue;
            }
            statements++;
            executions += event.execution() == null ? 0 : 1;
            hashes += event.result() == null ? 0 : 1;
            byte[] text = event.text();
            long digest = analyzer.digest(text, 0, text.length, SqlModes.NONE);
            if (sessions.size() < MOST) {
                sessions.add(event.threadId());
            }
            if (digests.size() < MOST) {
                digests.add(digest);
            }
            if (event.startMicros() != LogEvent.UNKNOWN) {
                first = Math.min(first, event.startMicros());
                last = Math.max(last, event.startMicros());
            }
        }
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
        if (!log.counts().refused().isEmpty()) {
            view.put("refused", log.counts().refused());
        }
        return view;
    }

    private static String time(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
    }
}
