package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import org.jspecify.annotations.Nullable;

/**
 * Ownership by writes that no session announced because they happened before the start: until the standbys have applied
 * everything up to then, the default domain owns every table. Those writes are one entry, like the writes of a table in
 * a domain that is not known. Thread-safe; {@link #settle} is called by the poller.
 */
final class Inheritance {
    /** Guarded by the ownership's monitor. */
    final TableEntry earlier;

    private final Object monitor;
    private final boolean simulated;
    /** Until it and those before it have no pending writes. */
    private volatile @Nullable TableOwnership before;

    private volatile boolean owns;
    private volatile @Nullable String problem;

    /**
     * Begins with every write up to now.
     *
     * @param earlier those writes
     * @param simulated whether the domains are only simulated: every table then starts free
     * @param before the previous ownership, whose pending writes are not known here; or null
     */
    Inheritance(TableEntry earlier, Object monitor, boolean simulated, @Nullable TableOwnership before) {
        this.earlier = earlier;
        this.monitor = monitor;
        this.simulated = simulated;
        this.before = before;
        if (!simulated) {
            hold();
            if (before == null) {
                free();
            }
        }
    }

    /** Returns the bit set of the domain indexes that own every table for this reason. */
    int owners() {
        return owns ? 1 << DomainIndexes.DEFAULT : 0;
    }

    /**
     * Returns whether a logged transaction may be one of those writes: their bound is not known yet, or includes it.
     * What is logged beyond the bound began after they had ended.
     */
    boolean mayInclude(long domain, long sequence) {
        if (!owns) {
            return false;
        }
        synchronized (monitor) {
            return earlier.claim(DomainIndexes.FOREIGN).mayInclude(domain, sequence);
        }
    }

    /** Grants nothing until {@link #free}; called before the ownership is used. */
    void hold() {
        synchronized (monitor) {
            earlier.begin(DomainIndexes.FOREIGN, 0);
            owns = true;
        }
    }

    void free() {
        synchronized (monitor) {
            earlier.end(DomainIndexes.FOREIGN);
        }
    }

    /** Returns whether a previous ownership has pending writes, which are not known here. */
    boolean inFlight() {
        TableOwnership previous = before;
        return previous != null && previous.anyInFlight();
    }

    /** Ends the wait for the previous ownerships' pending writes, if there are none left. */
    void settle() {
        if (before != null && !inFlight()) {
            before = null;
            if (!simulated) {
                free();
            }
        }
        boolean unapplied;
        long absent;
        synchronized (monitor) {
            unapplied = earlier.owners() != 0;
            absent = unapplied ? earlier.claim(DomainIndexes.FOREIGN).absentDomain() : -1;
            if (absent >= 0) {
                // A later position of the primary bounds them too, and may be without that domain.
                earlier.logged(DomainIndexes.FOREIGN, 0);
            }
        }
        owns = unapplied;
        problem = unapplied ? problem(absent) : null;
    }

    private @Nullable String problem(long absent) {
        if (absent >= 0) {
            return "some standby has nothing of domain " + absent + ", which the primary's gtid_binlog_pos has: it must"
                    + " replicate that domain, or if nothing is left of it FLUSH BINARY LOGS DELETE_DOMAIN_ID=("
                    + absent + ") on the primary";
        }
        return before == null ? null : "writes that began before the last reload are still in flight";
    }

    /** Returns why that does not end by itself, or null. */
    @Nullable
    String problem() {
        return problem;
    }
}
