package io.understudy.connection;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.connection.auth.AuthException;
import java.nio.file.Path;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * TLS of connections to one server. Certificate files are read by the first connection that needs them. Thread-safe.
 */
final class ConnectionTls {
    private final ServerTlsConfig config;
    private final Address address;
    private @Nullable SslContext context;

    ConnectionTls(ServerTlsConfig config, Address address) {
        this.config = config;
        this.address = address;
    }

    /**
     * Returns whether to ask for TLS.
     *
     * @param offered whether the server offers it
     * @throws AuthException if it is required and the server does not offer it
     */
    boolean use(boolean offered) throws AuthException {
        return switch (config.mode()) {
            case DISABLED -> false;
            // Nobody can listen on a socket file; the servers' own clients decide alike.
            case PREFERRED, AS_CLIENT -> offered && !address.isUnix();
            default -> {
                if (!offered) {
                    throw new AuthException("the server offers no TLS though tls.mode demands it; "
                            + "give the server a certificate, or set tls: { mode: preferred }");
                }
                yield true;
            }
        };
    }

    /**
     * Returns the handler for the front of a connection's pipeline.
     *
     * @throws AuthException if certificates or keys are unusable
     */
    SslHandler handler(ByteBufAllocator alloc) throws AuthException {
        if (config.mode() == ServerTlsMode.VERIFY_FULL && address.isUnix()) {
            throw new AuthException("a socket file has no host name to verify; use tls: { mode: verify-ca }");
        }
        SslContext ssl = context();
        SslHandler handler =
                address.isUnix() ? ssl.newHandler(alloc) : ssl.newHandler(alloc, address.host(), address.port());
        // The login's deadline covers the handshake.
        handler.setHandshakeTimeoutMillis(0);
        return handler;
    }

    private synchronized SslContext context() throws AuthException {
        if (context != null) {
            return context;
        }
        try {
            SslContextBuilder builder = SslContextBuilder.forClient()
                    .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK)
                    .endpointIdentificationAlgorithm(config.mode() == ServerTlsMode.VERIFY_FULL ? "HTTPS" : null);
            Path ca = config.ca();
            if (!config.mode().verifies()) {
                builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
            } else if (ca != null) {
                builder.trustManager(ca.toFile());
            }
            Path certificate = config.certificate();
            Path key = config.key();
            if (certificate != null && key != null) {
                builder.keyManager(certificate.toFile(), key.toFile());
            }
            SslContext made = builder.build();
            context = made;
            return made;
        } catch (SSLException | IllegalArgumentException e) {
            throw new AuthException(
                    "the files of its tls section cannot be used (" + e.getMessage()
                            + "); check ca, certificate and key: PEM, the key as PKCS#8",
                    e);
        }
    }
}
