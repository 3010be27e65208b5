package io.understudy.demo.warming;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A load of point reads by primary key, by some sessions until it is closed. */
final class PointReads implements AutoCloseable {
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final AtomicReference<@Nullable SQLException> failure = new AtomicReference<>();

    private PointReads() {}

    /** Starts the load; each session has its own keys. */
    static PointReads start(String url, Zipfian keys, int sessions, long seed) {
        PointReads reads = new PointReads();
        for (int i = 0; i < sessions; i++) {
            Zipfian own = keys.with(seed + i);
            Thread thread = new Thread(() -> reads.run(url, own), "warming-load-" + i);
            thread.setDaemon(true);
            thread.start();
            reads.threads.add(thread);
        }
        return reads;
    }

    private void run(String url, Zipfian keys) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            while (!stopping.get()) {
                one(statement, keys.next());
            }
        } catch (SQLException e) {
            failure.compareAndSet(null, e);
        }
    }

    /** Runs {@code count} reads on one connection. */
    static void each(Connection connection, Zipfian keys, int count) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (int i = 0; i < count; i++) {
                one(statement, keys.next());
            }
        }
    }

    private static void one(Statement statement, int id) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT v FROM demo.items WHERE id = " + id)) {
            row.next();
        }
    }

    /** Throws what ended a session, if one has ended. */
    void check() throws SQLException {
        SQLException reason = failure.get();
        if (reason != null) {
            throw reason;
        }
    }

    @Override
    public void close() {
        stopping.set(true);
        for (Thread thread : threads) {
            try {
                thread.join(10_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
