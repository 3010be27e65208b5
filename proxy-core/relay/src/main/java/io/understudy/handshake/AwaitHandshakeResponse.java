package io.understudy.handshake;

import io.netty.buffer.ByteBuf;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.ServerStatus;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.TlsHandlerSource;
import io.understudy.wire.packet.AuthResponseField;
import io.understudy.wire.packet.HandshakeResponse41;
import io.understudy.wire.packet.HandshakeV10;
import java.util.Map;

/** Waits for the client's HandshakeResponse41, which an SSLRequest may precede. */
final class AwaitHandshakeResponse implements HandshakePhase {
    private static final int ER_SECURE_TRANSPORT_REQUIRED = 3159;

    private final Handshake handshake;
    private final HandshakeV10 handshakeV10;
    private final long offered;
    private boolean tls;

    AwaitHandshakeResponse(Handshake handshake, HandshakeV10 handshakeV10, long offered) {
        this.handshake = handshake;
        this.handshakeV10 = handshakeV10;
        this.offered = offered;
    }

    @Override
    public HandshakePhase fromClient(ByteBuf packet) {
        try {
            HandshakeResponse41 handshakeResponse = HandshakeResponse41.parse(SequencedLeg.payload(packet));
            if (handshakeResponse.isTlsRequest()) {
                tlsRequested(packet);
                return this;
            }
            if (handshake.policy().clientTls() == LoginPolicy.ConnectionTls.REQUIRED
                    && !tls
                    && !handshake.clientIsLocal()) {
                throw new LoginRefusal(
                        "client_without_tls",
                        ER_SECURE_TRANSPORT_REQUIRED,
                        "HY000",
                        "Connections using insecure transport are prohibited (Understudy: listen.tls.mode is"
                                + " required)");
            }
            return relay(packet, handshakeResponse);
        } finally {
            packet.release();
        }
    }

    private void tlsRequested(ByteBuf packet) {
        TlsHandlerSource end = handshake.policy().clientEnd();
        if (tls || (offered & Capabilities.SSL) == 0) {
            throw new MalformedPacketException(
                    tls ? "the client asks for TLS within TLS" : "the client asks for TLS, which was not offered");
        }
        if (handshake.policy().clientTls() == LoginPolicy.ConnectionTls.PASSTHROUGH) {
            handshake.toServer(packet.retain());
            handshake.passthrough();
        } else if (end != null) {
            tls = true;
            handshake.startClientTls(end);
        }
    }

    private HandshakePhase relay(ByteBuf packet, HandshakeResponse41 handshakeResponse) {
        TlsHandlerSource serverEnd = handshake.policy().serverEnd();
        boolean serverTls =
                handshake.policy().requestsServerTls(handshakeV10.capabilities(), handshake.serverIsLocal(), tls);
        long legBits = serverTls ? Capabilities.SSL : 0;
        if (handshake.trackSession()) {
            legBits |= handshakeV10.capabilities() & Capabilities.SESSION_TRACK;
        }
        boolean relayed = handshake.policy().clientTls() == LoginPolicy.ConnectionTls.PASSTHROUGH;
        long told = CapabilityFilter.ofServerLeg(
                handshakeResponse.capabilities(), handshakeV10.capabilities(), relayed, legBits);
        LegCompression compression =
                LegCompression.of(packet, handshakeResponse, offered, handshakeV10.capabilities(), handshake.policy());
        told |= compression.serverBit();
        ByteBuf payload = SequencedLeg.payload(packet);
        Map<String, String> attributes = HandshakeResponse41.attributes(payload, handshakeResponse.capabilities());
        HandshakeResponse41.withCapabilities(payload, told);
        if (serverTls && serverEnd != null) {
            handshake.toServer(HandshakeResponse41.tlsRequest(payload));
            handshake.startServerTls(serverEnd);
        }
        boolean clientSecret = tls || handshake.clientIsLocal();
        if (handshake.policy().proofs() != LoginPolicy.Proofs.OFF) {
            ProofRecorder recorder = new ProofRecorder(
                    clientSecret, AuthBridge.method(handshakeV10, handshakeResponse), handshakeV10.scramble());
            recorder.first(payload, AuthResponseField.ofHandshake(payload, handshakeResponse.capabilities()));
            handshake.record(recorder);
        }
        AuthBridge bridge = AuthBridge.between(
                clientSecret, serverTls || handshake.serverIsLocal(), handshakeV10, handshakeResponse);
        byte[] bridged = bridge == null
                ? null
                : bridge.first(payload, AuthResponseField.ofHandshake(payload, handshakeResponse.capabilities()));
        if (bridged == null) {
            handshake.toServer(packet.retain());
        } else {
            handshake.toServer(bridged);
        }
        LoginResult login = new LoginResult(
                handshakeV10,
                handshakeResponse,
                attributes,
                told & handshakeV10.capabilities() & ~CapabilityFilter.OF_A_LEG,
                (handshakeResponse.capabilities() & Capabilities.SESSION_TRACK) != 0,
                compression,
                ServerStatus.AUTOCOMMIT,
                false,
                bridge,
                new LoginProof.None(""));
        return new Authenticating(handshake, login);
    }

    @Override
    public HandshakePhase fromServer(ByteBuf packet) {
        packet.release();
        throw new MalformedPacketException("the server spoke while the client's handshake response was due");
    }
}
