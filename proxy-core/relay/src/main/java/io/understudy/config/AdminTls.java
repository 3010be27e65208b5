package io.understudy.config;

import io.understudy.config.bind.Checks;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * TLS of the admin endpoint.
 *
 * @param certificate its certificate chain (PEM)
 * @param key the certificate's private key (PEM, PKCS#8)
 */
public record AdminTls(Path certificate, Path key) {
    public AdminTls(@Nullable Path certificate, @Nullable Path key) {
        new Checks()
                .required(certificate, "certificate", "a PEM file with the certificate chain")
                .required(key, "key", "a PEM file with the certificate's private key")
                .done();
        this.certificate = Objects.requireNonNull(certificate);
        this.key = Objects.requireNonNull(key);
    }
}
