package io.understudy.wire.compress;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandler;

/**
 * The two handlers of one compressed connection and what they share. To be added to the pipeline at the end of the
 * login, right behind the OK packet: both products compress from the next byte on.
 */
public final class Compressed {
    /** MySQL's default, also where the level is not known. */
    public static final int DEFAULT_ZSTD_LEVEL = 3;

    private static final int MAX_ZSTD_LEVEL = 22;

    private final FrameDecoder decoder;
    private final FrameEncoder encoder;

    private Compressed(Codec codec, boolean weAreServer, InflationBudget budget) {
        FrameNumbers numbers = new FrameNumbers(weAreServer);
        decoder = new FrameDecoder(codec, numbers, weAreServer, budget);
        encoder = new FrameEncoder(codec, numbers);
    }

    /**
     * To be called, as the handlers are, on the connection's event loop.
     *
     * @param weAreServer the other side is a client, whose commands begin the numbering
     * @param budget what all connections may take together for frames that they are in the middle of
     */
    public static Compressed zlib(boolean weAreServer, InflationBudget budget) {
        return new Compressed(ZlibCodec.ofThread(), weAreServer, budget);
    }

    /**
     * Returns the framing of a connection that compresses with zstd.
     *
     * @param level as in the client's HandshakeResponse41; the default replaces one that is out of range
     */
    public static Compressed zstd(int level, boolean weAreServer, InflationBudget budget) {
        return new Compressed(
                new ZstdCodec(level < 1 || level > MAX_ZSTD_LEVEL ? DEFAULT_ZSTD_LEVEL : level), weAreServer, budget);
    }

    /**
     * Has no packet sent in more than two frames, for peers that do not read the frames' content as one stream; to be
     * called ahead of the first byte. Packets longer than 64 KiB are then sent without compression.
     */
    public Compressed withWholePackets() {
        encoder.keepPacketsWhole();
        return this;
    }

    /** Sets what takes the content; to be called ahead of the first byte. */
    public void attach(Intake intake) {
        decoder.attach(intake);
    }

    /** Called when the {@link Intake} takes more again. */
    public void resume() {
        decoder.resume();
    }

    /** Runs the task behind the content that waits for the {@link Intake}; at once if none does. */
    public void afterReceived(Runnable task) {
        decoder.afterReceived(task);
    }

    /** Called when the session has ended: what a closed connection has left is dropped. */
    public void sessionEnded() {
        decoder.sessionEnded();
    }

    /** Returns the handler that takes received packets out of frames. */
    public ChannelInboundHandler decoder() {
        return decoder;
    }

    /** Returns the handler that puts packets to send into frames. */
    public ChannelHandler encoder() {
        return encoder;
    }
}
