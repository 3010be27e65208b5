package io.understudy.plugins.blackbox.outcome;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.MariaDbGtid;

/**
 * A server, as its transactions name it.
 *
 * @param uuid MySQL's; empty on MariaDB
 */
public record ServerIdentity(ServerFlavor flavor, long serverId, String uuid) {
    public static ServerIdentity of(PrimaryFacts facts) {
        return new ServerIdentity(facts.flavor(), facts.serverId(), facts.serverUuid());
    }

    /**
     * Returns whether a source of {@link Traces} is this server's: MySQL's UUID, with {@code :tag} if it has one; on
     * MariaDB domain and server.
     */
    boolean isSource(String source) {
        return flavor == ServerFlavor.MARIADB
                ? source.endsWith("-" + serverId)
                : source.regionMatches(true, 0, uuid, 0, uuid.length());
    }

    /** Returns whether the last GTID that a session was told shows that it was this server's. */
    boolean wrote(String gtid) {
        return flavor == ServerFlavor.MARIADB
                ? gtid.indexOf(':') < 0 && MariaDbGtid.parse(gtid).server() == serverId
                : !uuid.isEmpty() && gtid.regionMatches(true, 0, uuid, 0, uuid.length());
    }

    /** Returns the numbers of this server alone. */
    GtidNumbers own(GtidNumbers all) {
        return all.of(this::isSource);
    }

    /** Returns the name for records. */
    String label() {
        return "server_id " + serverId;
    }
}
