package io.understudy.switchover;

/**
 * The standby's replication connection.
 *
 * @param name its name; empty for the default one
 * @param receives whether it receives
 * @param applies whether it applies
 * @param byGtid whether it finds its position by GTID
 * @param serverId {@code server_id} of its source
 * @param user its account on the source
 * @param error its last error; empty if none
 */
record Replication(
        String name, boolean receives, boolean applies, boolean byGtid, String serverId, String user, String error) {}
