package io.understudy.handshake;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.Capabilities;
import io.understudy.wire.Packets;
import io.understudy.wire.packet.HandshakeResponse41;

/** The client's reply made into ours to the server: the same, but for the capabilities of a leg. */
final class HandshakeResponse41Rewriter {
    /** Bits that say something about one leg only. */
    static final long OF_A_LEG = Capabilities.SSL | Capabilities.COMPRESS | Capabilities.ZSTD_COMPRESSION;
    /** Length of a request for TLS: the reply up to, not including, the user's name. */
    private static final int TLS_REQUEST = 32;

    private HandshakeResponse41Rewriter() {}

    /**
     * What the server is told of the client's capabilities.
     *
     * @param relayed the greeting was the server's own, so that the client has agreed with it, not with us
     * @param legBits of {@link #OF_A_LEG}, and what else only this leg has
     */
    static long capabilities(long client, long server, boolean relayed, long legBits) {
        long told = relayed ? client : CapabilityFilter.pass(client, server);
        return (told & ~OF_A_LEG) | legBits;
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
        HandshakeResponse41.withCapabilities(SequencedLeg.payload(reply), capabilities);
    }
}
