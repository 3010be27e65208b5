package io.understudy.plugin;

import java.util.concurrent.CompletionStage;

/** Opens connections to a server that speak the wire protocol, on event loops that no session uses. Thread-safe. */
public interface ServerConnector {
    /**
     * Connects and logs in. The stage completes on the connection's event loop; if it fails, the exception's message
     * says which server, which step and why.
     */
    CompletionStage<ServerConnection> connect();
}
