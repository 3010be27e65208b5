package io.understudy.relay;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.understudy.session.ClientSession;
import java.util.concurrent.TimeUnit;

/** Ends a session whose login takes too long. On the session's event loop. */
final class HandshakeTimer {
    private final ClientSession session;
    private final Future<?> timeout;
    private boolean running = true;

    HandshakeTimer(ClientSession session, EventExecutor loop, long millis) {
        this.session = session;
        timeout = loop.schedule(session::handshakeTimedOut, millis, TimeUnit.MILLISECONDS);
    }

    void stopOnceLoggedIn() {
        if (running && session.loggedIn()) {
            stop();
        }
    }

    /** Stops the timer; left running, it would keep the session in memory for its whole length. */
    void stop() {
        running = false;
        timeout.cancel(false);
    }
}
