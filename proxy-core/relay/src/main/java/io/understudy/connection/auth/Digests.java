package io.understudy.connection.auth;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Hash functions of the methods. */
final class Digests {
    private Digests() {}

    static byte[] hash(String algorithm, byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance(algorithm);
            for (byte[] part : parts) {
                digest.update(part);
            }
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime has no " + algorithm, e);
        }
    }

    /** Returns {@code data} XOR {@code key}, the key repeated as needed. */
    static byte[] xor(byte[] data, byte[] key) {
        byte[] out = new byte[data.length];
        for (int i = 0; i < data.length; i++) {
            out[i] = (byte) (data[i] ^ key[i % key.length]);
        }
        return out;
    }
}
