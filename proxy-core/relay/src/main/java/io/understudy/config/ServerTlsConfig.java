package io.understudy.config;

import io.understudy.base.HasWarnings;
import io.understudy.config.bind.Checks;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * TLS between the proxy and a server.
 *
 * @param ca authorities that must have signed the server's certificate (PEM); absent: those of the Java runtime
 * @param certificate the proxy's certificate for servers that ask for one (PEM)
 * @param key the certificate's private key (PEM, PKCS#8)
 * @param serverKey the server's RSA public key (PEM), with which a password is encrypted on a connection without TLS;
 *     absent: it is not sent there
 */
public record ServerTlsConfig(
        ServerTlsMode mode,
        @Nullable Path ca,
        @Nullable Path certificate,
        @Nullable Path key,
        @Nullable Path serverKey) implements HasWarnings {

    public ServerTlsConfig {
        mode = mode == null ? ServerTlsMode.PREFERRED : mode;
        new Checks()
                .that(certificate == null || key != null, "key", "required: the private key of the certificate")
                .that(key == null || certificate != null, "certificate", "required: the certificate of the key")
                .done();
    }

    /** Creates settings without the server's RSA key. */
    public ServerTlsConfig(ServerTlsMode mode, @Nullable Path ca, @Nullable Path certificate, @Nullable Path key) {
        this(mode, ca, certificate, key, null);
    }

    /** Returns the default, {@code preferred}. */
    public static ServerTlsConfig preferred() {
        return new ServerTlsConfig(ServerTlsMode.PREFERRED, null, null, null);
    }

    @Override
    public List<String> warnings() {
        boolean off = mode == ServerTlsMode.DISABLED;
        return new Checks()
                .that(
                        ca == null || mode.verifies(),
                        "ca",
                        "not used: only verify-ca and verify-full check the server's certificate")
                .that(certificate == null || !off, "certificate", "not used: tls is disabled here")
                .lines();
    }
}
