package io.understudy.demo.failover;

import io.understudy.demo.Sessions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

/** Commits of one row each, one after the other on each of some connections, and what they took. */
final class CommitLoad {
    /** Numbers of rows are used once, whichever setting a run has. */
    private static final AtomicInteger ROWS = new AtomicInteger();

    private static final int LEAST = 3;

    /**
     * What a run measured.
     *
     * @param perSecond commits a second of all connections together
     * @param p50 milliseconds, as {@code p99}
     */
    record Result(double perSecond, double p50, double p99) {}

    private CommitLoad() {}

    /** Commits for a time, at least a few times on each connection. */
    static Result run(String url, String password, String table, int connections, Duration length) throws Exception {
        List<LongStream> latencies = new CopyOnWriteArrayList<>();
        long begun = System.nanoTime();
        long end = begun + length.toNanos();
        Sessions.start(
                        "demo-commit",
                        connections,
                        (load, number) -> latencies.add(session(url, password, table, end, number)))
                .join();
        double seconds = (System.nanoTime() - begun) / 1e9;
        long[] all = latencies.stream().flatMapToLong(stream -> stream).sorted().toArray();
        return new Result(all.length / seconds, at(all, 0.5), at(all, 0.99));
    }

    private static LongStream session(String url, String password, String table, long end, int number)
            throws SQLException {
        LongStream.Builder latencies = LongStream.builder();
        try (Connection connection = DriverManager.getConnection(url, "app", password);
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO " + table + " VALUES (?, ?, 'a row')")) {
            for (int count = 0; count < LEAST || System.nanoTime() - end < 0; count++) {
                insert.setInt(1, 1000 + number);
                insert.setInt(2, ROWS.incrementAndGet());
                long begun = System.nanoTime();
                insert.executeUpdate();
                latencies.accept(System.nanoTime() - begun);
            }
        }
        return latencies.build();
    }

    private static double at(long[] sorted, double share) {
        return sorted[Math.min(sorted.length - 1, (int) (share * sorted.length))] / 1e6;
    }
}
