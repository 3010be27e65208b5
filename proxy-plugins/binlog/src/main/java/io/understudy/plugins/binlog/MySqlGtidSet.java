package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A set of MySQL GTIDs, parsed from text and encoded for COM_BINLOG_DUMP_GTID: for each source its UUID and its
 * intervals, ends exclusive. If there are tags (MySQL 8.3 and newer), every source carries one, which may be empty, and
 * the leading count has a 1, the format, in its highest and lowest byte.
 */
public final class MySqlGtidSet {
    private static final long TAGGED = 1L << 56 | 1;

    private record Source(String uuid, String tag) implements Comparable<Source> {
        @Override
        public int compareTo(Source other) {
            int byUuid = uuid.compareTo(other.uuid);
            return byUuid != 0 ? byUuid : tag.compareTo(other.tag);
        }
    }

    /** From {@code start} inclusive to {@code end} exclusive. */
    private record Interval(long start, long end) {}

    private final Map<Source, List<Interval>> sources = new TreeMap<>();

    private MySqlGtidSet() {}

    /**
     * Parses {@code uuid:1-5:7,uuid:tag:1-3} with any white space.
     *
     * @throws IllegalArgumentException if the text is no such set
     */
    public static MySqlGtidSet parse(String text) {
        MySqlGtidSet set = new MySqlGtidSet();
        for (String part : text.replaceAll("\\s", "").split(",")) {
            if (part.isEmpty()) {
                continue;
            }
            String[] pieces = part.split(":");
            Source source = new Source(pieces[0].toLowerCase(Locale.ROOT), "");
            Uuids.parse(source.uuid());
            for (int i = 1; i < pieces.length; i++) {
                String piece = pieces[i];
                if (Character.isDigit(piece.charAt(0))) {
                    String[] ends = piece.split("-");
                    long first = Long.parseLong(ends[0]);
                    long last = ends.length > 1 ? Long.parseLong(ends[1]) : first;
                    set.sources.computeIfAbsent(source, s -> new ArrayList<>()).add(new Interval(first, last + 1));
                } else {
                    source = new Source(source.uuid(), piece.toLowerCase(Locale.ROOT));
                }
            }
        }
        return set;
    }

    /**
     * Returns whether the set contains a transaction.
     *
     * @param gtid of one transaction, in the form of {@link BinlogTransaction#gtid}
     */
    public boolean contains(String gtid) {
        int first = gtid.indexOf(':');
        int last = gtid.lastIndexOf(':');
        if (first < 0) {
            return false;
        }
        Source source = new Source(gtid.substring(0, first), first == last ? "" : gtid.substring(first + 1, last));
        long number = Long.parseLong(gtid.substring(last + 1));
        for (Interval interval : sources.getOrDefault(source, List.of())) {
            if (interval.start() <= number && number < interval.end()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the number of transactions in the set. */
    public long count() {
        long total = 0;
        for (List<Interval> intervals : sources.values()) {
            for (Interval interval : intervals) {
                total += interval.end() - interval.start();
            }
        }
        return total;
    }

    void encode(ByteBuf out) {
        boolean tagged =
                sources.keySet().stream().anyMatch(source -> !source.tag().isEmpty());
        long count = sources.size();
        out.writeLongLE(tagged ? TAGGED | count << 8 : count);
        sources.forEach((source, intervals) -> {
            out.writeBytes(Uuids.parse(source.uuid()));
            if (tagged) {
                // At most 32 ASCII characters, so the length takes one byte of a variable-length integer.
                out.writeByte(source.tag().length() << 1);
                out.writeCharSequence(source.tag(), java.nio.charset.StandardCharsets.US_ASCII);
            }
            out.writeLongLE(intervals.size());
            for (Interval interval : intervals) {
                out.writeLongLE(interval.start());
                out.writeLongLE(interval.end());
            }
        });
    }
}
