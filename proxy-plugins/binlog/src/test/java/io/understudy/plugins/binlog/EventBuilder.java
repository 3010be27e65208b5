package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Builds binary log events as a server sends them. */
final class EventBuilder {
    static final String UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562";

    private final long serverId;
    private final boolean checksums;

    EventBuilder(long serverId, boolean checksums) {
        this.serverId = serverId;
        this.checksums = checksums;
    }

    ByteBuf event(int type, ByteBuf body) {
        ByteBuf out = Unpooled.buffer();
        int length = EventHeader.LENGTH + body.readableBytes() + (checksums ? 4 : 0);
        out.writeIntLE(1_700_000_000).writeByte(type).writeIntLE((int) serverId).writeIntLE(length);
        out.writeIntLE(4).writeShortLE(0).writeBytes(body);
        if (checksums) {
            out.writeIntLE(0x5A5A_5A5A);
        }
        return out;
    }

    ByteBuf event(int type) {
        return event(type, Unpooled.EMPTY_BUFFER);
    }

    ByteBuf format(String version) {
        ByteBuf body = Unpooled.buffer();
        body.writeShortLE(4);
        body.writeCharSequence(version, StandardCharsets.US_ASCII);
        body.writeZero(50 - version.length())
                .writeIntLE(0)
                .writeByte(EventHeader.LENGTH)
                .writeZero(40);
        body.writeByte(checksums ? 1 : 0);
        if (!checksums) {
            body.writeIntLE(0); // a format description event always has a checksum
        }
        return event(EventType.FORMAT_DESCRIPTION, body);
    }

    ByteBuf mariaDbGtid(long domain, long sequence, int flags, long commitId) {
        ByteBuf body =
                Unpooled.buffer().writeLongLE(sequence).writeIntLE((int) domain).writeByte(flags);
        if ((flags & GtidFields.GROUP_COMMIT_ID) != 0) {
            body.writeLongLE(commitId);
        } else {
            body.writeZero(6);
        }
        return event(EventType.MARIADB_GTID, body);
    }

    /** Builds the event of MariaDB 11.5 and newer, with the connection's id. */
    ByteBuf mariaDbGtid(long sequence, long thread, boolean xid, boolean engines) {
        int flags = 0x0c | GtidFields.GROUP_COMMIT_ID | (xid ? GtidFields.PREPARED_XA : 0);
        ByteBuf body = Unpooled.buffer()
                .writeLongLE(sequence)
                .writeIntLE(0)
                .writeByte(flags)
                .writeLongLE(77);
        if (xid) {
            body.writeIntLE(1).writeByte(3).writeByte(2).writeZero(5);
        }
        body.writeByte(engines ? 0x11 : 0x10);
        if (engines) {
            body.writeByte(2);
        }
        return event(EventType.MARIADB_GTID, body.writeIntLE((int) thread));
    }

    /** Discards the bytes. */
    static final BinlogEvents UNWANTED = new BinlogEvents() {
        @Override
        public void onFormat(byte[] event) {}

        @Override
        public void onEvent(ByteBuf buf, int index, int length, boolean first, boolean whole) {}
    };

    private static byte[] uuid() {
        return HexFormat.of().parseHex(UUID.replace("-", ""));
    }

    ByteBuf mySqlGtid(int type, long number, long lastCommitted) {
        ByteBuf body = Unpooled.buffer().writeByte(1).writeBytes(uuid()).writeLongLE(number);
        body.writeByte(2)
                .writeLongLE(lastCommitted)
                .writeLongLE(lastCommitted + 1)
                .writeZero(20);
        return event(type, body);
    }

    /**
     * Builds MySQL's tagged GTID event: numbers below 128 take one byte, others two or nine, as {@link Varlen}
     * describes.
     */
    ByteBuf taggedGtid(String tag, long number, long lastCommitted) {
        ByteBuf body = Unpooled.buffer();
        varlen(body, 1);
        varlen(body, 100);
        varlen(body, 0);
        varlen(body, 0);
        varlen(body, 1); // flags
        varlen(body, 1);
        for (byte b : uuid()) {
            varlen(body, b & 0xFF);
        }
        varlen(body, 2);
        varlen(body, number << 1);
        varlen(body, 3);
        varlen(body, tag.length());
        body.writeCharSequence(tag, StandardCharsets.US_ASCII);
        varlen(body, 4);
        varlen(body, lastCommitted << 1);
        varlen(body, 5);
        varlen(body, lastCommitted + 1 << 1);
        return event(EventType.MYSQL_TAGGED_GTID, body);
    }

    private static void varlen(ByteBuf out, long value) {
        if (value < 1 << 7) {
            out.writeByte((int) value << 1);
        } else if (value < 1 << 14) {
            out.writeShortLE((int) value << 2 | 1);
        } else {
            out.writeByte(0xFF).writeLongLE(value);
        }
    }

    ByteBuf query(String text) {
        ByteBuf body = Unpooled.buffer()
                .writeIntLE(7)
                .writeIntLE(0)
                .writeByte(4)
                .writeShortLE(0)
                .writeShortLE(9);
        body.writeZero(9);
        body.writeCharSequence("shop", StandardCharsets.US_ASCII);
        body.writeByte(0);
        body.writeCharSequence(text, StandardCharsets.UTF_8);
        return event(EventType.QUERY, body);
    }

    ByteBuf table(long id, String schema, String table) {
        ByteBuf body = Unpooled.buffer().writeIntLE((int) id).writeShortLE(0).writeShortLE(1);
        for (String name : new String[] {schema, table}) {
            body.writeByte(name.length());
            body.writeCharSequence(name, StandardCharsets.UTF_8);
            body.writeByte(0);
        }
        return event(EventType.TABLE_MAP, body.writeZero(5));
    }

    ByteBuf rows(int bytes) {
        return event(30, Unpooled.buffer().writeZero(bytes));
    }

    /** A part of an event with rows. */
    ByteBuf part(int of, int number) {
        return event(
                EventType.PARTIAL_ROWS,
                Unpooled.buffer().writeIntLE(of).writeIntLE(number).writeZero(20));
    }

    ByteBuf xid() {
        return event(EventType.XID, Unpooled.buffer().writeLongLE(99));
    }
}
