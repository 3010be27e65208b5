package io.understudy.command.settings;

import org.jspecify.annotations.Nullable;

/**
 * The global {@code sql_mode} that a session took over at an unknown moment between two times. Usually known a second
 * later, after the next probe of the server; from then on kept, because later probes may be another server's. On the
 * session's event loop.
 */
public final class AdoptedMode {
    private final ServerSqlMode server;
    private final long fromNanos;
    private final long untilNanos;
    private @Nullable String value;

    public AdoptedMode(ServerSqlMode server, long fromNanos, long untilNanos) {
        this.server = server;
        this.fromNanos = fromNanos;
        this.untilNanos = untilNanos;
    }

    ServerSqlMode server() {
        return server;
    }

    @Nullable
    String value() {
        if (value == null) {
            value = server.during(fromNanos, untilNanos);
        }
        return value;
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
