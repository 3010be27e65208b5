package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.Progress;
import org.jspecify.annotations.Nullable;

/**
 * Ownership by writes that no session announced because they happened before the start: until the standbys have applied
 * everything up to then, the default domain owns every table. Thread-safe; {@link #settle} is called by the poller.
 */
final class Inheritance {
    private static final long UNKNOWN = Long.MAX_VALUE;

    private final Progress progress;
    /** Until it and those before it have no pending writes. */
    private volatile @Nullable TableOwnership before;
    /** First epoch whose writes are all known; until it is applied no domain is granted. */
    private volatile long knownSince;
    /** Whether statements run that began before. */
    private volatile boolean held;

    /**
     * Begins with the current epoch.
     *
     * @param simulated whether the domains are only simulated: every table then starts free
     * @param before the previous ownership, whose pending writes are not known here; or null
     */
    Inheritance(Progress progress, boolean simulated, @Nullable TableOwnership before) {
        this.progress = progress;
        this.before = before;
        knownSince = simulated ? 0 : before == null ? progress.epoch() : UNKNOWN;
    }

    /** Returns the bit set of the domain indexes that own every table for this reason. */
    int owners() {
        return knownSince > progress.applied(DomainIndexes.FOREIGN) ? 1 << DomainIndexes.DEFAULT : 0;
    }

    /** Grants nothing until {@link #free}; called before the ownership is used. */
    void hold() {
        held = true;
        knownSince = UNKNOWN;
    }

    void free() {
        held = false;
    }

    /** Returns whether a previous ownership has pending writes, which are not known here. */
    boolean inFlight() {
        TableOwnership earlier = before;
        return earlier != null && earlier.anyInFlight();
    }

    /** Ends the wait for the previous ownerships' pending writes, if there are none left. */
    void settle() {
        if (!held && !inFlight()) {
            if (knownSince == UNKNOWN) {
                knownSince = progress.epoch();
            }
            before = null;
        }
    }
}
