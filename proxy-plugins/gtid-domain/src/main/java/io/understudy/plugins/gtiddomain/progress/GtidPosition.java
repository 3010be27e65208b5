package io.understudy.plugins.gtiddomain.progress;

import io.understudy.servers.MariaDbGtid;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last sequence number of each domain, as {@code @@gtid_binlog_pos} and {@code @@gtid_slave_pos} list them:
 * {@code 0-1-42,10-1-7}.
 */
public record GtidPosition(Map<Long, Long> sequences) {

    public GtidPosition {
        sequences = Map.copyOf(sequences);
    }

    /**
     * Parses a position. Of a domain that is listed twice (written by two servers) the higher number counts.
     *
     * @throws IllegalArgumentException if a part is no GTID
     */
    public static GtidPosition parse(@Nullable String text) {
        return new GtidPosition(MariaDbGtid.sequences(text == null ? "" : text));
    }

    /** Returns the position that all of these have reached. */
    static GtidPosition common(List<GtidPosition> positions) {
        Map<Long, Long> least = new HashMap<>(positions.get(0).sequences);
        for (GtidPosition position : positions) {
            least.keySet().retainAll(position.sequences.keySet());
            least.replaceAll((domain, sequence) -> Math.min(sequence, position.sequence(domain)));
        }
        return new GtidPosition(least);
    }

    /** Returns the position that has reached both. */
    GtidPosition and(GtidPosition other) {
        Map<Long, Long> most = new HashMap<>(sequences);
        other.sequences.forEach((domain, sequence) -> most.merge(domain, sequence, Math::max));
        return new GtidPosition(most);
    }

    public long sequence(long domain) {
        return sequences.getOrDefault(domain, 0L);
    }

    /** Returns whether this position includes the domain's transactions in {@code other}. */
    public boolean covers(GtidPosition other, long domain) {
        return sequence(domain) >= other.sequence(domain);
    }

    /** Returns whether this position includes all transactions in {@code other}. */
    public boolean covers(GtidPosition other) {
        for (Map.Entry<Long, Long> entry : other.sequences.entrySet()) {
            if (sequence(entry.getKey()) < entry.getValue()) {
                return false;
            }
        }
        return true;
    }
}
