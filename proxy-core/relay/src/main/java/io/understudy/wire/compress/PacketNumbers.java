package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.Packets;

/** Walks the packets of one direction, in any fragments, and reports the position of each packet's number. */
abstract class PacketNumbers {
    private int headerBytes;
    private int length;
    private int remaining;
    /** Whether the next physical packet continues a logical one. */
    private boolean continues;

    /** Walks the bytes of {@code buf} from {@code from} to its writer index; changes no index. */
    final void walk(ByteBuf buf, int from) {
        int at = from;
        int end = buf.writerIndex();
        while (at < end) {
            if (remaining > 0) {
                int step = Math.min(remaining, end - at);
                remaining -= step;
                at += step;
            } else if (headerBytes < Packets.HEADER - 1) {
                length |= buf.getUnsignedByte(at) << (8 * headerBytes);
                headerBytes++;
                at++;
            } else {
                number(buf, at, continues);
                continues = length == Packets.MAX_PAYLOAD;
                remaining = length;
                headerBytes = 0;
                length = 0;
                at++;
            }
        }
    }

    /** Returns how many bytes at the end belong to a header whose number has not arrived. */
    final int cutHeader() {
        return headerBytes;
    }

    /**
     * Called with the index of a packet's number; the rest of its header precedes it.
     *
     * @param continued whether the packet continues a logical one
     */
    abstract void number(ByteBuf buf, int index, boolean continued);
}
