package io.understudy.handshake;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Packets;
import org.jspecify.annotations.Nullable;

/**
 * Collects complete packets of one leg. Handshake packets are small; one longer than {@link #LIMIT} is an attack or an
 * error.
 */
public final class PacketAssembler {
    /** Connection attributes may take 64 KB, certificates of authentication plugins less. */
    public static final int LIMIT = 128 * 1024;

    private ByteBuf pending = Unpooled.EMPTY_BUFFER;
    /** Whether the pending buffer was allocated here, with room to grow, instead of passed in. */
    private boolean joined;

    /** Adds received bytes. Takes ownership. */
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
            // The capacity doubles, so a login that arrives byte by byte is not copied for every byte.
            pending.writeBytes(bytes);
            bytes.release();
        }
    }

    /**
     * Returns the next complete packet with its header, owned by the caller, or null.
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
        // A copy, because it may be modified and may outlive the received buffer.
        return pending.alloc().buffer(Packets.HEADER + length).writeBytes(pending, Packets.HEADER + length);
    }

    /** Returns the number of the next packet, or -1 when its header is incomplete. */
    int sequence() {
        return pending.readableBytes() < Packets.HEADER ? -1 : pending.getUnsignedByte(pending.readerIndex() + 3);
    }

    /** Returns the bytes after the last complete packet, owned by the caller; empty if there are none. */
    public ByteBuf drain() {
        ByteBuf rest = pending;
        pending = Unpooled.EMPTY_BUFFER;
        return rest;
    }

    /** Releases kept bytes. */
    public void close() {
        pending.release();
        pending = Unpooled.EMPTY_BUFFER;
    }
}
