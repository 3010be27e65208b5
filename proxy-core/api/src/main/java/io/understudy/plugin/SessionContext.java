package io.understudy.plugin;

import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** One session, valid for the life of its observer. Values are current when read on the session's event loop. */
public interface SessionContext {
    /** Returns the proxy's number of the session, unique while the process runs. */
    long id();

    /** Returns the user name of the login, or of the last successful COM_CHANGE_USER. */
    String user();

    /**
     * Returns the default schema as known from login, COM_INIT_DB, USE and session tracking, or null when there is
     * none.
     */
    @Nullable
    String schema();

    /** Returns the client's address; with the PROXY protocol, the address in its header. */
    SocketAddress clientAddress();

    /** Returns the primary's product, as its handshake packet reports it. */
    ServerFlavor flavor();

    /** Returns the version in the server's handshake packet. */
    String serverVersion();

    /** Returns the value of CONNECTION_ID() on the primary. */
    long serverThreadId();

    /** Returns the bits of {@code io.understudy.protocol.Capabilities} that the client and the server agreed on. */
    long capabilities();

    /** Returns the settings of the session that affect the meaning of a statement. */
    SessionSettings settings();
}
