package io.understudy.handshake;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.ServerStatus;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Marker;
import io.understudy.wire.Packets;
import io.understudy.wire.packet.HandshakeResponse41;
import io.understudy.wire.packet.HandshakeV10;
import io.understudy.wire.packet.OkPacket;
import io.understudy.wire.packet.SessionState;
import io.understudy.wire.packet.SessionStateFilter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The exchange of any authentication plugin. OK and ERR end it; all other packets belong to the plugin and are relayed
 * unread in both directions. A server escapes plugin data that would begin like an OK, ERR or AuthSwitchRequest.
 */
final class Authenticating implements HandshakePhase {
    private static final int OK_MIN = 7;

    private final Handshake handshake;
    private final HandshakeV10 handshakeV10;
    private final HandshakeResponse41 handshakeResponse;
    private final Map<String, String> attributes;
    private final long agreed;
    private final LegCompression compression;
    private final @Nullable AuthBridge bridge;
    /** The client was asked for the password though the server has accepted it; what the server sends waits. */
    private boolean passwordAskedFor;

    private ByteBuf waiting = Unpooled.EMPTY_BUFFER;

    Authenticating(
            Handshake handshake,
            HandshakeV10 handshakeV10,
            HandshakeResponse41 handshakeResponse,
            Map<String, String> attributes,
            long agreed,
            LegCompression compression,
            @Nullable AuthBridge bridge) {
        this.bridge = bridge;
        this.compression = compression;
        this.handshake = handshake;
        this.handshakeV10 = handshakeV10;
        this.handshakeResponse = handshakeResponse;
        this.attributes = attributes;
        this.agreed = agreed;
    }

    @Override
    public HandshakePhase fromServer(ByteBuf packet) {
        ByteBuf payload = SequencedLeg.payload(packet);
        int first = payload.isReadable() ? payload.getUnsignedByte(0) : -1;
        if (passwordAskedFor) {
            waiting.release();
            waiting = packet;
            return this;
        }
        ProofRecorder recorder = handshake.recorder();
        if (recorder != null) {
            recorder.fromServer(payload);
        }
        try {
            if (bridge != null && bridge.fromServer(payload, handshake)) {
                packet.release();
                return this;
            }
        } catch (RuntimeException e) {
            packet.release();
            throw e;
        }
        if (recorder != null
                && handshake.policy().proofs() == LoginPolicy.Proofs.DEMANDED
                && recorder.passwordToBeHad(payload)) {
            packet.release();
            passwordAskedFor = true;
            handshake.toClient(recorder.passwordRequest());
            return this;
        }
        if (first == Marker.OK) {
            int status = ServerStatus.AUTOCOMMIT;
            if (payload.readableBytes() >= OK_MIN) {
                try {
                    OkPacket ok = new OkPacket();
                    ok.parse(payload, 0, payload.readableBytes(), 0);
                    status = ok.status();
                } catch (RuntimeException e) {
                    packet.release();
                    throw e;
                }
            }
            boolean clientTracks = (handshakeResponse.capabilities() & Capabilities.SESSION_TRACK) != 0;
            ByteBuf stays = clientTracks ? withoutRedirect(packet, payload) : null;
            boolean redirected = stays != null;
            if (stays == null) {
                stays = clientTracks ? packet : withoutState(packet, payload);
            }
            handshake.loggedIn(
                    stays,
                    new LoginResult(
                            handshakeV10,
                            handshakeResponse,
                            attributes,
                            agreed,
                            clientTracks,
                            compression,
                            status,
                            redirected,
                            bridge,
                            recorder == null ? new LoginProof.None("") : recorder.take()));
        } else if (first == Marker.ERR) {
            handshake.refuse(packet, payload);
        } else {
            handshake.toClient(packet);
        }
        return this;
    }

    /** Returns the OK_Packet without session state, for a client that does not support it. */
    private ByteBuf withoutState(ByteBuf packet, ByteBuf payload) {
        if ((agreed & Capabilities.SESSION_TRACK) == 0) {
            return packet;
        }
        ByteBuf shorter;
        try {
            shorter = new SessionStateFilter(agreed)
                    .withoutState(packet, packet.readerIndex() + Packets.HEADER, payload.readableBytes(), 0);
        } catch (RuntimeException e) {
            packet.release();
            throw e;
        }
        if (shorter == null) {
            return packet;
        }
        packet.release();
        return shorter;
    }

    /**
     * Returns the OK_Packet without an address that the client would leave for, and releases the packet; null if it has
     * none.
     */
    private @Nullable ByteBuf withoutRedirect(ByteBuf packet, ByteBuf payload) {
        if (!handshakeV10.isMariaDb() || (agreed & Capabilities.SESSION_TRACK) == 0) {
            return null;
        }
        SessionStateFilter filter = new SessionStateFilter(agreed);
        int index = packet.readerIndex() + Packets.HEADER;
        int length = payload.readableBytes();
        ByteBuf changed = null;
        try {
            if (filter.redirects(packet, index, length)) {
                List<String> redirect = List.of(SessionState.REDIRECT_URL);
                changed = filter.without(packet.alloc(), packet, index, length, 0, redirect, false);
            }
        } catch (MalformedPacketException e) {
            return null; // what cannot be read is relayed as it came
        }
        if (changed != null) {
            packet.release();
        }
        return changed;
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
