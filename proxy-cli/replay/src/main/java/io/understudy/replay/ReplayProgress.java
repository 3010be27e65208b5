package io.understudy.replay;

import io.understudy.replay.log.LogEvent;
import java.util.function.Consumer;

/**
 * Notes how far each session of a log was played. An event's position is its number in the log, from 1. The events of a
 * session are handed out and answered in their order.
 */
interface ReplayProgress {
    /** Notes nothing. */
    ReplayProgress NONE = new ReplayProgress() {};

    /** Counts an event that was read, also one that is not played. Returns its position. */
    default long read(LogEvent event) {
        return 0;
    }

    /** Called before the event that was read last is given to a connection. */
    default void handed(long session, long position) {}

    /**
     * Called when a statement is to be sent.
     *
     * @param noted called once, by any thread: with true when the statement can be sent, with false if it must not
     */
    default void sends(long session, long position, Consumer<Boolean> noted) {
        noted.accept(true);
    }

    /** Called when a statement that could be sent was not: the replay was stopped meanwhile. */
    default void unsent(long session, long position) {}

    /** Called when a statement was answered, by an error too. */
    default void answered(long session, long position, boolean inTransaction) {}

    /** Called when a statement is given up without being sent. */
    default void passedOver(long session, long position) {}

    /** Called when the connection ended before the response. The server has rolled the transaction back. */
    default void lost(long session, long position) {}

    /** Called when the log says that the session has ended. */
    default void quit(long session, long position) {}

    /** Returns whether statements of that session were handed out and not answered. */
    default boolean isBusy(long session) {
        return false;
    }

    /** Called when a replay that was resumed has read as far as the one before it. */
    default void caughtUp() {}
}
