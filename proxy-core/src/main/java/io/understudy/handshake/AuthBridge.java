package io.understudy.handshake;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Marker;
import io.understudy.wire.packet.AuthResponseField;
import io.understudy.wire.packet.HandshakeResponse41;
import io.understudy.wire.packet.HandshakeV10;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;
import org.jspecify.annotations.Nullable;

/**
 * Carries a password between two legs of which only one can keep a secret. {@code caching_sha2_password} and {@code
 * sha256_password} send it in clear over TLS or a socket file, and encrypted with the server's RSA key elsewhere: a client
 * and a server on unlike legs would not understand each other.
 *
 * <pre>
 *   client in secret, server not:  password ─▶ (kept)   ask for the key ─▶  ◀─ key   encrypted password ─▶
 *   server in secret, client not:  ask for the key ─▶ ◀─ our key   encrypted password ─▶ (decrypted) password ─▶
 * </pre>
 *
 * {@code sha256_password} begins ahead of the server's first word: the packet that names the user holds the password, or
 * the request for a key, already. See {@link #first}.
 *
 * <p>One bridge serves a session for life, because COM_CHANGE_USER begins the same dialogue anew. A password stays in memory
 * from one packet to the next and is overwritten then; network buffers are reused, not overwritten.
 *
 * <p>On the session's event loop.
 *
 * <p>Source: MySQL source documentation, "Caching_sha2_password information" and "sha256_password".
 */
public final class AuthBridge {
    /** Packets of the bridge's own, under the next number of their leg. */
    public interface Ends {
        void toClient(byte[] payload);

        void toServer(byte[] payload);
    }

    private static final String CACHING = "caching_sha2_password";
    private static final String SHA256 = "sha256_password";
    private static final int FULL_AUTHENTICATION = 4;
    private static final int CACHING_KEY_REQUEST = 2;
    private static final int SHA256_KEY_REQUEST = 1;
    private static final int ACCESS_DENIED = 1045;

    private enum Step {
        /** Nothing secret is due. */
        WATCHING,
        /** The client's next packet is a password, or asks for a key. */
        PASSWORD_DUE,
        /** The server was asked for its key; the password waits. */
        SERVER_KEY_DUE,
        /** The client was given our key. */
        ENCRYPTED_DUE
    }

    private final boolean clientSecret;
    private String method;
    private byte[] scramble;
    private byte[] password = new byte[0];
    private Step step = Step.WATCHING;

    private AuthBridge(boolean clientSecret, String method, byte[] scramble) {
        this.clientSecret = clientSecret;
        this.method = method;
        this.scramble = scramble;
    }

    /** A bridge, or null where both legs are alike and everything can be relayed as it comes. */
    static @Nullable AuthBridge between(
            boolean clientSecret, boolean serverSecret, HandshakeV10 greeting, HandshakeResponse41 reply) {
        if (clientSecret == serverSecret) {
            return null;
        }
        if (!clientSecret) {
            ProxyRsaKey.prepare();
        }
        String method = reply.authPlugin().isEmpty() ? greeting.authPlugin() : reply.authPlugin();
        return new AuthBridge(clientSecret, method, greeting.scramble());
    }

    /**
     * Looks at the packet that begins a dialogue: the client's handshake response, or COM_CHANGE_USER. With {@code
     * sha256_password} its answer cannot go on as it is. A password in clear is kept, and the server asked for its key in
     * its place. A request for a key means nothing to a server that expects the password in clear: such a client is said to
     * have no method and no answer, so that the server asks for one, and the dialogue begins after that.
     *
     * @param payload whose password is overwritten
     * @return the payload that goes on, or null for the one given
     */
    public byte @Nullable [] first(ByteBuf payload, AuthResponseField response) {
        forget();
        step = Step.WATCHING;
        String plugin = response.plugin(payload);
        method = plugin.isEmpty() ? method : plugin;
        if (!method.equals(SHA256) || response.length() == 0) {
            return null;
        }
        if (!clientSecret) {
            return response.without(payload);
        }
        if (response.length() == 1) {
            return null; // no password at all
        }
        password = response.take(payload);
        step = Step.SERVER_KEY_DUE;
        return response.with(payload, (byte) SHA256_KEY_REQUEST);
    }

    /** Looks at a packet of the server's; true when it is dealt with and must not go on. */
    public boolean fromServer(ByteBuf payload, Ends ends) {
        int first = payload.isReadable() ? payload.getUnsignedByte(payload.readerIndex()) : -1;
        if ((first == Marker.AUTH_SWITCH || first == Marker.AUTH_NEXT_FACTOR) && payload.readableBytes() > 1) {
            forget(); // of a method that the server does not want after all
            switchTo(payload);
            return false;
        }
        if (first != Marker.AUTH_MORE_DATA) {
            forget();
            return false;
        }
        if (step == Step.SERVER_KEY_DUE) {
            sendEncrypted(payload, ends);
            return true;
        }
        boolean full =
                payload.readableBytes() == 2 && payload.getByte(payload.readerIndex() + 1) == FULL_AUTHENTICATION;
        if (method.equals(CACHING) && full) {
            step = Step.PASSWORD_DUE;
        }
        return false;
    }

