package io.understudy.plugin;

import org.jspecify.annotations.Nullable;

/**
 * A statement that the proxy adds to a session. It is sent just before a command of the client; its response never
 * reaches the client. If it fails, the client's command runs nevertheless.
 *
 * @param sql one statement without results that the client could miss: a SET or a CALL
 * @param purpose short word for logs and metrics, from a bounded set
 * @param next a further statement that is sent right behind it, with a result of its own; null for none
 */
public record InjectedStatement(
        String sql, String purpose, @Nullable InjectedStatement next) {
    /** A single statement. */
    public InjectedStatement(String sql, String purpose) {
        this(sql, purpose, null);
    }

    /**
     * Returns the first statement with the second one behind it, or the one that is not null.
     *
     * @param first a single statement, or null
     */
    public static @Nullable InjectedStatement both(
            @Nullable InjectedStatement first, @Nullable InjectedStatement second) {
        return first == null || second == null
                ? first == null ? second : first
                : new InjectedStatement(first.sql, first.purpose, second);
    }
}
