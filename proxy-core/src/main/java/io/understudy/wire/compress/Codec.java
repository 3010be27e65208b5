package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;

/** A compression algorithm of the protocol. Instances belong to one thread. */
interface Codec {
    /** Appends the compressed form of all readable bytes of {@code in}, whose reader index moves to the end. */
    void compress(ByteBuf in, ByteBuf out);

    /**
     * Appends exactly {@code length} bytes made of all readable bytes of {@code in}.
     *
     * @throws io.understudy.wire.MalformedPacketException when there would be more bytes, or fewer, or the data is broken
     */
    void decompress(ByteBuf in, ByteBuf out, int length);
}
