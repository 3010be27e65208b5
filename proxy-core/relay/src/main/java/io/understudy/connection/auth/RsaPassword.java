package io.understudy.connection.auth;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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

    /** Encrypts the password with the key of the configuration. */
    static byte[] encrypt(AuthContext context) throws AuthException {
        Path file = context.serverKey();
        if (file == null) {
            throw new AuthException("the server asks for the password, and this connection has no TLS. A key that the"
                    + " server itself sends could be anybody's: set tls: { mode: required } for this server, or"
                    + " verify-ca, or tls.serverKey to a copy of the server's public_key.pem");
        }
        byte[] scramble = context.scramble(SCRAMBLE);
        try {
            byte[] pem = Files.readAllBytes(file);
            Cipher cipher = Cipher.getInstance("RSA/ECB/OAEPWithSHA-1AndMGF1Padding");
            cipher.init(Cipher.ENCRYPT_MODE, key(pem));
            return cipher.doFinal(Digests.xor(context.terminatedPassword(), scramble));
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new AuthException(
                    "the password cannot be encrypted with tls.serverKey " + file + " (" + e + "); it is to be the"
                            + " server's public_key.pem, or use tls: { mode: required }, which needs no such key",
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
