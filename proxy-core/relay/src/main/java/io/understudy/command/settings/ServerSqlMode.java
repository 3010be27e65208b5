package io.understudy.command.settings;

import org.jspecify.annotations.Nullable;

/**
 * The server's global {@code sql_mode}, as periodic probes have read it. A session takes it over at its login, so the
 * value at that time decides how the session's texts are parsed. It is known for a time between two probes if those,
 * and all between them, read the same value. A value that was set and reset between two probes is not noticed.
 * Thread-safe.
 */
public final class ServerSqlMode {
    /** @param untilNanos less than {@code fromNanos} while only one probe has read the value */
    private record Span(String value, long fromNanos, long untilNanos) {}

    private volatile @Nullable Span span;

    /**
     * Takes the result of a probe.
     *
     * @param value null when it could not be read: the time since the probe before is then unknown
     * @param sentNanos monotonic time before the probe
     * @param respondedNanos monotonic time after the probe
     */
    public void seen(@Nullable String value, long sentNanos, long respondedNanos) {
        Span before = span;
        if (value == null) {
            span = null;
        } else if (before == null || !before.value.equals(value)) {
            span = new Span(value, respondedNanos, sentNanos);
        } else {
            span = new Span(value, before.fromNanos, sentNanos);
        }
    }

    /** Returns the value from one monotonic time to another, or null when it is not known, or not yet. */
    @Nullable
    String during(long fromNanos, long untilNanos) {
        Span known = span;
        return known != null && fromNanos - known.fromNanos >= 0 && known.untilNanos - untilNanos >= 0
                ? known.value
                : null;
    }
}
