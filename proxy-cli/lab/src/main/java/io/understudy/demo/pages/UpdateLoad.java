package io.understudy.demo.pages;

import io.understudy.embedded.EmbeddedServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Single-row updates on the primary at a fixed rate, each in a transaction of its own. */
final class UpdateLoad implements AutoCloseable {
    private static final int CHUNK = 7919;

    private final EmbeddedServer primary;
    private final int rows;
    private final long everyNanos;
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicLong done = new AtomicLong();
    private final Thread thread;
    private volatile @Nullable Exception failure;

    private UpdateLoad(EmbeddedServer primary, int rows, int perSecond) {
        this.primary = primary;
        this.rows = rows;
        this.everyNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
        this.thread = new Thread(this::run, "demo-updates");
        thread.setDaemon(true);
    }

    static UpdateLoad start(EmbeddedServer primary, int rows, int perSecond) {
        UpdateLoad load = new UpdateLoad(primary, rows, perSecond);
        load.thread.start();
        return load;
    }

    private void run() {
        try (Connection connection = primary.connect();
                PreparedStatement update =
                        connection.prepareStatement("UPDATE demo.orders SET note = ? WHERE id = ?")) {
            long next = System.nanoTime();
            for (long i = 0; !over.get(); i++) {
                update.setString(1, "note " + i);
                update.setLong(2, 1 + i * CHUNK % rows);
                update.executeUpdate();
                done.incrementAndGet();
                next += everyNanos;
                LockSupport.parkNanos(next - System.nanoTime());
            }
        } catch (SQLException e) {
            failure = e;
        }
    }

    /** Updates so far. */
    long done() {
        return done.get();
    }

    @Override
    public void close() throws Exception {
        over.set(true);
        thread.join();
        Exception failed = failure;
        if (failed != null) {
            throw failed;
        }
    }
}
