package io.understudy.handshake;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Marker;
import io.understudy.wire.packet.ClientReply;
import io.understudy.wire.packet.ErrPacket;
import io.understudy.wire.packet.Greeting;

/** The client has the greeting and answers with who it is and what it can. */
final class AwaitClientReply implements HandshakePhase {
    private final Handshake handshake;
    private final Greeting greeting;
    private final long offered;

    AwaitClientReply(Handshake handshake, Greeting greeting, long offered) {
        this.handshake = handshake;
        this.greeting = greeting;
        this.offered = offered;
    }

    @Override
    public HandshakePhase fromClient(ByteBuf packet) {
        try {
            ByteBuf payload = SequencedLeg.payload(packet);
            ClientReply reply = ClientReply.parse(payload);
            if (reply.isTlsRequest()) {
                throw new MalformedPacketException("the client asks for TLS, which was not offered");
            }
            long agreed = reply.capabilities() & offered;
            ClientReply.withCapabilities(payload, CapabilityFilter.pass(reply.capabilities(), greeting.capabilities()));
            handshake.toServer(packet.retain());
            return new Authenticating(handshake, greeting, reply, agreed);
        } finally {
            packet.release();
        }
    }

    @Override
    public HandshakePhase fromServer(ByteBuf packet) {
        ByteBuf payload = SequencedLeg.payload(packet);
        if (payload.isReadable() && payload.getUnsignedByte(0) == Marker.ERR) {
            // The server has lost patience, for example after connect_timeout.
            ErrPacket err = ErrPacket.parse(payload, 0, payload.readableBytes());
            handshake.toClient(packet);
            handshake.refusedByServer(err);
            return this;
        }
        packet.release();
        throw new MalformedPacketException("the server spoke while the client's handshake response was due");
    }
}
