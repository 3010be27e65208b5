package io.understudy.switchover;

import io.understudy.config.Address;
import io.understudy.servers.Dialect;
import io.understudy.servers.ReplicaStatus;

/**
 * The two servers.
 *
 * @param primary the old primary
 * @param standby the standby that is promoted
 * @param replication its connection to the primary
 */
public record Pair(
        Node primary,
        Address primaryAddress,
        Node standby,
        Address standbyAddress,
        Dialect dialect,
        ReplicaStatus replication)
        implements AutoCloseable {
    @Override
    public void close() {
        primary.close();
        standby.close();
    }
}
