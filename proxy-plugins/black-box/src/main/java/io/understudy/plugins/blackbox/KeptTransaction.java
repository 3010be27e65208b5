package io.understudy.plugins.blackbox;

import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.TransactionKind;
import java.io.ByteArrayOutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A transaction with its events. Guarded by the lock of its {@link BlackBox}. */
final class KeptTransaction {
    /** Estimated memory besides the events: this object, its GTID, its entries in collections. */
    private static final int OVERHEAD = 256;
    /** Estimated memory of an event besides its bytes. */
    static final int EVENT_OVERHEAD = 24;

    final History history;
    final Gtid gtid;
    final TransactionKind kind;
    final long nanos;
    /** Bytes of the events. */
    final int length;
    /** The format description event of its events. */
    final byte[] format;

    @Nullable
    AnsweredCommit answered;

    private @Nullable List<byte[]> events;
    private final int memory;

    KeptTransaction(History history, Gtid gtid, BinlogTransaction transaction, List<byte[]> events, byte[] format) {
        this.history = history;
        this.gtid = gtid;
        kind = transaction.kind();
        nanos = transaction.lastNanos();
        length = events.stream().mapToInt(event -> event.length).sum();
        this.format = format;
        this.events = events;
        memory = OVERHEAD + length + events.size() * EVENT_OVERHEAD;
    }

    /** Returns an estimate of the bytes of memory that it takes. */
    int memory() {
        return memory;
    }

    /** Releases the events. */
    void drop() {
        events = null;
    }

    boolean isDropped() {
        return events == null;
    }

    /** Returns a copy of the events' bytes, or null if they were released. */
    byte @Nullable [] bytes() {
        List<byte[]> all = events;
        if (all == null) {
            return null;
        }
        ByteArrayOutputStream copy = new ByteArrayOutputStream(length);
        all.forEach(copy::writeBytes);
        return copy.toByteArray();
    }
}
