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

    /**
     * What a client's reply may say to the server: what was offered to it, and bits of its own that the server never
     * offered, but nothing that the proxy does not carry.
     */
    static long pass(long client, long offered, long server) {
        return client & CARRIED & (offered | ~server);
    }

    private CapabilityFilter() {}

    /** What of a server's capabilities is offered to the client. */
    public static long offer(long server) {
        return server & CARRIED;
    }
}
