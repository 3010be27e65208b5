package io.understudy.demo;

import io.understudy.embedded.EmbeddedPair;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Commits a small write every few milliseconds and measures how long after that the standby has applied it. The standby
 * tells by a wait for the write's GTID: asking every millisecond would take a good part of a processor.
 */
public final class LagMeter implements AutoCloseable {
    private static final int MOST = 1 << 16;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final EmbeddedPair pair;
    private final AtomicLongArray committed = new AtomicLongArray(MOST);
    private final AtomicLongArray seen = new AtomicLongArray(MOST);
    private final AtomicReferenceArray<@Nullable String> gtids = new AtomicReferenceArray<>(MOST);
    private final Sessions writer;
    private final Sessions reader;
    private volatile int written;
    private volatile int read;

    /**
     * Lag in milliseconds.
     *
     * @param writes measured
     */
    public record Lag(int writes, double p50, double p95, double max) {}

    /**
     * Starts to write and to measure.
     *
     * @param url of the writer, with its account
     * @param table with one column
     */
    public LagMeter(EmbeddedPair pair, String url, String table, Duration every) {
        this.pair = pair;
        reader = Sessions.start("standby-probe", 1, this::observe);
        writer = Sessions.start("small-writes", 1, (load, number) -> write(load, url, table, every.toNanos()));
    }

    private void write(Sessions load, String url, String table, long everyNanos) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            while (!load.ended() && written < MOST) {
                int id = written;
                statement.execute("INSERT INTO " + table + " VALUES (" + id + ")");
                committed.set(id, System.nanoTime());
                try (ResultSet rows = statement.executeQuery("SELECT @@last_gtid")) {
                    rows.next();
                    gtids.set(id, rows.getString(1));
                }
                written = id + 1;
                LockSupport.parkNanos(everyNanos);
            }
        }
    }

    private void observe(Sessions load, int number) throws SQLException, InterruptedException {
        try (Connection connection = pair.standby().connect();
                PreparedStatement wait = connection.prepareStatement("SELECT MASTER_GTID_WAIT(?, 180)")) {
            while (!load.ended() || read < written) {
                int id = read;
                if (id == written) {
                    Thread.sleep(1);
                    continue;
                }
                wait.setString(1, gtids.get(id));
                wait.executeQuery().close();
                seen.set(id, System.nanoTime());
                read = id + 1;
            }
        }
    }

    /** Returns the number of the next write: marks where a measurement begins or ends. */
    public int mark() {
        return written;
    }

    /** Returns the lag of the writes from one mark to another, once the standby has applied them all. */
    public Lag between(int from, int to) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (read < to && System.nanoTime() - deadline < 0) {
            reader.check();
            Thread.sleep(5);
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

    /** Ends the writes, then the measurement when the standby has applied them all. */
    @Override
    public void close() throws Exception {
        writer.close();
        reader.close();
    }
}
