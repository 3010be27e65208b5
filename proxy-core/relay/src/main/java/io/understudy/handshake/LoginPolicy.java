package io.understudy.handshake;

import io.understudy.protocol.Capabilities;
import io.understudy.wire.TlsHandlerSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * TLS and compression of each leg of a login. Unless the server's leg follows the client's, the legs are independent: a
 * client with TLS may be relayed to a server without, and vice versa.
 *
 * @param clientEnd TLS towards clients; not null if {@code clientTls} terminates TLS
 * @param serverEnd TLS towards the server; not null unless {@code serverTls} is disabled
 * @param clientCompression capability bits that clients are offered
 * @param compressionAsClient whether the server is asked for the compression of the client's leg
 * @param serverCompression capability bits that the server is asked for, the preferred one first
 * @param proofs what is kept of a client's secret for another login
 */
public record LoginPolicy(
        ConnectionTls clientTls,
        @Nullable TlsHandlerSource clientEnd,
        ServerTls serverTls,
        @Nullable TlsHandlerSource serverEnd,
        long clientCompression,
        boolean compressionAsClient,
        List<Long> serverCompression,
        Proofs proofs) {
    private static final int ER_BAD_HOST_ERROR = 1042;

    /** No TLS on either leg. */
    public static final LoginPolicy PLAIN =
            new LoginPolicy(ConnectionTls.DISABLED, null, ServerTls.DISABLED, null, 0, false, List.of(), Proofs.OFF);

    /** TLS between client and proxy. */
    public enum ConnectionTls {
        DISABLED,
        OPTIONAL,
        /** A client that does not request it is rejected, unless it connects through a socket file. */
        REQUIRED,
        /** TLS is between client and server and is relayed unread. */
        PASSTHROUGH
    }

    /** TLS between proxy and server. */
    public enum ServerTls {
        DISABLED,
        /** Used if the server offers it and is not connected through a socket file. */
        PREFERRED,
        REQUIRED,
        /** Used if the client uses it. The client is offered TLS only if the server offers it. */
        AS_CLIENT
    }

    /** What is kept of clients' secrets. */
    public enum Proofs {
        OFF,
        /** What logins show by themselves. */
        SEEN,
        /** Also the password of a client that caching_sha2_password accepts without it: the proxy asks for it. */
        DEMANDED
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

    /** Returns the same policy with other proofs. */
    public LoginPolicy with(Proofs other) {
        return new LoginPolicy(
                clientTls,
                clientEnd,
                serverTls,
                serverEnd,
                clientCompression,
                compressionAsClient,
                serverCompression,
                other);
    }

    /**
     * Returns the capability bits of the handshake packet that the client receives. With relayed TLS they are the
     * server's own, because the proxy does not see what client and server agree on inside TLS.
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
     * Returns the compression to request from the server: a capability bit, or 0.
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
     * Returns whether to request TLS from the server.
     *
     * @param client whether the client's leg has TLS
     * @throws LoginRefusal when TLS is required and the server has none
     */
    public boolean requestsServerTls(long server, boolean local, boolean client) {
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
