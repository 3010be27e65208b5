package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;

/**
 * One frame that is decompressed in pieces. Confined to one thread; holds memory outside of the heap until it is
 * closed.
 */
interface Inflation extends AutoCloseable {
    /** While no frame is being decompressed. */
    Inflation NONE = new Inflation() {
        @Override
        public void inflate(ByteBuf in, ByteBuf out, int room) {
            throw new IllegalStateException("no frame has begun");
        }

        @Override
        public boolean finished() {
            return false;
        }

        @Override
        public void close() {}
    };

    /**
     * Appends to {@code out} at most {@code room} bytes, made of as many of the readable bytes of {@code in} as that
     * takes, whose reader index moves behind them.
     *
     * @throws io.understudy.wire.MalformedPacketException when the data is broken
     */
    void inflate(ByteBuf in, ByteBuf out, int room);

    /** Whether the data has come to its own end. */
    boolean finished();

    @Override
    void close();
}
