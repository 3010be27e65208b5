package io.understudy.testkit.session;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;

/** A server's RSA keys, generated once: with the servers' 2,048 bits that takes seconds in the JVM of the tests. */
public final class RsaKeys {
    /** Bytes of what is encrypted with it. */
    public static final int BYTES = 128;

    private static final KeyPair PAIR = generate();

    private RsaKeys() {}

    public static KeyPair pair() {
        return PAIR;
    }

    private static KeyPair generate() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(8 * BYTES);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
