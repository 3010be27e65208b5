package io.understudy.handshake;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.Leg;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Packets;

/**
 * One leg of a login with its own sequence numbers. Relayed packets are renumbered, because one leg may have additional
 * packets, such as an SSLRequest.
 */
final class SequencedLeg {
    private final Leg leg;
    private final String name;
    private int next;

    SequencedLeg(Leg leg, String name) {
        this.leg = leg;
        this.name = name;
    }

    Leg leg() {
        return leg;
    }

    /**
     * Checks the sequence number of a received packet.
     *
     * @throws MalformedPacketException when it is not the expected one
     */
    void received(ByteBuf packet) {
        int sequence = packet.getUnsignedByte(packet.readerIndex() + 3);
        if (sequence != (next & 0xFF)) {
            throw new MalformedPacketException("the " + name + " sent packet number " + sequence
                    + " of the handshake where " + (next & 0xFF) + " was due");
        }
        next++;
    }

    /** Sends a complete packet under the next number. Ownership passes. */
    void send(ByteBuf packet) {
        packet.setByte(packet.readerIndex() + 3, next++);
        leg.write(packet);
        leg.flush();
    }

    int nextSequence() {
        return next & 0xFF;
    }

    static ByteBuf payload(ByteBuf packet) {
        return packet.slice(packet.readerIndex() + Packets.HEADER, packet.readableBytes() - Packets.HEADER);
    }
}
