package io.understudy;

import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import io.understudy.relay.RelayServer;
import io.understudy.session.ClientSession;
import io.understudy.session.SessionRegistry;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends sessions: all of them when the proxy drains or stops, and those whose server is no longer the primary. */
final class SessionDrain {
    private static final Logger log = LoggerFactory.getLogger(SessionDrain.class);
    private static final long POLL_MILLIS = 20;
    /** Longer than it takes a client to complete the connection that the kernel began here. */
    private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
    /** Without another process on the port, new clients would keep this one from draining. */
    private static final long LEAVING_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final SessionRegistry registry;
    private final EventLoopGroup loops;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicInteger primaryChanges = new AtomicInteger();

    /** @param loops the sessions' */
    SessionDrain(SessionRegistry registry, EventLoopGroup loops) {
        this.registry = registry;
        this.loops = loops;
    }

    /**
     * Goes on as before while the readiness check fails, so that a balancer sends no more clients before they are
     * refused. Called before {@link #drain}, by the same thread.
     */
    void announce(Duration delay) throws InterruptedException {
        registry.beginDrain();
        boolean unused = ended.await(delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** See {@link ProxyServer#drain}. Called once, by one thread. */
    void drain(Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        registry.refuseNew();
        awaitEnd(deadline, session -> true);
    }

    /**
     * Drains where another process may listen on the same ports: accepts what the kernel has queued for this one, stops
     * listening, and lets clients finish their login. The kernel gives new connections to the process that listens
     * since later, if there is one. Called once, by one thread.
     */
    void leavePorts(Duration timeout, RelayServer server) throws InterruptedException {
        long begun = System.nanoTime();
        long deadline = begun + timeout.toNanos();
        long latest = Math.min(deadline, begun + LEAVING_NANOS);
        registry.beginDrain();
        while (!isQuiet(server, begun) && goesOn(latest)) {
            // Connections are accepted on their event loop.
        }
        server.close();
        for (EventExecutor loop : loops) {
            // Behind the tasks with which the connections accepted last begin.
            loop.submit(() -> {}).await();
        }
        log.info("no longer listening; sessions that are left: {}", registry.count());
        awaitEnd(deadline, ClientSession::settled);
    }

    private static boolean isQuiet(RelayServer server, long begun) {
        long since = Math.max(begun, server.lastAcceptedNanos());
        return System.nanoTime() - since >= QUIET_NANOS && !server.connectionsWait();
    }

    /** Has each session end once at its boundary, when it is ready for that, and waits until there are none. */
    private void awaitEnd(long deadline, Predicate<ClientSession> ready) throws InterruptedException {
        Set<ClientSession> told = Collections.newSetFromMap(new IdentityHashMap<>());
        do {
            for (ClientSession session : registry.all()) {
                if (ready.test(session) && told.add(session)) {
                    session.execute(session::drain);
                }
            }
        } while (registry.count() > 0 && goesOn(deadline));
        if (registry.count() > 0) {
            log.warn(
                    "{} sessions were still busy {} and are closed",
                    registry.count(),
                    ended.getCount() == 0 ? "when the drain was ended" : "after limits.drainTimeout");
        }
        closeSessions();
    }

    /** Waits shortly. Returns whether there is time left. */
    private boolean goesOn(long deadline) throws InterruptedException {
        return System.nanoTime() < deadline && !ended.await(POLL_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Ends a {@link #drain} in progress, or makes a later one return at once. Thread-safe. */
    void endDrain() {
        ended.countDown();
    }

    /**
     * Ends sessions with a server that no longer is the primary, at their next boundary.
     *
     * @param patience how long one may take until then
     */
    void leaveOldPrimary(Duration patience) {
        int change = primaryChanges.incrementAndGet();
        for (ClientSession session : registry.all()) {
            session.execute(() -> session.primaryChanged(change));
        }
        if (patience.isZero()) {
            leaveNow(change);
            return;
        }
        loops.schedule(() -> leaveNow(change), patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void leaveNow(int change) {
        registry.all().forEach(session -> session.execute(() -> session.leaveNow(change)));
    }

    /** Admits no further sessions, ends all, and waits for their channels to close for at most {@code millis}. */
    void close(long millis) {
        registry.refuseNew();
        closeSessions();
        LoopEnd.awaitChannelsClosed(loops, millis);
    }

    private void closeSessions() {
        for (ClientSession session : registry.all()) {
            session.execute(session::drainNow);
        }
    }
}
