package io.understudy.plugins.capture;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts the frames of one file with AES-256-GCM. The key is derived from the secret and the file's salt, so a
 * frame's number is a nonce that no other frame of that key has, and a frame that was moved does not decrypt.
 */
final class FileCipher {
    static final int SALT = 16;
    private static final int ITERATIONS = 210_000;
    private static final int KEY_BITS = 256;
    private static final int TAG_BITS = 128;
    private static final int NONCE = 12;

    private final SecretKeySpec key;
    private long frame;

    FileCipher(CaptureSecret secret, byte[] salt) {
        key = secret.key(salt);
    }

    static SecretKeySpec derive(String secret, byte[] salt) {
        try {
            byte[] derived = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(new PBEKeySpec(secret.toCharArray(), salt, ITERATIONS, KEY_BITS))
                    .getEncoded();
            return new SecretKeySpec(derived, "AES");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no PBKDF2WithHmacSHA256", e);
        }
    }

    byte[] encrypt(byte[] bytes, int length) {
        try {
            return cipher(Cipher.ENCRYPT_MODE).doFinal(bytes, 0, length);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no AES/GCM", e);
        }
    }

    /** @throws GeneralSecurityException if the secret is another one or the bytes were changed */
    byte[] decrypt(byte[] bytes) throws GeneralSecurityException {
        return cipher(Cipher.DECRYPT_MODE).doFinal(bytes);
    }

    private Cipher cipher(int mode) throws GeneralSecurityException {
        byte[] nonce =
                Arrays.copyOf(ByteBuffer.allocate(Long.BYTES).putLong(frame++).array(), NONCE);
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        return cipher;
    }
}
