package io.understudy.handshake;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.protocol.Capabilities;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Marker;
import io.understudy.wire.Packets;
import io.understudy.wire.packet.OkPacket;
import io.understudy.wire.packet.SessionState;
import io.understudy.wire.packet.SessionStateFilter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The exchange of any authentication plugin. OK and ERR end it; all other packets belong to the plugin and are relayed
 * unread in both directions. A server escapes plugin data that would begin like an OK, ERR or AuthSwitchRequest.
 */
final class Authenticating implements HandshakePhase {
    private static final int OK_MIN = 7;

    private final Handshake handshake;
    /** What is known of the login, should the server accept it. */
    private final LoginResult login;

    private final @Nullable AuthBridge bridge;
    /** The client was asked for the password though the server has accepted it; what the server sends waits. */
    private boolean passwordAskedFor;

    private ByteBuf waiting = Unpooled.EMPTY_BUFFER;

    Authenticating(Handshake handshake, LoginResult login) {
        this.handshake = handshake;
        this.login = login;
        bridge = login.bridge();
    }

    @Override
    public HandshakePhase fromServer(ByteBuf packet) {
        if (passwordAskedFor) {
            waiting.release();
            waiting = packet;
            return this;
        }
        ByteBuf payload = SequencedLeg.payload(packet);
        int first = payload.isReadable() ? payload.getUnsignedByte(0) : -1;
        boolean taken;
        int status = login.status();
        ByteBuf changed = null;
        try {
            taken = takes(payload);
            if (first == Marker.OK && !taken && payload.readableBytes() >= OK_MIN) {
                OkPacket ok = new OkPacket();
                ok.parse(payload, 0, payload.readableBytes(), 0);
                status = ok.status();
                changed = changed(packet, payload.readableBytes());
            }
        } catch (RuntimeException e) {
            packet.release();
            throw e;
        }
        if (taken || changed != null) {
            packet.release();
        }
        if (taken) {
            return this;
        }
        if (first == Marker.OK) {
            ProofRecorder recorder = handshake.recorder();
            handshake.loggedIn(
                    changed == null ? packet : changed,
                    login.accepted(
                            status,
                            login.clientTracksSession() && changed != null,
                            recorder == null ? login.proof() : recorder.take()));
        } else if (first == Marker.ERR) {
            handshake.refuse(packet, payload);
        } else {
            handshake.toClient(packet);
        }
        return this;
    }

    /** Returns whether the packet is not for the client: a key that the proxy needs, or an OK that it asks more for. */
    private boolean takes(ByteBuf payload) {
        ProofRecorder recorder = handshake.recorder();
        if (recorder != null) {
            recorder.fromServer(payload);
        }
        if (bridge != null && bridge.fromServer(payload, handshake)) {
            return true;
        }
        if (recorder != null
                && handshake.policy().proofs() == LoginPolicy.Proofs.DEMANDED
                && recorder.passwordToBeHad(payload)) {
            passwordAskedFor = true;
            handshake.toClient(recorder.passwordRequest());
        }
        return passwordAskedFor;
    }

    /**
     * Returns the OK_Packet without session state, for a client that does not support it, or without an address that
     * the client would leave for; null if it stays as it is.
     */
    private @Nullable ByteBuf changed(ByteBuf packet, int length) {
        if ((login.capabilities() & Capabilities.SESSION_TRACK) == 0) {
            return null;
        }
        SessionStateFilter filter = new SessionStateFilter(login.capabilities());
        int index = packet.readerIndex() + Packets.HEADER;
        if (!login.clientTracksSession()) {
            return filter.withoutState(packet, index, length, 0);
        }
        try {
            List<String> redirect = List.of(SessionState.REDIRECT_URL);
            return login.handshakeV10().isMariaDb() && filter.redirects(packet, index, length)
                    ? filter.without(packet.alloc(), packet, index, length, 0, redirect, false)
                    : null;
        } catch (MalformedPacketException e) {
            return null; // what cannot be read is relayed as it came
        }
    }

    /** Clients may send their first command, whose number is 0, without waiting for the server's OK. */
    @Override
    public boolean isEarly(int sequence) {
        return sequence == 0;
    }

    @Override
    public HandshakePhase fromClient(ByteBuf packet) {
        ProofRecorder recorder = handshake.recorder();
        if (recorder != null) {
            recorder.fromClient(SequencedLeg.payload(packet));
        }
        if (passwordAskedFor) {
            passwordAskedFor = false;
            packet.setZero(packet.readerIndex(), packet.readableBytes());
            packet.release();
            ByteBuf answer = waiting;
            waiting = Unpooled.EMPTY_BUFFER;
            return answer.isReadable() ? fromServer(answer) : this;
        }
        try {
            if (bridge != null && bridge.fromClient(SequencedLeg.payload(packet), handshake)) {
                packet.release();
                return this;
            }
        } catch (RuntimeException e) {
            packet.release();
            throw e;
        }
        handshake.toServer(packet);
        return this;
    }

    @Override
    public void close() {
        waiting.release();
        waiting = Unpooled.EMPTY_BUFFER;
        ProofRecorder recorder = handshake.recorder();
        if (recorder != null) {
            recorder.wipe();
        }
        if (bridge != null) {
            bridge.forget();
        }
    }
}
