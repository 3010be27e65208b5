package io.understudy.plugins.commitlatency;

import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.Identity;
import io.understudy.servers.SemiSyncSource;
import io.understudy.servers.ServerQueries;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The primary's semi-synchronous replication at one probe, the same for both products and for both of MySQL's naming
 * schemes.
 *
 * @param sentNanos monotonic time before the probe
 * @param receivedNanos monotonic time after it
 * @param known whether the probe succeeded; if not, the rest is meaningless
 * @param source whether it is configured to wait for acknowledgements, and how
 * @param on whether it currently waits
 * @param unacknowledged transactions not acknowledged in time so far
 * @param waits transactions, or groups of them, that have waited
 * @param waitMicros total time of these waits, microseconds
 * @param groups groups of transactions written to the binary log so far; -1 if unknown (MySQL)
 * @param groupWaitCount setting: transactions for which a group waits; -1 if unknown
 * @param groupWaitMicros setting: how long it waits at most, microseconds; -1 if unknown
 * @param server whose counters these are
 * @param uptimeSeconds time since its start
 */
record SemiSyncSample(
        long sentNanos,
        long receivedNanos,
        boolean known,
        ServerFlavor flavor,
        SemiSyncSource source,
        boolean on,
        long unacknowledged,
        long waits,
        long waitMicros,
        long groups,
        long groupWaitCount,
        long groupWaitMicros,
        Identity server,
        long uptimeSeconds) {

    /** MySQL's variable that names the Group Replication group of a server; empty outside of one. */
    static final String GROUP_NAME = "group_replication_group_name";

    /** By how much the uptime after a restart may exceed the time between two probes: both are rounded. */
    private static final long MARGIN_SECONDS = 2;

    /** Before the first probe. */
    static final SemiSyncSample NONE = unknown(0, 0);

    static SemiSyncSample unknown(long sentNanos, long receivedNanos) {
        return sample(sentNanos, receivedNanos, false, ServerFlavor.MARIADB, Map.of());
    }

    /**
     * Returns the sample in the names and values of status and variables together. Of a member of a Group Replication
     * group it is unknown: the group's majority acknowledges, and semi-synchronous replication is off.
     *
     * @param values by lower-case name
     */
    static SemiSyncSample of(long sentNanos, long receivedNanos, ServerFlavor flavor, Map<String, String> values) {
        if (inGroup(values)) {
            return unknown(sentNanos, receivedNanos);
        }
        return sample(sentNanos, receivedNanos, true, flavor, values);
    }

    private static SemiSyncSample sample(
            long sentNanos, long receivedNanos, boolean known, ServerFlavor flavor, Map<String, String> values) {
        SemiSyncSource source = SemiSyncSource.of(values);
        String waits = SemiSyncSource.value(values, "wait_no_slave") + SemiSyncSource.value(values, "wait_no_replica");
        // MariaDB's status stays ON then, until a commit finds nobody to wait for.
        boolean nobody = source.clients() == 0 && !waits.isEmpty() && !ServerQueries.isOn(waits);
        return new SemiSyncSample(
                sentNanos,
                receivedNanos,
                known,
                flavor,
                source,
                source.enabled() && !nobody && ServerQueries.isOn(SemiSyncSource.value(values, "status")),
                SemiSyncSource.number(values, "no_tx"),
                SemiSyncSource.number(values, "tx_waits"),
                SemiSyncSource.number(values, "tx_wait_time"),
                number(values, "binlog_group_commits", -1),
                number(values, "binlog_commit_wait_count", -1),
                number(values, "binlog_commit_wait_usec", number(values, "binlog_group_commit_sync_delay", -1)),
                Identity.of(values),
                number(values, "uptime", 0));
    }

    /** Returns whether the server is configured as a member of a Group Replication group. */
    static boolean inGroup(Map<String, String> values) {
        return !values.getOrDefault(GROUP_NAME, "").isEmpty();
    }

    private static long number(Map<String, String> values, String name, long otherwise) {
        String text = values.get(name);
        if (text == null) {
            return otherwise;
        }
        try {
            return Long.parseLong(text.strip());
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    /**
     * Returns whether a commit's event is written only after the acknowledgement of the group before it: MariaDB waits
     * while it holds the lock that orders commits.
     */
    boolean queuesCommits() {
        return known
                && enabled()
                && flavor == ServerFlavor.MARIADB
                && source.waitPoint().equalsIgnoreCase("AFTER_SYNC");
    }

    boolean enabled() {
        return source.enabled();
    }

    /** Returns whether both probes are of the same server. */
    boolean isOfServerOf(SemiSyncSample before) {
        return known && before.known && server.isSameServerAs(before.server);
    }

    /** Returns whether the same server has counted on since {@code before}. */
    boolean follows(SemiSyncSample before) {
        return isOfServerOf(before) && !restarted(before);
    }

    /** The uptime alone does not tell: it falls too when the server's wall clock is set back. */
    private boolean restarted(SemiSyncSample before) {
        long between = TimeUnit.NANOSECONDS.toSeconds(receivedNanos - before.sentNanos) + MARGIN_SECONDS;
        return uptimeSeconds < before.uptimeSeconds && uptimeSeconds <= between
                || unacknowledged < before.unacknowledged
                || waits < before.waits
                || groups < before.groups;
    }

    /** Returns the state at this probe. */
    SemiSync state() {
        if (!known) {
            return SemiSync.UNKNOWN;
        }
        return on ? SemiSync.ON : enabled() ? SemiSync.DEGRADED : SemiSync.OFF;
    }
}
