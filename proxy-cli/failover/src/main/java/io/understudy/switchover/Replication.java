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
 * @param encrypted whether it uses TLS
 * @param fetchesKey whether it asks its source for the key that encrypts the password (MySQL)
 * @param error its last error; empty if none
 */
record Replication(
        String name,
        boolean receives,
        boolean applies,
        boolean byGtid,
        String serverId,
        String user,
        boolean encrypted,
        boolean fetchesKey,
        String error) {}
