package io.understudy.wire.packet;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.MalformedPacketException;
import java.nio.charset.StandardCharsets;

/** Reads strings of handshake packets: terminated by a zero byte or by the end of the packet. */
final class PacketStrings {
    private PacketStrings() {}

    static String readNul(ByteBuf in) {
        int end = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) 0);
        if (end < 0) {
            throw new MalformedPacketException("a string without its closing zero byte");
        }
        String text = in.toString(in.readerIndex(), end - in.readerIndex(), StandardCharsets.UTF_8);
        in.readerIndex(end + 1);
        return text;
    }

    static String readNulOrRest(ByteBuf in) {
        int end = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) 0);
        int stop = end < 0 ? in.writerIndex() : end;
        String text = in.toString(in.readerIndex(), stop - in.readerIndex(), StandardCharsets.UTF_8);
        in.readerIndex(end < 0 ? stop : end + 1);
        return text;
    }

    static void skip(ByteBuf in, int length) {
        if (length > in.readableBytes()) {
            throw new MalformedPacketException(length + " bytes announced where " + in.readableBytes() + " follow");
        }
        in.skipBytes(length);
    }
}
