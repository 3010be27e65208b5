package io.understudy.plugins.blackbox.history;

import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.blackbox.log.LogPlace;
import io.understudy.plugins.blackbox.log.LoggedTransaction;
import java.io.ByteArrayOutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A transaction with its events, in memory or in the log. Guarded by the lock of its black box. */
public final class KeptTransaction {
    /** Estimated memory besides the events: this object, its GTID, its entries in collections. */
    private static final int OVERHEAD = 256;
    /** Estimated memory of one whose events are in the log. */
    private static final int INDEX = 300;
    /** Estimated memory of an event besides its bytes. */
    public static final int EVENT_OVERHEAD = 24;

    public final History history;
    public final Gtid gtid;
    public final TransactionKind kind;
    public final long nanos;
    /** Bytes of the events. */
    public final int length;
    /** The format description event of its events. */
    public final byte[] format;
    /** What its client has named it, as far as its events tell. */
    public final @Nullable String token;

    public @Nullable AnsweredCommit answered;

    /** Also read by the thread that writes the log. The list does not change. */
    private volatile @Nullable List<byte[]> events;

    private @Nullable LogPlace place;
    private int memory;

    public KeptTransaction(
            History history,
            Gtid gtid,
            BinlogTransaction transaction,
            List<byte[]> events,
            byte[] format,
            @Nullable String token) {
        this.token = token;
        this.history = history;
        this.gtid = gtid;
        kind = transaction.kind();
        nanos = transaction.lastNanos();
        length = events.stream().mapToInt(event -> event.length).sum();
        this.format = format;
        this.events = events;
        memory = OVERHEAD + length + events.size() * EVENT_OVERHEAD;
    }

    /** Creates one whose events are in the log. */
    public KeptTransaction(History history, Gtid gtid, LoggedTransaction transaction, long nanos, LogPlace place) {
        this.history = history;
        this.gtid = gtid;
        kind = transaction.kind();
        this.nanos = nanos;
        length = transaction.length();
        format = transaction.format();
        token = transaction.token();
        this.place = place;
        memory = INDEX;
    }

    /** Called when the events are in the log: they are released from memory. */
    void stored(LogPlace in) {
        if (isDropped()) {
            in.release();
            return;
        }
        place = in;
        events = null;
        memory = INDEX;
    }

    /** Returns the events if they are in memory. */
    @Nullable
    public List<byte[]> events() {
        return events;
    }

    /** Returns where the log has the events; null if it does not. */
    @Nullable
    public LogPlace place() {
        return place;
    }

    /** Returns an estimate of the bytes of memory that it takes. */
    int memory() {
        return memory;
    }

    /** Releases the events. */
    void drop() {
        events = null;
        LogPlace in = place;
        place = null;
        if (in != null) {
            in.release();
        }
    }

    public boolean isDropped() {
        return events == null && place == null;
    }

    /** Returns a copy of the events' bytes, or null if they are not in memory. */
    public byte @Nullable [] bytes() {
        List<byte[]> all = events;
        if (all == null) {
            return null;
        }
        ByteArrayOutputStream copy = new ByteArrayOutputStream(length);
        all.forEach(copy::writeBytes);
        return copy.toByteArray();
    }
}
