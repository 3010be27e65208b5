package io.understudy.plugins.gtiddomain;

import org.jspecify.annotations.Nullable;

/**
 * What was written before anyone looked, by whatever way and in whatever domain: until the standbys have caught up with that
 * moment, the default domain owns every table. Any thread; {@link #settle} by the poller.
 */
final class Inheritance {
    private final Progress progress;
    private final @Nullable TableOwnership before;
    /** Epoch from which on all writes are known; no domain is granted before. */
    private volatile long knownSince;

    /**
     * Of all that was before.
     *
     * @param simulated domains are only thought of, and every table begins free
     * @param before what followed the sessions' writes until now, whose writes in flight are not known here; or null
     */
    Inheritance(Progress progress, boolean simulated, @Nullable TableOwnership before) {
        this.progress = progress;
        this.before = simulated ? null : before;
        knownSince = simulated ? 0 : before == null ? progress.epoch() : Long.MAX_VALUE;
    }

    /** Bits of the slots that own whatever table because of it. */
    int owners() {
        return knownSince > progress.applied(DomainSlots.FOREIGN) ? 1 << DomainSlots.DEFAULT : 0;
    }

    /** Ends the wait for writes that were in flight when this was made, if there are none left. */
    void settle() {
        if (before != null && knownSince == Long.MAX_VALUE && before.inFlight() == 0) {
            knownSince = progress.epoch();
        }
    }
}
