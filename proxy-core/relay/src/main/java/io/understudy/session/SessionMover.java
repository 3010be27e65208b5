package io.understudy.session;

import io.understudy.command.SessionModel;
import io.understudy.handshake.LoginResult;
import io.understudy.move.NotMoved;
import io.understudy.sql.TableName;
import java.util.List;
import java.util.Set;

/**
 * Takes a session's server leg, at the session's boundary, to the present primary, logged in as the same user and with
 * the same state. Implemented by the relay. Must be used on the session's event loop.
 */
public interface SessionMover {
    /**
     * How it ended. One method is called, once, on the session's event loop, unless the session has ended meanwhile.
     */
    interface Result {
        /**
         * The leg has the new server's connection.
         *
         * @param parting as in {@link ClientSession#serverConnected}
         */
        void moved(Destination to, Runnable parting, long serverThreadId);

        /**
         * The leg is of no use any more.
         *
         * @param why its message may be empty
         */
        void failed(NotMoved why);
    }

    /** Called when the login has succeeded: keeps what another login of the same user needs. */
    void loggedIn(LoginResult login);

    /**
     * Begins to move a session to whose server nothing is sent until the result is there.
     *
     * @param ownVariables session variables whose values are the proxy's
     * @param readAgain tables and views of the read that is sent again afterwards; empty if none is
     * @param serverGone whether the present server can no longer be asked for the session's state
     */
    void move(
            SessionModel session,
            Set<String> ownVariables,
            List<TableName> readAgain,
            boolean serverGone,
            Result result);

    /** Runs a task after a time, and returns what cancels it; called on the session's event loop. */
    Runnable later(Runnable task, long millis);

    /** Called when the session has ended: gives up a move, and overwrites secrets. */
    void ended();
}
