package io.understudy.runtime;

import io.understudy.admin.AdminServer;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The admin endpoint of a process that takes over from another one, which has the same address in its file. That one
 * has the address until it drains; then this one gets it. Thread-safe.
 */
final class AdminPort implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(AdminPort.class);
    private static final long RETRY_MILLIS = 200;
    /** Time for the response to the request that began the drain. */
    private static final long LINGER_MILLIS = 500;

    /** Starts the endpoint. */
    interface Start {
        AdminServer start() throws IOException;
    }

    private final String address;
    private final Start start;
    private final Consumer<AdminServer> begun;
    private final ScheduledExecutorService timer;
    private final boolean shared;
    /** Guarded by this, as the next. */
    private @Nullable AdminServer server;

    private boolean announced;
    private boolean closed;
    private boolean failed;

    /**
     * @param begun told of an endpoint that began, from {@link #announce} on
     * @param shared whether another process may have the address
     */
    AdminPort(
            String address, Start start, Consumer<AdminServer> begun, ScheduledExecutorService timer, boolean shared) {
        this.address = address;
        this.start = start;
        this.begun = begun;
        this.timer = timer;
        this.shared = shared;
    }

    /**
     * Listens now or, where another process may have the address, as soon as that one drains.
     *
     * @throws IOException if the address cannot be bound
     */
    synchronized void listen() throws IOException {
        try {
            server = start.start();
        } catch (IOException e) {
            if (!shared || !isTaken(e)) {
                throw e;
            }
            log.info(
                    "another process has admin.address {}: the admin endpoint begins here when that one drains",
                    address);
            listenLater();
        }
    }

    /** Returns whether somebody else has the address, and not whether it is wrong, forbidden or of another host. */
    private static boolean isTaken(IOException e) {
        return e.getCause() instanceof BindException bind
                && bind.getMessage() != null
                && bind.getMessage().contains("in use");
    }

    /** Called when the proxy serves: whoever reads of the endpoint in the log may then use both. */
    synchronized void announce() {
        announced = true;
        AdminServer now = server;
        if (now != null) {
            begun.accept(now);
        }
    }

    private void listenLater() {
        timer.schedule(this::retry, RETRY_MILLIS, TimeUnit.MILLISECONDS);
    }

    private synchronized void retry() {
        if (closed) {
            return;
        }
        try {
            AdminServer now = start.start();
            server = now;
            if (announced) {
                begun.accept(now);
            }
        } catch (IOException | RuntimeException e) {
            if (!failed && !(e instanceof IOException taken && isTaken(taken))) {
                failed = true;
                log.warn("the admin endpoint {} does not start, and is tried again: {}", address, e.getMessage(), e);
            }
            listenLater();
        }
    }

    /** Returns the address, or null while there is none. */
    synchronized @Nullable InetSocketAddress address() {
        return server == null ? null : server.address();
    }

    /** Replaces the token for later requests. */
    synchronized void setToken(@Nullable String token) {
        if (server != null) {
            server.setToken(token);
        }
    }

    /** See {@link AdminServer#setNames}. */
    synchronized void setNames(Collection<String> names) {
        if (server != null) {
            server.setNames(names);
        }
    }

    /** Leaves the address to the process that takes over, if there may be one. Called when the drain begins. */
    synchronized void leave() {
        if (!shared) {
            return;
        }
        if (server != null) {
            server.stopListening();
        }
        timer.schedule(this::close, LINGER_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public synchronized void close() {
        if (!closed && server != null) {
            server.close();
        }
        closed = true;
    }
}
