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
}
