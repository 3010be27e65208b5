package io.understudy.connection.auth;

import io.understudy.connection.auth.LoginSecret.NativeKey;
import io.understudy.connection.auth.LoginSecret.Password;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Base64;
import java.util.stream.Collectors;
import javax.crypto.Cipher;
import org.jspecify.annotations.Nullable;
import org.mariadb.jdbc.client.socket.Writer;
import org.mariadb.jdbc.client.util.MutableByte;
import org.mariadb.jdbc.plugin.authentication.standard.Ed25519PasswordPlugin;

/** The supported authentication methods of the client side, in the order of their names. Stateless. */
public enum AuthMethod {
    /**
     * MySQL 8's default. A server with the account in its cache accepts the scrambled hash; otherwise it asks for the
     * password: plain over an encrypted or local connection, else encrypted with the server's RSA key. That key is
     * never requested from the server: whoever responds at its address could send another one, and read the password.
     *
     * <p>Source: MySQL source documentation, "Caching_sha2_password information".
     */
    CACHING_SHA2("caching_sha2_password") {
        private static final int FAST_OK = 3;
        private static final int FULL = 4;

        @Override
        public byte[] begin(AuthContext context) throws AuthException {
            if (context.emptyPassword()) {
                return new byte[1];
            }
            byte[] once = hash("SHA-256", context.passwordBytes());
            byte[] twice = hash("SHA-256", once);
            return xor(once, hash("SHA-256", twice, context.scramble(SCRAMBLE)));
        }

        @Override
        public byte @Nullable [] next(AuthContext context, byte[] data) throws AuthException {
            int step = data.length == 1 ? data[0] : -1;
            if (step != FAST_OK && step != FULL) {
                throw new AuthException(
                        "the server continued " + protocolName() + " in a way this version does not know");
            }
            if (step == FAST_OK) {
                return null;
            }
            return context.tls() || context.local() ? context.terminatedPassword() : rsaEncrypted(context);
        }
    },

    /**
     * MariaDB's {@code ed25519}: signs the scramble with a key made from a password of any length. The Java runtime
     * makes keys from 32 bytes only, so this uses MariaDB Connector/J's implementation and captures what it writes.
     */
    ED25519("client_ed25519") {
        private static final int BYTES = 32;

        @Override
        public byte[] begin(AuthContext context) throws AuthException {
            byte[] scramble = context.scramble(BYTES);
            return context.emptyPassword()
                    ? new byte[0]
                    : Signature.of(new String(context.passwordBytes(), StandardCharsets.UTF_8), scramble);
        }
    },

    /** The plain password, as PAM and LDAP accounts need it. Never over a connection that others can read. */
    CLEAR("mysql_clear_password") {
        @Override
        public byte[] begin(AuthContext context) throws AuthException {
            if (!context.tls()) {
                throw new AuthException("the server wants the password in the clear (" + protocolName()
                        + "), which is done over TLS only; set tls: { mode: required } or better for this server");
            }
            return context.terminatedPassword();
        }
    },

    /** {@code SHA1(password) XOR SHA1(scramble, SHA1(SHA1(password)))}; nothing for an empty password. */
    NATIVE("mysql_native_password") {
        @Override
        public byte[] begin(AuthContext context) throws AuthException {
            if (context.emptyPassword()) {
                return new byte[0];
            }
            byte[] once = context.secret() instanceof NativeKey key
                    ? key.sha1OfPassword()
                    : hash("SHA-1", context.passwordBytes());
            byte[] twice = hash("SHA-1", once);
            return xor(once, hash("SHA-1", context.scramble(SCRAMBLE), twice));
        }
    },

    /** The plain password over TLS, else encrypted with the server's RSA key; see {@link #CACHING_SHA2}. */
    SHA256("sha256_password") {
        @Override
        public byte[] begin(AuthContext context) throws AuthException {
            if (context.emptyPassword()) {
                return new byte[1];
            }
            return context.tls() ? context.terminatedPassword() : rsaEncrypted(context);
        }
    };

    private static final int SCRAMBLE = 20;

    private final String protocolName;

    AuthMethod(String protocolName) {
        this.protocolName = protocolName;
    }

    /**
     * Returns the method that a server asks for.
     *
     * @throws AuthException if it is not supported
     */
    public static AuthMethod of(String name) throws AuthException {
        for (AuthMethod method : values()) {
            if (method.protocolName.equals(name)) {
                return method;
            }
        }
        throw new AuthException("the account uses the authentication plugin '" + name
                + "', which Understudy does not know; give it one of "
                + Arrays.stream(values()).map(AuthMethod::protocolName).collect(Collectors.joining(", "))
                + ", for example with ALTER USER");
    }

    /**
     * Returns the method for a server's HandshakeV10: the one it names if that may be started unasked, else one that
     * every server knows and can switch from once it knows the user.
     */
    public static AuthMethod first(String offered, AuthContext context) {
        return CACHING_SHA2.protocolName.equals(offered) && context.secret() instanceof Password
                ? CACHING_SHA2
                : NATIVE;
    }

    /** Returns the protocol's name, for example {@code mysql_native_password}. */
    public String protocolName() {
        return protocolName;
    }

    /**
     * Returns the response to the scramble.
     *
     * @throws AuthException if the method may not or cannot be used here
     */
    public abstract byte[] begin(AuthContext context) throws AuthException;

    /**
     * Takes the server's next data: the payload after the packet's marker byte.
     *
     * @return the bytes to send, or null to wait for the server's next packet
     * @throws AuthException if the data make no sense or cannot be responded to
     */
    public byte @Nullable [] next(AuthContext context, byte[] data) throws AuthException {
        throw new AuthException("the server continued a " + protocolName + " login that has no second step");
    }

    private static byte[] hash(String algorithm, byte[]... parts) {
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
    private static byte[] xor(byte[] data, byte[] key) {
        byte[] out = new byte[data.length];
        for (int i = 0; i < data.length; i++) {
            out[i] = (byte) (data[i] ^ key[i % key.length]);
        }
        return out;
    }

    /** Returns the password XORed with the scramble and encrypted with the configured RSA key (OAEP with SHA-1). */
    private static byte[] rsaEncrypted(AuthContext context) throws AuthException {
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
            return cipher.doFinal(xor(context.terminatedPassword(), scramble));
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

    /** Takes the signature that the driver's plugin writes. */
    private static final class Signature extends Writer {
        private byte @Nullable [] response;

        private Signature() {
            super(OutputStream.nullOutputStream(), 0, null, new MutableByte(), new MutableByte());
        }

        @SuppressWarnings("NullAway") // the plugin reads only after the flush at which it is stopped
        static byte[] of(String password, byte[] scramble) throws AuthException {
            Signature capture = new Signature();
            try {
                new Ed25519PasswordPlugin(password, scramble).process(capture, null, null, false);
            } catch (Written done) {
                byte[] response = capture.response;
                if (response != null) {
                    return response;
                }
            } catch (SQLException | IOException e) {
                throw new AuthException("the response to client_ed25519 cannot be computed: " + e.getMessage(), e);
            }
            throw new AuthException(
                    "the driver's client_ed25519 gave no response; give the account mysql_native_password");
        }

        @Override
        public void writeBytes(byte[] bytes) {
            response = bytes;
        }

        @Override
        public void flush() throws Written {
            throw new Written();
        }
    }

    /** Stops the plugin after its signature was written. */
    private static final class Written extends IOException {
        private static final long serialVersionUID = 1L;

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }
}
