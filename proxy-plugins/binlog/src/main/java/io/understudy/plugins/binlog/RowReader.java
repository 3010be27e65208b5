package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects the {@link RowImages} of one transaction after the other. Not thread-safe. */
final class RowReader {
    private static final int MOST_TABLES = 4_096;
    private static final int POST_HEADER = 8;
    private static final long PRIME = 0x9E3779B97F4A7C15L;

    /** By table id; null for a table whose columns cannot be read. */
    private final Map<Long, @Nullable RowShape> shapes = new HashMap<>();

    private final long[] before = new long[RowImages.MOST];
    private final long[] after = new long[RowImages.MOST];
    private int befores;
    private int afters;
    private boolean complete;

    /** Called when table ids start anew. */
    void clear() {
        shapes.clear();
    }

    /** Called when a transaction begins. */
    void begin() {
        befores = 0;
        afters = 0;
        complete = true;
    }

    /** Called for what has rows that cannot be read. */
    void unreadable() {
        complete = false;
    }

    RowImages images() {
        return befores + afters == 0
                ? complete ? RowImages.NONE : RowImages.UNKNOWN
                : new RowImages(Arrays.copyOf(before, befores), Arrays.copyOf(after, afters), complete);
    }

    /** Reads a table map event. */
    void table(String name, ByteBuf buf, int body, int end) {
        long id = id(buf, body);
        if (shapes.containsKey(id)) {
            return;
        }
        if (shapes.size() >= MOST_TABLES) {
            shapes.clear();
        }
        int at = body + POST_HEADER;
        at += 1 + buf.getUnsignedByte(at) + 1;
        at += 1 + buf.getUnsignedByte(at) + 1;
        shapes.put(id, RowShape.read(hash(name), buf, at, end));
    }

    private static long hash(String name) {
        long hash = 0;
        for (int i = 0; i < name.length(); i++) {
            hash = (hash ^ name.charAt(i)) * PRIME;
        }
        return hash;
    }

    private static long id(ByteBuf buf, int body) {
        return buf.getUnsignedIntLE(body) | (long) buf.getUnsignedShortLE(body + 4) << 32;
    }

    /** Reads an event that holds rows, as far as it is available. */
    void rows(int type, ByteBuf buf, int body, int end) {
        boolean second = EventType.secondVersion(type);
        RowShape shape = body + POST_HEADER + 2 < end ? shapes.get(id(buf, body)) : null;
        int at = body + POST_HEADER;
        if (second && shape != null) {
            at += buf.getUnsignedShortLE(at);
        }
        if (shape == null || !EventType.plainRows(type) || at >= end || buf.getUnsignedByte(at) != shape.columns()) {
            complete = false;
            return;
        }
        int bits = (shape.columns() + 7) / 8;
        int found = at + 1;
        boolean update = EventType.updatesRows(type);
        int left = update ? found + bits : found;
        int row = left + bits;
        boolean inserts = EventType.insertsRows(type);
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
        long hash = shape.name;
        for (int i = at; i < next; i++) {
            hash = (hash ^ buf.getByte(i)) * PRIME;
            hash ^= hash >>> 29;
        }
        if (found) {
            before[befores++] = hash;
        } else {
            after[afters++] = hash;
        }
        return next;
    }
}
