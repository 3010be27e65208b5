package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.plugins.gtiddomain.progress.Progress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ownership by writes that no session announced because they happened before the start: until the standbys have applied
 * everything up to then, the default domain owns every table. Those writes are one entry, like the writes of a table in
 * a domain that is not known. Thread-safe; {@link #settle} is called by the poller.
 */
final class Inheritance {
    private final TableEntry earlier;
    private final boolean simulated;
    /** Until it and those before it have no pending writes. */
    private volatile @Nullable TableOwnership before;

    private volatile boolean owns;
    private volatile @Nullable String problem;

    /**
     * Begins with every write up to now.
     *
     * @param simulated whether the domains are only simulated: every table then starts free
     * @param before the previous ownership, whose pending writes are not known here; or null
     */
    Inheritance(Progress progress, boolean simulated, @Nullable TableOwnership before) {
        earlier = new TableEntry("earlier", progress, simulated);
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
        synchronized (earlier) {
            return earlier.foreignMayInclude(domain, sequence);
        }
    }

    /** Grants nothing until {@link #free}; called before the ownership is used. */
    void hold() {
        synchronized (earlier) {
            earlier.begin(DomainIndexes.FOREIGN, 0);
            owns = true;
        }
    }

    void free() {
        synchronized (earlier) {
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
        synchronized (earlier) {
            unapplied = earlier.owners() != 0;
            absent = unapplied ? earlier.absentDomain() : -1;
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

    /** See {@link TableEntry#addUnapplied}. */
    void addUnapplied(Map<Long, Long> highest) {
        synchronized (earlier) {
            earlier.addUnapplied(highest);
        }
    }

    /** See {@link TableEntry#forget}. */
    void forget(GtidPosition primary) {
        synchronized (earlier) {
            earlier.forget(primary);
        }
    }

    /** Returns why that does not end by itself, or null. */
    @Nullable
    String problem() {
        return problem;
    }
}
