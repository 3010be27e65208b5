package io.understudy.plugin;

import org.jspecify.annotations.Nullable;

/**
 * Observes one session. Every method is called on the session's event loop, never by two threads at once, and must
 * return soon: no waiting, no locks that others hold for long. Views are valid until the callback returns. An observer
 * that throws is not called again; the client does not notice.
 */
public interface SessionObserver {
    /** Ignores the session. */
    SessionObserver NONE = new SessionObserver() {};

    /** Returns the {@link Interest} bits of this observer. Called once, right after {@link ProxyPlugin#openSession}. */
    default int interests() {
        return Interest.NONE;
    }

    /** Called with {@link Interest#COMMANDS} when a command has arrived and is on its way to the primary. */
    default void onCommand(CommandView command) {}

    /**
     * Called with {@link Interest#RESPONSES} when the last byte of a response has arrived. Not called for commands
     * without a response.
     */
    default void onResponse(CommandView command, ResponseView response) {}

    /**
     * Returns a statement to inject right after the login, or null. Called once, with {@link Interest#BOUNDARY}.
     *
     * <p>Commands of the client wait for the response to the statement, one round trip to the primary. Use this only
     * for values that are needed before a session's first statement and are not known from an earlier session.
     */
    default @Nullable InjectedStatement afterLogin() {
        return null;
    }

    /**
     * Returns a statement to inject ahead of a statement of the client, or null. Called with {@link Interest#BOUNDARY}
     * before COM_QUERY, COM_STMT_EXECUTE and COM_STMT_BULK_EXECUTE are forwarded, only when the session is at a
     * boundary: nothing in flight, no transaction, no open cursor, no pending long data, and the statement does not
     * read diagnostics.
     */
    default @Nullable InjectedStatement beforeCommand(CommandView command) {
        return null;
    }

    /**
     * Returns a statement to inject ahead of a COM_STMT_PREPARE, or null. Called with {@link Interest#BOUNDARY}, only
     * at a boundary. Some clients send the execution without waiting for the response to the preparation;
     * {@link #beforeCommand} is not called for such an execution.
     */
    default @Nullable InjectedStatement beforePreparation(CommandView command) {
        return null;
    }

    /**
     * Returns whether the effect of a statement injected by this observer must still be undone. While it returns true,
     * {@link #beforeUnknown} is called ahead of commands that may write.
     */
    default boolean owes() {
        return false;
    }

    /**
     * Returns a statement to inject while the observer {@link #owes}, or null.
     *
     * <p>Called ahead of statements and preparations that are not at a boundary because others are in flight or long
     * data is pending, ahead of long data, and ahead of commands that the proxy does not know. Never called inside a
     * transaction or before a statement that reads diagnostics. A statement in flight may nevertheless have begun a
     * transaction, so the server may reject the injected statement.
     */
    default @Nullable InjectedStatement beforeUnknown(CommandView command) {
        return null;
    }

    /** Called with the result of a statement that this observer injected. */
    default void onInjected(InjectedStatement statement, InjectionResult result) {}

    /**
     * Called when COM_RESET_CONNECTION has succeeded, and after each COM_CHANGE_USER: session variables and prepared
     * statements no longer exist. MariaDB resets the session also when it refuses COM_CHANGE_USER.
     */
    default void onReset() {}

    /**
     * Called once after a method of this observer has thrown, and nothing after it: the session goes on without it.
     *
     * @return what undoes this observer's statements, sent ahead of the next command that {@link #beforeCommand},
     *     {@link #beforePreparation} or {@link #beforeUnknown} would be asked about, unless the session is reset
     *     before; or null
     */
    default @Nullable InjectedStatement onRetired() {
        return null;
    }

    /**
     * Called once when the plugin was removed from the configuration and the session goes on. Only {@link #onClose}
     * comes after it.
     *
     * @return what undoes this observer's statements, see {@link #onRetired}; or null
     */
    default @Nullable InjectedStatement onRemoved() {
        return onRetired();
    }

    /**
     * Called once, as the last callback, when the session has ended. The session continues after the reason
     * {@code unread}, relayed unread because a packet did not fit the protocol, and after {@code removed}, because the
     * plugin was removed from the configuration.
     */
    default void onClose(String reason) {}
}
