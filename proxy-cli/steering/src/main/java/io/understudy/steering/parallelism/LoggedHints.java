package io.understudy.steering.parallelism;

import io.netty.buffer.ByteBuf;
import io.understudy.plugins.binlog.BinlogEvents;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.EventHeader;
import io.understudy.plugins.binlog.EventType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the {@link ApplyHints} of one transaction after the other from its events: MariaDB's flags, and hashes of the
 * rows. Not thread-safe.
 */
public final class LoggedHints implements BinlogEvents {
    private static final int MOST_TABLES = 4_096;
    private static final int POST_HEADER = 8;
    private static final long PRIME = 0x9E3779B97F4A7C15L;

    private static final int GROUP_COMMIT_ID = 0x02;
    private static final int ALLOW_PARALLEL = 0x08;
    private static final int WAITED = 0x10;
    private static final int XA = 0x40 | 0x80;
    private static final int EXTRA_START_ALTER = 0x02;
    private static final int EXTRA_END_ALTER = 0x04 | 0x08;

    /** By table id; null for a table whose columns cannot be read. */
    private final Map<Long, @Nullable RowShape> shapes = new HashMap<>();

    private final long[] before = new long[RowImages.MOST];
    private final long[] after = new long[RowImages.MOST];
    private int befores;
    private int afters;
    private boolean complete;
    private int checksum;
    private int flags;
    private int extra;
    private long second;

    /** Returns the hints of the transaction whose events have been passed last. */
    public ApplyHints of(BinlogTransaction transaction) {
        if (transaction.ofMySql()) {
            return ApplyHints.NONE;
        }
        AlterPhase phase = (extra & EXTRA_START_ALTER) != 0
                ? AlterPhase.START
                : (extra & EXTRA_END_ALTER) != 0 ? AlterPhase.END : AlterPhase.WHOLE;
        RowImages rows = new RowImages(
                Arrays.copyOf(before, befores), Arrays.copyOf(after, afters), complete && !transaction.statements());
        return new ApplyHints((flags & ALLOW_PARALLEL) != 0, (flags & WAITED) != 0, phase, second, rows);
    }

    /** Table ids start anew. */
    @Override
    public void onFormat(byte[] event) {
        shapes.clear();
        checksum = EventHeader.checksumBytes(event);
    }

    @Override
    public void onEvent(ByteBuf buf, int index, int length, boolean first, boolean whole) {
        int type = EventHeader.type(buf, index);
        int body = index + EventHeader.LENGTH;
        int end = index + (whole ? Math.max(EventHeader.LENGTH, length - checksum) : length);
        if (first) {
            befores = 0;
            afters = 0;
            complete = true;
            second = EventHeader.second(buf, index);
        }
        if (type == EventType.MARIADB_GTID) {
            flags(buf, body, end);
        } else if (type == EventType.TABLE_MAP) {
            table(buf, body, end);
        } else if (EventType.holdsRows(type)) {
            rows(type, buf, body, end);
        } else if (EventType.isUnknown(type, true)) {
            complete = false;
        }
    }

    /**
     * Sequence (8), domain (4), flags (1); then, each with its flag, the commit id (8), the XID (format (4), two
     * lengths (1 each), their bytes) and further flags (1).
     */
    private void flags(ByteBuf buf, int body, int end) {
        flags = buf.getUnsignedByte(body + 12);
        int at = body + 13 + ((flags & GROUP_COMMIT_ID) != 0 ? 8 : 0);
        if ((flags & XA) != 0 && at + 6 <= end) {
            at += 6 + buf.getUnsignedByte(at + 4) + buf.getUnsignedByte(at + 5);
        }
        extra = at < end ? buf.getUnsignedByte(at) : 0;
    }

    private void table(ByteBuf buf, int body, int end) {
        long id = id(buf, body);
        if (shapes.containsKey(id)) {
            return;
        }
        if (shapes.size() >= MOST_TABLES) {
            shapes.clear();
        }
        // Two names, each with its length in front and a zero byte behind.
        int at = body + POST_HEADER;
        at += 1 + buf.getUnsignedByte(at) + 1;
        at += at < end ? 1 + buf.getUnsignedByte(at) + 1 : 0;
        shapes.put(id, at < end ? RowShape.read(hash(0, buf, body + POST_HEADER, at), buf, at, end) : null);
    }

    private static long hash(long seed, ByteBuf buf, int from, int to) {
        long hash = seed;
        for (int i = from; i < to; i++) {
            hash = (hash ^ buf.getByte(i)) * PRIME;
            hash ^= hash >>> 29;
        }
        return hash;
    }

    private static long id(ByteBuf buf, int body) {
        return buf.getUnsignedIntLE(body) | (long) buf.getUnsignedShortLE(body + 4) << 32;
    }

    /** Reads an event that holds rows, as far as it is available; of versions 1 and 2, which are not compressed. */
    private void rows(int type, ByteBuf buf, int body, int end) {
        boolean first = type >= 23 && type <= 25;
        boolean second = type >= 30 && type <= 32;
        RowShape shape = body + POST_HEADER + 2 < end ? shapes.get(id(buf, body)) : null;
        int at = body + POST_HEADER;
        if (second && shape != null) {
            at += buf.getUnsignedShortLE(at);
        }
        if (shape == null || !(first || second) || at >= end || buf.getUnsignedByte(at) != shape.columns()) {
            complete = false;
            return;
        }
        int bits = (shape.columns() + 7) / 8;
        int found = at + 1;
        boolean update = type == 24 || type == 31;
        boolean inserts = type == 23 || type == 30;
        int left = update ? found + bits : found;
        int row = left + bits;
        while (row < end) {
            int next = image(shape, buf, row, end, found, !inserts);
            if (next > 0 && update) {
                next = image(shape, buf, next, end, left, false);
            }
            if (next < 0) {
                complete = false;
                return;
            }
            row = next;
        }
    }

    private int image(RowShape shape, ByteBuf buf, int at, int end, int present, boolean found) {
        int next = shape.imageEnd(buf, at, end, present);
        if (next <= at || (found ? befores : afters) >= RowImages.MOST) {
            return -1;
        }
        long hash = hash(shape.name, buf, at, next);
        if (found) {
            before[befores++] = hash;
        } else {
            after[afters++] = hash;
        }
        return next;
    }
}
