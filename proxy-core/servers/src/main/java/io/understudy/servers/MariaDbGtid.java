package io.understudy.servers;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A GTID of MariaDB.
 *
 * @param domain numbering to which the sequence belongs
 * @param server that wrote it first
 * @param sequence unsigned, but no server lives long enough for the sign bit
 */
public record MariaDbGtid(long domain, long server, long sequence) {
    /**
     * Parses a GTID such as {@code 0-1-57}.
     *
     * @throws IllegalArgumentException if the text is no GTID
     */
    public static MariaDbGtid parse(String text) {
        String[] parts = text.strip().split("-");
        if (parts.length != 3) {
            throw new IllegalArgumentException("'" + text.strip() + "' is no MariaDB GTID");
        }
        return new MariaDbGtid(Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseUnsignedLong(parts[2]));
    }

    /**
     * Parses a position or a {@code gtid_binlog_state}, such as {@code 0-1-57,2-1-4}; empty for none.
     *
     * @throws IllegalArgumentException if a part is no GTID
     */
    public static List<MariaDbGtid> list(String position) {
        List<MariaDbGtid> all = new ArrayList<>();
        for (String part : position.split(",")) {
            if (!part.isBlank()) {
                all.add(parse(part));
            }
        }
        return all;
    }

    /** Returns a position, as {@link #list} parses it. */
    public static String text(Collection<MariaDbGtid> position) {
        return position.stream().map(MariaDbGtid::toString).collect(Collectors.joining(","));
    }

    /** Returns the last sequence of each domain. Of one that two servers have written the higher counts. */
    public static Map<Long, Long> sequences(String position) {
        Map<Long, Long> last = new HashMap<>();
        list(position).forEach(gtid -> last.merge(gtid.domain, gtid.sequence, Math::max));
        return last;
    }

    /** Returns whether the same server wrote both, in the same domain. */
    public boolean isOfTheSame(MariaDbGtid other) {
        return domain == other.domain && server == other.server;
    }

    /** Returns whether it is the other one, or was written before it by the same server in the same domain. */
    public boolean isUpTo(MariaDbGtid other) {
        return isOfTheSame(other) && sequence <= other.sequence;
    }

    @Override
    public String toString() {
        return domain + "-" + server + "-" + Long.toUnsignedString(sequence);
    }
}
