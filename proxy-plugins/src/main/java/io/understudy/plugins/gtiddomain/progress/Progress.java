package io.understudy.plugins.gtiddomain.progress;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Which writes every standby has applied, by epochs. A write belongs to the epoch in which its response arrived. A
 * probe ends the epoch and only then queries the primary's position, which therefore includes every write of that epoch
 * and earlier ones; once every standby has reached it, the epoch counts as applied. No GTID of a single write is
 * needed, and nothing is searched per write.
 *
 * <p>The interval of probes does not matter for correctness: frequent probes only make epochs shorter, so that they are
 * applied earlier. {@link #epoch}, {@link #applied} and {@link #reached(long, long)} are thread-safe. The other methods
 * are called under {@link Positions#turn}, held from {@link #endEpoch} until the positions queried after it were passed
 * on: positions then arrive in order. Monotonic: an applied epoch never becomes unapplied.
 */
public final class Progress {
    /** Most positions that wait for standbys; beyond that every second one is dropped, which only delays the result. */
    private static final int MAX_WAITING = 256;

    private record Checkpoint(long epoch, GtidPosition primary) {}

    private final DomainIndexes indexes;
    private final AtomicLongArray applied = new AtomicLongArray(DomainIndexes.LENGTH);
    private final List<Checkpoint> waiting = new ArrayList<>();
    private volatile long epoch = 1;
    private volatile List<GtidPosition> standbys = List.of();

    public Progress(DomainIndexes indexes) {
        this.indexes = indexes;
    }

    /** Returns the current epoch, to be stored with a write when its response has arrived. */
    public long epoch() {
        return epoch;
    }

    /**
     * Returns the last epoch whose writes in the domain every standby has applied; for {@link DomainIndexes#FOREIGN},
     * the writes in any domain.
     */
    public long applied(int index) {
        return applied.get(index);
    }

    /** Ends the current epoch and returns it. The primary's position must be queried after this. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // Under Positions.turn.
    public long endEpoch() {
        long ended = epoch;
        epoch = ended + 1;
        return ended;
    }

    /** Passes the primary's position, queried after {@link #endEpoch}. */
    public void reached(long endedEpoch, GtidPosition primary) {
        if (waiting.size() == MAX_WAITING) {
            List<Checkpoint> kept = new ArrayList<>();
            for (int i = 1; i < waiting.size(); i += 2) {
                kept.add(waiting.get(i));
            }
            waiting.clear();
            waiting.addAll(kept);
        }
        waiting.add(new Checkpoint(endedEpoch, primary));
    }

    /** Passes the present positions of all standbys. */
    public void standbysAt(List<GtidPosition> standbys) {
        // Set first, so that a reader that finds an epoch applied also finds the positions that prove it.
        this.standbys = List.copyOf(standbys);
        int whole = -1;
        for (int i = 0; i < waiting.size(); i++) {
            Checkpoint checkpoint = waiting.get(i);
            boolean all = true;
            for (GtidPosition standby : standbys) {
                all &= standby.covers(checkpoint.primary);
            }
            if (all) {
                whole = i;
                applied.set(DomainIndexes.FOREIGN, checkpoint.epoch);
            }
            for (int index = 0; index < indexes.size(); index++) {
                if (applied.get(index) < checkpoint.epoch && covered(standbys, checkpoint, indexes.domain(index))) {
                    applied.set(index, checkpoint.epoch);
                }
            }
        }
        if (whole >= 0) {
            waiting.subList(0, whole + 1).clear();
        }
    }

    /** Returns whether every standby has reached a GTID; false while their positions are unknown. */
    public boolean reached(long domain, long sequence) {
        List<GtidPosition> positions = standbys;
        for (int i = 0; i < positions.size(); i++) {
            if (positions.get(i).sequence(domain) < sequence) {
                return false;
            }
        }
        return !positions.isEmpty();
    }

    private static boolean covered(List<GtidPosition> standbys, Checkpoint checkpoint, long domain) {
        for (GtidPosition standby : standbys) {
            if (!standby.covers(checkpoint.primary, domain)) {
                return false;
            }
        }
        return true;
    }
}
