package io.understudy.unplanned;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.plugins.binlog.EventHeader;
import java.util.Arrays;
import java.util.zip.CRC32;

/** One event of a binary log: its header, see {@link EventHeader}, and its body, without checksum. */
record RawEvent(byte[] bytes) {
    static final int HEADER = EventHeader.LENGTH;

    private static final int LENGTH_AT = 9;
    private static final int FLAGS_AT = 17;

    /** Returns an event of these bytes, whose header tells their number from now on. */
    static RawEvent sized(byte[] bytes) {
        RawEvent event = new RawEvent(bytes);
        event.buffer().setIntLE(LENGTH_AT, bytes.length);
        return event;
    }

    /** Returns its bytes, from the header on. */
    ByteBuf buffer() {
        return Unpooled.wrappedBuffer(bytes);
    }

    ByteBuf body() {
        return buffer().skipBytes(HEADER);
    }

    int type() {
        return bytes[4] & 0xff;
    }

    int flags() {
        return buffer().getUnsignedShortLE(FLAGS_AT);
    }

    /** Returns an event of another type with another body, otherwise the same. */
    RawEvent with(int type, byte[] body) {
        byte[] changed = Arrays.copyOf(bytes, HEADER + body.length);
        System.arraycopy(body, 0, changed, HEADER, body.length);
        changed[4] = (byte) type;
        return sized(changed);
    }

    /** Returns its bytes, with a checksum if the format has one. */
    byte[] whole(boolean checksum) {
        if (!checksum) {
            return bytes;
        }
        RawEvent whole = sized(Arrays.copyOf(bytes, bytes.length + Integer.BYTES));
        CRC32 crc = new CRC32();
        crc.update(whole.bytes, 0, bytes.length);
        whole.buffer().setIntLE(bytes.length, (int) crc.getValue());
        return whole.bytes;
    }
}
