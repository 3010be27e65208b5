package io.understudy.plugins.commitlatency;

import io.understudy.plugin.ServerFlavor;
import java.util.Locale;
import java.util.Map;

/**
 * The primary's semi-synchronous replication at one probe, the same for both products and for both of MySQL's naming
 * schemes.
 *
 * @param sentNanos monotonic time before the probe
 * @param receivedNanos monotonic time after it
 * @param known whether the probe succeeded; if not, the rest is meaningless
 * @param enabled whether it is configured to wait for acknowledgements
 * @param on whether it currently waits
 * @param waitPoint {@code AFTER_SYNC} or {@code AFTER_COMMIT}; empty if unknown
 * @param clients semi-synchronous replicas connected
 * @param acknowledged transactions acknowledged in time so far
 * @param unacknowledged transactions not acknowledged in time so far
 * @param waits transactions, or groups of them, that have waited
 * @param waitMicros total time of these waits, microseconds
 * @param groups groups of transactions written to the binary log so far; -1 if unknown (MySQL)
 * @param groupWaitCount setting: transactions for which a group waits; -1 if unknown
 * @param groupWaitMicros setting: how long it waits at most, microseconds; -1 if unknown
 * @param pingNanos round trip to the primary; -1 if unknown
 */
record SemiSyncSample(
        long sentNanos,
        long receivedNanos,
        boolean known,
        ServerFlavor flavor,
        boolean enabled,
        boolean on,
        String waitPoint,
        long clients,
        long acknowledged,
        long unacknowledged,
        long waits,
        long waitMicros,
        long groups,
        long groupWaitCount,
        long groupWaitMicros,
        long pingNanos) {

    /** MySQL's variable that names the Group Replication group of a server; empty outside of one. */
    static final String GROUP_NAME = "group_replication_group_name";

    /** Before the first probe. */
    static final SemiSyncSample NONE = unknown(0, 0);

    static SemiSyncSample unknown(long sentNanos, long receivedNanos) {
        return new SemiSyncSample(
                sentNanos, receivedNanos, false, ServerFlavor.MARIADB, false, false, "", 0, 0, 0, 0, 0, -1, -1, -1, -1);
    }

    /**
     * Returns the sample in the names and values of status and variables together. Of a member of a Group Replication
     * group it is unknown: the group's majority acknowledges, and semi-synchronous replication is off.
     *
     * @param values by name, any case
     */
    static SemiSyncSample of(long sentNanos, long receivedNanos, ServerFlavor flavor, Map<String, String> values) {
        if (inGroup(values)) {
            return unknown(sentNanos, receivedNanos);
        }
        Map<String, String> byName = new java.util.HashMap<>();
        values.forEach((name, value) -> byName.put(
                name.toLowerCase(Locale.ROOT).replace("_source_", "_master_").replace("_replica", "_slave"), value));
        boolean enabled = isOn(byName.get("rpl_semi_sync_master_enabled"));
        long clients = number(byName, "rpl_semi_sync_master_clients", 0);
        // MariaDB's status stays ON then, until a commit finds nobody to wait for.
        boolean nobody = clients == 0 && isOff(byName.get("rpl_semi_sync_master_wait_no_slave"));
        return new SemiSyncSample(
                sentNanos,
                receivedNanos,
                true,
                flavor,
                enabled,
                enabled && !nobody && isOn(byName.get("rpl_semi_sync_master_status")),
                byName.getOrDefault("rpl_semi_sync_master_wait_point", ""),
                clients,
                number(byName, "rpl_semi_sync_master_yes_tx", 0),
                number(byName, "rpl_semi_sync_master_no_tx", 0),
                number(byName, "rpl_semi_sync_master_tx_waits", 0),
                number(byName, "rpl_semi_sync_master_tx_wait_time", 0),
                number(byName, "binlog_group_commits", -1),
                number(byName, "binlog_commit_wait_count", -1),
                number(byName, "binlog_commit_wait_usec", number(byName, "binlog_group_commit_sync_delay", -1)),
                -1);
    }

    /** Returns the same with a round trip to the primary. */
    SemiSyncSample pinged(long nanos) {
        return new SemiSyncSample(
                sentNanos,
                receivedNanos,
                known,
                flavor,
                enabled,
                on,
                waitPoint,
                clients,
                acknowledged,
                unacknowledged,
                waits,
                waitMicros,
                groups,
                groupWaitCount,
                groupWaitMicros,
                nanos);
    }

    /** Returns whether the server is configured as a member of a Group Replication group. */
    static boolean inGroup(Map<String, String> values) {
        return !values.getOrDefault(GROUP_NAME, "").isEmpty();
    }

    private static boolean isOn(@org.jspecify.annotations.Nullable String value) {
        return value != null && (value.equalsIgnoreCase("ON") || value.equals("1"));
    }

    private static boolean isOff(@org.jspecify.annotations.Nullable String value) {
        return value != null && !isOn(value);
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
        return known && enabled && flavor == ServerFlavor.MARIADB && waitPoint.equalsIgnoreCase("AFTER_SYNC");
    }

    /** Returns the state at this probe. */
    SemiSync state() {
        if (!known) {
            return SemiSync.UNKNOWN;
        }
        return on ? SemiSync.ON : enabled ? SemiSync.DEGRADED : SemiSync.OFF;
    }
}
