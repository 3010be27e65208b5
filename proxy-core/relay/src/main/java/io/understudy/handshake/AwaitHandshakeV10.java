package io.understudy.handshake;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.packet.HandshakeV10;

/** Waits for the server's first packet, its HandshakeV10. An ERR packet in its place ends the login. */
record AwaitHandshakeV10(Handshake handshake) implements HandshakePhase {
    @Override
    public HandshakePhase fromServer(ByteBuf packet) {
        try {
            ByteBuf payload = SequencedLeg.payload(packet);
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
