package io.understudy.plugins.gtiddomain;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How much of what was written has been applied by every standby, in epochs. A write belongs to the epoch in which its
 * answer arrived. Whoever looks ends an epoch and only then asks the primary for its position, which therefore has every write
 * of that epoch and the ones before; once every standby has reached it, the epoch counts as applied. No GTID of a
 * single write is needed, and nothing is looked up per write.
 *
 * <p>None of this depends on how often somebody looks: a look that ends epochs more often only makes them shorter, so that less has to be
 * applied before one counts. {@link #epoch}, {@link #applied} and {@link #reached(long, long)} may be called by any thread, the
 * rest under {@link Positions#turn}, from {@link #endEpoch} until the positions asked for after it have been told: positions then
 * come in their order, and what was seen to be applied never seems to be no longer.
 */
final class Progress {
    /** Positions that wait for standbys; beyond, every other one is forgotten, which only makes the answer later. */
    private static final int MAX_WAITING = 256;

    private record Checkpoint(long epoch, GtidPosition primary) {}

    private final DomainSlots slots;
    private final AtomicLongArray applied = new AtomicLongArray(DomainSlots.LENGTH);
    private final List<Checkpoint> waiting = new ArrayList<>();
    private volatile long epoch = 1;
    private volatile List<GtidPosition> standbys = List.of();

    Progress(DomainSlots slots) {
        this.slots = slots;
    }

    /** To be stored with a write when its answer has arrived. */
    long epoch() {
        return epoch;
    }

    /**
     * The last epoch of which every standby has applied what was written in the slot's domain; for {@link
     * DomainSlots#FOREIGN}, in any domain.
     */
    long applied(int slot) {
        return applied.get(slot);
    }

    /** Ends the current epoch; the primary's position is to be asked for after this. Returns the epoch that ended. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // Under Positions.turn.
    long endEpoch() {
        long ended = epoch;
        epoch = ended + 1;
        return ended;
    }

    /** The primary's position as of after {@link #endEpoch}. */
    void reached(long endedEpoch, GtidPosition primary) {
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

    /** What the standbys have applied now; must hold a position of every one. */
    void standbysAt(List<GtidPosition> standbys) {
        // First, so that who finds an epoch applied finds the positions that prove it.
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
                applied.set(DomainSlots.FOREIGN, checkpoint.epoch);
            }
            for (int slot = 0; slot < slots.size(); slot++) {
                if (applied.get(slot) < checkpoint.epoch && covered(standbys, checkpoint, slots.domain(slot))) {
                    applied.set(slot, checkpoint.epoch);
                }
            }
        }
        if (whole >= 0) {
            waiting.subList(0, whole + 1).clear();
        }
    }

    /** Whether every standby was seen at or beyond a GTID; false while their positions are not known. */
    boolean reached(long domain, long sequence) {
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
