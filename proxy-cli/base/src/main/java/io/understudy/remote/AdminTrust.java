package io.understudy.remote;

import io.understudy.config.AdminConfig;
import io.understudy.config.AdminTls;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Which certificate of the admin endpoint is trusted: the very one of the configuration, whatever names it has, or one
 * of an authority for the name connected to.
 *
 * @param context for connections to the endpoint
 */
public record AdminTrust(SSLContext context) {
    /** Returns trust in the certificate that the configuration names, or null if the endpoint has no TLS. */
    public static @Nullable AdminTrust of(AdminConfig config) throws IOException {
        AdminTls tls = config.tls();
        if (tls == null) {
            return null;
        }
        try {
            X509Certificate own =
                    (X509Certificate) certificates(tls.certificate()).get(0);
            return in(new TrustManager[] {new Pinned(own)});
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
            return in(factory.getTrustManagers());
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

    private static AdminTrust in(TrustManager[] trusted) throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trusted, null);
        return new AdminTrust(context);
    }

    /**
     * Accepts one certificate. The name connected to does not count: only the endpoint has the certificate's key. Of
     * this type, as the runtime would check the name for a plain {@link javax.net.ssl.X509TrustManager}.
     */
    private static final class Pinned extends X509ExtendedTrustManager {
        private final X509Certificate only;

        Pinned(X509Certificate only) {
            this.only = only;
        }

        private void check(X509Certificate[] chain) throws CertificateException {
            if (chain.length == 0 || !chain[0].equals(only)) {
                throw new CertificateException("the endpoint's certificate is not that of admin.tls.certificate");
            }
            chain[0].checkValidity();
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            throw new CertificateException("no clients are checked here");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            throw new CertificateException("no clients are checked here");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            throw new CertificateException("no clients are checked here");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
