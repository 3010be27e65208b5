package io.understudy.move;

import io.understudy.connection.auth.LoginSecret.NativeKey;
import io.understudy.handshake.LoginProof.NativeResponse;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The key of mysql_native_password, from a response and the stored hash: the response is {@code SHA1(password) XOR
 * SHA1(scramble, SHA1(SHA1(password)))}, the hash {@code SHA1(SHA1(password))}.
 *
 * <p>Source: MySQL source documentation, "Native Authentication".
 */
final class NativeKeys {
    /** A stored hash, as ALTER USER and the grant tables have it. */
    private static final Pattern STORED = Pattern.compile("\\*([0-9A-Fa-f]{40})");

    private NativeKeys() {}

    /** Returns every stored hash in a text of the grant tables, a column or a JSON object. */
    static List<byte[]> stored(String text) {
        return STORED.matcher(text)
                .results()
                .map((MatchResult found) -> HexFormat.of().parseHex(found.group(1)))
                .toList();
    }

    /** Returns the key that the response was made with, or null if it was made with none of the hashes. */
    static @Nullable NativeKey find(NativeResponse response, List<byte[]> stored) {
        for (byte[] hash : stored) {
            byte[] key = sha1(response.scramble(), hash);
            for (int i = 0; i < key.length; i++) {
                key[i] ^= response.response()[i];
            }
            if (MessageDigest.isEqual(sha1(key), hash)) {
                return new NativeKey(key);
            }
            Arrays.fill(key, (byte) 0);
        }
        return null;
    }

    private static byte[] sha1(byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-1");
            for (byte[] part : parts) {
                digest.update(part);
            }
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime has no SHA-1", e);
        }
    }
}
