package io.understudy.plugins.binlog;

/** Told what the binary log brings. Called on the dump connection's event loop: must not wait. */
public interface BinlogListener {
    /** The last event of a transaction has arrived. */
    void onTransaction(BinlogTransaction transaction);

    /**
     * The stream has begun at the primary's present position: transactions before were not seen.
     *
     * @param facts what the primary says of itself
     * @param replaced it is not the server of the last time
     */
    default void onStart(PrimaryFacts facts, boolean replaced) {}

    /** The stream has ended or could not begin: what is committed from now on is missed until {@link #onStart}. */
    default void onGap(BinlogTrouble trouble) {}
}
