package io.understudy.it;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Runs point reads and inserts over several sessions until closed. Records the first error and the slowest statement.
 */
final class ApplicationLoad implements AutoCloseable {
    /** Shared by all loads, because they write to the same table. */
    private static final AtomicInteger IDS = new AtomicInteger(1_000_000);

    private final AtomicLong statements = new AtomicLong();
    private final AtomicLong slowestNanos = new AtomicLong();
    private final AtomicReference<@Nullable SQLException> error = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stop;

    ApplicationLoad(int sessions, Callable<Connection> connect) throws Exception {
        for (int i = 0; i < sessions; i++) {
            Connection connection = connect.call();
            Thread thread = new Thread(() -> work(connection), "application-" + i);
            threads.add(thread);
            thread.start();
        }
    }

    private void work(Connection connection) {
        try (connection;
                PreparedStatement read = connection.prepareStatement("SELECT note FROM orders WHERE id = ?");
                PreparedStatement insert = connection.prepareStatement("INSERT INTO customers VALUES (?, 'load')")) {
            for (int i = 0; !stop; i++) {
                long start = System.nanoTime();
                if (i % 5 == 0) {
                    insert.setInt(1, IDS.incrementAndGet());
                    insert.executeUpdate();
                } else {
                    read.setInt(1, 1 + i % 200);
                    try (ResultSet rows = read.executeQuery()) {
                        rows.next();
                    }
                }
                long took = System.nanoTime() - start;
                slowestNanos.accumulateAndGet(took, Math::max);
                statements.incrementAndGet();
            }
        } catch (SQLException e) {
            error.compareAndSet(null, e);
        }
    }

    /** Returns the number of statements that succeeded so far. */
    long statements() {
        return statements.get();
    }

    /** Returns the longest response time since the last call, in milliseconds. */
    long slowestMillis() {
        return slowestNanos.getAndSet(0) / 1_000_000;
    }

    @Nullable
    SQLException error() {
        return error.get();
    }

    @Override
    public void close() throws InterruptedException {
        stop = true;
        for (Thread thread : threads) {
            thread.join(10_000);
        }
    }
}
