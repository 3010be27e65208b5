package io.understudy.plugins.blackbox.witness;

import io.understudy.servers.SemiSyncSource;
import org.jspecify.annotations.Nullable;

/**
 * Finds a stream that is open and brings nothing of what the primary commits. MySQL takes the acknowledgements of a log
 * that has begun anew for those of the former one, until that is as long. On MariaDB (11.4.5, AFTER_COMMIT) commits
 * were seen to wait so since the other replica was cut off. Used by the probe alone.
 */
final class SilentStream {
    private long received = -1;
    private long acknowledged;
    /** Successive probes that found commits of which nothing was received since the probe before. */
    private int silent;

    /**
     * Takes a probe.
     *
     * @param receivedNow events of transactions received so far, read after the probe: one transaction may take longer
     *     than the time between two probes
     * @param present whether it should bring all; before that its silence says nothing
     * @return why the stream is dead; null if it may live
     */
    @Nullable
    String probed(SemiSyncSource source, long receivedNow, boolean present) {
        boolean still = present && receivedNow == received;
        boolean waits = source.enabled() && source.waiting() > 0 && source.waitFor() == 1; // not for another replica
        // Once may be what was received just before the last probe, or is just arriving. That a commit counts as
        // waiting proves that its events can be sent.
        silent = still && (waits || source.acknowledged() > acknowledged) ? silent + 1 : 0;
        received = receivedNow;
        acknowledged = source.acknowledged();
        if (silent < 2) {
            return null;
        }
        return (waits ? "commits wait at the primary" : "the primary counts acknowledged commits")
                + ", and its stream brings nothing";
    }
}
