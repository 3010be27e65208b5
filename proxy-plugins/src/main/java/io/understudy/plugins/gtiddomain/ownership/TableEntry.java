package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.Progress;

/**
 * The writes of one table family by domain. Every field is guarded by the entry's own monitor, which is held for a few
 * loads and stores.
 */
public final class TableEntry {
    /** Lower case {@code schema.table}; {@code *} stands for writes to unknown tables. */
    final String name;

    private final int[] inFlight = new int[DomainIndexes.LENGTH];
    private final long[] lastEpoch = new long[DomainIndexes.LENGTH];
    private final long[] writes = new long[DomainIndexes.LENGTH];
    private final long[] lastDigest = new long[DomainIndexes.LENGTH];
    private final long[] wantedAt = new long[DomainIndexes.LENGTH];
    /** Bit set of the domain indexes that ever had a write. */
    private int written;
    /** Domain index of the last write; -1 before the first. */
    private int last = -1;

    private int loggedIn;
    private boolean unsteerable;
    private volatile boolean dropped;

    /** @param since epoch up to which unannounced writes may exist in the default domain */
    TableEntry(String name, long since) {
        this.name = name;
        touch(DomainIndexes.DEFAULT, since);
    }

    /** Returns the bit set of the domain indexes with writes that some standby may not have applied. */
    int outstanding(Progress progress, boolean anyDomain) {
        int indexes = 0;
        for (int left = written; left != 0; left &= left - 1) {
            int index = Integer.numberOfTrailingZeros(left);
            long applied = progress.applied(anyDomain ? DomainIndexes.FOREIGN : index);
            if (inFlight[index] > 0 || lastEpoch[index] > applied) {
                indexes |= 1 << index;
            }
        }
        return indexes;
    }

    /** Called when a write begins; returns whether the one before was in another domain. */
    boolean begin(int index, long digest) {
        boolean changesDomain = last >= 0 && last != index;
        last = index;
        written |= 1 << index;
        inFlight[index]++;
        writes[index]++;
        lastDigest[index] = digest;
        return changesDomain;
    }

    /** Called when a write ran in another domain than intended. */
    void move(int from, int to) {
        last = to;
        written |= 1 << to;
        inFlight[from]--;
        writes[from]--;
        inFlight[to]++;
        writes[to]++;
    }

    void end(int index, long epoch) {
        inFlight[index]--;
        lastEpoch[index] = Math.max(lastEpoch[index], epoch);
    }

    boolean idle() {
        for (int count : inFlight) {
            if (count > 0) {
                return false;
            }
        }
        return true;
    }

    /** Records a write in the domain that no session had announced. */
    void touch(int index, long epoch) {
        written |= 1 << index;
        lastEpoch[index] = Math.max(lastEpoch[index], epoch);
    }

    /** Records that the binary log contains a write in the domain, from any client. */
    void logged(int index) {
        loggedIn |= 1 << index;
    }

    /** Returns the bit set of the domain indexes in which the binary log had writes. */
    int loggedIn() {
        return loggedIn;
    }

    /** Returns whether a session has ever written it. */
    boolean everAnnounced() {
        return last >= 0;
    }

    /** Records that a rule wanted the domain. */
    void want(int index, long epoch) {
        wantedAt[index] = epoch;
    }

    /** Returns the bit set of the domain indexes that rules have wanted in an epoch or later. */
    int wantedSince(long epoch) {
        int wanted = 0;
        for (int index = 0; index < DomainIndexes.LENGTH; index++) {
            if (wantedAt[index] >= epoch && wantedAt[index] > 0) {
                wanted |= 1 << index;
            }
        }
        return wanted;
    }

    /**
     * Returns whether the table is written in a way that a proxy cannot steer, so that it must not leave the default
     * domain.
     */
    boolean unsteerable() {
        return unsteerable;
    }

    void setUnsteerable() {
        unsteerable = true;
    }

    /**
     * Returns whether the entry was dropped from the followed tables; its holder must look the table up again. Needs no
     * monitor.
     */
    boolean dropped() {
        return dropped;
    }

    void drop() {
        dropped = true;
    }

    long writes(int index) {
        return writes[index];
    }

    long lastDigest(int index) {
        return lastDigest[index];
    }
}
