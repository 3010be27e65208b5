package io.understudy.plugin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.ScheduledExecutorService;

/**
 * A connection, logged in, that the proxy opened to a server. Responses are parsed by the same grammars as in the relay
 * and discarded, so memory does not grow with a result. Thread-safe; handlers are called on the connection's event
 * loop.
 */
public interface ServerConnection {
    /**
     * Returns the connection's event loop, which outlives the connection. State that is only used there needs no lock.
     */
    ScheduledExecutorService loop();

    /** Returns the allocator for the buffers of commands. */
    ByteBufAllocator alloc();

    /** Returns the server's product, as its handshake packet reports it. */
    ServerFlavor flavor();

    /** Returns the server's thread id, as needed for KILL. */
    long threadId();

    /** Returns whether the connection is still usable; it may end at any time. */
    boolean isOpen();

    /**
     * Sends a command and reports the end of its response. Commands may be sent back to back; responses arrive in their
     * order.
     *
     * @param command a packet with its header; ownership passes, also when this method throws
     * @throws IllegalArgumentException when the command has no response, an endless one, or one whose end is not known
     */
    void execute(ByteBuf command, ServerResponse response);

    /**
     * Sends a command that has no response, such as COM_STMT_CLOSE.
     *
     * @param command a packet with its header; ownership passes, also when this method throws
     * @throws IllegalArgumentException when the command has a response
     */
    void send(ByteBuf command);

    /**
     * Sends a COM_BINLOG_DUMP and passes every packet of its endless response to the handler.
     *
     * @param command a packet with its header; ownership passes, also when this method throws
     * @throws IllegalArgumentException when the command's response is not endless
     */
    void stream(ByteBuf command, ServerStream stream);

    /**
     * Sends a packet that is no command: an answer to what a stream has brought. Dropped if the connection has ended.
     *
     * @param packet with its header; ownership passes, also when this method throws
     */
    void answer(ByteBuf packet);

    /** Sends COM_QUIT and closes the connection. Pending responses fail. Idempotent. */
    void close();
}
