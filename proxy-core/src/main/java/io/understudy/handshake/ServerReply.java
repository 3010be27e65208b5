package io.understudy.handshake;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.Capabilities;
import io.understudy.wire.Packets;
import io.understudy.wire.packet.ClientReply;

/** The client's reply made into ours to the server: the same, but for the capabilities of a leg. */
final class ServerReply {
    /** Bits that say something about one leg only. */
    static final long OF_A_LEG = Capabilities.SSL | Capabilities.COMPRESS | Capabilities.ZSTD_COMPRESSION;
    /** Length of a request for TLS: the reply up to, not including, the user's name. */
    private static final int TLS_REQUEST = 32;

    private ServerReply() {}

    /**
     * What the server is told. Bits of the client's own that no server offers stay as they are; those that were taken out
     * of the greeting must not come back.
     *
     * @param legBits of {@link #OF_A_LEG}, and what else only this leg has
     */
    static long capabilities(long client, long greeting, long offered, long legBits) {
        return (CapabilityFilter.pass(client, offered, greeting) & ~OF_A_LEG) | legBits;
    }

    /** The packet that asks for TLS ahead of {@code reply}, whose capability bits are already those of the leg. */
    static ByteBuf tlsRequest(ByteBuf reply) {
        ByteBuf out = reply.alloc().buffer(Packets.HEADER + TLS_REQUEST);
        int at = Packets.begin(out, 0);
        out.writeBytes(reply, reply.readerIndex() + Packets.HEADER, TLS_REQUEST);
        Packets.end(out, at);
        return out;
    }

    /** Writes the capability bits into a reply packet. */
    static void rewrite(ByteBuf reply, long capabilities) {
        ClientReply.withCapabilities(SequencedLeg.payload(reply), capabilities);
    }
}
