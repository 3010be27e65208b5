package io.understudy.handshake.tls;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import org.jspecify.annotations.Nullable;

/** Creates TLS contexts from PEM files: TLS 1.2 and 1.3, nothing older. Thread-safe. */
public final class TlsContexts {
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    private TlsContexts() {}

    /** The strictness with which a server's certificate is checked. */
    public enum Verification {
        NONE,
        /** A trusted authority must have signed it. */
        AUTHORITY,
        /** It must also contain the host name connected to. */
        AUTHORITY_AND_NAME
    }

    /** Returns OpenSSL if its library can be loaded, else the JDK's provider. */
    public static SslProvider provider() {
        return OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;
    }

    /**
     * Returns the context for accepted connections.
     *
     * @param clientCa authorities of client certificates; null: clients are not asked for one
     * @param required whether a client without a certificate is rejected
     * @throws TlsFilesException when a file cannot be used; the message names the files
     */
    public static SslContext accepting(Path certificate, Path key, @Nullable Path clientCa, boolean required)
            throws TlsFilesException {
        try {
            KeyOfCertificate.check(certificate, key);
            SslContextBuilder builder = SslContextBuilder.forServer(certificate.toFile(), key.toFile())
                    .sslProvider(provider())
                    .protocols(PROTOCOLS);
            if (clientCa != null) {
                builder.trustManager(clientCa.toFile()).clientAuth(required ? ClientAuth.REQUIRE : ClientAuth.OPTIONAL);
            }
            return builder.build();
        } catch (GeneralSecurityException | IOException | RuntimeException e) {
            throw new TlsFilesException(
                    "certificate " + certificate + " with key " + key
                            + (clientCa == null ? "" : " and client authorities " + clientCa),
                    e);
        }
    }

    /**
     * Returns the context for connections to a server.
     *
     * @param ca trusted authorities; null: those of the Java runtime
     * @param certificate the proxy's own, for servers that request one
     * @throws TlsFilesException when a file cannot be used; the message names the files
     */
    public static SslContext connecting(
            Verification verification, @Nullable Path ca, @Nullable Path certificate, @Nullable Path key)
            throws TlsFilesException {
        try {
            // Checking the host name is Netty's default, and must be disabled even where nothing else is checked.
            SslContextBuilder builder = SslContextBuilder.forClient()
                    .sslProvider(provider())
                    .protocols(PROTOCOLS)
                    .endpointIdentificationAlgorithm(verification == Verification.AUTHORITY_AND_NAME ? "HTTPS" : null);
            if (verification == Verification.NONE) {
                builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
            } else if (ca != null) {
                builder.trustManager(ca.toFile());
            }
            if (certificate != null && key != null) {
                KeyOfCertificate.check(certificate, key);
                builder.keyManager(certificate.toFile(), key.toFile());
            }
            return builder.build();
        } catch (GeneralSecurityException | IOException | RuntimeException e) {
            throw new TlsFilesException(
                    "authorities " + (ca == null ? "of the Java runtime" : ca)
                            + (certificate == null ? "" : ", certificate " + certificate + " with key " + key),
                    e);
        }
    }
}
