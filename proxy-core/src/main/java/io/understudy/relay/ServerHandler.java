package io.understudy.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import javax.net.ssl.SSLException;

/** The server's end: hands everything to the client's handler, which shares its event loop. */
final class ServerHandler extends ChannelInboundHandlerAdapter {
    private final ClientHandler client;

    ServerHandler(ClientHandler client) {
        this.client = client;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        client.fromServer((ByteBuf) msg);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        client.serverReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        client.serverWritabilityChanged(ctx.channel().isWritable());
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        client.serverClosed();
    }

    /**
     * A write that failed closes nothing here: the server may have said why it closed, which is read first. A read that
     * failed has closed the channel already.
     */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        client.serverFailed(cause);
        if (!(cause instanceof IOException) || cause instanceof SSLException) {
            ctx.close();
        }
    }
}