    private void switchTo(ByteBuf payload) {
        int from = payload.readerIndex() + 1;
        int end = payload.indexOf(from, payload.writerIndex(), (byte) 0);
        if (end < 0) {
            return;
        }
        method = payload.toString(from, end - from, StandardCharsets.US_ASCII);
        byte[] data = new byte[payload.writerIndex() - end - 1];
        payload.getBytes(end + 1, data);
        int length = data.length > 0 && data[data.length - 1] == 0 ? data.length - 1 : data.length;
        scramble = Arrays.copyOf(data, length);
        step = method.equals(SHA256) ? Step.PASSWORD_DUE : Step.WATCHING;
    }

    /** Looks at a packet of the client's; true when it is dealt with and must not go on. */
    public boolean fromClient(ByteBuf payload, Ends ends) {
        return switch (step) {
            case WATCHING, SERVER_KEY_DUE -> false;
            case PASSWORD_DUE -> clientSecret ? keep(payload, ends) : giveKey(payload, ends);
            case ENCRYPTED_DUE -> decrypt(payload, ends);
        };
    }

    private boolean keep(ByteBuf payload, Ends ends) {
        if (payload.readableBytes() <= 1) {
            step = Step.WATCHING; // no password at all is the same on both legs
            return false;
        }
        password = new byte[payload.readableBytes()];
        payload.getBytes(payload.readerIndex(), password);
        payload.setZero(payload.readerIndex(), payload.readableBytes());
        step = Step.SERVER_KEY_DUE;
        ends.toServer(new byte[] {(byte) keyRequest()});
        return true;
    }

    private int keyRequest() {
        return method.equals(SHA256) ? SHA256_KEY_REQUEST : CACHING_KEY_REQUEST;
    }

    private void sendEncrypted(ByteBuf payload, Ends ends) {
        byte[] pem = new byte[payload.readableBytes() - 1];
        payload.getBytes(payload.readerIndex() + 1, pem);
        try {
            String body = new String(pem, StandardCharsets.US_ASCII).replaceAll("-----[A-Z ]+-----", "");
            PublicKey key = KeyFactory.getInstance("RSA")
                    .generatePublic(
                            new X509EncodedKeySpec(Base64.getMimeDecoder().decode(body)));
            Cipher cipher = Cipher.getInstance(ProxyRsaKey.TRANSFORMATION);
            cipher.init(Cipher.ENCRYPT_MODE, key);
            mask(password);
            ends.toServer(cipher.doFinal(password));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new MalformedPacketException("the server's public key cannot be used: " + e.getMessage());
        } finally {
            forget();
        }
        step = Step.WATCHING;
    }

    private boolean giveKey(ByteBuf payload, Ends ends) {
        boolean asks = payload.readableBytes() == 1 && payload.getByte(payload.readerIndex()) == keyRequest();
        if (!asks) {
            if (payload.readableBytes() <= 1) {
                step = Step.WATCHING;
                return false;
            }
            throw foreignKey();
        }
        byte[] pem = ProxyRsaKey.publicPem();
        byte[] response = new byte[pem.length + 1];
        response[0] = Marker.AUTH_MORE_DATA;
        System.arraycopy(pem, 0, response, 1, pem.length);
        step = Step.ENCRYPTED_DUE;
        ends.toClient(response);
        return true;
    }

    private boolean decrypt(ByteBuf payload, Ends ends) {
        byte[] encrypted = new byte[payload.readableBytes()];
        payload.getBytes(payload.readerIndex(), encrypted);
        try {
            password = ProxyRsaKey.decrypt(encrypted);
            mask(password);
            ends.toServer(password);
        } catch (GeneralSecurityException e) {
            throw foreignKey();
        } finally {
            forget();
        }
        step = Step.WATCHING;
        return true;
    }

    /** A client with the server's key in a file, which over TLS the server would not decrypt with. */
    private static LoginRefusal foreignKey() {
        return new LoginRefusal(
                "client_has_foreign_key",
                ACCESS_DENIED,
                "28000",
                "Access denied (Understudy: the password was encrypted with a key that is not the proxy's; let the client"
                        + " ask for the key, or give both legs TLS, or neither)");
    }

    private void mask(byte[] bytes) {
        if (scramble.length == 0) {
            throw new MalformedPacketException("the server sent no random bytes to hide the password with");
        }
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] ^= scramble[i % scramble.length];
        }
    }

    /** Overwrites the password, if there is one. */
    public void forget() {
        Arrays.fill(password, (byte) 0);
        password = new byte[0];
    }
}
