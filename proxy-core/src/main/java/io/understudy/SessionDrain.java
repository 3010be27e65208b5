package io.understudy;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.understudy.session.ClientSession;
import io.understudy.session.SessionRegistry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends sessions: all of them when the proxy drains or stops, and those whose server is no longer the primary. */
final class SessionDrain {
    private static final Logger log = LoggerFactory.getLogger(ProxyServer.class);
    private static final long POLL_MILLIS = 20;

    private final SessionRegistry registry;
    private final EventLoopGroup loops;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicInteger primaryChanges = new AtomicInteger();

    /** @param loops the sessions' */
    SessionDrain(SessionRegistry registry, EventLoopGroup loops) {
        this.registry = registry;
        this.loops = loops;
    }

    /** See {@link ProxyServer#drain}. */
    void drain(Duration timeout) throws InterruptedException {
        registry.refuseNew();
        for (ClientSession session : registry.all()) {
            session.execute(session::drain);
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        boolean told = false;
        while (registry.count() > 0 && System.nanoTime() < deadline && !told) {
            told = ended.await(POLL_MILLIS, TimeUnit.MILLISECONDS);
        }
        if (registry.count() > 0) {
            log.warn(
                    "{} sessions were still busy {} and are closed",
                    registry.count(),
                    told ? "when the drain was ended" : "after limits.drainTimeout");
        }
        closeSessions();
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
        loops.schedule(
                () -> registry.all().forEach(session -> session.execute(() -> session.leaveNow(change))),
                patience.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    /** Admits no further sessions, ends all, and waits for their channels to close for at most {@code millis}. */
    void close(long millis) {
        registry.refuseNew();
        closeSessions();
        awaitChannelsClosed(millis);
    }

    private void closeSessions() {
        for (ClientSession session : registry.all()) {
            session.execute(session::drainNow);
        }
    }

    /**
     * Waits for the channels to close: a loop that is shut down while the kernel still processes a receive leaves that
     * socket open without notice to the peer (seen with io_uring and multishot receives).
     */
    private void awaitChannelsClosed(long millis) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            for (EventExecutor loop : loops) {
                SingleThreadEventLoop channels = (SingleThreadEventLoop) loop;
                while (channels.submit(channels::registeredChannels).get() > 0 && System.nanoTime() < deadline) {
                    Thread.sleep(POLL_MILLIS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
