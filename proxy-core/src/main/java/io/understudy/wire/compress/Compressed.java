package io.understudy.wire.compress;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandler;

/**
 * The two handlers of one compressed connection, and their shared state. They are added to the pipeline at the end of
 * the login, right after the OK_Packet: both products compress from the next byte on.
 */
public final class Compressed {
    /** MySQL's default, also used when the level is not known. */
    public static final int DEFAULT_ZSTD_LEVEL = 3;

    private static final int MAX_ZSTD_LEVEL = 22;

    private final ChannelInboundHandler decoder;
    private final ChannelHandler encoder;

    private Compressed(Codec codec, boolean weAreServer) {
        FrameNumbers numbers = new FrameNumbers(weAreServer);
        FrameDecoder frames = new FrameDecoder(codec, numbers, weAreServer);
        decoder = frames;
        encoder = new FrameEncoder(codec, numbers, frames);
    }

    /**
     * Returns handlers for zlib. Must be called on the connection's event loop.
     *
     * @param weAreServer whether the peer is a client
     */
    public static Compressed zlib(boolean weAreServer) {
        return new Compressed(ZlibCodec.ofThread(), weAreServer);
    }

    /**
     * Returns handlers for zstd. Must be called on the connection's event loop.
     *
     * @param level the level in the client's HandshakeResponse41; the default is used when it is out of range
     * @param weAreServer whether the peer is a client
     */
    public static Compressed zstd(int level, boolean weAreServer) {
        return new Compressed(
                new ZstdCodec(level < 1 || level > MAX_ZSTD_LEVEL ? DEFAULT_ZSTD_LEVEL : level), weAreServer);
    }

    public ChannelInboundHandler decoder() {
        return decoder;
    }

    public ChannelHandler encoder() {
        return encoder;
    }
}
