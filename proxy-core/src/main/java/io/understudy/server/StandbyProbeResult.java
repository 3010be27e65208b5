package io.understudy.server;

import org.jspecify.annotations.Nullable;

/**
 * What one look at a standby saw.
 *
 * @param readOnly {@code read_only} is on
 * @param lagSeconds the furthest behind of its replication channels; null when not replicating or not allowed to know
 * @param applierStopped a channel has no lag, because it does not apply or not receive
 * @param threadsRunning {@code Threads_running}
 * @param coldReads pages read from disk since the server's start
 * @param readRequests logical reads since the server's start
 */
record StandbyProbeResult(
        boolean readOnly,
        @Nullable Double lagSeconds,
        boolean applierStopped,
        int threadsRunning,
        long coldReads,
        long readRequests) {}
