package io.understudy.handshake;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Marker;
import io.understudy.wire.packet.AuthResponseField;
import io.understudy.wire.packet.AuthSwitchRequest;
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
 * Carries a password between two legs of which only one is secure. {@code caching_sha2_password} and
 * {@code sha256_password} send it in clear over TLS or a socket file, and encrypted with the server's RSA key
 * otherwise, so a client and a server on unlike legs would not understand each other.
 *
 * <pre>
 *   client secure, server not:  password ─▶ (kept)   key request ─▶  ◀─ key   encrypted password ─▶
 *   server secure, client not:  key request ─▶ ◀─ proxy's key   encrypted password ─▶ (decrypted) password ─▶
 * </pre>
 *
 * <p>{@code sha256_password} starts before the server's first packet: the packet that names the user already holds the
 * password or a key request. See {@link #first}.
 *
 * <p>One bridge serves a session for its life, because COM_CHANGE_USER starts the same exchange again. A password stays
 * in memory from one packet to the next and is then overwritten; network buffers are reused, not overwritten.
 *
 * <p>Must be used on the session's event loop.
 *
 * <p>Source: MySQL source documentation, "Caching_sha2_password information" and "sha256_password".
 */
public final class AuthBridge {
    /** Sends packets of the bridge under the next sequence number of their leg. */
    public interface Ends {
        void toClient(byte[] payload);

        void toServer(byte[] payload);

        /** Called with a password that the client encrypted for the proxy; it is overwritten afterwards. */
        default void decrypted(byte[] password) {}
    }

    private static final String CACHING = "caching_sha2_password";
    private static final String SHA256 = "sha256_password";
    private static final int FULL_AUTHENTICATION = 4;
    private static final int CACHING_KEY_REQUEST = 2;
    private static final int SHA256_KEY_REQUEST = 1;
    private static final int ACCESS_DENIED = 1045;
    /** Bytes of a password that was encrypted with RSA of 1024 bits. */
    private static final int SHORTEST_ENCRYPTED = 128;

    private enum Step {
        /** No secret packet is due. */
        WATCHING,
        /** The client's next packet is a password or a key request. */
        PASSWORD_DUE,
        /** The server's key has been requested; the password waits. */
        SERVER_KEY_DUE,
        /** The client has been sent the proxy's key. */
        ENCRYPTED_DUE
    }

    private final boolean clientSecret;
    private String method = "";
    private byte[] scramble = new byte[0];
    private byte[] password = new byte[0];
    private Step step = Step.WATCHING;

    private AuthBridge(boolean clientSecret) {
        this.clientSecret = clientSecret;
    }

    /** Returns a bridge, or null when the legs are alike and everything can be relayed unchanged. */
    static @Nullable AuthBridge between(
            boolean clientSecret,
            boolean serverSecret,
            HandshakeV10 handshakeV10,
            HandshakeResponse41 handshakeResponse) {
        AuthBridge bridge = between(clientSecret, serverSecret);
        if (bridge != null) {
            bridge.method = method(handshakeV10, handshakeResponse);
            bridge.scramble = handshakeV10.scramble();
        }
        return bridge;
    }

    /** Returns the same for legs without a login: the client names its method, and the server its scramble. */
    public static @Nullable AuthBridge between(boolean clientSecret, boolean serverSecret) {
        if (clientSecret == serverSecret) {
            return null;
        }
        if (!clientSecret) {
            ProxyRsaKey.prepare();
        }
        return new AuthBridge(clientSecret);
    }

    /** Returns the method with which the client begins. */
    static String method(HandshakeV10 handshakeV10, HandshakeResponse41 handshakeResponse) {
        return handshakeResponse.authPlugin().isEmpty() ? handshakeV10.authPlugin() : handshakeResponse.authPlugin();
    }

    /**
     * Processes the packet that starts an exchange: the client's HandshakeResponse41 or COM_CHANGE_USER.
     *
     * <p>With {@code sha256_password} its authentication response cannot be forwarded unchanged. A password in clear is
     * kept, and a key request sent in its place. A key request means nothing to a server that expects the password in
     * clear: it is removed together with the method's name, so that the server asks for a method and the exchange
     * starts after that.
     *
     * @param payload the payload, whose password is overwritten
     * @return the payload to forward instead, or null for the given one
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
            return null; // an empty password
        }
        password = response.take(payload);
        step = Step.SERVER_KEY_DUE;
        return response.with(payload, (byte) SHA256_KEY_REQUEST);
    }

    /** Processes a packet from the server and returns true if it must not be forwarded. */
    public boolean fromServer(ByteBuf payload, Ends ends) {
        int first = payload.isReadable() ? payload.getUnsignedByte(payload.readerIndex()) : -1;
        if ((first == Marker.AUTH_SWITCH || first == Marker.AUTH_NEXT_FACTOR) && payload.readableBytes() > 1) {
            forget(); // of a method that the server has rejected
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
        AuthSwitchRequest request = AuthSwitchRequest.parse(payload);
        if (request == null) {
            return;
        }
        method = request.method();
        byte[] data = request.data();
        int length = data.length > 0 && data[data.length - 1] == 0 ? data.length - 1 : data.length;
        scramble = Arrays.copyOf(data, length);
        step = method.equals(SHA256) ? Step.PASSWORD_DUE : Step.WATCHING;
    }

    /** Processes a packet from the client and returns true if it must not be forwarded. */
    public boolean fromClient(ByteBuf payload, Ends ends) {
        return switch (step) {
            case WATCHING, SERVER_KEY_DUE -> false;
            case PASSWORD_DUE -> clientSecret ? keep(payload, ends) : giveKey(payload, ends);
            case ENCRYPTED_DUE -> decrypt(payload, ends);
        };
    }

    private boolean keep(ByteBuf payload, Ends ends) {
        if (payload.readableBytes() <= 1) {
            step = Step.WATCHING; // an empty password is sent alike on both legs
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
        boolean keyRequested = payload.readableBytes() == 1 && payload.getByte(payload.readerIndex()) == keyRequest();
        if (!keyRequested) {
            if (payload.readableBytes() <= 1) {
                step = Step.WATCHING;
                return false;
            }
            boolean encrypted = payload.readableBytes() >= SHORTEST_ENCRYPTED;
            payload.setZero(payload.readerIndex(), payload.readableBytes());
            throw encrypted ? foreignKey() : inClear();
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
            ends.decrypted(password);
            ends.toServer(password);
        } catch (GeneralSecurityException e) {
            throw foreignKey();
        } finally {
            forget();
        }
        step = Step.WATCHING;
        return true;
    }

    /** The client has the server's key in a file; a server with TLS would not decrypt with it. */
    private static LoginRefusal foreignKey() {
        return new LoginRefusal(
                "client_has_foreign_key",
                ACCESS_DENIED,
                "28000",
                "Access denied (Understudy: the password was encrypted with a key that is not the proxy's; let the"
                        + " client ask for the key, or give both legs TLS, or neither)");
    }

    /** MariaDB's client takes a leg for secure if it may use TLS, whether the server has it or not. */
    private static LoginRefusal inClear() {
        return new LoginRefusal(
                "client_sent_clear_password",
                ACCESS_DENIED,
                "28000",
                "Access denied (Understudy: the client sent the password unencrypted over a connection without TLS, as"
                        + " MariaDB's client does; start it with --skip-ssl, or set listen.tls)");
    }

    private void mask(byte[] bytes) {
        if (scramble.length == 0) {
            throw new MalformedPacketException("the server sent no random bytes to hide the password with");
        }
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] ^= scramble[i % scramble.length];
        }
    }

    /** Overwrites a kept password. */
    public void forget() {
        Arrays.fill(password, (byte) 0);
        password = new byte[0];
    }
}
