package io.understudy.relay;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;

/** Refuses a client that was accepted with the last file descriptor, and closes its connection. */
final class BorrowedHandler extends ChannelInboundHandlerAdapter {
    private final Admission admission;

    BorrowedHandler(Admission admission) {
        this.admission = admission;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        admission.refuseForWantOfDescriptors(new ChannelLeg(ctx.channel()));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ReferenceCountUtil.release(msg);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
