package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;

/** A compression algorithm of the protocol. Not thread-safe. */
interface Codec {
    /** Appends the compressed form of all readable bytes of {@code in}, and reads {@code in} to its end. */
    void compress(ByteBuf in, ByteBuf out);

    /**
     * Appends {@code length} bytes, or fewer if {@link #mayHoldLess}, decompressed from all readable bytes of
     * {@code in}.
     *
     * @throws io.understudy.wire.MalformedPacketException when there are more bytes, or fewer than allowed, or the data
     *     are corrupt
     */
    void decompress(ByteBuf in, ByteBuf out, int length);

    /**
     * Bytes of memory that an {@link #inflation} of a frame takes; -1 when more of the frame has to come to know.
     *
     * @param start what has come of the frame's data; no index changes
     * @param complete nothing more will come
     * @param length what the frame says it holds
     * @throws io.understudy.wire.MalformedPacketException when the data contradicts that
     */
    long inflationBytes(ByteBuf start, boolean complete, int length);

    /** Returns whether a frame may hold fewer bytes than it says: servers accept that of zlib. */
    boolean mayHoldLess();

    /** For one frame, to be read in pieces. */
    Inflation inflation();

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
         * Appends to {@code out} at most {@code room} bytes, made of as many of the readable bytes of {@code in} as
         * that takes, whose reader index moves behind them.
         *
         * @throws io.understudy.wire.MalformedPacketException when the data is broken
         */
        void inflate(ByteBuf in, ByteBuf out, int room);

        /** Whether the data has come to its own end. */
        boolean finished();

        @Override
        void close();
    }
}
