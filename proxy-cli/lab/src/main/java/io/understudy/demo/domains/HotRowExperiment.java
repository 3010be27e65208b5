package io.understudy.demo.domains;

import io.understudy.demo.DemoProxy;
import io.understudy.demo.Sessions;
import io.understudy.embedded.EmbeddedPair;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sessions that change one row, beside sessions that change rows of their own, while the replica's applier is stopped:
 * measures how long the replica then needs, and how often it had to repeat a transaction.
 */
final class HotRowExperiment {
    private static final int HOT_SESSIONS = 4;
    private static final int OTHER_SESSIONS = 2;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /**
     * The measured time of the replica.
     *
     * @param transactions applied
     * @param retries transactions that it repeated
     * @param seconds from its applier's start until it had caught up
     */
    record Result(int transactions, long retries, double seconds) {}

    private final EmbeddedPair pair;
    private final boolean skip;
    private final int transactions;

    HotRowExperiment(EmbeddedPair pair, boolean skip, int transactions) {
        this.pair = pair;
        this.skip = skip;
        this.transactions = transactions;
    }

    /** Creates the tables, once for both runs. */
    static void prepare(EmbeddedPair pair) {
        pair.primary()
                .execute(
                        "CREATE DATABASE IF NOT EXISTS lag",
                        "CREATE TABLE lag.counters (id INT PRIMARY KEY, n INT NOT NULL)",
                        "INSERT INTO lag.counters SELECT seq, 0 FROM lag.seq_1_to_" + HOT_SESSIONS,
                        "CREATE TABLE lag.log (session INT, id INT, PRIMARY KEY (session, id))");
        pair.awaitCaughtUp(PATIENCE);
    }

    Result run() throws Exception {
        pair.primary().execute("TRUNCATE lag.log");
        pair.awaitCaughtUp(PATIENCE);
        String section = "mode: " + (skip ? "tag" : "advise")
                + "\nrules: [ { name: hot-row, match: { table: lag.counters }, parallel: skip } ]\n";
        try (DemoProxy proxy = ConflictRun.proxy(pair, section)) {
            pair.standby().execute("STOP SLAVE SQL_THREAD");
            long before = retries();
            write(proxy.url("lag") + "&useServerPrepStmts=false&user=app&password=" + ConflictSchema.PASSWORD);
            long start = System.nanoTime();
            pair.standby().execute("START SLAVE SQL_THREAD");
            pair.awaitCaughtUp(PATIENCE);
            double seconds = (System.nanoTime() - start) / 1e9;
            return new Result(transactions, retries() - before, seconds);
        }
    }

    /** Returns the median of each figure. */
    static Result median(List<Result> runs) {
        long[] retries = runs.stream().mapToLong(Result::retries).sorted().toArray();
        double[] seconds = runs.stream().mapToDouble(Result::seconds).sorted().toArray();
        return new Result(runs.get(0).transactions(), retries[retries.length / 2], seconds[seconds.length / 2]);
    }

    private long retries() {
        return pair.standby().status("Slave_retried_transactions");
    }

    private void write(String url) throws Exception {
        AtomicInteger left = new AtomicInteger(transactions);
        Sessions.start("hot-row", HOT_SESSIONS + OTHER_SESSIONS, (load, number) -> write(url, number, left))
                .join();
    }

    private static void write(String url, int session, AtomicInteger left) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (int id = left.getAndDecrement(); id > 0; id = left.getAndDecrement()) {
                statement.execute(
                        session < HOT_SESSIONS
                                ? "UPDATE counters SET n = n + 1 WHERE id = 1"
                                : "INSERT INTO log VALUES (" + session + ", " + id + ")");
            }
        }
    }
}
