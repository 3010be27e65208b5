package io.understudy.embedded;

import java.time.Duration;

/**
 * The options of a replicating pair; see {@link #defaults()} and the {@code with} methods.
 *
 * @param rtt round trip between primary and standby
 * @param semiSync whether the primary waits for the standby's acknowledgement
 * @param waitPoint the point of the commit at which it waits
 * @param semiSyncTimeout after this time the primary continues asynchronously
 * @param parallelThreads applier threads of the standby; 0 selects the serial applier
 * @param primary server id, buffer pool and further arguments of the primary
 * @param standby server id, buffer pool and further arguments of the standby
 */
public record PairOptions(
        Duration rtt,
        boolean semiSync,
        WaitPoint waitPoint,
        Duration semiSyncTimeout,
        int parallelThreads,
        ServerOptions primary,
        ServerOptions standby) {

    /** {@code rpl_semi_sync_master_wait_point}. */
    public enum WaitPoint {
        AFTER_SYNC,
        AFTER_COMMIT
    }

    public PairOptions {
        if (primary.serverId() == standby.serverId()) {
            throw new IllegalArgumentException("primary and standby both have server id " + primary.serverId());
        }
    }

    /**
     * Returns the defaults: no delay, semi-sync after commit with a timeout of two seconds, four applier threads, 32 MB
     * buffer pools.
     */
    public static PairOptions defaults() {
        return new PairOptions(
                Duration.ZERO,
                true,
                WaitPoint.AFTER_COMMIT,
                Duration.ofSeconds(2),
                4,
                ServerOptions.of(1),
                ServerOptions.of(2));
    }

    public PairOptions withRtt(Duration value) {
        return new PairOptions(value, semiSync, waitPoint, semiSyncTimeout, parallelThreads, primary, standby);
    }

    public PairOptions withSemiSync(boolean value) {
        return new PairOptions(rtt, value, waitPoint, semiSyncTimeout, parallelThreads, primary, standby);
    }

    public PairOptions withSemiSyncTimeout(Duration value) {
        return new PairOptions(rtt, semiSync, waitPoint, value, parallelThreads, primary, standby);
    }

    public PairOptions withParallelThreads(int value) {
        return new PairOptions(rtt, semiSync, waitPoint, semiSyncTimeout, value, primary, standby);
    }

    public PairOptions withPrimary(ServerOptions value) {
        return new PairOptions(rtt, semiSync, waitPoint, semiSyncTimeout, parallelThreads, value, standby);
    }

    public PairOptions withStandby(ServerOptions value) {
        return new PairOptions(rtt, semiSync, waitPoint, semiSyncTimeout, parallelThreads, primary, value);
    }
}
