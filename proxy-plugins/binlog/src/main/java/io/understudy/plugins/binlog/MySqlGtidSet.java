package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import io.understudy.servers.GtidNumbers;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * Encodes a set of MySQL GTIDs for COM_BINLOG_DUMP_GTID: for each source its UUID and its intervals, ends exclusive. If
 * there are tags (MySQL 8.3 and newer), every source carries one, which may be empty, and the leading count has a 1,
 * the format, in its highest and lowest byte.
 */
final class MySqlGtidSet {
    private static final long TAGGED = 1L << 56 | 1;

    private MySqlGtidSet() {}

    /** @throws IllegalArgumentException if a source is no UUID */
    static void encode(GtidNumbers set, ByteBuf out) {
        boolean tagged = set.sources().stream().anyMatch(source -> source.indexOf(':') >= 0);
        long count = set.sources().size();
        out.writeLongLE(tagged ? TAGGED | count << 8 : count);
        set.forEach((source, ranges) -> {
            int colon = source.indexOf(':');
            UUID uuid = UUID.fromString(colon < 0 ? source : source.substring(0, colon));
            out.writeLong(uuid.getMostSignificantBits()).writeLong(uuid.getLeastSignificantBits());
            if (tagged) {
                String tag = colon < 0 ? "" : source.substring(colon + 1);
                // At most 32 ASCII characters, so the length takes one byte of a variable-length integer.
                out.writeByte(tag.length() << 1);
                out.writeCharSequence(tag, StandardCharsets.US_ASCII);
            }
            out.writeLongLE(ranges.size());
            for (GtidNumbers.Range range : ranges) {
                out.writeLongLE(range.first());
                out.writeLongLE(range.last() + 1);
            }
        });
    }
}
