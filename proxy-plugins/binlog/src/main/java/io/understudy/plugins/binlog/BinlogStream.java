package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.ServerStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Extracts events from packets: each packet is a zero byte and an event. Used on the connection's event loop only. */
final class BinlogStream implements ServerStream {
    /** Enough for a table map's names, and for a query event's status variables before its text. */
    static final int PREFIX = 1024;

    /** Longest event that fits into one packet; a longer one continues in the next. */
    private static final int WHOLE = 0xFF_FFFF;

    private final BinlogParser parser;
    private final BiConsumer<BinlogTrouble.Reason, String> onEnd;
    private final LongSupplier rest;
    private final BooleanSupplier wantEvents;
    private final BinlogEvents bytes;
    private final @Nullable SemiSyncReplica replica;
    private final SemiSyncReplica.@Nullable Acknowledgements acknowledgements;
    private final SemiSyncPackets semiSync = new SemiSyncPackets();
    private boolean registered;
    private boolean rested;
    /** Whether it has ended, or was replaced: then another one may bring the same by now. */
    private volatile boolean over;

    private final long beganNanos;
    private volatile long lastNanos;
    /** Whether silence means that the connection is dead: heartbeats come. */
    private volatile boolean flowing;

    private long events;
    /** Tasks that wait for the end of a transaction. */
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

    /**
     * A stream that begins now.
     *
     * @param rest nanoseconds for which it may be left unread; 0 while exact arrival times are needed
     * @param wantEvents whether {@code bytes} needs events now; it receives format descriptions in any case
     * @param replica told of positions and marks; null for a stream whose packets have no mark
     * @param acknowledgements of this stream; null without a replica
     * @param onEnd called once, with the server's error or the reason why the bytes cannot be read
     */
    BinlogStream(
            BinlogParser parser,
            long nowNanos,
            LongSupplier rest,
            BooleanSupplier wantEvents,
            BinlogEvents bytes,
            @Nullable SemiSyncReplica replica,
            SemiSyncReplica.@Nullable Acknowledgements acknowledgements,
            BiConsumer<BinlogTrouble.Reason, String> onEnd) {
        this.parser = parser;
        this.rest = rest;
        this.wantEvents = wantEvents;
        this.bytes = bytes;
        this.replica = replica;
        this.acknowledgements = acknowledgements;
        this.onEnd = onEnd;
        this.beganNanos = nowNanos;
        this.lastNanos = nowNanos;
    }

    @Override
    public int prefix() {
        return wantEvents.getAsBoolean() ? WHOLE : PREFIX;
    }

    @Override
    public void onPacket(ByteBuf buf, int index, int shown, int length, long receivedNanos) {
        if (over) {
            return;
        }
        arrived(receivedNanos);
        events++;
        try {
            boolean whole = length < WHOLE;
            int before = 1 + (replica == null ? 0 : semiSync.packet(buf, index, shown, length, whole));
            boolean compressed =
                    shown > PREFIX && EventHeader.type(buf, index + before) == EventType.TRANSACTION_PAYLOAD;
            parser.event(buf, index + before, (compressed ? shown : Math.min(shown, PREFIX)) - before);
            int type = EventHeader.type(buf, index + before);
            if (!flowing && (parser.open() || type == EventType.HEARTBEAT || type == EventType.HEARTBEAT_V2)) {
                flowing = true;
            }
            if (replica != null) {
                semiSync.event(buf, index + before, shown - before);
                tellMark(replica);
                if (type == EventType.HEARTBEAT && !parser.open()) {
                    replica.idle(semiSync.end());
                }
            }
            pass(buf, index + before, shown - before, whole && shown == length);
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            finish(
                    BinlogTrouble.Reason.MALFORMED,
                    "event " + events + " of the stream cannot be read: " + e.getMessage());
        }
    }

    private void tellMark(SemiSyncReplica told) {
        if (!registered && semiSync.marked() && acknowledgements != null) {
            registered = true;
            flowing = true; // commits may wait for it from now on
            told.registered(acknowledgements, semiSync.end().file());
        }
    }

    private void pass(ByteBuf buf, int index, int shown, boolean whole) {
        int type = EventHeader.type(buf, index);
        if (type == EventType.FORMAT_DESCRIPTION) {
            byte[] event = new byte[shown];
            buf.getBytes(index, event);
            bytes.onFormat(event);
        } else if (parser.open() && wantEvents.getAsBoolean()) {
            bytes.onEvent(buf, index, shown, EventType.beginsTransaction(type), whole);
        }
    }

    @Override
    public void onPacketEnd(long receivedNanos) {
        if (over) {
            return;
        }
        arrived(receivedNanos);
        if (parser.eventEnd(receivedNanos, !rested) && replica != null) {
            replica.passed(semiSync.end(), semiSync.awaited());
        }
        if (!waiting.isEmpty() && !parser.open()) {
            runWaiting();
        }
    }

    /** Runs a task before the next transaction begins, never within one, and not at all once the stream has ended. */
    void between(Runnable task) {
        if (over) {
            return;
        }
        if (!parser.open()) {
            task.run();
            return;
        }
        waiting.add(task);
    }

    private void runWaiting() {
        for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
            next.run();
        }
    }

    /** All packets of one read have the same time. */
    private void arrived(long receivedNanos) {
        if (lastNanos != receivedNanos) {
            lastNanos = receivedNanos;
        }
    }

    @Override
    public long restNanos() {
        long nanos = rest.getAsLong();
        rested = nanos > 0;
        return nanos;
    }

    @Override
    public void onEnd(String reason) {
        finish(BinlogErrors.reason(reason), reason);
    }

    /** Returns the time of the last arrival. Thread-safe. */
    long lastNanos() {
        return lastNanos;
    }

    /**
     * Returns whether a transaction, a heartbeat or a registered replica's mark has arrived. Before that the server may
     * be looking for the start position. Thread-safe.
     */
    boolean flows() {
        return flowing;
    }

    /** Returns whether data arrived at least this long after the begin. Thread-safe. */
    boolean lived(Duration least) {
        return lastNanos - beganNanos >= least.toNanos();
    }

    /** Passes nothing more on, not even its end. On any thread. */
    void close() {
        over = true;
    }

    private void finish(BinlogTrouble.Reason reason, String message) {
        if (!over) {
            over = true;
            onEnd.accept(reason, message);
        }
    }
}
