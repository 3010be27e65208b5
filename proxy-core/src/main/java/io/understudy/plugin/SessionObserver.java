package io.understudy.plugin;

import org.jspecify.annotations.Nullable;

/**
 * Watches one session. Every method has an empty default, is called on the session's event loop, and must return soon:
 * no waiting, no locks that others hold for long. Views are valid until the callback returns.
 */
public interface SessionObserver {
    /** Leaves the session alone. */
    SessionObserver NONE = new SessionObserver() {};

    /** Bits of {@link Interest}, asked once, right after {@link ProxyPlugin#openSession}. */
    default int interests() {
        return Interest.NONE;
    }

    /** A command has arrived and is on its way to the primary. */
    default void onCommand(CommandView command) {}

    /** The answer's last byte has arrived. Not called for commands that have no answer. */
    default void onResponse(CommandView command, ResponseView response) {}

    /**
     * Asked once, right after the login, with {@link Interest#BOUNDARY}. What the client sends before the answer has come waits
     * for it: one round trip to the primary, so this is for what has to be known before a session's first statement, and
     * cannot be known from an earlier session.
     *
     * @return a statement to run, or null
     */
    default @Nullable InjectedStatement afterLogin() {
        return null;
    }

    /**
     * Asked before a statement (COM_QUERY, COM_STMT_EXECUTE, bulk execute) is forwarded, only when the session is at a
     * boundary: nothing in flight, no transaction, no open cursor, no pending long data, and the statement does not read
     * diagnostics.
     *
     * @return a statement to run first, or null
     */
    default @Nullable InjectedStatement beforeCommand(CommandView command) {
        return null;
    }

    /**
     * Asked before a statement is prepared (COM_STMT_PREPARE), with {@link Interest#BOUNDARY} and only at a boundary. Clients send the
     * execution right behind without waiting, where {@link #beforeCommand} is not asked any more.
     *
     * @return a statement to run first, or null
     */
    default @Nullable InjectedStatement beforePreparation(CommandView command) {
        return null;
    }

    /**
     * Returns whether a statement of this observer's is still to be undone. While it is, {@link #beforeUnknown} is asked ahead of whatever
     * may write.
     */
    default boolean owes() {
        return false;
    }

    /**
     * Asked while this observer {@link #owes}, ahead of statements and preparations that are not at a boundary because others are in flight
     * or long data is pending, of long data, and of commands that the proxy does not know; never inside a transaction, and not before a
     * statement that reads diagnostics. A statement in flight may have begun a transaction all the same, so the server may refuse.
     *
     * @return a statement to run first, or null
     */
    default @Nullable InjectedStatement beforeUnknown(CommandView command) {
        return null;
    }

    /** The answer to a statement of this observer's own. */
    default void onInjected(InjectedStatement statement, InjectionResult result) {}

    /** COM_RESET_CONNECTION or COM_CHANGE_USER succeeded: session variables and prepared statements are gone. */
    default void onReset() {}

    /**
     * The session is over, or, with the reason {@code unread}, relayed unread from here on, because a packet did not fit the
     * protocol. Called once, and nothing after it.
     */
    default void onClose(String reason) {}
}
