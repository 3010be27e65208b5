package io.understudy.plugins.gtiddomain;

import org.jspecify.annotations.Nullable;

/**
 * One decision of {@code guard: pin}: what was asked, and then what came out. The statement's tables are decided as a whole and
 * claimed at once, so that two sessions cannot both be granted a free table.
 */
final class PinDecision {
    private final Progress progress;
    private final boolean simulated;
    private final Inheritance inheritance;
    private final TableEntry[] entries;
    private final int wanted;
    private final boolean admitted;
    private final long digest;

    /** The domain that the write goes to. */
    int slot;
    /** The domain that it goes against, or follows; only with a conflict. */
    int other;
    /** Of the last write there. */
    long otherDigest;
    /** The table that the conflict is about. */
    String at = "";

    @Nullable
    Conflict conflict;

    /** The tables only wait for the owner's writes to be applied. */
    boolean waits;
    /** Some table was in another domain before. */
    boolean passes;

    /**
     * A question.
     *
     * @param entries in the order of their names
     * @param wanted the rule's slot
     * @param admitted whether the tables may leave the default domain at all
     */
    PinDecision(
            Progress progress,
            boolean simulated,
            Inheritance inheritance,
            TableEntry[] entries,
            int wanted,
            boolean admitted,
            long digest) {
        this.progress = progress;
        this.simulated = simulated;
        this.inheritance = inheritance;
        this.entries = entries;
        this.wanted = wanted;
        this.admitted = admitted;
        this.digest = digest;
    }

    /** Decides and claims; false, and nothing is claimed, when one of the entries was dropped meanwhile. */
    boolean take() {
        return under(0);
    }

    /**
     * Decides holding the monitors of all entries, which were put in the order of their names so that two sessions never wait
     * for each other.
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
            owners |= entry.outstanding(progress, simulated);
            stuck |= entry.unsteerable();
        }
        settle(owners, stuck);
        waits = conflict == Conflict.PINNED && inherited == 0 && admitted && !stuck && wanted != DomainSlots.DEFAULT;
        boolean torn = entries.length > 1 && (stuck || !admitted) && slot != DomainSlots.DEFAULT;
        for (TableEntry entry : entries) {
            passes |= entry.begin(slot, digest);
            entry.want(wanted, progress.epoch());
            if (torn || conflict == Conflict.TWO_DOMAINS) {
                // One of them belongs to the default domain, so all must go back there when they are free.
                entry.setUnsteerable();
            }
        }
        return true;
    }

    private void settle(int owners, boolean stuck) {
        int others = owners & ~(1 << wanted);
        if (others == 0) {
            // Owned by the domain that is wanted, or free.
            boolean leaves = owners != 0 || admitted && !stuck;
            slot = leaves ? wanted : DomainSlots.DEFAULT;
            return;
        }
        int first = Integer.numberOfTrailingZeros(others);
        boolean sole = owners == 1 << first && first != DomainSlots.FOREIGN;
        slot = sole ? first : DomainSlots.DEFAULT;
        conflict = sole ? Conflict.PINNED : Conflict.TWO_DOMAINS;
        // What the log names is what the write goes against, or for a pinned one whom it follows.
        int against = sole ? owners : owners & ~(1 << slot);
        other = Integer.numberOfTrailingZeros(against);
        for (TableEntry entry : entries) {
            boolean owned = (entry.outstanding(progress, simulated) & 1 << other) != 0;
            if (owned || at.isEmpty()) {
                at = entry.name;
                otherDigest = entry.lastDigest(other);
            }
        }
    }
}
