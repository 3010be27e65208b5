package io.understudy.handshake;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.Marker;
import io.understudy.wire.packet.HandshakeV10;

/** Waits for the server's first packet: its HandshakeV10, or an ERR packet that rejects the connection. */
final class AwaitHandshakeV10 implements HandshakePhase {
    private final Handshake handshake;

    AwaitHandshakeV10(Handshake handshake) {
        this.handshake = handshake;
    }

    @Override
    public HandshakePhase fromServer(ByteBuf packet) {
        ByteBuf payload = SequencedLeg.payload(packet);
        if (payload.isReadable() && payload.getUnsignedByte(0) == Marker.ERR) {
            handshake.refuse(packet, payload);
            return this;
        }
        try {
            HandshakeV10 handshakeV10 = HandshakeV10.parse(payload);
            handshake.serverThreadId(handshakeV10.threadId());
            long offered = handshake.policy().offer(handshakeV10.capabilities());
            HandshakeV10.withCapabilities(payload, offered);
            handshake.toClient(packet.retain());
            return new AwaitHandshakeResponse(handshake, handshakeV10, offered);
        } finally {
            packet.release();
        }
    }

    /** Some health checks send their HandshakeResponse41 without waiting; servers read it after their HandshakeV10. */
    @Override
    public boolean isEarly(int sequence) {
        return true;
    }

    @Override
    public HandshakePhase fromClient(ByteBuf packet) {
        packet.release();
        throw new IllegalStateException("a packet from the client was read before the handshake packet");
    }
}
