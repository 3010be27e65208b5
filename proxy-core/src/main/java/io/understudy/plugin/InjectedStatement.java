package io.understudy.plugin;

/**
 * A statement that the proxy adds to a session. It goes out just before the client's own command; its answer never reaches
 * the client. When it fails, the client's command runs all the same.
 *
 * @param sql one statement without results that the client could miss: a SET or a CALL
 * @param purpose short word for logs and metrics, from a bounded set
 */
public record InjectedStatement(String sql, String purpose) {}
