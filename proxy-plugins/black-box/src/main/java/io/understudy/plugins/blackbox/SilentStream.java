package io.understudy.plugins.blackbox;

import io.understudy.servers.SemiSyncSource;
import org.jspecify.annotations.Nullable;

/**
 * Finds a stream that is open and brings nothing of what the primary commits, as after the log has begun anew: on
 * MariaDB commits wait; MySQL takes the acknowledgements of the former log for those of the new one, until that is as
 * long. Used by the probe alone.
 */
final class SilentStream {
    private boolean waited;
    private long received = -1;
    private long acknowledged;
    /** Successive probes between which commits were acknowledged and nothing was received. */
    private int silent;

    /**
     * Takes a probe.
     *
     * @param receivedNow transactions received so far, read after the probe
     * @param present whether it should bring all; before that its silence says nothing
     * @return why the stream is dead; null if it may live
     */
    @Nullable
    String probed(SemiSyncSource source, long receivedNow, boolean present) {
        boolean still = present && receivedNow == received;
        boolean waits = source.enabled() && source.waiting() > 0 && source.waitFor() == 1; // not for another replica
        boolean dead = still && waits && waited;
        // Once may be what was received just before the last probe, and acknowledged just after it.
        silent = still && source.acknowledged() > acknowledged ? silent + 1 : 0;
        waited = waits;
        received = receivedNow;
        acknowledged = source.acknowledged();
        if (dead) {
            return "commits wait at the primary, and its stream brings nothing";
        }
        return silent < 2 ? null : "the primary counts acknowledged commits, and its stream brings nothing";
    }
}
