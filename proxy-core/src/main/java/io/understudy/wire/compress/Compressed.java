package io.understudy.wire.compress;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandler;

/**
 * The two handlers of one compressed connection and what they share. To be added to the pipeline at the end of the login,
 * right behind the OK packet: both products compress from the next byte on.
 */
public final class Compressed {
    /** MySQL's default, also where the level is not known. */
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
     * To be called, as the handlers are, on the connection's event loop.
     *
     * @param weAreServer the other side is a client, whose commands begin the numbering
     */
    public static Compressed zlib(boolean weAreServer) {
        return new Compressed(ZlibCodec.ofThread(), weAreServer);
    }

    /** @param level as the client's handshake response says it; out of range it is taken for the default */
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
