package io.understudy.command;

import org.jspecify.annotations.Nullable;

/**
 * The global {@code sql_mode} that a session took over at some moment between two times. Usually known a second later, when the
 * server has been looked at again.
 */
record AdoptedMode(ServerSqlMode server, long fromNanos, long untilNanos) {
    @Nullable
    String value() {
        return server.during(fromNanos, untilNanos);
    }

    /** For an expression that uses it as it was at two moments: known when it was the same all the time between them. */
    AdoptedMode and(AdoptedMode other) {
        return new AdoptedMode(
                server,
                fromNanos - other.fromNanos < 0 ? fromNanos : other.fromNanos,
                untilNanos - other.untilNanos > 0 ? untilNanos : other.untilNanos);
    }
}
