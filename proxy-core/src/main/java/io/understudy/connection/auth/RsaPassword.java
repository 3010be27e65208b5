package io.understudy.connection.auth;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import javax.crypto.Cipher;

/** The password XORed with the scramble and encrypted with an RSA key (OAEP with SHA-1). */
final class RsaPassword {
    private static final int SCRAMBLE = 20;

    private RsaPassword() {}

    /** @param pem the server's public key as received */
    static byte[] encrypt(AuthContext context, byte[] pem) throws AuthException {
        byte[] scramble = context.scramble(SCRAMBLE);
        try {
            Cipher cipher = Cipher.getInstance("RSA/ECB/OAEPWithSHA-1AndMGF1Padding");
            cipher.init(Cipher.ENCRYPT_MODE, key(pem));
            return cipher.doFinal(Digests.xor(context.terminatedPassword(), scramble));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new AuthException(
                    "the password cannot be encrypted with what the server sent as its RSA key (" + e.getMessage()
                            + "); set tls: { mode: required } for this server, which needs no such key",
                    e);
        }
    }

    private static PublicKey key(byte[] pem) throws GeneralSecurityException {
        String body = new String(pem, StandardCharsets.US_ASCII)
                .replaceAll("-----(BEGIN|END) PUBLIC KEY-----", "")
                .replaceAll("[\\s\\x00]", "");
        return KeyFactory.getInstance("RSA")
                .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(body)));
    }
}
