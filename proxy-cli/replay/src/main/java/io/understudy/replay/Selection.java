package io.understudy.replay;

import io.understudy.base.RecentlyUsed;
import io.understudy.replay.log.LogEvent;
import io.understudy.rules.ReadFitness;
import io.understudy.sql.SingleLine;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementSummary;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides which statements are played. Not thread-safe. */
public final class Selection {
    private static final int CACHED = 8192;

    /** A summary is one object for all statements that are alike to the analysis. */
    private record Alike(StatementSummary summary, @Nullable String schema) {}

    private final LogFilter filter;
    private final SqlAnalyzer analyzer = new SqlAnalyzer();
    private final SingleLine line = new SingleLine();
    private final Map<Alike, String> known = new RecentlyUsed<>(CACHED);

    private final EventModes modes = new EventModes();

    public Selection(LogFilter filter) {
        this.filter = filter;
    }

    /** Returns null for a statement to play, or why it is left out. */
    public @Nullable String leftOut(LogEvent event) {
        long start = event.startMicros();
        if (start != LogEvent.UNKNOWN && (start < filter.fromMicros() || start >= filter.untilMicros())) {
            return "outside_times";
        }
        if (filter.onlyUser() != null && !filter.onlyUser().equals(event.user())) {
            return "other_user";
        }
        if (filter.onlySchema() != null && !filter.onlySchema().equalsIgnoreCase(event.schema())) {
            return "other_schema";
        }
        byte[] text = event.text();
        int modes = this.modes.of(event);
        if (event.execution() == null && hasParameter(text, modes)) {
            return "values_dropped";
        }
        return filter.readsOnly() ? unfit(text, event.schema(), modes) : null;
    }

    /** Returns whether values are missing: a log with {@code ?} in their place. */
    private boolean hasParameter(byte[] text, int modes) {
        for (byte b : text) {
            if (b == '?') {
                return line.write(text, 0, text.length, modes, null, index -> null) == SingleLine.Refusal.PARAMETER;
            }
        }
        return false;
    }

    private @Nullable String unfit(byte[] text, @Nullable String schema, int modes) {
        StatementSummary summary = analyzer.summarize(text, 0, text.length, modes);
        Alike alike = new Alike(summary, schema);
        String reason = known.get(alike);
        if (reason == null) {
            String unfit = ReadFitness.unfit(summary, Set.of(), schema, null);
            reason = unfit == null ? "" : unfit;
            known.put(alike, reason);
        }
        return reason.isEmpty() ? null : reason;
    }
}
