package io.understudy.command.settings;

import org.jspecify.annotations.Nullable;

/**
 * The global {@code sql_mode} that a session took over at an unknown moment between two times. Usually known a second
 * later, after the next probe of the server.
 */
public record AdoptedMode(ServerSqlMode server, long fromNanos, long untilNanos) {
    @Nullable
    String value() {
        return server.during(fromNanos, untilNanos);
    }

    /**
     * Returns the mode for an expression that uses it as of two moments: known if it was the same at all times between
     * them.
     */
    AdoptedMode and(AdoptedMode other) {
        return new AdoptedMode(
                server,
                fromNanos - other.fromNanos < 0 ? fromNanos : other.fromNanos,
                untilNanos - other.untilNanos > 0 ? untilNanos : other.untilNanos);
    }
}
