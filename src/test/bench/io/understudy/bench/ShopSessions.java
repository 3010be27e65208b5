package io.understudy.bench;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Sessions that read through a proxy over persistent connections. They can be paused and resumed. */
final class ShopSessions implements AutoCloseable {
    private static final long NAP_NANOS = 5_000_000;

    private final LongAdder statements = new LongAdder();
    private final AtomicReference<@Nullable SQLException> error = new AtomicReference<>();
    private final AtomicBoolean going = new AtomicBoolean();
    private final AtomicBoolean over = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();

    /** Starts paused. */
    ShopSessions(ProxyProgram proxy, int count) {
        for (int i = 0; i < count; i++) {
            long seed = i;
            Thread session = new Thread(() -> session(proxy, seed), "session-" + i);
            session.start();
            threads.add(session);
        }
    }

    private void session(ProxyProgram proxy, long seed) {
        try (ShopReads reads = new ShopReads(proxy.jdbcUrl(""), seed, false)) {
            while (!over.get()) {
                if (going.get()) {
                    reads.next();
                    statements.increment();
                } else {
                    LockSupport.parkNanos(NAP_NANOS);
                }
            }
        } catch (SQLException e) {
            error.set(e);
        }
    }

    void letGo() {
        going.set(true);
    }

    /**
     * Pauses the sessions.
     *
     * @throws SQLException the first error of a session since it started
     */
    void hold() throws SQLException {
        going.set(false);
        SQLException problem = error.get();
        if (problem != null) {
            throw problem;
        }
    }

    /** Returns the statements per second in a window. The sessions are paused afterwards. */
    double throughput(Duration window) throws SQLException {
        return throughput(window, window, () -> {});
    }

    /**
     * Returns the statements per second while {@code action} runs at the window's start and then once per {@code
     * every}.
     */
    double throughput(Duration window, Duration every, Runnable action) throws SQLException {
        long from = statements.sum();
        long start = System.nanoTime();
        letGo();
        while (System.nanoTime() - start < window.toNanos()) {
            action.run();
            ProxyProgram.pause(every);
        }
        double perSecond = (statements.sum() - from) / ((System.nanoTime() - start) / 1e9);
        hold();
        return perSecond;
    }

    @Override
    public void close() {
        over.set(true);
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
