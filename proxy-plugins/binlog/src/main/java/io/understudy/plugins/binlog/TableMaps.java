package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tables of table map events, decoded once per table id. An id stands for one opening of a table and is not reused
 * for another until the server restarts. Not thread-safe.
 */
final class TableMaps {
    private static final int MOST = 4_096;
    private static final int ID_BYTES = 6;

    private final Map<Long, String> byId = new HashMap<>();

    void clear() {
        byId.clear();
    }

    /**
     * Returns {@code schema.table}, or null if the names lie beyond the available part. Body: id (6), flags (2), names
     * with lengths.
     */
    @Nullable
    String read(ByteBuf buf, int body, int end) {
        if (body + ID_BYTES + 3 > end) {
            return null;
        }
        long id = buf.getUnsignedIntLE(body) | (long) buf.getUnsignedShortLE(body + 4) << 32;
        String known = byId.get(id);
        if (known != null) {
            return known;
        }
        int schemaAt = body + ID_BYTES + 3;
        int schemaLength = buf.getUnsignedByte(schemaAt - 1);
        int tableAt = schemaAt + schemaLength + 2;
        if (tableAt > end) {
            return null;
        }
        int tableLength = buf.getUnsignedByte(tableAt - 1);
        if (tableAt + tableLength > end) {
            return null;
        }
        String name = buf.toString(schemaAt, schemaLength, StandardCharsets.UTF_8) + "."
                + buf.toString(tableAt, tableLength, StandardCharsets.UTF_8);
        if (byId.size() >= MOST) {
            byId.clear();
        }
        byId.put(id, name);
        return name;
    }
}
