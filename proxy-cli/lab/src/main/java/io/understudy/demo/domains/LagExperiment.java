package io.understudy.demo.domains;

import io.understudy.embedded.EmbeddedPair;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Small writes in the default domain while a long ALTER runs through the proxy and then on the replica: measures the
 * time from each small write's commit until the replica has applied it. The replica tells by a wait for the write's
 * GTID: asking every millisecond would take a good part of a processor from the two ALTERs.
 */
final class LagExperiment {
    private static final int MOST_WRITES = 60_000;
    private static final long WRITE_EVERY_NANOS = 10_000_000L;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** Treatment of the ALTER by the proxy. */
    enum Lever {
        UNTOUCHED(
                "untouched",
                "off",
                "mode: advise\nrules: [ { name: alters, match: { kind: ddl }, alter: two-phase } ]"),
        TWO_PHASE(
                "alter: two-phase",
                "off",
                "mode: tag\nrules: [ { name: alters, match: { kind: ddl }, alter: two-phase } ]"),
        DOMAIN(
                "domain: 10",
                "pin",
                "mode: tag\nguard: pin\nlearn: 0s\npoll: 50ms\nrules: [ { name: schema-changes, match: { kind: ddl },"
                        + " domain: 10 } ]");

        final String title;
        /** The guard to wait for. */
        final String guard;
        /** The plugin's section. */
        final String section;

        Lever(String title, String guard, String section) {
            this.title = title;
            this.guard = guard;
            this.section = section;
        }
    }

    /**
     * Lag of the small writes in milliseconds.
     *
     * @param lever the proxy's for the ALTER
     * @param writes measured
     * @param alterSeconds on the primary
     * @param position of the primary at the end
     */
    record Result(Lever lever, int writes, double p50, double p95, double max, double alterSeconds, String position) {}

    private final EmbeddedPair pair;
    private final Lever lever;
    private final long[] committedAt = new long[MOST_WRITES];
    private final AtomicReferenceArray<@Nullable Long> seenAt = new AtomicReferenceArray<>(MOST_WRITES);
    private final AtomicReferenceArray<@Nullable String> gtids = new AtomicReferenceArray<>(MOST_WRITES);
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile int written;

    LagExperiment(EmbeddedPair pair, Lever lever) {
        this.pair = pair;
        this.lever = lever;
    }

    /** Creates the big table and the small one, once for both runs. */
    static void prepare(EmbeddedPair pair, int rows) {
        pair.primary()
                .execute(
                        "CREATE DATABASE lag",
                        "CREATE TABLE lag.big (id INT PRIMARY KEY, a INT, b INT, pad CHAR(120) NOT NULL)",
                        "INSERT INTO lag.big SELECT seq, seq * 7919 % 1000003, seq * 104729 % 1000003, REPEAT('x', 120)"
                                + " FROM lag.seq_1_to_" + rows,
                        "CREATE TABLE lag.small (id INT PRIMARY KEY)");
        pair.createAccount("app", ConflictSchema.PASSWORD, "ALL ON lag.*", "BINLOG REPLAY ON *.*");
        pair.createAccount(
                "understudy",
                ConflictSchema.PASSWORD,
                "REPLICATION SLAVE, REPLICA MONITOR, BINLOG MONITOR, PROCESS, SHOW CREATE ROUTINE ON *.*",
                "SELECT, TRIGGER, SHOW VIEW, EVENT ON lag.*");
        pair.awaitCaughtUp(PATIENCE);
    }

    Result run() throws Exception {
        pair.primary().execute("TRUNCATE lag.small");
        pair.awaitCaughtUp(PATIENCE);
        try (DomainsProxy proxy = DomainsProxy.start(pair, ConflictSchema.PASSWORD, lever.section)) {
            proxy.awaitGuard(lever.guard);
            String url = proxy.url("lag") + "&user=app&password=" + ConflictSchema.PASSWORD;
            Thread writer = thread("small-writes", () -> write(url));
            Thread reader = thread("standby-probe", this::observe);
            double seconds;
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                // Proves before the measurement that the account may set the domain.
                statement.execute("INSERT INTO small VALUES (2000000000)");
                pair.awaitCaughtUp(PATIENCE);
                awaitFree(proxy, lever.guard);
                long start = System.nanoTime();
                statement.execute("ALTER TABLE big FORCE, ADD KEY k" + lever.ordinal() + " (a, b), ALGORITHM=COPY");
                seconds = (System.nanoTime() - start) / 1e9;
            }
            pair.awaitCaughtUp(PATIENCE);
            over.set(true);
            writer.join();
            pair.awaitCaughtUp(PATIENCE);
            reader.join(PATIENCE.toMillis());
            return result(seconds);
        }
    }

    /**
     * The guard must know that the standby has applied the earlier writes; otherwise it keeps the ALTER in their
     * domain.
     */
    private static void awaitFree(DomainsProxy proxy, String guard) throws InterruptedException {
        Thread.sleep(500);
        proxy.awaitGuard(guard);
    }

    private interface Task {
        void run() throws Exception;
    }

    private static Thread thread(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (Exception e) {
                        throw new IllegalStateException(name + ": " + e.getMessage(), e);
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void write(String url) throws SQLException, InterruptedException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            while (!over.get() && written < MOST_WRITES) {
                int id = written;
                statement.execute("INSERT INTO small VALUES (" + id + ")");
                committedAt[id] = System.nanoTime();
                gtids.set(id, lastGtid(statement));
                written = id + 1;
                Thread.sleep(WRITE_EVERY_NANOS / 1_000_000L);
            }
        }
    }

    private static String lastGtid(Statement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery("SELECT @@last_gtid")) {
            rows.next();
            return rows.getString(1);
        }
    }

    private void observe() throws SQLException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        int seen = 0;
        try (Connection connection = pair.standby().connect();
                PreparedStatement wait = connection.prepareStatement("SELECT MASTER_GTID_WAIT(?, 180)")) {
            while ((!over.get() || seen < written) && System.nanoTime() - deadline < 0) {
                if (seen == written) {
                    Thread.sleep(1);
                    continue;
                }
                wait.setString(1, gtids.get(seen));
                wait.executeQuery().close();
                seenAt.set(seen, System.nanoTime());
                seen++;
            }
        }
    }

    private Result result(double alterSeconds) {
        double[] lags = new double[written];
        int count = 0;
        for (int id = 0; id < written; id++) {
            Long seen = seenAt.get(id);
            if (seen != null) {
                // The replica may be faster than the primary's response through the proxy.
                lags[count++] = Math.max(0, (seen - committedAt[id]) / 1e6);
            }
        }
        double[] sorted = Arrays.copyOf(lags, count);
        Arrays.sort(sorted);
        return new Result(
                lever,
                count,
                at(sorted, 0.5),
                at(sorted, 0.95),
                at(sorted, 1),
                alterSeconds,
                pair.primary().query("SELECT @@global.gtid_binlog_pos"));
    }

    private static double at(double[] sorted, double share) {
        return sorted.length == 0 ? Double.NaN : sorted[(int) Math.ceil(share * sorted.length) - 1];
    }
}
