package io.understudy.handshake;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.Leg;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Packets;

/**
 * One leg of a login with its own sequence numbers. Relayed packets are renumbered, because one leg may have had a packet
 * more, such as a request for TLS.
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
     * Checks the number of a packet that has arrived.
     *
     * @throws MalformedPacketException when it is not the one due
     */
    void received(ByteBuf packet) {
        int sequence = packet.getUnsignedByte(packet.readerIndex() + 3);
        if (sequence != (next & 0xFF)) {
            throw new MalformedPacketException("the " + name + " sent packet number " + sequence
                    + " of the handshake where " + (next & 0xFF) + " was due");
        }
        next++;
    }

    /** Sends a whole packet, whose ownership passes, under the next number. */
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
