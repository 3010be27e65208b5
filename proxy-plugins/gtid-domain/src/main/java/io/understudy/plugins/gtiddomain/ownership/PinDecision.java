package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import org.jspecify.annotations.Nullable;

/**
 * One decision of {@code guard: pin}: its input, and then its result. A statement's tables are decided as a whole and
 * marked as owned in the same step, so that two sessions cannot both be granted a free table.
 */
final class PinDecision {
    private final Inheritance inheritance;
    private final TableEntry[] entries;
    private final int wanted;
    private final boolean admitted;
    private final long digest;
    private final int period;

    /** Index of the domain that the write goes to. */
    int index;
    /** Index of the domain that it conflicts with, or follows; only with a conflict. */
    int other;
    /** Digest of the last write there. */
    long otherDigest;
    /** The table of the conflict. */
    String at = "";

    @Nullable
    Conflict conflict;

    /** Whether only the owner's unapplied writes prevent a handover. */
    boolean waits;
    /** Whether the last write of some table was in another domain. */
    boolean changesDomain;

    /**
     * A decision to take.
     *
     * @param entries in the order of their names
     * @param wanted index of the rule's domain
     * @param admitted whether the tables may leave the default domain at all
     * @param period of the report
     */
    PinDecision(Inheritance inheritance, TableEntry[] entries, int wanted, boolean admitted, long digest, int period) {
        this.inheritance = inheritance;
        this.entries = entries;
        this.wanted = wanted;
        this.admitted = admitted;
        this.digest = digest;
        this.period = period;
    }

    /**
     * Decides and marks the tables as owned. Returns false without any effect if one of the entries was dropped
     * meanwhile.
     */
    boolean take() {
        return under(0);
    }

    /**
     * Decides while it holds the monitors of all entries, taken in the order of their names so that two sessions cannot
     * deadlock.
     */
    private boolean under(int held) {
        if (held < entries.length) {
            synchronized (entries[held]) {
                return under(held + 1);
            }
        }
        int inherited = inheritance.owners();
        int owners = inherited;
        boolean stuck = false;
        for (TableEntry entry : entries) {
            if (entry.dropped()) {
                return false;
            }
            owners |= entry.owners();
            stuck |= entry.unsteerable();
        }
        settle(owners, stuck);
        waits = conflict == Conflict.PINNED && inherited == 0 && admitted && !stuck && wanted != DomainIndexes.DEFAULT;
        boolean torn = entries.length > 1 && (stuck || !admitted) && index != DomainIndexes.DEFAULT;
        for (TableEntry entry : entries) {
            changesDomain |= entry.begin(index, digest);
            entry.want(wanted, period);
            if (waits) {
                entry.waitedFor();
            }
            if (torn || conflict == Conflict.TWO_DOMAINS) {
                // One of them must stay in the default domain, so all must return there when they are free.
                entry.setUnsteerable();
            }
        }
        return true;
    }

    private void settle(int owners, boolean stuck) {
        int others = owners & ~(1 << wanted);
        if (others == 0) {
            // Owned by the wanted domain, or free.
            boolean leaves = owners != 0 || admitted && !stuck;
            index = leaves ? wanted : DomainIndexes.DEFAULT;
            return;
        }
        int first = Integer.numberOfTrailingZeros(others);
        boolean sole = owners == 1 << first && first != DomainIndexes.FOREIGN;
        index = sole ? first : DomainIndexes.DEFAULT;
        conflict = sole ? Conflict.PINNED : Conflict.TWO_DOMAINS;
        // The log reports the domain that the write conflicts with, or for a pinned write the one that it follows.
        int against = sole ? owners : owners & ~(1 << index);
        other = Integer.numberOfTrailingZeros(against);
        for (TableEntry entry : entries) {
            boolean owned = (entry.owners() & 1 << other) != 0;
            if (owned || at.isEmpty()) {
                at = entry.name;
                otherDigest = entry.lastDigest(other);
            }
        }
    }
}
