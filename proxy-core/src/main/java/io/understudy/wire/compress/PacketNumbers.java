package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.Packets;

/** Walks the packets of one direction, cut anywhere, and stops at each one's number. */
abstract class PacketNumbers {
    private int headerBytes;
    private int length;
    private int remaining;

    /** Looks at the bytes of {@code buf} from {@code from} to its writer index; no index changes. */
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
                number(buf, at);
                remaining = length;
                headerBytes = 0;
                length = 0;
                at++;
            }
        }
    }

    /** Bytes at the end of what was walked that begin a header whose number has not come. */
    final int cutHeader() {
        return headerBytes;
    }

    /** A packet's number stands at {@code index}, the rest of its header in front of it. */
    abstract void number(ByteBuf buf, int index);
}
