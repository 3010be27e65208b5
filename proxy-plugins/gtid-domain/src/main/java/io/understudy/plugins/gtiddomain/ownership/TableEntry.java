package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.plugins.gtiddomain.progress.Progress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The writes of one table family by domain: how many are in flight, and the GTID that none of the ended ones exceeds.
 * Every field is guarded by the entry's own monitor, which is held for a few loads and stores.
 */
public final class TableEntry implements Progress.Ended {
    /** Lower case {@code schema.table}; {@code *} stands for writes to unknown tables. */
    final String name;

    private final Progress progress;
    private final boolean simulated;
    private final int[] inFlight = new int[DomainIndexes.LENGTH];
    /** By domain index the sequence number that no ended write exceeds. */
    private final long[] bound = new long[DomainIndexes.LENGTH];

    private final long[] writes = new long[DomainIndexes.LENGTH];
    private final long[] lastDigest = new long[DomainIndexes.LENGTH];
    private final int[] wantedIn = new int[DomainIndexes.LENGTH];
    /** The same bound for {@link DomainIndexes#FOREIGN}, whose writes may be in any domain. */
    private @Nullable GtidPosition foreignBound;
    /** Bit sets of the domain indexes that ever had a write, and that have ended ones without a bound. */
    private int written;

    private int ended;
    private int asked;
    /** Domain index of the last write; -1 before the first. */
    private int last = -1;

    private int loggedIn;
    private boolean waits;
    private boolean unsteerable;
    private volatile boolean dropped;

    /** @param simulated whether the domains are only simulated: every write then really is in the default domain */
    TableEntry(String name, Progress progress, boolean simulated) {
        this.name = name;
        this.progress = progress;
        this.simulated = simulated;
    }

    /** Returns the bit set of the domain indexes with writes that some standby may not have applied. */
    int owners() {
        int owners = ended | asked;
        for (int left = written & ~owners; left != 0; left &= left - 1) {
            int index = Integer.numberOfTrailingZeros(left);
            if (inFlight[index] > 0 || !applied(index)) {
                owners |= 1 << index;
            }
        }
        return owners;
    }

    private boolean applied(int index) {
        GtidPosition foreign = foreignBound;
        return index == DomainIndexes.FOREIGN
                ? foreign == null || progress.applied(foreign)
                : bound[index] <= progress.applied(real(index));
    }

    /** Adds the GTIDs that some standby has not reached: by domain the highest sequence number. */
    void addUnapplied(Map<Long, Long> highest) {
        for (int left = written; left != 0; left &= left - 1) {
            int index = Integer.numberOfTrailingZeros(left);
            if (index != DomainIndexes.FOREIGN && !applied(index)) {
                highest.merge(progress.domain(real(index)), bound[index], Math::max);
            }
        }
        GtidPosition foreign = foreignBound;
        if (foreign != null) {
            foreign.sequences().forEach((domain, sequence) -> {
                if (!progress.applied(domain, sequence)) {
                    highest.merge(domain, sequence, Math::max);
                }
            });
        }
    }

    /** Asks again for the bounds that the primary's position does not have. */
    void forget(GtidPosition primary) {
        for (int left = written; left != 0; left &= left - 1) {
            int index = Integer.numberOfTrailingZeros(left);
            if (index != DomainIndexes.FOREIGN && bound[index] > progress.sequence(primary, real(index))) {
                bound[index] = 0;
                endedUnbound(index);
            }
        }
        GtidPosition foreign = foreignBound;
        if (foreign != null && !primary.covers(foreign)) {
            foreignBound = null;
            endedUnbound(DomainIndexes.FOREIGN);
        }
    }

    /** Returns a domain of {@link DomainIndexes#FOREIGN} in which some standby has nothing yet; or -1. */
    long absentDomain() {
        GtidPosition foreign = foreignBound;
        return foreign == null ? -1 : progress.absentDomain(foreign);
    }

    /** Returns whether a GTID may be one of {@link DomainIndexes#FOREIGN}: without a bound any may. */
    boolean foreignMayInclude(long domain, long sequence) {
        int bit = 1 << DomainIndexes.FOREIGN;
        GtidPosition foreign = foreignBound;
        return inFlight[DomainIndexes.FOREIGN] > 0
                || ((ended | asked) & bit) != 0
                || foreign != null && foreign.sequence(domain) >= sequence;
    }

    private int real(int index) {
        return simulated ? DomainIndexes.DEFAULT : index;
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

    /** Called when a write has ended; returns whether one waits for the table and none is in flight any more. */
    boolean end(int index) {
        inFlight[index]--;
        endedUnbound(index);
        boolean mayBecomeFree = waits && idle();
        waits &= !mayBecomeFree;
        return mayBecomeFree;
    }

    private void endedUnbound(int index) {
        if (ended == 0) {
            progress.ended(this);
        }
        ended |= 1 << index;
    }

    @Override
    public synchronized void asked() {
        asked |= ended;
        ended = 0;
    }

    @Override
    public synchronized void bounded(GtidPosition primary) {
        for (; asked != 0; asked &= asked - 1) {
            int index = Integer.numberOfTrailingZeros(asked);
            if (index == DomainIndexes.FOREIGN) {
                foreignBound = primary;
            } else {
                bound[index] = Math.max(bound[index], progress.sequence(primary, real(index)));
            }
        }
    }

    /** Records a write, or writes, with a GTID from the binary log, whether or not a session had announced them. */
    void logged(int index, long sequence) {
        written |= 1 << index;
        if (index == DomainIndexes.FOREIGN) {
            endedUnbound(index);
        } else {
            bound[index] = Math.max(bound[index], sequence);
        }
    }

    /** Called when a write would go to its rule's domain, were the table free. */
    void waitedFor() {
        waits = true;
    }

    boolean idle() {
        for (int count : inFlight) {
            if (count > 0) {
                return false;
            }
        }
        return true;
    }

    /** Records that the binary log contains a write in the domain, from any client. */
    void loggedIn(int index) {
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
    void want(int index, int period) {
        wantedIn[index] = period;
    }

    /** Returns the bit set of the domain indexes that rules have wanted in a period of the report, or later. */
    int wantedSince(int period) {
        int wanted = 0;
        for (int index = 0; index < DomainIndexes.LENGTH; index++) {
            if (wantedIn[index] >= period && wantedIn[index] > 0) {
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
