package io.understudy.plugin;

import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** One session, for the life of its observer. Values are current when read on the session's event loop. */
public interface SessionContext {
    /** The proxy's own number of the session, unique while the process runs. */
    long id();

    String user();

    /** Default schema as far as known: login, COM_INIT_DB, USE, session tracking; null when there is none. */
    @Nullable
    String schema();

    /** The client's address; with the PROXY protocol, the one it names. */
    SocketAddress clientAddress();

    ServerFlavor flavor();

    /** As the server's greeting says it. */
    String serverVersion();

    /** What CONNECTION_ID() says on the primary. */
    long serverThreadId();

    /** Bits of {@code Capabilities} that the client and the server agreed on. */
    long capabilities();

    /** What is known of the session's settings that give a statement its meaning. */
    SessionSettings settings();
}
