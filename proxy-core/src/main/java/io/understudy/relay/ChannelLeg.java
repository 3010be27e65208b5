package io.understudy.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.util.concurrent.Future;
import io.understudy.wire.Leg;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * A {@link Leg} over a channel. Reading goes on only while both the session wants it and the other leg can take more: that
 * is all of the back-pressure.
 */
final class ChannelLeg implements Leg {
    /** A peer that takes nothing more is let go after this. */
    private static final int LINGER_SECONDS = 60;

    private final Channel channel;
    private SocketAddress remoteAddress;
    private boolean wanted;
    private boolean otherWritable = true;
    private boolean closing;

    ChannelLeg(Channel channel) {
        this.channel = channel;
        SocketAddress address = channel.remoteAddress();
        this.remoteAddress = address == null ? UnknownAddress.INSTANCE : address;
    }

    @Override
    public ByteBufAllocator alloc() {
        return channel.alloc();
    }

    @Override
    public SocketAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public void write(ByteBuf bytes) {
        channel.write(bytes, channel.voidPromise());
    }

    @Override
    public void flush() {
        channel.flush();
    }

    @Override
    public void setReading(boolean on) {
        wanted = on;
        apply();
    }

    @Override
    public void execute(Runnable task) {
        channel.eventLoop().execute(task);
    }

    /** Back-pressure: whether the other leg's buffer has room. */
    void setOtherWritable(boolean writable) {
        otherWritable = writable;
        apply();
    }

    private void apply() {
        channel.config().setAutoRead(wanted && otherWritable && !closing);
    }

    boolean isWritable() {
        return channel.isWritable();
    }

    @Override
    public void closeAfterFlush() {
        if (closing) {
            return;
        }
        closing = true;
        if (!channel.isActive()) {
            channel.close();
            return;
        }
        apply();
        ChannelFuture flushed = channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        if (!flushed.isDone()) {
            Future<?> linger = channel.eventLoop().schedule(() -> channel.close(), LINGER_SECONDS, TimeUnit.SECONDS);
            // A timer left behind would keep the session in memory for its whole length.
            channel.closeFuture().addListener(closed -> linger.cancel(false));
        }
    }

    /** A peer that was gone before its address could be asked. */
    private static final class UnknownAddress extends SocketAddress {
        private static final long serialVersionUID = 1L;
        private static final UnknownAddress INSTANCE = new UnknownAddress();

        @Override
        public String toString() {
            return "unknown";
        }
    }
}
