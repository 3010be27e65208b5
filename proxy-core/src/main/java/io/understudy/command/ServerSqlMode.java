package io.understudy.command;

import org.jspecify.annotations.Nullable;

/**
 * The server's global {@code sql_mode} as regular looks at it have found it. Sessions take it over at their login, so what it was at
 * that time decides how their texts are read: known for a time that lies between two looks which, like all between them,
 * found the same. A value that was set and set back between two looks is not noticed. Any thread.
 */
public final class ServerSqlMode {
    /** @param untilNanos before {@code fromNanos} while only one look has found the value */
    private record Span(String value, long fromNanos, long untilNanos) {}

    private volatile @Nullable Span span;

    /**
     * A look has found {@code value}.
     *
     * @param value null when it could not be seen: nothing is known of the time since the look before
     * @param askedNanos monotonic time before the look
     * @param answeredNanos and after it
     */
    public void seen(@Nullable String value, long askedNanos, long answeredNanos) {
        Span before = span;
        if (value == null) {
            span = null;
        } else if (before == null || !before.value.equals(value)) {
            span = new Span(value, answeredNanos, askedNanos);
        } else {
            span = new Span(value, before.fromNanos, askedNanos);
        }
    }

    /** What it was from one monotonic time to another; null when that is not known, or not known yet. */
    @Nullable
    String during(long fromNanos, long untilNanos) {
        Span known = span;
        return known != null && fromNanos - known.fromNanos >= 0 && known.untilNanos - untilNanos >= 0
                ? known.value
                : null;
    }
}
