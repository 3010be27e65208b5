package io.understudy.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Walks packet headers in the buffers as they arrive and passes the buffers on whole. A buffer is sliced only where the
 * sink drops, holds or inserts something; a packet of which nothing is wanted costs a look at its header and first byte.
 *
 * <p>The sink decides about a packet when its lead (header and first byte) is known. A lead that is cut by the end of a
 * buffer is kept back, at most four bytes, until the rest arrives: the receiver could do nothing with it anyway. Logical
 * packets of several physical ones (16 MB and more) are reported as one.
 *
 * <p>Not thread-safe; one per direction of a session. When the sink throws, {@link PacketSink#instead} names another one;
 * if it throws as well, the buffer has been released and the scanner is good for nothing but {@link #close()} and {@link #cleanCut()}; packets that lay whole ahead of the one at fault have
 * gone on.
 */
public final class PacketScanner {
    private static final int LEAD = Packets.HEADER + 1;
    private static final int KEPT_MIN = 1024;

    private PacketSink sink;
    private final ByteBufAllocator alloc;
    private @Nullable PacketNumbering numbering;

    /** Payload bytes of the physical packet still to come; -1 between packets. */
    private int remaining = -1;
    /** Another physical packet of the same logical one follows this one. */
    private boolean more;
    /** The next physical packet continues a logical one. */
    private boolean continuing;

    private boolean dropping;
    private boolean holding;
    /** Payload bytes that the sink still waits to be shown, counted from the first; 0 when it waits for none. */
    private int wanted;
    /** A cut lead, or header and first bytes of a packet whose wanted bytes are not all here. */
    private @Nullable ByteBuf kept;
    /** First byte of the current buffer about which nothing has been done yet. */
    private int from;
    /** Where in the current buffer the current logical packet begins; -1 when it began in an earlier one. */
    private int packetAt;
    /** What has gone on ends with a whole packet. */
    private boolean clean = true;

    public PacketScanner(PacketSink sink, ByteBufAllocator alloc) {
        this.sink = sink;
        this.alloc = alloc;
    }

    /** Writes other numbers into the packets from now on, ahead of {@link PacketSink#onPacket}. */
    public void numberBy(PacketNumbering numbers) {
        numbering = numbers;
    }

    /** True between two logical packets, with nothing kept back. */
    public boolean atBoundary() {
        return remaining < 0 && !continuing && kept == null;
    }

    /** True when what has gone on so far ends with a whole packet, so that another could be put behind it. */
    public boolean cleanCut() {
        return clean;
    }

    /** Takes ownership of {@code in} and passes on whatever may go on. */
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
                } else if (kept == null && !continuing && end - at > Packets.HEADER) {
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

    /** Reports to another sink from here on. Of the packet that is passing, what was held goes on. */
    public void reportTo(PacketSink other) {
        sink = other;
        ByteBuf bytes = kept;
        if (remaining >= 0 && bytes != null) {
            kept = null;
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

    /** Nothing more is scanned: a packet's lead that was cut goes on, whatever follows it. */
    public void finish() {
        ByteBuf bytes = kept;
        kept = null;
        if (bytes != null && remaining < 0 && !dropping) {
            sink.forward(bytes);
        } else if (bytes != null) {
            bytes.release();
        }
    }

    /** Releases what is kept back. */
    public void close() {
        ByteBuf bytes = kept;
        kept = null;
        if (bytes != null) {
            bytes.release();
        }
    }

    /** The bytes now passing must not go on: dropped, or held until the sink has seen them. */
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
     * Packets one after the other that lie whole in this buffer and of which nothing is wanted: what most of a large result
     * is. Stops at the first that is otherwise, with its decision taken.
     */
    private int plain(ByteBuf in, int first, int end) {
        int at = first;
        do {
            int header = in.getIntLE(at);
            int length = header & Packets.MAX_PAYLOAD;
            if (length == 0 || length == Packets.MAX_PAYLOAD) {
                return lead(in, at, end);
            }
            packetAt = at;
            int verdict = verdict(length, numbered(in, at), in.getUnsignedByte(at + Packets.HEADER));
            int next = at + Packets.HEADER + length;
            if (verdict != 0 || next > end) {
                remaining = length;
                more = false;
                take(verdict, length);
                return beginDecided(in, at, end);
            }
            ended();
            at = next;
        } while (end - at > Packets.HEADER);
        return at;
    }

    private int lead(ByteBuf in, int at, int end) {
        ByteBuf cut = kept;
        if (cut == null) {
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
        int have = cut.readableBytes();
        int take = Math.min((have < Packets.HEADER ? Packets.HEADER : LEAD) - have, end - at);
        cut.writeBytes(in, at, take);
        from = at + take;
        if (leadSize(cut, cut.readerIndex(), cut.readableBytes()) <= cut.readableBytes()) {
            beginCut(in, cut, at + take);
        }
        return at + take;
    }

    /** A first byte is needed for a decision, but there is none in an empty packet and none to be made in a continued one. */
    private int leadSize(ByteBuf buf, int at, int available) {
        if (available < Packets.HEADER) {
            return LEAD;
        }
        return continuing || buf.getUnsignedMediumLE(at) == 0 ? Packets.HEADER : LEAD;
    }

    /** A packet whose lead lies whole in this buffer. */
    private int begin(ByteBuf in, int at, int end) {
        if (enter(in, at)) {
            decide(in, at);
            return beginDecided(in, at, end);
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
            // Grows with what really comes: a header alone may promise 16 MB.
            kept = alloc.buffer(Math.min(Packets.HEADER + wanted, Math.max(KEPT_MIN, 2 * (end - at))))
                    .writeBytes(in, at, end - at);
            remaining -= end - payload;
            from = holding ? end : from;
            return end;
        }
        if (wanted > 0 || holding) {
            show(in, payload);
        }
        if (remaining == 0) {
            finish(payload);
        }
        return payload;
    }

    /** A packet whose lead was cut; {@code cut} holds it, and its payload goes on at {@code next}. */
    private void beginCut(ByteBuf in, ByteBuf cut, int next) {
        int at = cut.readerIndex();
        boolean starts = enter(cut, at);
        int have = cut.readableBytes() - Packets.HEADER;
        remaining -= have;
        if (starts) {
            decide(cut, at);
            if (wanted > have) {
                if (!withheld()) {
                    clean = false;
                    sink.forward(cut.copy());
                }
                return;
            }
            if (wanted > 0 || holding) {
                show(cut, at + Packets.HEADER);
            }
        }
        kept = null;
        if (dropping) {
            cut.release();
        } else {
            clean = false;
            sink.forward(cut);
        }
        if (remaining == 0) {
            finish(next);
        }
    }

    /** Takes the header in; false when the packet merely continues a logical one. */
    private boolean enter(ByteBuf buf, int at) {
        boolean starts = !continuing;
        remaining = buf.getUnsignedMediumLE(at);
        more = remaining == Packets.MAX_PAYLOAD;
        continuing = false;
        int sequence = numbered(buf, at);
        if (!starts) {
            sink.onContinued(sequence);
        }
        return starts;
    }

    /** Returns the number of the packet at {@code at}, written over where it is given another. */
    private int numbered(ByteBuf buf, int at) {
        int sequence = buf.getUnsignedByte(at + 3);
        PacketNumbering numbers = numbering;
        if (numbers == null) {
            return sequence;
        }
        int number = numbers.number(sequence);
        buf.setByte(at + 3, number);
        return number;
    }

    private void decide(ByteBuf buf, int at) {
        int length = buf.getUnsignedMediumLE(at);
        int first = length == 0 ? -1 : buf.getUnsignedByte(at + Packets.HEADER);
        take(verdict(length, buf.getUnsignedByte(at + 3), first), length);
    }

    private void take(int verdict, int length) {
        dropping = (verdict & PacketSink.DROP) != 0;
        holding = (verdict & PacketSink.HOLD) != 0;
        wanted = Math.min(verdict & PacketSink.MAX_SHOWN, length);
    }

    private int body(ByteBuf in, int at, int end) {
        int available = Math.min(remaining, end - at);
        ByteBuf copy = kept;
        if (copy != null) {
            return collect(in, at, available, copy);
        }
        remaining -= available;
        if (remaining == 0) {
            finish(at + available);
        }
        return at + available;
    }

    /** Some of the wanted bytes arrive; the copy of the first ones waits in {@code copy}. */
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
        kept = null;
        if (held && !dropping) {
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
