package io.understudy.handshake;

import io.understudy.wire.Capabilities;
import io.understudy.wire.TlsHandlerSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What each leg of a login may or must have. Unless the server's leg is to be as the client's, the legs know nothing of each
 * other: a client with TLS may be relayed to a server without, and the reverse.
 *
 * @param clientEnd our end towards clients; there when {@code clientTls} terminates TLS
 * @param serverEnd our end towards the server; there when {@code serverTls} is not disabled
 * @param clientCompression capability bits that clients are offered
 * @param compressionAsClient the server is asked for the compression of the client's leg
 * @param serverCompression capability bits that the server is asked for, the best one first
 */
public record LoginPolicy(
        ConnectionTls clientTls,
        @Nullable TlsHandlerSource clientEnd,
        ServerTls serverTls,
        @Nullable TlsHandlerSource serverEnd,
        long clientCompression,
        boolean compressionAsClient,
        List<Long> serverCompression) {
    private static final int ER_BAD_HOST_ERROR = 1042;

    /** No TLS anywhere. */
    public static final LoginPolicy PLAIN =
            new LoginPolicy(ConnectionTls.DISABLED, null, ServerTls.DISABLED, null, 0, false, List.of());

    /** Whether clients are offered TLS. */
    public enum ConnectionTls {
        DISABLED,
        OPTIONAL,
        /** A client that does not ask for it is refused, unless it comes through a socket file. */
        REQUIRED,
        /** TLS is the server's, and is relayed unread. */
        PASSTHROUGH
    }

    /** Whether the server is asked for TLS. */
    public enum ServerTls {
        DISABLED,
        /** When it offers it, and is not reached through a socket file. */
        PREFERRED,
        REQUIRED,
        /** When the client has it. The client is offered no more than the server offers. */
        AS_CLIENT
    }

    public LoginPolicy {
        serverCompression = List.copyOf(serverCompression);
        boolean terminates = clientTls == ConnectionTls.OPTIONAL || clientTls == ConnectionTls.REQUIRED;
        if (terminates && clientEnd == null) {
            throw new IllegalArgumentException("clientEnd: required, since TLS is offered to clients");
        }
        if (serverTls != ServerTls.DISABLED && serverEnd == null) {
            throw new IllegalArgumentException("serverEnd: required, since TLS is asked of the server");
        }
    }

    /**
     * Returns the capability bits of the greeting that the client gets. With relayed TLS they are the server's own: what
     * client and server agree on behind TLS is theirs alone.
     */
    long offer(long server) {
        long compression = compressionAsClient ? clientCompression & server : clientCompression;
        long ssl = serverTls == ServerTls.AS_CLIENT ? Capabilities.SSL & server : Capabilities.SSL;
        return switch (clientTls) {
            case PASSTHROUGH -> server;
            case DISABLED -> CapabilityFilter.offer(server) | compression;
            case OPTIONAL, REQUIRED -> CapabilityFilter.offer(server) | compression | ssl;
        };
    }

    /**
     * Returns the compression to ask the server for: a capability bit, or 0.
     *
     * @param client capability bit of the client's leg, or 0
     */
    long serverCompression(long server, long client) {
        if (compressionAsClient) {
            return client;
        }
        for (long bit : serverCompression) {
            if ((server & bit) != 0) {
                return bit;
            }
        }
        return 0;
    }

    /**
     * Whether to ask the server for TLS.
     *
     * @param client the client's leg has TLS
     * @throws Refusal when TLS is required and the server has none
     */
    boolean asksServerForTls(long server, boolean local, boolean client) {
        boolean has = (server & Capabilities.SSL) != 0;
        return switch (serverTls) {
            case DISABLED -> false;
            case PREFERRED -> has && !local;
            case AS_CLIENT -> client;
            case REQUIRED -> {
                if (!has) {
                    throw new LoginRefusal(
                            "server_without_tls",
                            ER_BAD_HOST_ERROR,
                            "08S01",
                            "TLS/SSL error: SSL is required, but the server does not support it"
                                    + " (Understudy: primary.tls.mode)");
                }
                yield true;
            }
        };
    }
}
