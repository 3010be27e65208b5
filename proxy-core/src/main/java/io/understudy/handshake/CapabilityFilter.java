package io.understudy.handshake;

import io.understudy.wire.Capabilities;

/**
 * Capability bits that the proxy carries. Every other bit is switched off in the greeting, so that client and server agree
 * on nothing that the proxy would not understand; {@code docs/transparency.md} names them.
 */
public final class CapabilityFilter {
    /** Not carried: compression and TLS (each leg has its own), COM_MULTI, and bits that did not exist at this writing. */
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

    /** Bits that say something about one leg only. */
    static final long OF_A_LEG = Capabilities.SSL | Capabilities.COMPRESS | Capabilities.ZSTD_COMPRESSION;

    /**
     * Returns the capabilities that the client's HandshakeResponse41 has on the server's leg.
     *
     * @param relayed the greeting was the server's own, so that the client has agreed with the server, not with the proxy
     * @param legBits of {@link #OF_A_LEG}, and what else only the server's leg has
     */
    static long ofServerLeg(long client, long server, boolean relayed, long legBits) {
        long told = relayed ? client : pass(client, server);
        return (told & ~OF_A_LEG) | legBits;
    }

    /**
     * What a client's reply may say to the server: what was offered to it, and bits of its own that the server never
     * offered, but nothing that the proxy does not carry.
     */
    static long pass(long client, long server) {
        return client & CARRIED & (offer(server) | ~server);
    }

    private CapabilityFilter() {}

    /** What of a server's capabilities is offered to the client. */
    public static long offer(long server) {
        return server & CARRIED;
    }
}
