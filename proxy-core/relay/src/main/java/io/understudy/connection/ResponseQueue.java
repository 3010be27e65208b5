package io.understudy.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.command.response.ResponseGrammar;
import io.understudy.plugin.ServerResponse;
import io.understudy.plugin.ServerStream;
import io.understudy.protocol.ServerStatus;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Marker;
import io.understudy.wire.PacketSink;
import io.understudy.wire.packet.ErrPacket;
import java.util.ArrayDeque;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The responses due on a server connection, oldest first. Finds the packet boundaries of the server's bytes, inspects
 * the packets and drops them. On the connection's event loop.
 */
final class ResponseQueue implements PacketSink {
    private static final Logger log = LoggerFactory.getLogger(ResponseQueue.class);

    /** Responses kept for reuse; only deep pipelining has more due at a time. */
    private static final int SPARE = 64;

    private static final int ERR_SHOWN = 512;

    private final long capabilities;
    private final IntConsumer noFile;
    private final ArrayDeque<PendingResponse> due = new ArrayDeque<>();
    private final ArrayDeque<PendingResponse> spare = new ArrayDeque<>();

    private long nanos;
    private boolean inTransaction;
    private int fileRequest = -1;
    private int length;
    private int first;
    private boolean row;
    private boolean column;
    private @Nullable ErrPacket lastError;

    /** @param noFile sends an empty packet of this number: the client's refusal to send a file for LOAD DATA LOCAL */
    ResponseQueue(long capabilities, IntConsumer noFile) {
        this.capabilities = capabilities;
        this.noFile = noFile;
    }

    /** Expects one more response. */
    void add(ResponseGrammar grammar, @Nullable ServerResponse response, @Nullable ServerStream stream) {
        PendingResponse pending = spare.poll();
        if (pending == null) {
            pending = new PendingResponse();
        }
        pending.begin(grammar, capabilities, response, stream);
        due.add(pending);
    }

    /** Sets the monotonic time of the read whose bytes follow. */
    void readAt(long now) {
        nanos = now;
    }

    /** Returns how long the connection may rest before the next read, in nanoseconds; 0 without a stream. */
    long restNanos() {
        PendingResponse pending = due.peek();
        ServerStream stream = pending == null ? null : pending.stream();
        if (stream == null) {
            return 0;
        }
        try {
            return stream.restNanos();
        } catch (RuntimeException fault) {
            log.error("a stream's handler failed when asked for how long it may rest", fault);
            return 0;
        }
    }

    /**
     * Returns the error that the server sent while no response was due, usually the reason for closing; null if there
     * is none.
     */
    @Nullable
    ErrPacket lastError() {
        return lastError;
    }

    @Override
    public int onPacket(int packetLength, int sequence, int firstByte) {
        length = packetLength;
        first = firstByte;
        PendingResponse pending = due.peek();
        if (pending == null) {
            if (firstByte == Marker.ERR) {
                return ERR_SHOWN;
            }
            throw new MalformedPacketException("the server sent a packet though no response was due");
        }
        pending.read(nanos, inTransaction);
        long rows = pending.rows();
        boolean definition = pending.definitionNext();
        int wanted = pending.packet(packetLength, firstByte);
        row = false;
        column = false;
        ServerStream stream = pending.stream();
        if (stream != null) {
            return streamed(pending, stream, wanted);
        }
        if (pending.wantsClientData()) {
            if (firstByte != Marker.LOCAL_INFILE) {
                throw new MalformedPacketException("the server asks for data that this connection does not have");
            }
            fileRequest = sequence + 1;
        }
        if (wanted == 0 && definition && pending.rowBytes() > 0) {
            column = packetLength > 0 && packetLength <= MAX_SHOWN;
            return column ? packetLength : 0;
        }
        if (wanted == 0 && pending.rows() > rows) {
            int shown = Math.min(Math.max(0, pending.rowBytes()), packetLength);
            row = shown > 0;
            return shown;
        }
        return wanted;
    }

    private int streamed(PendingResponse pending, ServerStream stream, int wanted) {
        if (pending.over()) {
            return wanted;
        }
        int shown = Math.min(Math.max(0, stream.prefix()), length);
        if (shown == 0) {
            feed(stream, Unpooled.EMPTY_BUFFER, 0, 0);
        }
        return shown;
    }

    @Override
    public boolean onShown(ByteBuf buf, int index, int shown) {
        PendingResponse pending = due.peek();
        if (pending == null) {
            lastError = ErrPacket.parse(buf, index, shown);
            return false;
        }
        ServerStream stream = pending.stream();
        if (stream != null && !pending.over()) {
            feed(stream, buf, index, shown);
        } else if (row || column) {
            showPart(pending, buf, index, shown);
        } else {
            pending.inspect(buf, index, shown);
        }
        return false;
    }

    private void showPart(PendingResponse pending, ByteBuf buf, int index, int shown) {
        try {
            if (row) {
                pending.row(buf, index, shown, length);
            } else {
                pending.column(buf, index, shown);
            }
        } catch (RuntimeException fault) {
            log.error("the handler of a response failed on a packet of {} bytes", length, fault);
        }
    }

    private void feed(ServerStream stream, ByteBuf buf, int index, int shown) {
        try {
            stream.onPacket(buf, index, shown, length, nanos);
        } catch (RuntimeException fault) {
            log.error("a stream's handler failed on a packet of {} bytes that begins with {}", length, first, fault);
        }
    }

    @Override
    public void onEnd() {
        PendingResponse pending = due.peek();
        if (pending == null) {
            return;
        }
        pending.read(nanos, inTransaction);
        ServerStream stream = pending.stream();
        if (stream != null && !pending.over()) {
            try {
                stream.onPacketEnd(nanos);
            } catch (RuntimeException fault) {
                log.error("a stream's handler failed at a packet's end", fault);
            }
        }
        if (fileRequest >= 0) {
            noFile.accept(fileRequest);
            fileRequest = -1;
            pending.clientPacket(0);
        }
        if (pending.over()) {
            if (pending.statusSeen()) {
                inTransaction = (pending.status() & ServerStatus.IN_TRANS) != 0;
            }
            due.remove();
            try {
                pending.deliver();
            } catch (RuntimeException fault) {
                log.error("the handler of a response failed", fault);
            }
            recycle(pending);
        }
    }

    private void recycle(PendingResponse pending) {
        pending.clear();
        if (spare.size() < SPARE) {
            spare.add(pending);
        }
    }

    @Override
    public boolean takesRows() {
        PendingResponse pending = due.peek();
        return pending != null && pending.stream() == null && pending.rowBytes() <= 0 && pending.takesRows();
    }

    @Override
    public void onRows(int packets, int payload, int sequence) {
        PendingResponse pending = due.peek();
        if (pending != null) {
            pending.rows(packets, payload);
        }
    }

    /** Nothing is forwarded: all that matters of the bytes has been shown. */
    @Override
    public void forward(ByteBuf bytes) {
        bytes.release();
    }

    /** Fails every due response, in order. A second call does nothing. */
    void failAll(String reason) {
        PendingResponse pending;
        while ((pending = due.poll()) != null) {
            try {
                pending.fail(reason);
            } catch (RuntimeException | Error fault) {
                log.error("the handler of a response failed when told that the connection had ended", fault);
            }
            pending.clear();
        }
    }
}
