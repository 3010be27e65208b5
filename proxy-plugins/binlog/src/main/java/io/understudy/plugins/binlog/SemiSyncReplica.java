package io.understudy.plugins.binlog;

import java.sql.SQLException;

/**
 * A reader that can take part in semi-synchronous replication: the primary holds back its clients' OKs until such a
 * replica has acknowledged. Called on the dump connection's event loop, except for {@link #start}.
 */
public interface SemiSyncReplica {
    /**
     * Returns the facts at the position where the next stream is to begin. Called on the plugin's executor; may wait.
     *
     * @param facts the primary's, at its present position
     */
    PrimaryFacts start(PrimaryFacts facts) throws SQLException;

    /** Returns whether the next stream is one of a semi-synchronous replica. Called before each stream. */
    default boolean registers() {
        return false;
    }

    /**
     * Called when the stream brings the mark of semi-synchronous replication: from now on the primary may wait for this
     * connection. Not called if the server has no semi-synchronous replication.
     *
     * @param file of the binary log in which the stream begins
     */
    default void registered(Acknowledgements to, String file) {}

    /**
     * Called behind {@link BinlogListener#onTransaction} for the same transaction.
     *
     * @param awaited whether the primary waits for its acknowledgement
     */
    default void passed(BinlogEnd end, boolean awaited) {}

    /**
     * Called when the server has nothing to send: its heartbeat says up to where it has sent everything.
     *
     * @param end behind which nothing is written
     */
    void idle(BinlogEnd end);

    /** Sends acknowledgements over one stream; drops them once that has ended. Thread-safe. */
    @FunctionalInterface
    interface Acknowledgements {
        /** Tells the primary that all up to there is kept. */
        void send(BinlogEnd upTo);
    }
}
