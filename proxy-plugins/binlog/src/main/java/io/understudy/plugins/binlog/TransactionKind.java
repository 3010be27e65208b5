package io.understudy.plugins.binlog;

/** Kinds of transactions in the binary log. */
public enum TransactionKind {
    /** Changes of rows, or statements that change rows. */
    WRITE,
    /** A single statement: a schema change, or administration that is logged. */
    SCHEMA,
    /** The first phase of a distributed transaction: logged, not yet committed. */
    XA_PREPARE,
    /** The second phase: {@code XA COMMIT} or {@code XA ROLLBACK}. */
    XA_END
}
