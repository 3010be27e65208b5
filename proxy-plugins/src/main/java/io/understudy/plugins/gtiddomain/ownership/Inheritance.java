package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.Progress;
import org.jspecify.annotations.Nullable;

/**
 * Ownership by writes that no session announced because they happened before the start: until the standbys have applied
 * everything up to then, the default domain owns every table. Thread-safe; {@link #settle} is called by the poller.
 */
final class Inheritance {
    private final Progress progress;
    private final @Nullable TableOwnership before;
    /** First epoch whose writes are all known; until it is applied no domain is granted. */
    private volatile long knownSince;

    /**
     * Begins with the current epoch.
     *
     * @param simulated whether the domains are only simulated: every table then starts free
     * @param before the previous ownership, whose pending writes are not known here; or null
     */
    Inheritance(Progress progress, boolean simulated, @Nullable TableOwnership before) {
        this.progress = progress;
        this.before = simulated ? null : before;
        knownSince = simulated ? 0 : before == null ? progress.epoch() : Long.MAX_VALUE;
    }

    /** Returns the bit set of the domain indexes that own every table for this reason. */
    int owners() {
        return knownSince > progress.applied(DomainIndexes.FOREIGN) ? 1 << DomainIndexes.DEFAULT : 0;
    }

    /** Ends the wait for the previous ownership's pending writes, if there are none left. */
    void settle() {
        if (before != null && knownSince == Long.MAX_VALUE && before.inFlight() == 0) {
            knownSince = progress.epoch();
        }
    }
}
