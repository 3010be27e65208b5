package io.understudy.config;

import io.understudy.base.HasWarnings;
import io.understudy.config.bind.Checks;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * TLS between clients and the proxy.
 *
 * @param certificate the proxy's certificate chain (PEM); required in the modes optional and required
 * @param key the certificate's private key (PEM, PKCS#8); required in the modes optional and required
 * @param clientCa authorities that must have signed clients' certificates (PEM)
 * @param requireClientCertificate whether a client without a certificate is refused; needs the mode required
 */
public record ListenTls(
        ListenTlsMode mode,
        @Nullable Path certificate,
        @Nullable Path key,
        @Nullable Path clientCa,
        Boolean requireClientCertificate)
        implements HasWarnings {

    public ListenTls {
        mode = mode == null ? ListenTlsMode.DISABLED : mode;
        requireClientCertificate = requireClientCertificate != null && requireClientCertificate;
        boolean terminates = mode == ListenTlsMode.OPTIONAL || mode == ListenTlsMode.REQUIRED;
        new Checks()
                .that(!terminates || certificate != null, "certificate", "required: a PEM file, since tls is on")
                .that(!terminates || key != null, "key", "required: a PEM file, since tls is on")
                .that(
                        !requireClientCertificate || clientCa != null,
                        "clientCa",
                        "required: a PEM file to check the client certificates against")
                .that(
                        !requireClientCertificate || mode == ListenTlsMode.REQUIRED,
                        "requireClientCertificate",
                        "needs mode: required; in any other mode a client without TLS is let in without a certificate")
                .done();
    }

    /** Returns whether the proxy itself speaks TLS with its clients. */
    public boolean terminates() {
        return mode == ListenTlsMode.OPTIONAL || mode == ListenTlsMode.REQUIRED;
    }

    @Override
    public List<String> warnings() {
        String why = mode == ListenTlsMode.PASSTHROUGH
                ? "not used: in mode passthrough the primary's certificate is what clients see"
                : "not used: tls is disabled here; set mode: optional or required";
        return new Checks()
                .that(terminates() || certificate == null, "certificate", why)
                .that(terminates() || key == null, "key", why)
                .that(terminates() || clientCa == null, "clientCa", why)
                .lines();
    }
}
