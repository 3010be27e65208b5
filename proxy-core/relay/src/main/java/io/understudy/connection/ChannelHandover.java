package io.understudy.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.understudy.config.Address;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerFlavor;
import org.jspecify.annotations.Nullable;

/**
 * Exchanges the last handler of a logged-in channel on which nothing is in flight: a session's for one of the proxy's
 * own, and back. Must be used on the channel's event loop.
 */
public final class ChannelHandover {
    private ChannelHandover() {}

    /**
     * Takes a session's channel for commands of the proxy.
     *
     * @param handler name of the session's, which is removed
     * @param address for messages
     * @param capabilities as agreed by the session's login
     */
    public static ServerConnection take(
            Channel channel, String handler, Address address, ServerFlavor flavor, long threadId, long capabilities) {
        NettyServerConnection connection = new NettyServerConnection(channel, address, flavor, threadId, capabilities);
        channel.pipeline().replace(handler, "connection", connection);
        channel.config().setAutoRead(true);
        return connection;
    }

    /**
     * Gives a connection's channel to a session. The connection can be used no longer.
     *
     * @param name of the session's handler
     * @return null if the connection has ended
     */
    public static @Nullable Channel give(ServerConnection connection, String name, ChannelHandler handler) {
        return ((NettyServerConnection) connection).handOver(name, handler);
    }
}
