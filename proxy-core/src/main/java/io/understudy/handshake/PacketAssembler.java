package io.understudy.handshake;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Packets;
import org.jspecify.annotations.Nullable;

/**
 * Collects whole packets of one leg. Handshake packets are small, so a longer one than {@link #LIMIT} is an attack or an
 * accident.
 */
public final class PacketAssembler {
    /** Connection attributes may take 64 KB; certificates of authentication plugins less. */
    public static final int LIMIT = 128 * 1024;

    private ByteBuf pending = Unpooled.EMPTY_BUFFER;
    /** The pending buffer is one of ours with room to grow, not one that was handed in. */
    private boolean joined;

    /** Takes ownership. */
    public void add(ByteBuf bytes) {
        if (!pending.isReadable()) {
            pending.release();
            pending = bytes;
            joined = false;
        } else {
            if (!joined) {
                ByteBuf larger = bytes.alloc().buffer(pending.readableBytes() + bytes.readableBytes());
                larger.writeBytes(pending);
                pending.release();
                pending = larger;
                joined = true;
            }
            // Doubles as it grows: a login that trickles in must not be copied anew for every byte.
            pending.writeBytes(bytes);
            bytes.release();
        }
    }

    /**
     * The next whole packet with its header, owned by the caller, or null.
     *
     * @throws MalformedPacketException when it would be longer than {@link #LIMIT}
     */
    public @Nullable ByteBuf next() {
        if (pending.readableBytes() < Packets.HEADER) {
            return null;
        }
        int length = pending.getUnsignedMediumLE(pending.readerIndex());
        if (length > LIMIT) {
            throw new MalformedPacketException(
                    "a handshake packet of " + length + " bytes; at most " + LIMIT + " are taken");
        }
        if (pending.readableBytes() < Packets.HEADER + length) {
            return null;
        }
        // Copied, because it may be changed in place and outlive the buffer it came in.
        return pending.alloc().buffer(Packets.HEADER + length).writeBytes(pending, Packets.HEADER + length);
    }

    /** The number of the packet that comes next, or -1 when its header is not all here. */
    int sequence() {
        return pending.readableBytes() < Packets.HEADER ? -1 : pending.getUnsignedByte(pending.readerIndex() + 3);
    }

    /** What came after the last whole packet, owned by the caller; empty when nothing did. */
    public ByteBuf drain() {
        ByteBuf rest = pending;
        pending = Unpooled.EMPTY_BUFFER;
        return rest;
    }

    /** Releases what is kept. */
    public void close() {
        pending.release();
        pending = Unpooled.EMPTY_BUFFER;
    }
}
