package io.understudy.server;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import org.mariadb.jdbc.Configuration;
import org.mariadb.jdbc.export.ExceptionFactory;
import org.mariadb.jdbc.plugin.tls.main.DefaultTlsSocketPlugin;

/**
 * Provides client certificates from PEM files to MariaDB Connector/J, which itself reads key stores only. The driver
 * finds this class as a service by {@link #TYPE}; the files are given by the properties {@link #CERTIFICATE} and
 * {@link #KEY}, and are read for each connection, so that a renewed certificate takes effect.
 */
public final class PemTls extends DefaultTlsSocketPlugin {
    static final String TYPE = "understudy-pem";
    static final String CERTIFICATE = "understudyCertificate";
    static final String KEY = "understudyKey";

    private static final Pattern PKCS8 =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    @Override
    public String type() {
        return TYPE;
    }

    @Override
    public KeyManager[] getKeyManager(Configuration configuration, ExceptionFactory exceptions) throws SQLException {
        Properties options = configuration.nonMappedOptions();
        Path certificate = Path.of(options.getProperty(CERTIFICATE));
        Path key = Path.of(options.getProperty(KEY));
        try {
            return managers(certificate, key);
        } catch (GeneralSecurityException | IOException | IllegalArgumentException e) {
            throw exceptions.create(
                    "certificate " + certificate + " with key " + key + " cannot be used (" + e.getMessage()
                            + "); check tls.certificate and tls.key: PEM, the key as PKCS#8",
                    "08000",
                    e);
        }
    }

    private static KeyManager[] managers(Path certificate, Path key) throws GeneralSecurityException, IOException {
        Certificate[] chain;
        try (InputStream in = Files.newInputStream(certificate)) {
            chain = CertificateFactory.getInstance("X.509")
                    .generateCertificates(in)
                    .toArray(Certificate[]::new);
        }
        if (chain.length == 0) {
            throw new IOException("no certificate in " + certificate);
        }
        Matcher pem = PKCS8.matcher(Files.readString(key, StandardCharsets.US_ASCII));
        if (!pem.find()) {
            throw new IOException("no unencrypted PKCS#8 key in " + key);
        }
        byte[] der = Base64.getMimeDecoder().decode(pem.group(1));
        try {
            PrivateKey secret = KeyFactory.getInstance(chain[0].getPublicKey().getAlgorithm())
                    .generatePrivate(new PKCS8EncodedKeySpec(der));
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("client", secret, new char[0], chain);
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, new char[0]);
            return factory.getKeyManagers();
        } finally {
            Arrays.fill(der, (byte) 0);
        }
    }
}
