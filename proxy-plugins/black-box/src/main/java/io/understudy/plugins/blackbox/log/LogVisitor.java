package io.understudy.plugins.blackbox.log;

/** Receives what a log holds, in the order in which it was written. */
public interface LogVisitor {
    /** Called before the transactions of each segment, and where a stream began within one. */
    void start(LogStart start);

    void transaction(LoggedTransaction transaction, LogPlace place);

    /**
     * Called for a transaction that the primary logged and whose events were not kept.
     *
     * @param applied whether that is because every standby had applied it
     */
    void missed(String gtid, boolean applied);

    /** Called for what became of a lost statement. */
    default void outcome(byte[] record) {}

    /**
     * Called where a file is damaged, between what precedes and what follows. Until the next {@link #start} numbers may
     * be missing without a {@link #missed}.
     */
    void damage(LogDamage damage);
}
