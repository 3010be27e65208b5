package io.understudy.plugins.blackbox;

import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.TransactionKind;
import org.jspecify.annotations.Nullable;

/** A transaction with the place of its bytes. Guarded by the lock of its {@link BlackBox}. */
final class KeptTransaction {
    /** Estimated memory besides the bytes: this object, its GTID, its entries in collections. */
    static final int OVERHEAD = 256;

    final History history;
    final Gtid gtid;
    final TransactionKind kind;
    final long nanos;
    final long offset;
    final int length;
    /** The format description event of its bytes. */
    final byte[] format;

    @Nullable
    AnsweredCommit answered;

    /** Whether its bytes were released. */
    boolean dropped;

    KeptTransaction(History history, Gtid gtid, BinlogTransaction transaction, long offset, int length, byte[] format) {
        this.history = history;
        this.gtid = gtid;
        kind = transaction.kind();
        nanos = transaction.lastNanos();
        this.offset = offset;
        this.length = length;
        this.format = format;
    }
}
