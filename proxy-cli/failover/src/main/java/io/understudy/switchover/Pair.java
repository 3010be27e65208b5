package io.understudy.switchover;

import io.understudy.config.Address;

/**
 * The two servers.
 *
 * @param primary the old primary
 * @param standby the standby that is promoted
 * @param replication its connection to the primary
 */
record Pair(
        Node primary,
        Address primaryAddress,
        Node standby,
        Address standbyAddress,
        Dialect dialect,
        Replication replication)
        implements AutoCloseable {
    @Override
    public void close() {
        primary.close();
        standby.close();
    }
}
