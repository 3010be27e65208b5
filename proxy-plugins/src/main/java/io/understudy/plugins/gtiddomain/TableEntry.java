package io.understudy.plugins.gtiddomain;

/**
 * What was written to one table (or one family of tables tied by foreign keys) in which domain. Every field is guarded by
 * the entry's own monitor, which is held for a few loads and stores.
 */
final class TableEntry {
    /** Lower case {@code schema.table}; {@code *} stands for writes whose tables are not known. */
    final String name;

    private final int[] inFlight = new int[DomainSlots.LENGTH];
    private final long[] lastEpoch = new long[DomainSlots.LENGTH];
    private final long[] writes = new long[DomainSlots.LENGTH];
    private final long[] lastDigest = new long[DomainSlots.LENGTH];
    private final long[] wantedAt = new long[DomainSlots.LENGTH];
    /** Bits of the slots in which there ever was a write. */
    private int written;
    /** Slot of the last write; -1 before the first. */
    private int last = -1;

    private int loggedIn;
    private volatile long looksFrom;
    private volatile long pause;
    private boolean unsteerable;
    private volatile boolean dropped;

    /** @param since before this epoch anything may have been written in the default domain */
    TableEntry(String name, long since) {
        this.name = name;
        touch(DomainSlots.DEFAULT, since);
    }

    /** Bits of the slots in which there are writes that some standby may not have applied. */
    int outstanding(Progress progress, boolean anyDomain) {
        int slots = 0;
        for (int left = written; left != 0; left &= left - 1) {
            int slot = Integer.numberOfTrailingZeros(left);
            long applied = progress.applied(anyDomain ? DomainSlots.FOREIGN : slot);
            if (inFlight[slot] > 0 || lastEpoch[slot] > applied) {
                slots |= 1 << slot;
            }
        }
        return slots;
    }

    /** A write begins; returns whether the one before was in another domain. */
    boolean begin(int slot, long digest) {
        boolean passes = last >= 0 && last != slot;
        last = slot;
        written |= 1 << slot;
        inFlight[slot]++;
        writes[slot]++;
        lastDigest[slot] = digest;
        return passes;
    }

    /** The write went out in another domain than it was meant for. */
    void move(int from, int to) {
        last = to;
        written |= 1 << to;
        inFlight[from]--;
        writes[from]--;
        inFlight[to]++;
        writes[to]++;
    }

    void end(int slot, long epoch) {
        inFlight[slot]--;
        lastEpoch[slot] = Math.max(lastEpoch[slot], epoch);
    }

    boolean idle() {
        for (int count : inFlight) {
            if (count > 0) {
                return false;
            }
        }
        return true;
    }

    /** When {@link WaitingTables} may look for a moment to pass again, by its clock. Needs no monitor, nor have the next two. */
    long looksFrom() {
        return looksFrom;
    }

    /** How long it was made to pause the last time. */
    long pause() {
        return pause;
    }

    void probesAgain(long from, long afterPause) {
        pause = afterPause;
        looksFrom = from;
    }

    /** Something was written to it in the slot's domain that no session of ours had announced. */
    void touch(int slot, long epoch) {
        written |= 1 << slot;
        lastEpoch[slot] = Math.max(lastEpoch[slot], epoch);
    }

    /** The binary log has a write to it in the slot's domain, whoever wrote it. */
    void logged(int slot) {
        loggedIn |= 1 << slot;
    }

    /** Bits of the slots in whose domains the binary log had writes to it. */
    int loggedIn() {
        return loggedIn;
    }

    /** A rule asked for the slot's domain. */
    void want(int slot, long epoch) {
        wantedAt[slot] = epoch;
    }

    /** Bits of the slots that rules have asked for in an epoch or later. */
    int wantedSince(long epoch) {
        int wanted = 0;
        for (int slot = 0; slot < DomainSlots.LENGTH; slot++) {
            if (wantedAt[slot] >= epoch && wantedAt[slot] > 0) {
                wanted |= 1 << slot;
            }
        }
        return wanted;
    }

    /** It is written in a way that a proxy cannot steer, so that it must not leave the default domain. */
    boolean unsteerable() {
        return unsteerable;
    }

    void setUnsteerable() {
        unsteerable = true;
    }

    /** No longer in the table of tables; whoever still has it must look again. Needs no monitor to be seen. */
    boolean dropped() {
        return dropped;
    }

    void drop() {
        dropped = true;
    }

    long writes(int slot) {
        return writes[slot];
    }

    long lastDigest(int slot) {
        return lastDigest[slot];
    }
}
