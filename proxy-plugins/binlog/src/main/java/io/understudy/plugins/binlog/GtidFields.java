package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The fields of a GTID event, filled by its readers. Not thread-safe. */
final class GtidFields {
    static final int STANDALONE = 0x01;
    static final int GROUP_COMMIT_ID = 0x02;
    static final int PREPARED_XA = 0x40;
    static final int COMPLETED_XA = 0x80;

    private static final int EXTRA_ENGINES = 0x01;
    private static final int EXTRA_ALTER = 0x04 | 0x08;
    private static final int EXTRA_THREAD = 0x10;

    private static final int UUID_BYTES = 16;
    private static final int LOGICAL_CLOCK = 2;

    @Nullable
    String gtid;

    long domain;
    long sequence;
    long group;
    /** MariaDB's flags; 0 on MySQL. */
    int flags;
    /** MariaDB 11.5 and newer: connection id of the client that wrote the transaction; else 0. */
    long thread;

    private void clear() {
        gtid = null;
        domain = 0;
        sequence = 0;
        group = BinlogTransaction.NO_GROUP;
        flags = 0;
        thread = 0;
    }

    /**
     * Reads MariaDB's event: sequence (8), domain (4), flags (1); then, each with its flag, the commit id (8), the XID
     * (format (4), two lengths (1 each), their bytes) and further flags (1), one of which means that a connection id
     * (4) ends the event.
     */
    void readMariaDb(ByteBuf buf, int body, int end, long serverId) {
        clear();
        require(end - body, 13);
        sequence = buf.getLongLE(body);
        domain = buf.getUnsignedIntLE(body + 8);
        flags = buf.getUnsignedByte(body + 12);
        if ((flags & GROUP_COMMIT_ID) != 0) {
            require(end - body, 21);
            group = buf.getLongLE(body + 13);
        }
        thread = thread(buf, body + ((flags & GROUP_COMMIT_ID) != 0 ? 21 : 13), end);
        gtid = domain + "-" + serverId + "-" + Long.toUnsignedString(sequence);
    }

    private long thread(ByteBuf buf, int from, int end) {
        int at = from;
        if ((flags & (PREPARED_XA | COMPLETED_XA)) != 0) {
            if (at + 6 > end) {
                return 0;
            }
            at += 6 + buf.getUnsignedByte(at + 4) + buf.getUnsignedByte(at + 5);
        }
        if (at >= end) {
            return 0;
        }
        int extra = buf.getUnsignedByte(at++);
        at += (extra & EXTRA_ENGINES) != 0 ? 1 : 0;
        at += (extra & EXTRA_ALTER) != 0 ? 8 : 0;
        return (extra & EXTRA_THREAD) != 0 && at + 4 <= end ? buf.getUnsignedIntLE(at) : 0;
    }

    /**
     * Reads MySQL's event: flags (1), source's UUID (16), number (8), kind of clock (1), last_committed (8), sequence
     * number (8).
     */
    void readMySql(ByteBuf buf, int body, int end, boolean anonymous) {
        clear();
        require(end - body, 1 + UUID_BYTES + 8);
        sequence = buf.getLongLE(body + 1 + UUID_BYTES);
        if (!anonymous) {
            gtid = uuid(buf, body + 1) + ":" + sequence;
        }
        int clock = body + 1 + UUID_BYTES + 8;
        if (clock + 9 <= end && buf.getByte(clock) == LOGICAL_CLOCK) {
            group = buf.getLongLE(clock + 1);
        }
    }

    /**
     * Reads the event of MySQL 8.3 and newer: a serialised message of numbered fields, see {@link Varlen}. Fields in
     * order: flags, UUID, number, tag, last_committed, sequence number, times, lengths; only the first five are read.
     */
    void readTagged(ByteBuf buf, int body, int end) {
        clear();
        Varlen in = new Varlen(buf, body, end);
        in.unsigned(); // version of the format
        in.unsigned(); // length of the message
        in.unsigned(); // last field that a reader may not ignore
        String uuid = "";
        String tag = "";
        while (in.more()) {
            int field = (int) in.unsigned();
            switch (field) {
                case 0 -> in.unsigned(); // flags
                case 1 -> uuid = uuid(in);
                case 2 -> sequence = in.signed();
                case 3 -> tag = in.text();
                case 4 -> {
                    group = in.signed();
                    gtid = uuid + (tag.isEmpty() ? ":" : ":" + tag + ":") + sequence;
                    return;
                }
                default -> throw new IllegalStateException("unexpected field " + field + " in a tagged GTID event");
            }
        }
    }

    private static void require(int present, int needed) {
        if (present < needed) {
            throw new IndexOutOfBoundsException(
                    "a GTID event has " + present + " bytes where " + needed + " are needed");
        }
    }

    private static String uuid(Varlen in) {
        ByteBuffer bytes = ByteBuffer.allocate(UUID_BYTES);
        while (bytes.hasRemaining()) {
            bytes.put((byte) in.unsigned());
        }
        return new UUID(bytes.getLong(0), bytes.getLong(Long.BYTES)).toString();
    }

    private static String uuid(ByteBuf buf, int index) {
        return new UUID(buf.getLong(index), buf.getLong(index + Long.BYTES)).toString();
    }
}
