package io.understudy.option;

import io.understudy.config.UnderstudyConfig;
import io.understudy.remote.AdminTrust;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which certificate a command accepts from an admin endpoint with TLS. */
public final class TrustOption {
    @Option(
            names = "--cacert",
            paramLabel = "FILE",
            description = "PEM file with the authority of the admin endpoint's certificate; the endpoint is then asked"
                    + " by https. Not needed with -c FILE, whose admin.tls names the certificate.")
    private @Nullable Path authorities;

    /**
     * Returns what is trusted, or null for the authorities of the Java runtime, or no TLS.
     *
     * @param config the proxy's configuration, or null if it is not known
     */
    public @Nullable AdminTrust trust(@Nullable UnderstudyConfig config) throws IOException {
        if (authorities != null) {
            return AdminTrust.ofAuthorities(authorities);
        }
        return config == null ? null : AdminTrust.of(config.admin());
    }
}
