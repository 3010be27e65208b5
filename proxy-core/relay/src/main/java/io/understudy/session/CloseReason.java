package io.understudy.session;

/**
 * The reason why a session ended, with the same label in log, metric and observer. Named by the party that caused it.
 */
public enum CloseReason {
    CLIENT_CLOSED,
    SERVER_CLOSED,
    CLIENT_MALFORMED,
    SERVER_MALFORMED,
    CLIENT_TLS_FAILED,
    SERVER_TLS_FAILED,
    HANDSHAKE_TIMEOUT,
    REFUSED_BY_PROXY,
    REFUSED_BY_SERVER,
    /** A plugin has refused the login, or ended the session. */
    REFUSED_BY_PLUGIN,
    PRIMARY_UNREACHABLE,
    DRAINED,
    DRAIN_TIMEOUT,
    /** Another server has become the primary. */
    PRIMARY_CHANGED,
    /** The session's compressed frames would have taken more than {@code limits.inflationBytes}. */
    MEMORY_LIMIT,
    OUT_OF_MEMORY,
    INTERNAL_ERROR;

    /** Returns the label: the name in lower case. */
    public String label() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
