package io.understudy.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Walks packet headers in the buffers as they arrive and passes the buffers on whole. A buffer is sliced only where the
 * sink drops, holds or inserts something; of a packet that the sink does not inspect, only the header and the first
 * byte are read.
 *
 * <p>The sink decides about a packet when its lead (header and first byte) is known. A lead cut by the end of a buffer
 * is kept, at most four bytes, until the rest arrives; the receiver could not use it earlier anyway. A logical packet
 * of several physical ones (16 MB and more) is reported as one.
 *
 * <p>Not thread-safe; one per direction of a session. When the sink throws, {@link PacketSink#instead} names another
 * one. If that throws as well, the buffer has been released, and only {@link #close()} and {@link #cleanCut()} may be
 * called; complete packets before the faulty one have been forwarded.
 */
public final class PacketScanner {
    private static final int LEAD = Packets.HEADER + 1;
    private static final int KEPT_MIN = 1024;

    private PacketSink sink;
    private final ByteBufAllocator alloc;
    /** Gives the new number of each packet, in order; null to keep the numbers. */
    private @Nullable IntUnaryOperator numbering;

    /** Payload bytes of the physical packet still to come; -1 between packets. */
    private int remaining = -1;
    /** Another physical packet of the same logical one follows this one. */
    private boolean more;
    /** The next physical packet continues a logical one. */
    private boolean continuing;

    private boolean dropping;
    private boolean holding;
    /** The sink has forwarded something in place of the bytes that it was shown last. */
    private boolean replaced;
    /** Number of first payload bytes that the sink is waiting for; 0 when it is not waiting. */
    private int wanted;
    /** A cut lead, or the header and first bytes of a packet whose wanted bytes have not all arrived; else empty. */
    private ByteBuf kept = Unpooled.EMPTY_BUFFER;
    /** Index in the current buffer of the first byte neither forwarded nor dropped. */
    private int from;
    /** Index in the current buffer of the current logical packet; -1 when it began in an earlier buffer. */
    private int packetAt;
    /** Whether the forwarded bytes end with a complete packet. */
    private boolean clean = true;
    /** Index in the current buffer of the packet that the sink takes later; -1 if it takes all. */
    private int postponedAt = -1;
    /** What the sink takes later: bytes that begin with a packet; empty if it takes all. */
    private ByteBuf rest = Unpooled.EMPTY_BUFFER;

    /** Creates a scanner for one direction; the allocator is for the few bytes of a cut packet. */
    public PacketScanner(PacketSink sink, ByteBufAllocator alloc) {
        this.sink = sink;
        this.alloc = alloc;
    }

    /** Renumbers packets from now on, before {@link PacketSink#onPacket} is called. */
    public void numberBy(IntUnaryOperator numbers) {
        numbering = numbers;
    }

    /** Returns whether the bytes forwarded so far end with a complete packet, so that another could follow. */
    public boolean cleanCut() {
        return clean;
    }

    /** Scans the buffer and forwards what may be forwarded. Takes ownership of {@code in}. */
    public void scan(ByteBuf in) {
        boolean handedOn = false;
        try {
            int at = in.readerIndex();
            int end = in.writerIndex();
            from = at;
            packetAt = -1;
            while (at < end) {
                if (remaining >= 0) {
                    at = body(in, at, end);
                } else if (!keeps() && !continuing && end - at > Packets.HEADER) {
                    at = plain(in, at, end);
                } else {
                    at = lead(in, at, end);
                }
            }
            if (from == in.readerIndex() && from < end && !withheld()) {
                handedOn = true;
                sink.forward(in);
            } else if (!withheld()) {
                forwardUntil(in, end);
            }
            clean = withheld() || remaining < 0 && !continuing;
            if (postponedAt >= 0) {
                rest = in.readerIndex(postponedAt);
                postponedAt = -1;
                handedOn = true;
            }
        } catch (RuntimeException e) {
            if (!handedOn && packetAt >= 0) {
                forwardUntil(in, packetAt);
                clean = true;
            }
            throw e;
        } finally {
            if (!handedOn) {
                in.release();
            }
        }
    }

    /**
     * Returns whether the sink takes a packet later. Must be asked after each {@link #scan} if the sink may postpone.
     */
    public boolean postponed() {
        return rest.isReadable();
    }

    /**
     * Returns the bytes that the sink takes later ({@link PacketSink#LATER}), to be scanned again ahead of what follows
     * them, and passes their ownership; empty if there are none.
     */
    public ByteBuf takeRest() {
        ByteBuf bytes = rest;
        rest = Unpooled.EMPTY_BUFFER;
        return bytes;
    }

    /** Reports to another sink from now on. Held bytes of the current packet are forwarded. */
    public void reportTo(PacketSink other) {
        sink = other;
        if (remaining >= 0 && keeps()) {
            ByteBuf bytes = takeKept();
            wanted = 0;
            if (holding && !dropping) {
                clean = false;
                other.forward(bytes);
            } else {
                bytes.release();
            }
            holding = false;
        }
    }

    /**
     * Drops the bytes of a cut packet of which none has been forwarded: no more of it comes. Must be called at a
     * {@link #cleanCut}. Returns whether the sink has decided about it.
     */
    public boolean dropCut() {
        boolean decided = remaining >= 0 || continuing;
        takeKept().release();
        remaining = -1;
        more = false;
        continuing = false;
        dropping = false;
        holding = false;
        wanted = 0;
        return decided;
    }

    /** Ends scanning; a cut lead is forwarded incomplete. */
    public void finish() {
        if (keeps() && remaining < 0 && !dropping) {
            sink.forward(takeKept());
        } else {
            close();
        }
    }

    /** Releases kept bytes. */
    public void close() {
        takeKept().release();
        takeRest().release();
    }

    @SuppressWarnings("ReferenceEquality") // no other buffer stands for none
    private boolean keeps() {
        return kept != Unpooled.EMPTY_BUFFER;
    }

    private ByteBuf takeKept() {
        ByteBuf bytes = kept;
        kept = Unpooled.EMPTY_BUFFER;
        return bytes;
    }

    /**
     * Returns whether the current bytes must not be forwarded: they are dropped, or held until the sink has seen them.
     */
    private boolean withheld() {
        return dropping || holding;
    }

    private void forwardUntil(ByteBuf in, int until) {
        if (until > from) {
            sink.forward(in.retainedSlice(from, until - from));
            from = until;
        }
    }

    /**
     * Walks consecutive packets that lie entirely in this buffer and that the sink does not inspect: most of a large
     * result. Stops at the first other packet, with the sink's decision about it stored.
     */
    private int plain(ByteBuf in, int first, int end) {
        int at = first;
        do {
            long start = end - at >= Long.BYTES ? in.getLongLE(at) : shortLead(in, at);
            int length = (int) start & Packets.MAX_PAYLOAD;
            if (length == 0 || length == Packets.MAX_PAYLOAD) {
                return lead(in, at, end);
            }
            packetAt = at;
            int verdict = verdict(length, numbered(in, at, (int) start >>> 24), (int) (start >>> 32) & 0xFF);
            int next = at + Packets.HEADER + length;
            if (verdict != 0 || next > end) {
                if (verdict == PacketSink.LATER) {
                    return postpone(in, at, end);
                }
                remaining = length;
                more = false;
                take(verdict, length);
                return beginDecided(in, at, end);
            }
            ended();
            at = next;
            if (numbering == null && sink.takesRows()) {
                at = rows(in, at, end);
            }
        } while (end - at > Packets.HEADER);
        return at;
    }

    /**
     * Goes from header to header over rows that lie entirely in this buffer, without a call for each: a result of small
     * rows is mostly this loop. Returns the index of the first packet that is none of them.
     */
    private int rows(ByteBuf in, int first, int end) {
        int at = first;
        int last = first;
        int packets = 0;
        // One read of eight bytes has the header and the first byte. The few rows at the buffer's end, and any of less
        // than four bytes there, go the other way.
        while (end - at >= Long.BYTES) {
            long lead = in.getLongLE(at);
            int length = (int) lead & Packets.MAX_PAYLOAD;
            if (length == 0
                    || length == Packets.MAX_PAYLOAD
                    || length > end - at - Packets.HEADER
                    || ((int) (lead >>> 32) & 0xFF) >= Marker.EOF) {
                break;
            }
            last = at;
            at += Packets.HEADER + length;
            packets++;
        }
        if (packets > 0) {
            packetAt = last;
            sink.onRows(packets, at - first - packets * Packets.HEADER, in.getUnsignedByte(last + 3));
        }
        return at;
    }

    private int lead(ByteBuf in, int at, int end) {
        if (!keeps()) {
            packetAt = continuing ? packetAt : at;
            if (leadSize(in, at, end - at) <= end - at) {
                return begin(in, at, end);
            }
            if (!withheld()) {
                forwardUntil(in, at);
            }
            kept = alloc.buffer(LEAD).writeBytes(in, at, end - at);
            from = end;
            return end;
        }
        ByteBuf cut = kept;
        int have = cut.readableBytes();
        int take = Math.min((have < Packets.HEADER ? Packets.HEADER : LEAD) - have, end - at);
        cut.writeBytes(in, at, take);
        from = at + take;
        if (leadSize(cut, cut.readerIndex(), cut.readableBytes()) <= cut.readableBytes() && !beginCut(cut, at + take)) {
            rest = alloc.buffer(cut.readableBytes() + end - from)
                    .writeBytes(cut)
                    .writeBytes(in, from, end - from);
            takeKept().release();
            from = end;
            return end;
        }
        return at + take;
    }

    /** Ends the scan ahead of a packet that lies in this buffer from its first byte. */
    private int postpone(ByteBuf in, int at, int end) {
        forwardUntil(in, at);
        postponedAt = at;
        from = end;
        return end;
    }

    /**
     * Returns the size of the lead. A decision needs the first byte, except for an empty packet, which has none, and a
     * continued one, which needs no decision.
     */
    private int leadSize(ByteBuf buf, int at, int available) {
        if (available < Packets.HEADER) {
            return LEAD;
        }
        return continuing || buf.getUnsignedMediumLE(at) == 0 ? Packets.HEADER : LEAD;
    }

    /** Begins a packet whose lead lies entirely in this buffer. */
    private int begin(ByteBuf in, int at, int end) {
        if (enter(in, at)) {
            return decide(in, at) ? beginDecided(in, at, end) : postpone(in, at, end);
        }
        if (remaining == 0) {
            finish(at + Packets.HEADER);
        }
        return at + Packets.HEADER;
    }

    private int beginDecided(ByteBuf in, int at, int end) {
        int payload = at + Packets.HEADER;
        if (withheld()) {
            forwardUntil(in, at);
        }
        if (wanted > end - payload) {
            // Grows with the bytes that arrive: a header alone may announce 16 MB.
            kept = alloc.buffer(Math.min(Packets.HEADER + wanted, Math.max(KEPT_MIN, 2 * (end - at))))
                    .writeBytes(in, at, end - at);
            remaining -= end - payload;
            from = holding ? end : from;
            return end;
        }
        if (wanted > 0 || holding) {
            int shown = wanted;
            show(in, payload);
            from = replaced ? payload + shown : from;
        }
        if (remaining == 0) {
            finish(payload);
        }
        return payload;
    }

    /**
     * Begins a packet whose lead was cut; {@code cut} holds the lead, and the payload continues at {@code next}.
     *
     * @return false if the sink takes the packet later
     */
    private boolean beginCut(ByteBuf cut, int next) {
        int at = cut.readerIndex();
        boolean starts = enter(cut, at);
        int have = cut.readableBytes() - Packets.HEADER;
        if (starts && !decide(cut, at)) {
            return false;
        }
        remaining -= have;
        if (starts) {
            if (wanted > have) {
                if (!withheld()) {
                    clean = false;
                    sink.forward(cut.copy());
                }
                return true;
            }
            if (wanted > 0 || holding) {
                show(cut, at + Packets.HEADER);
            }
        }
        kept = Unpooled.EMPTY_BUFFER;
        if (dropping || replaced) {
            cut.release();
        } else {
            clean = false;
            sink.forward(cut);
        }
        if (remaining == 0) {
            finish(next);
        }
        return true;
    }

    /** Reads the header and returns false when the packet only continues a logical one. */
    private boolean enter(ByteBuf buf, int at) {
        boolean starts = !continuing;
        remaining = buf.getUnsignedMediumLE(at);
        more = remaining == Packets.MAX_PAYLOAD;
        continuing = false;
        int sequence = numbered(buf, at, buf.getUnsignedByte(at + 3));
        if (!starts) {
            sink.onContinued(sequence);
        }
        return starts;
    }

    /** Returns header and first byte of a packet, of which at least these are readable, as one number. */
    private static long shortLead(ByteBuf in, int at) {
        return in.getUnsignedIntLE(at) | (long) in.getByte(at + Packets.HEADER) << Integer.SIZE;
    }

    /** Returns the number of the packet at {@code at}, overwriting it if packets are renumbered. */
    private int numbered(ByteBuf buf, int at, int sequence) {
        IntUnaryOperator numbers = numbering;
        if (numbers == null) {
            return sequence;
        }
        int number = numbers.applyAsInt(sequence);
        buf.setByte(at + 3, number);
        return number;
    }

    /** Returns false if the sink takes the packet later. */
    private boolean decide(ByteBuf buf, int at) {
        int length = buf.getUnsignedMediumLE(at);
        int first = length == 0 ? -1 : buf.getUnsignedByte(at + Packets.HEADER);
        int verdict = verdict(length, buf.getUnsignedByte(at + 3), first);
        if (verdict == PacketSink.LATER) {
            remaining = -1;
            more = false;
            return false;
        }
        take(verdict, length);
        return true;
    }

    private void take(int verdict, int length) {
        dropping = (verdict & PacketSink.DROP) != 0;
        holding = (verdict & PacketSink.HOLD) != 0;
        replaced = false;
        wanted = Math.min(verdict & PacketSink.MAX_SHOWN, length);
    }

    private int body(ByteBuf in, int at, int end) {
        int available = Math.min(remaining, end - at);
        if (keeps()) {
            return collect(in, at, available, kept);
        }
        remaining -= available;
        if (remaining == 0) {
            finish(at + available);
        }
        return at + available;
    }

    /** Takes further wanted bytes; {@code copy} holds the first ones. */
    private int collect(ByteBuf in, int at, int available, ByteBuf copy) {
        int missing = wanted - (copy.readableBytes() - Packets.HEADER);
        int take = Math.min(missing, available);
        copy.writeBytes(in, at, take);
        remaining -= take;
        int next = at + take;
        boolean held = holding;
        if (held) {
            from = next;
        }
        if (take < missing) {
            return next;
        }
        show(copy, copy.readerIndex() + Packets.HEADER);
        kept = Unpooled.EMPTY_BUFFER;
        if (held && !dropping && !replaced) {
            sink.forward(copy);
        } else {
            copy.release();
        }
        if (remaining == 0) {
            finish(next);
        }
        return next;
    }

    private void show(ByteBuf buf, int index) {
        int length = wanted;
        wanted = 0;
        boolean goesOn = shown(buf, index, length);
        if (holding) {
            holding = false;
            dropping |= !goesOn;
            replaced = goesOn && sink.replacesShown();
        }
    }

    private void finish(int next) {
        remaining = -1;
        continuing = more;
        if (dropping) {
            from = next;
        }
        if (!more) {
            dropping = false;
            ended();
        }
    }

    private int verdict(int length, int sequence, int first) {
        try {
            return sink.onPacket(length, sequence, first);
        } catch (RuntimeException fault) {
            sink = sink.instead(fault, true);
            return sink.onPacket(length, sequence, first);
        }
    }

    private boolean shown(ByteBuf buf, int index, int length) {
        try {
            return sink.onShown(buf, index, length);
        } catch (RuntimeException fault) {
            sink = sink.instead(fault, false);
            return true;
        }
    }

    private void ended() {
        try {
            sink.onEnd();
        } catch (RuntimeException fault) {
            sink = sink.instead(fault, false);
        }
    }
}
