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
        // Forwarded is what was offered to the client, and what the server never offered, if the proxy supports it.
        long told = relayed ? client : client & CARRIED & (offer(server) | ~server);
        return (told & ~OF_A_LEG) | legBits;
    }

    private CapabilityFilter() {}

    /** Returns the server's capabilities that are offered to the client. */
    public static long offer(long server) {
        return server & CARRIED;
    }
}
