package io.understudy.handshake;

import io.netty.buffer.ByteBuf;
import io.understudy.protocol.Capabilities;
import io.understudy.wire.Packets;
import io.understudy.wire.compress.Compressed;
import io.understudy.wire.compress.InflationBudget;
import io.understudy.wire.packet.HandshakeResponse41;
import org.jspecify.annotations.Nullable;

/**
 * The compression of each leg after the login.
 *
 * @param clientBit capability bit of the client's leg, or 0
 * @param clientLevel zstd level that the client requested
 * @param wholePackets whether the client is not known to read frames as one stream
 * @param serverBit capability bit of the server's leg, or 0
 * @param serverLevel zstd level that was sent to the server
 */
public record LegCompression(long clientBit, int clientLevel, boolean wholePackets, long serverBit, int serverLevel) {
    /**
     * The name under which MySQL Connector/Python, in pure Python, logs in: it cannot read a packet of three frames.
     */
    private static final String NO_STREAM = "mysql-connector-python";

    /**
     * Reads the requested compression from the client's HandshakeResponse41 and rewrites it for the server, except for
     * the capability bits. A client with both bits gets zlib, as MySQL's client and server decide.
     *
     * @param server capabilities that the server offers
     */
    static LegCompression of(
            ByteBuf handshakeResponse, HandshakeResponse41 parsed, long offered, long server, LoginPolicy policy) {
        long both = parsed.capabilities() & offered & (Capabilities.COMPRESS | Capabilities.ZSTD_COMPRESSION);
        long clientBit = (both & Capabilities.COMPRESS) != 0 ? Capabilities.COMPRESS : both;
        long serverBit = policy.serverCompression(server, clientBit);
        int level = Compressed.DEFAULT_ZSTD_LEVEL;
        ByteBuf payload = SequencedLeg.payload(handshakeResponse);
        boolean levelMayFollow = (parsed.capabilities() & Capabilities.ZSTD_COMPRESSION) != 0;
        int end = levelMayFollow || serverBit == Capabilities.ZSTD_COMPRESSION
                ? HandshakeResponse41.endOfAttributes(payload, parsed.capabilities())
                : payload.writerIndex();
        if (levelMayFollow && end == payload.writerIndex() - 1) {
            level = payload.getUnsignedByte(end);
            handshakeResponse.writerIndex(handshakeResponse.writerIndex() - 1);
        }
        if (serverBit == Capabilities.ZSTD_COMPRESSION) {
            handshakeResponse.writeByte(level);
        }
        handshakeResponse.setMediumLE(
                handshakeResponse.readerIndex(), handshakeResponse.readableBytes() - Packets.HEADER);
        boolean whole = clientBit != 0
                && !readsStream(HandshakeResponse41.attributes(payload, parsed.capabilities())
                        .get("_client_name"));
        return new LegCompression(clientBit, level, whole, serverBit, level);
    }

    /** A client without a name may be any. */
    private static boolean readsStream(@Nullable String clientName) {
        return clientName != null && !clientName.equals(NO_STREAM);
    }

    public boolean compressesClient() {
        return clientBit != 0;
    }

    public boolean compressesServer() {
        return serverBit != 0;
    }

    public Compressed ofClient(InflationBudget budget) {
        Compressed handlers = handlers(clientBit, clientLevel, true, budget);
        return wholePackets ? handlers.withWholePackets() : handlers;
    }

    public Compressed ofServer(InflationBudget budget) {
        return handlers(serverBit, serverLevel, false, budget);
    }

    private static Compressed handlers(long bit, int level, boolean weAreServer, InflationBudget budget) {
        return bit == Capabilities.ZSTD_COMPRESSION
                ? Compressed.zstd(level, weAreServer, budget)
                : Compressed.zlib(weAreServer, budget);
    }
}
