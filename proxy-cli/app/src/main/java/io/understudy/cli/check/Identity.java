package io.understudy.cli.check;

import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a server.
 *
 * @param uuid MySQL's server_uuid; MariaDB has none
 * @param serverId the replication identity, unique within a topology
 * @param place host, port and data folder, which two servers with the same server id do not share
 */
public record Identity(@Nullable String uuid, String serverId, String place) {

    static Identity of(CheckConnection server) throws SQLException {
        String uuid = server.variable("server_uuid");
        return new Identity(
                uuid == null || uuid.isEmpty() ? null : uuid,
                String.valueOf(server.variable("server_id")),
                server.variable("hostname") + "/" + server.variable("port") + "/" + server.variable("datadir"));
    }

    boolean isSameServerAs(Identity other) {
        String mine = uuid;
        return mine == null ? serverId.equals(other.serverId) && place.equals(other.place) : mine.equals(other.uuid);
    }

    /**
     * Returns whether a replica's channel replicates from this server; null if the channel has not connected yet.
     *
     * @param channel a row of SHOW REPLICA STATUS, SHOW SLAVE STATUS or SHOW ALL SLAVES STATUS
     */
    @Nullable
    Boolean isSourceOf(Map<String, String> channel) {
        String source = channel.getOrDefault("source_uuid", channel.getOrDefault("master_uuid", ""));
        if (uuid != null && !source.isEmpty()) {
            return uuid.equals(source);
        }
        String id = channel.getOrDefault("source_server_id", channel.getOrDefault("master_server_id", ""));
        return id.isEmpty() || id.equals("0") ? null : id.equals(serverId);
    }
}
