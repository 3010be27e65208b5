package io.understudy.it.legs;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.sql.Connection;
import java.util.Base64;

/** Connects with MariaDB's driver and a client certificate, which the driver reads from a key store. */
final class DriverWithCertificate {
    private static final String STORE_PASSWORD = "changeit";

    private DriverWithCertificate() {}

    static Connection connect(int port, TestCertificates certificates) throws Exception {
        Path store = Files.createTempFile("client", ".p12");
        try (var pem = Files.newInputStream(certificates.clientCertificate);
                OutputStream out = Files.newOutputStream(store)) {
            Certificate certificate = CertificateFactory.getInstance("X.509").generateCertificate(pem);
            byte[] key = Base64.getMimeDecoder()
                    .decode(Files.readString(certificates.clientKey).replaceAll("-----[A-Z ]+-----", ""));
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(null, null);
            keys.setKeyEntry(
                    "client",
                    KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(key)),
                    STORE_PASSWORD.toCharArray(),
                    new Certificate[] {certificate});
            keys.store(out, STORE_PASSWORD.toCharArray());
        }
        try {
            return Drivers.mariaDb(port, "sslMode=trust&keyStore=" + store + "&keyStorePassword=" + STORE_PASSWORD);
        } finally {
            Files.delete(store);
        }
    }
}
