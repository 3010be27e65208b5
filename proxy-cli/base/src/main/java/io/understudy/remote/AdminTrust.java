package io.understudy.remote;

import io.netty.handler.ssl.util.FingerprintTrustManagerFactory;
import io.understudy.config.AdminConfig;
import io.understudy.config.AdminTls;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Which certificate of the admin endpoint is trusted: the very one of the configuration, whatever names it has, or one
 * of an authority for the name connected to.
 *
 * @param context for connections to the endpoint
 */
public record AdminTrust(SSLContext context) {
    private static final String HASH = "SHA-256";

    /** Returns trust in the certificate that the configuration names, or null if the endpoint has no TLS. */
    public static @Nullable AdminTrust of(AdminConfig config) throws IOException {
        AdminTls tls = config.tls();
        if (tls == null) {
            return null;
        }
        try {
            byte[] own = certificates(tls.certificate()).get(0).getEncoded();
            String fingerprint =
                    HexFormat.of().formatHex(MessageDigest.getInstance(HASH).digest(own));
            // It does not check the name connected to: only the endpoint has the certificate's key.
            return in(FingerprintTrustManagerFactory.builder(HASH)
                    .fingerprints(fingerprint)
                    .build());
        } catch (GeneralSecurityException e) {
            throw new IOException("admin.tls.certificate " + tls.certificate() + ": " + e.getMessage(), e);
        }
    }

    /** Returns trust in certificates of the authorities in a PEM file. */
    public static AdminTrust ofAuthorities(Path file) throws IOException {
        try {
            KeyStore authorities = KeyStore.getInstance(KeyStore.getDefaultType());
            authorities.load(null, null);
            int number = 0;
            for (Certificate authority : certificates(file)) {
                authorities.setCertificateEntry("authority-" + number++, authority);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(authorities);
            return in(factory);
        } catch (GeneralSecurityException e) {
            throw new IOException("the authorities in " + file + ": " + e.getMessage(), e);
        }
    }

    private static List<Certificate> certificates(Path file) throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(file)) {
            List<Certificate> all =
                    List.copyOf(CertificateFactory.getInstance("X.509").generateCertificates(in));
            if (all.isEmpty()) {
                throw new CertificateException("it holds no certificate");
            }
            return all;
        }
    }

    private static AdminTrust in(TrustManagerFactory trusted) throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trusted.getTrustManagers(), null);
        return new AdminTrust(context);
    }
}
