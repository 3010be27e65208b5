package io.understudy.plugins.gtiddomain.progress;

import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * What every standby has applied, and bounds for the GTIDs of writes that have ended. The GTID of a single write is not
 * needed: the primary's position, queried after the write's response has arrived, includes it whatever the response
 * was. Once every standby has reached that position in the write's domain, the write is applied everywhere.
 *
 * <p>{@link #ask}, {@link #answer} and {@link #standbysAt} are called by one thread at a time, in this order. The other
 * methods are thread-safe. A standby that goes back takes {@link #applied(int)} back with it.
 */
public final class Progress {
    /** Writes that may have ended without a bound for their GTIDs. */
    public interface Ended {
        /** Called before the primary's position is queried: it includes only what has ended by now. */
        void asked();

        /** Called with that position, or with one queried later. */
        void bounded(GtidPosition primary);
    }

    private final DomainIndexes indexes;
    private final Queue<Ended> ended = new ConcurrentLinkedQueue<>();
    /** Those that wait for an answer; also of queries that failed. */
    private final Set<Ended> asked = new HashSet<>();

    private volatile @Nullable GtidPosition common;
    private volatile long[] applied = new long[DomainIndexes.LENGTH];

    public Progress(DomainIndexes indexes) {
        this.indexes = indexes;
    }

    /** Adds writes that have ended: they get a bound with the next position of the primary. */
    public void ended(Ended writes) {
        ended.add(writes);
    }

    /** Called before the primary's position is queried. */
    public void ask() {
        for (Ended writes = ended.poll(); writes != null; writes = ended.poll()) {
            writes.asked();
            asked.add(writes);
        }
    }

    /** Passes the primary's position, queried after {@link #ask}. Not called if the query failed. */
    public void answer(GtidPosition primary) {
        asked.forEach(writes -> writes.bounded(primary));
        asked.clear();
    }

    /** Passes the present positions of all standbys. */
    public void standbysAt(List<GtidPosition> standbys) {
        GtidPosition now = GtidPosition.common(standbys);
        long[] sequences = new long[DomainIndexes.LENGTH];
        for (int index = 0; index < indexes.size(); index++) {
            sequences[index] = sequence(now, index);
        }
        // Set first, so that a reader that finds a write applied also finds the position that proves it.
        common = now;
        applied = sequences;
    }

    /** Returns the domain with an index. */
    public long domain(int index) {
        return indexes.domain(index);
    }

    /** Returns a position's sequence number in the domain with an index. */
    public long sequence(GtidPosition position, int index) {
        return position.sequence(indexes.domain(index));
    }

    /** Returns the last sequence number in the domain that every standby has applied; 0 if it is not known. */
    public long applied(int index) {
        return applied[index];
    }

    /** Returns whether every standby has reached a GTID; false while their positions are unknown. */
    public boolean applied(long domain, long sequence) {
        GtidPosition now = common;
        return now != null && now.sequence(domain) >= sequence;
    }

    /** Returns a domain of a position in which some standby has nothing; or -1. */
    public long absentDomain(GtidPosition position) {
        GtidPosition now = common;
        return now == null
                ? -1
                : position.sequences().keySet().stream()
                        .filter(domain -> now.sequence(domain) == 0)
                        .findFirst()
                        .orElse(-1L);
    }

    /** Returns whether every standby has reached a position; false while their positions are unknown. */
    public boolean applied(GtidPosition position) {
        GtidPosition now = common;
        return now != null && now.covers(position);
    }
}
