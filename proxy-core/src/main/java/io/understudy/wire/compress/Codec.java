package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;

/** A compression algorithm of the protocol. Not thread-safe. */
interface Codec {
    /** Appends the compressed form of all readable bytes of {@code in}, and reads {@code in} to its end. */
    void compress(ByteBuf in, ByteBuf out);

    /**
     * Appends exactly {@code length} bytes, decompressed from all readable bytes of {@code in}.
     *
     * @throws io.understudy.wire.MalformedPacketException when there are more bytes, or fewer, or the data are corrupt
     */
    void decompress(ByteBuf in, ByteBuf out, int length);
}
