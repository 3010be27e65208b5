package io.understudy.unplanned;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * One event of a binary log: its header of 19 bytes and its body, without checksum.
 *
 * @see <a href="https://mariadb.com/kb/en/2-binlog-event-header/">MariaDB: binlog event header</a>
 */
record RawEvent(byte[] bytes) {
    static final int HEADER = 19;
    static final int CHECKSUM = 4;

    static final int LENGTH_AT = 9;
    private static final int FLAGS_AT = 17;

    /** Returns the event without its last bytes, which are its checksum. */
    static RawEvent of(byte[] all, int from, int to, int checksum) {
        byte[] bytes = Arrays.copyOfRange(all, from, to - checksum);
        return new RawEvent(bytes).lengthSet(bytes.length);
    }

    private RawEvent lengthSet(int length) {
        buffer().putInt(LENGTH_AT, length);
        return this;
    }

    /** Returns its bytes in the servers' byte order, from the header on. */
    ByteBuffer buffer() {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    ByteBuffer body() {
        return buffer().position(HEADER);
    }

    long second() {
        return Integer.toUnsignedLong(buffer().getInt(0));
    }

    int type() {
        return bytes[4] & 0xff;
    }

    int flags() {
        return Short.toUnsignedInt(buffer().getShort(FLAGS_AT));
    }

    /** Returns an event of another type with another body, otherwise the same. */
    RawEvent with(int type, byte[] body) {
        byte[] changed = Arrays.copyOf(bytes, HEADER + body.length);
        System.arraycopy(body, 0, changed, HEADER, body.length);
        changed[4] = (byte) type;
        return new RawEvent(changed).lengthSet(changed.length);
    }

    /** Returns its bytes, with a checksum if the format has one. */
    byte[] whole(boolean checksum) {
        if (!checksum) {
            return bytes;
        }
        byte[] whole = Arrays.copyOf(bytes, bytes.length + CHECKSUM);
        RawEvent event = new RawEvent(whole).lengthSet(whole.length);
        CRC32 crc = new CRC32();
        crc.update(whole, 0, bytes.length);
        event.buffer().putInt(bytes.length, (int) crc.getValue());
        return whole;
    }
}
