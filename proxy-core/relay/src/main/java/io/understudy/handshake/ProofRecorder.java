package io.understudy.handshake;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.understudy.wire.Marker;
import io.understudy.wire.packet.AuthResponseField;
import io.understudy.wire.packet.AuthSwitchRequest;
import java.util.Arrays;

/**
 * Records what a login shows of the client's secret, from the packets as the client sends and receives them: by
 * mysql_native_password its response, and by methods that send the password in a way that the proxy can read, the
 * password. Must be used on the session's event loop.
 */
final class ProofRecorder {
    private static final String NATIVE = "mysql_native_password";
    private static final String CACHING = "caching_sha2_password";
    private static final String SHA256 = "sha256_password";
    private static final String CLEAR = "mysql_clear_password";
    /** MariaDB's PAM. */
    private static final String DIALOG = "dialog";

    private static final int SCRAMBLE = 20;
    private static final int FAST_AUTHENTICATION = 3;
    private static final int FULL_AUTHENTICATION = 4;

    private final boolean clientSecret;
    private String method;
    private byte[] scramble;
    private LoginProof proof = new LoginProof.None("");
    /** The client's next packet is its response to {@link #scramble}. */
    private boolean responseDue;

    private boolean passwordDue;
    /** Another login would need all of them. */
    private boolean severalFactors;

    /**
     * @param clientSecret whether the client's leg is secure, so that caching_sha2_password and sha256_password send
     *     the password in the clear
     */
    ProofRecorder(boolean clientSecret, String method, byte[] scramble) {
        this.clientSecret = clientSecret;
        this.method = method;
        this.scramble = scramble;
    }

    /** Takes the response in the client's HandshakeResponse41. */
    void first(ByteBuf payload, AuthResponseField field) {
        if (field.from() > field.lengthAt()) { // else it is a response from before 4.1
            response(ByteBufUtil.getBytes(payload, payload.readerIndex() + field.from(), field.length()));
        }
    }

    void fromServer(ByteBuf payload) {
        int length = payload.readableBytes();
        int first = length == 0 ? -1 : payload.getUnsignedByte(payload.readerIndex());
        if (first == Marker.AUTH_SWITCH || first == Marker.AUTH_NEXT_FACTOR && !method.equals(DIALOG)) {
            AuthSwitchRequest request = AuthSwitchRequest.parse(payload);
            severalFactors |= first == Marker.AUTH_NEXT_FACTOR;
            method = request == null ? "mysql_old_password" : request.method();
            scramble = request == null ? new byte[0] : request.data();
            nothing();
            responseDue = true;
        } else if (isMoreData(payload, FULL_AUTHENTICATION)) {
            passwordDue = clientSecret;
        } else if (first != Marker.OK && first != Marker.ERR && method.equals(DIALOG)) {
            method = "dialog with several questions";
            nothing();
        }
    }

    private boolean isMoreData(ByteBuf payload, int step) {
        return method.equals(CACHING)
                && payload.readableBytes() == 2
                && payload.getByte(payload.readerIndex()) == Marker.AUTH_MORE_DATA
                && payload.getByte(payload.readerIndex() + 1) == step;
    }

    /**
     * Returns whether the server has accepted the client without its password, which the client would send if it were
     * asked for it.
     */
    boolean passwordToBeHad(ByteBuf payload) {
        return clientSecret && isMoreData(payload, FAST_AUTHENTICATION);
    }

    /** Returns what asks the client for its password, which its next packet is. */
    byte[] passwordRequest() {
        passwordDue = true;
        return new byte[] {Marker.AUTH_MORE_DATA, FULL_AUTHENTICATION};
    }

    void fromClient(ByteBuf payload) {
        if (responseDue) {
            responseDue = false;
            response(ByteBufUtil.getBytes(payload));
        } else if (passwordDue) {
            passwordDue = false;
            password(ByteBufUtil.getBytes(payload));
        }
    }

    private void response(byte[] response) {
        boolean empty = response.length == 0 || response.length == 1 && response[0] == 0;
        if (method.equals(CLEAR) || method.equals(DIALOG) || empty || method.equals(SHA256) && clientSecret) {
            password(response);
        } else if (method.equals(NATIVE) && response.length == SCRAMBLE && scramble.length >= SCRAMBLE) {
            proof.wipe();
            proof = new LoginProof.NativeResponse(Arrays.copyOf(scramble, SCRAMBLE), response);
        } else {
            nothing();
        }
    }

    /** Takes a password, which may have a closing zero; it is overwritten. */
    void password(byte[] bytes) {
        int length = bytes.length > 0 && bytes[bytes.length - 1] == 0 ? bytes.length - 1 : bytes.length;
        if (bytes.length == 1 && length == 1 && !method.equals(CLEAR) && !method.equals(DIALOG)) {
            nothing(); // the client asks for a key, though its leg is secure
            return;
        }
        proof.wipe();
        proof = new LoginProof.ClearText(Arrays.copyOf(bytes, length));
        Arrays.fill(bytes, (byte) 0);
    }

    private void nothing() {
        proof.wipe();
        proof = new LoginProof.None(method);
    }

    /** Returns what has been shown, once; its owner wipes it. */
    LoginProof take() {
        if (severalFactors) {
            method = "several factors";
            nothing();
        }
        LoginProof taken = proof;
        proof = new LoginProof.None(method);
        return taken;
    }

    void wipe() {
        nothing();
    }
}
