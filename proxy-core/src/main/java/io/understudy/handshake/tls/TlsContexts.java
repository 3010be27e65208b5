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

/** Builds TLS contexts from PEM files: TLS 1.2 and 1.3, nothing older. Any thread. */
public final class TlsContexts {
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    private TlsContexts() {}

    /** How far a server's certificate is checked. */
    public enum Verification {
        NONE,
        /** It comes from a trusted authority. */
        AUTHORITY,
        /** And it carries the name that was dialled. */
        AUTHORITY_AND_NAME
    }

    /** OpenSSL where its library can be loaded. */
    public static SslProvider provider() {
        return OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;
    }

    /**
     * For connections that we accept.
     *
     * @param clientCa authorities of client certificates; null: clients are not asked for one
     * @param required a client without a certificate is refused
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
     * For connections that we open.
     *
     * @param ca trusted authorities; null: those of the Java runtime
     * @param certificate our own, for servers that ask for one
     * @throws TlsFilesException when a file cannot be used; the message names the files
     */
    public static SslContext connecting(
            Verification verification, @Nullable Path ca, @Nullable Path certificate, @Nullable Path key)
            throws TlsFilesException {
        try {
            // Checking names is Netty's default, and must be off even where nothing else is checked.
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
