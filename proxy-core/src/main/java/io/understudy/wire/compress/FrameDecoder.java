package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/**
 * Takes packets out of frames: three bytes of length, one of number, three of the length before compression, which is 0
 * for what was not worth compressing. No more than one frame's 16 MB is held, and no more made of it than it says.
 */
final class FrameDecoder extends ByteToMessageDecoder {
    private final Codec codec;
    private final FrameNumbers numbers;
    private final PacketNumbers packets = new PacketNumbers() {
        @Override
        void number(ByteBuf buf, int index) {
            buf.setByte(index, numbers.packetReceived(buf.getUnsignedByte(index)));
        }
    };

    FrameDecoder(Codec codec, FrameNumbers numbers) {
        this.codec = codec;
        this.numbers = numbers;
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (in.readableBytes() < FrameEncoder.HEADER) {
            return;
        }
        int at = in.readerIndex();
        int length = in.getUnsignedMediumLE(at);
        if (in.readableBytes() < FrameEncoder.HEADER + length) {
            return;
        }
        numbers.frameReceived(in.getUnsignedByte(at + 3));
        int original = in.getUnsignedMediumLE(at + 4);
        in.skipBytes(FrameEncoder.HEADER);
        ByteBuf content =
                original == 0 ? in.readRetainedSlice(length) : decompressed(ctx, in.readSlice(length), original);
        packets.walk(content, content.readerIndex());
        if (content.isReadable()) {
            out.add(content);
        } else {
            content.release();
        }
    }

    private ByteBuf decompressed(ChannelHandlerContext ctx, ByteBuf frame, int original) {
        ByteBuf content = ctx.alloc().buffer(Math.min(original, 4 * frame.readableBytes() + 64));
        try {
            codec.decompress(frame, content, original);
            return content;
        } catch (RuntimeException e) {
            content.release();
            throw e;
        }
    }
}
