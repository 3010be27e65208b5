package io.understudy.plugin;

import org.jspecify.annotations.Nullable;

/**
 * What the last look at a standby found.
 *
 * @param reachable it answered
 * @param readOnly {@code read_only} is on
 * @param lagSeconds replication lag, or null when unknown or not replicating
 * @param applierStopped it has a replication channel whose lag the server does not know, because it does not apply or not receive
 * @param threadsRunning {@code Threads_running}, or -1 when unknown
 * @param problem why it is not reachable or not fit, or null
 */
public record StandbyState(
        boolean reachable,
        boolean readOnly,
        @Nullable Double lagSeconds,
        boolean applierStopped,
        int threadsRunning,
        @Nullable String problem) {
    public static final StandbyState UNKNOWN = new StandbyState(false, false, null, false, -1, "not yet contacted");
}
