package io.understudy.plugin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.ScheduledExecutorService;

/**
 * A logged-in connection of our own. Answers are drained by the same grammars as the relay's and thrown away: memory does
 * not grow with a result. Methods may be called by any thread; handlers are called on the connection's event loop.
 */
public interface ServerConnection {
    /** Runs on the connection's event loop, which outlives it: state of its user needs no lock there. */
    ScheduledExecutorService loop();

    ByteBufAllocator alloc();

    ServerFlavor flavor();

    /** The server's thread id, for KILL. */
    long threadId();

    boolean isOpen();

    /**
     * Sends a command packet (header included, ownership passes) and reports the end of its answer. Commands may be sent
     * back to back; answers come in order.
     */
    void execute(ByteBuf command, ServerResponse response);

    /** Sends a packet that has no answer, such as COM_STMT_CLOSE. */
    void send(ByteBuf command);

    /** Like {@link #execute} for a COM_BINLOG_DUMP: every packet of the endless answer goes to the handler. */
    void stream(ByteBuf command, ServerStream stream);

    void close();
}
