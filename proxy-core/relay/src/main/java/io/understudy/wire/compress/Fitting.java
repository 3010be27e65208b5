package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;

/**
 * Trims buffers. Back-pressure counts the bytes that wait, not the memory that holds them: a frame of 64 KiB of blanks
 * leaves 80 bytes of compressed data, which must not hold 64 KiB each while a peer does not read.
 */
final class Fitting {
    private Fitting() {}

    /**
     * Returns {@code made}, or a copy with no spare capacity if it uses less than half of its own; ownership passes.
     */
    static ByteBuf fitting(ChannelHandlerContext ctx, ByteBuf made) {
        return made.readableBytes() >= made.capacity() / 2 ? made : exact(ctx, made);
    }

    /** Returns a copy with no spare capacity; ownership passes. */
    static ByteBuf exact(ChannelHandlerContext ctx, ByteBuf made) {
        try {
            return ctx.alloc().buffer(made.readableBytes()).writeBytes(made);
        } finally {
            made.release();
        }
    }
}
