package io.understudy.plugin;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
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
     * Returns a statement to inject ahead of a statement of the client, or null. Called with {@link Interest#BOUNDARY}
     * before COM_QUERY, COM_STMT_EXECUTE and COM_STMT_BULK_EXECUTE are forwarded, only when the session is at a
     * boundary: nothing in flight, no transaction, no open cursor, no pending long data.
     *
     * <p>A returned statement is not sent, and has no result, where the client could notice it: ahead of a statement
     * that reads diagnostics, for an account whose queries are limited, and after an error that may have left a
     * transaction open.
     */
    default @Nullable InjectedStatement beforeCommand(CommandView command) {
        return null;
    }

    /** Returns the variables that the observer sets. Called once, after {@link #interests}. */
    default List<SessionVariable> variables() {
        return List.of();
    }

    /**
     * Says which values of the {@link #variables} a command needs, by {@link SessionVariable#want}; the others are set
     * back. Called with {@link Interest#BOUNDARY} by an observer with variables, ahead of statements and preparations.
     * Some clients send the execution without waiting for the response to the preparation, and nothing can be injected
     * between the two.
     *
     * @param atBoundary whether a statement returned by {@link #beforeCommand} would be sent. If not, the observer is
     *     called only while a variable is not at rest, and never inside a transaction
     */
    default void chooseVariables(CommandView command, boolean atBoundary) {}

    /** Called with the result of a statement that this observer injected. */
    default void onInjected(InjectedStatement statement, InjectionResult result) {}

    /**
     * Called when COM_RESET_CONNECTION has succeeded, and after each COM_CHANGE_USER: session variables and prepared
     * statements no longer exist. MariaDB resets the session also when it refuses COM_CHANGE_USER.
     */
    default void onReset() {}

    /**
     * Called when the session has gone on, at a boundary, at another server with the same state:
     * {@link SessionContext#serverThreadId} is another one, and the session variables of plugins have the values of a
     * new session.
     */
    default void onMoved() {}

    /**
     * Called when no response to {@code command} will come, as the server's connection or the session has ended, and
     * the command may have committed or was part of a transaction. Of several in flight it is the first such one. Text
     * and packet are gone; what was attached is there, and {@link SessionContext#serverThreadId} is that of the lost
     * connection.
     *
     * @param patience for which the client waits for the outcome at most; zero if nobody does, and the stage is ignored
     * @return null if this plugin cannot find out; else a stage that completes on any thread, when {@code patience} is
     *     over at the latest, with {@link Outcome.Unknown}
     */
    default @Nullable CompletionStage<Outcome> outcomeOf(CommandView command, Duration patience) {
        return null;
    }

    /**
     * Called once when the wait for a stage of {@link #outcomeOf} is over. The client is told an
     * {@link Outcome.Committed} whose OK_Packet can be had exactly by that, all else by an error; {@link #onResponse}
     * follows as for the server's own. Not called where nobody waited.
     *
     * @param outcome may be less than what the stage will say: the wait was over, or the client has left
     * @param told whether the client is told; false if it has left, or is in the middle of a packet
     */
    default void onOutcomeTold(CommandView command, Outcome outcome, boolean told) {}

    /**
     * Called once, as the last callback, when the session has ended. The session goes on after three reasons:
     * {@code unread}, because a packet did not fit the protocol; {@code removed}, because the plugin was removed from
     * the configuration; {@code retired}, because a method of this observer has thrown. After the last two the proxy
     * sets the {@link #variables} back.
     */
    default void onClose(String reason) {}
}
