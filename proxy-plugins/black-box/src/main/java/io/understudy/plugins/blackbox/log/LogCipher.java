package io.understudy.plugins.blackbox.log;

import io.understudy.base.Secret;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts the records of one segment with AES-256-GCM. The segment's key is derived from the log's by the segment's
 * random id, so that a record's number is a nonce that no other record of that key has.
 */
final class LogCipher {
    static final int SALT = 16;
    static final int CHECK = 8;
    static final int TAG = 16;
    private static final int ITERATIONS = 210_000;
    private static final int NONCE = 12;
    private static final String MAC = "HmacSHA256";

    private final SecretKeySpec key;

    private LogCipher(SecretKeySpec key) {
        this.key = key;
    }

    /** The keys that are derived from one secret. Not thread-safe. */
    static final class Keys {
        private final @Nullable Secret secret;
        private final Map<String, byte[]> masters = new HashMap<>();

        Keys(@Nullable Secret secret) {
            this.secret = secret;
        }

        boolean present() {
            return secret != null;
        }

        /** Returns bytes that tell whether a key is the same. */
        byte[] check(byte[] salt) {
            return Arrays.copyOf(
                    mac(master(salt), "check".getBytes(java.nio.charset.StandardCharsets.US_ASCII)), CHECK);
        }

        LogCipher cipher(byte[] salt, byte[] segment) {
            return new LogCipher(new SecretKeySpec(mac(master(salt), segment), "AES"));
        }

        /** Those that were derived are kept: to derive one takes a tenth of a second. */
        private byte[] master(byte[] salt) {
            Secret given = secret;
            if (given == null) {
                throw new IllegalStateException("no key");
            }
            return masters.computeIfAbsent(HexFormat.of().formatHex(salt), none -> {
                try {
                    return SecretKeyFactory.getInstance("PBKDF2With" + MAC)
                            .generateSecret(
                                    new PBEKeySpec(given.reveal().strip().toCharArray(), salt, ITERATIONS, 256))
                            .getEncoded();
                } catch (GeneralSecurityException e) {
                    throw new IllegalStateException("this Java has no PBKDF2With" + MAC, e);
                }
            });
        }

        private static byte[] mac(byte[] master, byte[] of) {
            try {
                Mac mac = Mac.getInstance(MAC);
                mac.init(new SecretKeySpec(master, MAC));
                return mac.doFinal(of);
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("this Java has no " + MAC, e);
            }
        }
    }

    byte[] encrypt(int number, List<byte[]> parts) {
        try {
            Cipher cipher = cipher(Cipher.ENCRYPT_MODE, number);
            byte[] out = new byte[parts.stream().mapToInt(each -> each.length).sum() + TAG];
            int at = 0;
            for (byte[] each : parts) {
                at += cipher.update(each, 0, each.length, out, at);
            }
            cipher.doFinal(out, at);
            return out;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no AES/GCM", e);
        }
    }

    /** @throws GeneralSecurityException if the bytes were changed */
    byte[] decrypt(int number, byte[] bytes) throws GeneralSecurityException {
        return cipher(Cipher.DECRYPT_MODE, number).doFinal(bytes);
    }

    private Cipher cipher(int mode, int number) throws GeneralSecurityException {
        byte[] nonce = ByteBuffer.allocate(NONCE).putInt(number).array();
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG * Byte.SIZE, nonce));
        return cipher;
    }
}
