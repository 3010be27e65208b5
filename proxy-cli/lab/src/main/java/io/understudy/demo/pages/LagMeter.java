package io.understudy.demo.pages;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/** Writes a row every 5 ms on the primary and measures how long after its commit it can be read on the standby. */
final class LagMeter implements AutoCloseable {
    private static final int MOST = 1 << 17;
    private static final long WRITE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final EmbeddedPair pair;
    private final AtomicLongArray committed = new AtomicLongArray(MOST);
    private final AtomicLongArray seen = new AtomicLongArray(MOST);
    private final AtomicBoolean over = new AtomicBoolean();
    private final Thread writer = new Thread(() -> quietly(this::write), "demo-beats");
    private final Thread reader = new Thread(() -> quietly(this::observe), "demo-lag");
    private volatile int written;
    private volatile int read;

    /**
     * Lag in milliseconds over some beats.
     *
     * @param beats measured
     */
    record Lag(int beats, double p50, double p95, double max) {}

    private interface Task {
        void run() throws SQLException;
    }

    private LagMeter(EmbeddedPair pair) {
        this.pair = pair;
    }

    static LagMeter start(EmbeddedPair pair) {
        LagMeter meter = new LagMeter(pair);
        meter.writer.setDaemon(true);
        meter.reader.setDaemon(true);
        meter.writer.start();
        meter.reader.start();
        return meter;
    }

    private static void quietly(Task task) {
        try {
            task.run();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void write() throws SQLException {
        EmbeddedServer primary = pair.primary();
        try (Connection connection = primary.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO beat.beats VALUES (?)")) {
            while (!over.get() && written < MOST) {
                int id = written;
                insert.setInt(1, id);
                insert.executeUpdate();
                committed.set(id, System.nanoTime());
                written = id + 1;
                LockSupport.parkNanos(WRITE_NANOS);
            }
        }
    }

    private void observe() throws SQLException {
        try (Connection connection = pair.standby().connect();
                PreparedStatement statement =
                        connection.prepareStatement("SELECT COUNT(*) FROM beat.beats WHERE id >= ?")) {
            while (!over.get() || read < written) {
                int from = read;
                statement.setInt(1, from);
                int more;
                try (ResultSet rows = statement.executeQuery()) {
                    rows.next();
                    more = rows.getInt(1);
                }
                long now = System.nanoTime();
                for (int id = from; id < from + more; id++) {
                    seen.set(id, now);
                }
                read = from + more;
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
    }

    /** The number of the next beat: marks where a measurement begins or ends. */
    int mark() {
        return written;
    }

    /** The lag of the beats from one mark to another, once the standby has seen them all. */
    Lag between(int from, int to) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (read < to && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(WRITE_NANOS);
        }
        double[] lags = new double[Math.max(0, Math.min(to, read) - from)];
        for (int i = 0; i < lags.length; i++) {
            // The standby may be faster than the primary's response.
            lags[i] = Math.max(0, (seen.get(from + i) - committed.get(from + i)) / 1e6);
        }
        Arrays.sort(lags);
        return new Lag(lags.length, at(lags, 0.5), at(lags, 0.95), at(lags, 1));
    }

    private static double at(double[] sorted, double share) {
        return sorted.length == 0 ? Double.NaN : sorted[(int) Math.ceil(share * sorted.length) - 1];
    }

    @Override
    public void close() throws InterruptedException {
        over.set(true);
        writer.join(PATIENCE.toMillis());
        reader.join(PATIENCE.toMillis());
    }
}
