package io.understudy.plugin;

import java.util.concurrent.CompletionStage;

/** Opens connections of our own that speak the wire protocol, on event loops that no session uses. */
public interface ServerConnector {
    /**
     * Connects and logs in. Fails with an exception whose message says which server, which step and why. Completes on
     * the connection's event loop.
     */
    CompletionStage<ServerConnection> connect();
}
