package io.understudy.servers;

import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a server, whatever its address.
 *
 * @param uuid MySQL's {@code server_uuid}; empty on MariaDB, which has none
 * @param serverId the replication identity, unique within a topology
 * @param place host, port and data folder, which two servers with the same server id do not share
 */
public record Identity(String uuid, String serverId, String place) {
    /** An expression that tells two servers apart, whatever their addresses; the server id is its last part. */
    public static final String SHORT = "CONCAT(@@GLOBAL.hostname, ':', @@GLOBAL.port, ':', @@GLOBAL.server_id)";

    private static final String VARIABLES = "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('server_uuid', 'server_id',"
            + " 'hostname', 'port', 'datadir')";

    public static Identity of(ServerQueries server) throws SQLException {
        return of(server.pairs(VARIABLES));
    }

    /** Returns the identity in a server's variables, which have lower-case names. */
    public static Identity of(Map<String, String> variables) {
        return new Identity(
                variables.getOrDefault("server_uuid", ""),
                variables.getOrDefault("server_id", ""),
                variables.get("hostname") + ":" + variables.get("port") + ":" + variables.get("datadir"));
    }

    public boolean isSameServerAs(Identity other) {
        return uuid.isEmpty() ? serverId.equals(other.serverId) && place.equals(other.place) : uuid.equals(other.uuid);
    }

    /** Returns whether another server has this one's server id. */
    public boolean sharesIdWith(Identity other) {
        return serverId.equals(other.serverId) && !isSameServerAs(other);
    }

    /**
     * Returns what becomes of two standbys with one server id. A MariaDB primary serves only the last of them; MySQL
     * tells them apart by their UUIDs.
     */
    public String harmOfSharedId() {
        return uuid.isEmpty()
                ? "the two throw each other out of the replication, again and again (error 4052 in their logs)"
                : "once one of them is the primary, the other refuses to replicate from it (equal server ids)";
    }

    /** Returns what ends that. */
    public String remedyOfSharedId() {
        String replica = uuid.isEmpty() ? "SLAVE" : "REPLICA";
        return "give one of them another server_id in its configuration file and by SET GLOBAL server_id = …, then"
                + " there: STOP " + replica + " IO_THREAD; START " + replica + " IO_THREAD";
    }

    /** Returns whether a channel replicates from this server; null if it has not connected to its source yet. */
    public @Nullable Boolean isSourceOf(ReplicaStatus channel) {
        return channel.isFrom(uuid, serverId);
    }
}
