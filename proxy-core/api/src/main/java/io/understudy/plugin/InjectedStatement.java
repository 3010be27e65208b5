package io.understudy.plugin;

/**
 * A statement that the proxy adds to a session. It is sent just before a command of the client; its response never
 * reaches the client. If it fails, the client's command runs nevertheless.
 *
 * @param sql one statement without results that the client could miss: a SET or a CALL
 * @param purpose short word for logs and metrics, from a bounded set
 */
public record InjectedStatement(String sql, String purpose) {}
