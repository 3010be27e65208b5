package io.understudy.handshake.tls;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks whether a private key belongs to a certificate. OpenSSL accepts any pair and then fails every handshake; a
 * reload while both files are being replaced must fail at once.
 */
final class KeyOfCertificate {
    private static final Pattern PKCS8 =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    /** Of OpenSSL's older forms, and of a key with a passphrase. */
    private static final Pattern OTHER = Pattern.compile("-----BEGIN (ENCRYPTED|RSA|EC|DSA) PRIVATE KEY-----");

    private KeyOfCertificate() {}

    /**
     * Checks a pair. A key in an unknown form is not checked.
     *
     * @throws GeneralSecurityException when the two do not belong together, one is corrupt, or the key must be
     *     converted
     */
    static void check(Path certificate, Path key) throws GeneralSecurityException, IOException {
        String text = Files.readString(key, StandardCharsets.US_ASCII);
        Matcher pem = PKCS8.matcher(text);
        if (!pem.find()) {
            Matcher other = OTHER.matcher(text);
            if (other.find()) {
                throw new GeneralSecurityException("a key of the form " + other.group(1) + " PRIVATE KEY; convert it:"
                        + " openssl pkcs8 -topk8 -nocrypt -in " + key + " -out FILE");
            }
            return;
        }
        byte[] der = Base64.getMimeDecoder().decode(pem.group(1));
        try {
            PublicKey open = publicKey(certificate);
            String family = open.getAlgorithm();
            PrivateKey secret = privateKey(family, der, key);
            Signature signature = Signature.getInstance(
                    switch (family) {
                        case "RSA" -> "SHA256withRSA";
                        case "EC" -> "SHA256withECDSA";
                        default -> family;
                    });
            byte[] probe = certificate.toString().getBytes(StandardCharsets.UTF_8);
            signature.initSign(secret);
            signature.update(probe);
            byte[] signed = signature.sign();
            signature.initVerify(open);
            signature.update(probe);
            if (!signature.verify(signed)) {
                throw new GeneralSecurityException("the key is not the one of the certificate");
            }
        } finally {
            Arrays.fill(der, (byte) 0);
        }
    }

    private static PrivateKey privateKey(String family, byte[] der, Path key) throws GeneralSecurityException {
        try {
            return KeyFactory.getInstance(family).generatePrivate(new PKCS8EncodedKeySpec(der));
        } catch (InvalidKeySpecException e) {
            throw new GeneralSecurityException("no " + family + " key, as the certificate's, can be read from " + key);
        }
    }

    private static PublicKey publicKey(Path certificate) throws GeneralSecurityException, IOException {
        try (InputStream in = Files.newInputStream(certificate)) {
            return CertificateFactory.getInstance("X.509")
                    .generateCertificate(in)
                    .getPublicKey();
        } catch (CertificateException e) {
            throw new GeneralSecurityException(
                    "no certificate can be read from " + certificate); // said without a cause
        }
    }
}
