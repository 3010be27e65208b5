package io.understudy.plugins.binlog;

/**
 * Receives the transactions of the binary log and the state of the stream. Called on the dump connection's event loop:
 * must not block.
 */
public interface BinlogListener {
    /** Called when the last event of a transaction has arrived. */
    void onTransaction(BinlogTransaction transaction);

    /**
     * Called when the stream has begun, mostly at the primary's current position; earlier transactions were not seen.
     *
     * @param facts the primary's state at that position
     */
    default void onStart(PrimaryFacts facts) {}

    /**
     * Returns whether the primary has begun a new log, with new numbers, since it was last read here: the stream then
     * begins with it. Called off the event loops, before {@link #onStart}.
     *
     * @param facts the primary's state now
     */
    default boolean isAnew(PrimaryFacts facts) {
        return false;
    }

    /** Called when the stream has ended or could not begin: transactions are missed until {@link #onStart}. */
    default void onGap(BinlogTrouble trouble) {}
}
