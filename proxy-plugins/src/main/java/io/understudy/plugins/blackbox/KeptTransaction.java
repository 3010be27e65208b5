package io.understudy.plugins.blackbox;

import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.TransactionKind;
import org.jspecify.annotations.Nullable;

/** A transaction and where its bytes are. Under the lock of its {@link BlackBox}. */
final class KeptTransaction {
    /** What one costs besides its bytes: this object, its GTID, its places in collections. */
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
    Answered answered;

    /** Its bytes are no longer kept. */
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
