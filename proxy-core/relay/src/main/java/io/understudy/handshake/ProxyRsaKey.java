package io.understudy.handshake;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import javax.crypto.Cipher;

/**
 * The proxy's RSA key, for clients without TLS that send their password encrypted. One for the process, never stored.
 */
final class ProxyRsaKey {
    static final String TRANSFORMATION = "RSA/ECB/OAEPWithSHA-1AndMGF1Padding";
    private static final int BITS = 2048;

    /** Generated before its first use, on another thread: it takes some tenths of a second. */
    private static final CompletableFuture<KeyPair> KEY = CompletableFuture.supplyAsync(ProxyRsaKey::generate);

    private ProxyRsaKey() {}

    /** Starts generating the key. */
    static void prepare() {
        // Loading the class starts it.
    }

    private static KeyPair generate() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(BITS);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime has RSA", e);
        }
    }

    /** Returns the public key in PEM form, as clients expect it. */
    static byte[] publicPem() {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'})
                .encodeToString(KEY.join().getPublic().getEncoded());
        return ("-----BEGIN PUBLIC KEY-----\n" + body + "\n-----END PUBLIC KEY-----\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** @throws GeneralSecurityException when it was encrypted with another key */
    static byte[] decrypt(byte[] encrypted) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(TRANSFORMATION);
        cipher.init(Cipher.DECRYPT_MODE, KEY.join().getPrivate());
        return cipher.doFinal(encrypted);
    }
}
