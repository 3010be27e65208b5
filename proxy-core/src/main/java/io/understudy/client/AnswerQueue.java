package io.understudy.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.command.response.Answer;
import io.understudy.plugin.WireResponse;
import io.understudy.plugin.WireStream;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Marker;
import io.understudy.wire.PacketSink;
import io.understudy.wire.ServerStatus;
import io.understudy.wire.packet.ErrPacket;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answers that are due on a connection, oldest first, and where the server's packets end: looked at and dropped. On the
 * connection's event loop.
 */
final class AnswerQueue implements PacketSink {
    private static final Logger log = LoggerFactory.getLogger(AnswerQueue.class);

    /** Answers kept for reuse; more are due at a time only when someone pipelines deeply. */
    private static final int SPARE = 64;

    private static final int ERR_SHOWN = 512;

    /** Sends an empty packet, which is how a client says that it has no file for LOAD DATA LOCAL. */
    interface Refusal {
        void send(int sequence);
    }

    private final long capabilities;
    private final Refusal noFile;
    private final ArrayDeque<PendingAnswer> due = new ArrayDeque<>();
    private final ArrayDeque<PendingAnswer> spare = new ArrayDeque<>();

    private long nanos;
    private boolean inTransaction;
    private int fileRequest = -1;
    private int length;
    private int first;
    private @Nullable ErrPacket farewell;

    AnswerQueue(long capabilities, Refusal noFile) {
        this.capabilities = capabilities;
        this.noFile = noFile;
    }

    /** Expects one more answer. */
    void add(Answer grammar, @Nullable WireResponse response, @Nullable WireStream stream) {
        PendingAnswer answer = spare.poll();
        if (answer == null) {
            answer = new PendingAnswer();
        }
        answer.begin(grammar, capabilities, response, stream);
        due.add(answer);
    }

    /** Monotonic time of the read whose bytes come next. */
    void readAt(long now) {
        nanos = now;
    }

    /** How long the connection may be left unread, in nanoseconds: what the stream that it brings says, else 0. */
    long restNanos() {
        PendingAnswer answer = due.peek();
        WireStream stream = answer == null ? null : answer.stream();
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

    /** What the server said unasked, usually why it is about to close the connection; null when it said nothing. */
    @Nullable
    ErrPacket farewell() {
        return farewell;
    }

    @Override
    public int onPacket(int packetLength, int sequence, int firstByte) {
        length = packetLength;
        first = firstByte;
        PendingAnswer answer = due.peek();
        if (answer == null) {
            if (firstByte == Marker.ERR) {
                return ERR_SHOWN | DROP;
            }
            throw new MalformedPacketException("the server sent a packet though no answer was due");
        }
        answer.read(nanos, inTransaction);
        int wanted = answer.packet(packetLength, firstByte);
        WireStream stream = answer.stream();
        if (stream != null) {
            return DROP | streamed(answer, stream, wanted);
        }
        if (answer.wantsClientData()) {
            if (firstByte != Marker.LOCAL_INFILE) {
                throw new MalformedPacketException("the server asks for data that this connection does not have");
            }
            fileRequest = sequence + 1;
        }
        return wanted | DROP;
    }

    private int streamed(PendingAnswer answer, WireStream stream, int wanted) {
        if (answer.over()) {
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
        PendingAnswer answer = due.peek();
        if (answer == null) {
            farewell = ErrPacket.parse(buf, index, shown);
            return false;
        }
        WireStream stream = answer.stream();
        if (stream != null && !answer.over()) {
            feed(stream, buf, index, shown);
        } else {
            answer.look(buf, index, shown);
        }
        return false;
    }

    private void feed(WireStream stream, ByteBuf buf, int index, int shown) {
        try {
            stream.onPacket(buf, index, shown, length, nanos);
        } catch (RuntimeException fault) {
            log.error("a stream's handler failed on a packet of {} bytes that begins with {}", length, first, fault);
        }
    }

    @Override
    public void onEnd() {
        PendingAnswer answer = due.peek();
        if (answer == null) {
            return;
        }
        answer.read(nanos, inTransaction);
        WireStream stream = answer.stream();
        if (stream != null && !answer.over()) {
            try {
                stream.onPacketEnd(nanos);
            } catch (RuntimeException fault) {
                log.error("a stream's handler failed at a packet's end", fault);
            }
        }
        if (fileRequest >= 0) {
            noFile.send(fileRequest);
            fileRequest = -1;
            answer.clientPacket(0);
        }
        if (answer.over()) {
            if (answer.statusSeen()) {
                inTransaction = (answer.status() & ServerStatus.IN_TRANS) != 0;
            }
            due.remove();
            try {
                answer.deliver();
            } catch (RuntimeException fault) {
                log.error("whoever waited for an answer failed on it", fault);
            }
            recycle(answer);
        }
    }

    private void recycle(PendingAnswer answer) {
        answer.clear();
        if (spare.size() < SPARE) {
            spare.add(answer);
        }
    }

    /** Nothing is ever passed on: every packet is dropped. */
    @Override
    public void forward(ByteBuf bytes) {
        bytes.release();
    }

    /** Tells everyone who waits, in order; no more than once, as nothing is due afterwards. */
    void failAll(String reason) {
        PendingAnswer answer;
        while ((answer = due.poll()) != null) {
            try {
                answer.fail(reason);
            } catch (RuntimeException fault) {
                log.error("whoever waited for an answer failed on its absence", fault);
            }
            answer.clear();
        }
    }
}
