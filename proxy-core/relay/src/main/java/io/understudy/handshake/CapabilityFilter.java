package io.understudy.handshake;

import io.understudy.protocol.Capabilities;

/**
 * The capability bits that the proxy supports. Every other bit is cleared in the handshake packet, so that client and
 * server agree on nothing that the proxy would not understand; {@code docs/transparency.md} names them.
 */
public final class CapabilityFilter {
    /**
     * Excludes compression and TLS (each leg has its own), COM_MULTI, and bits that did not exist when this was
     * written.
     */
    private static final long CARRIED = (Capabilities.MYSQL_HALF
                    & ~(Capabilities.COMPRESS
                            | Capabilities.SSL
                            | Capabilities.ZSTD_COMPRESSION
                            | Capabilities.CAPABILITY_EXTENSION))
            | Capabilities.MARIADB_PROGRESS
            | Capabilities.MARIADB_STMT_BULK_OPERATIONS
            | Capabilities.MARIADB_EXTENDED_METADATA
            | Capabilities.MARIADB_CACHE_METADATA
            | Capabilities.MARIADB_BULK_UNIT_RESULTS;

    /** Bits that concern one leg only. */
    public static final long OF_A_LEG = Capabilities.SSL | Capabilities.COMPRESS | Capabilities.ZSTD_COMPRESSION;

    /**
     * Returns the capabilities of the client's HandshakeResponse41 on the server's leg.
     *
     * @param relayed whether the client received the server's own handshake packet, and so agreed with the server
     *     instead of the proxy
     * @param legBits bits of {@link #OF_A_LEG}, and other bits that only the server's leg has
     */
    static long ofServerLeg(long client, long server, boolean relayed, long legBits) {
        long told = relayed ? client : pass(client, server);
        return (told & ~OF_A_LEG) | legBits;
    }

    /**
     * Returns the client's capabilities that are forwarded to the server: those offered to it, and others that the
     * server never offered, but none that the proxy does not support.
     */
    static long pass(long client, long server) {
        return client & CARRIED & (offer(server) | ~server);
    }

    private CapabilityFilter() {}

    /** Returns the server's capabilities that are offered to the client. */
    public static long offer(long server) {
        return server & CARRIED;
    }
}
