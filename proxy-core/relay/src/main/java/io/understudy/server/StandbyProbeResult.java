package io.understudy.server;

import org.jspecify.annotations.Nullable;

/**
 * The values that one probe of a standby read.
 *
 * @param readOnly {@code read_only} is on
 * @param lagSeconds lag of the replication channel furthest behind; null when not replicating or without the privilege
 * @param applierStopped a channel has no lag, because it does not apply or does not receive
 * @param threadsRunning {@code Threads_running}
 * @param coldReads pages read from disk since the server's start, or -1 if it does not count them
 * @param readRequests logical reads since the server's start
 * @param uptimeSeconds time since the server's start, or -1 when unknown
 * @param identity tells two servers apart, whatever their addresses; null when it could not be read
 */
record StandbyProbeResult(
        boolean readOnly,
        @Nullable Double lagSeconds,
        boolean applierStopped,
        int threadsRunning,
        long coldReads,
        long readRequests,
        long uptimeSeconds,
        @Nullable String identity) {}
