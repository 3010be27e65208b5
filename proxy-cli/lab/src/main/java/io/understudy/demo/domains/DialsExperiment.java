package io.understudy.demo.domains;

import io.understudy.demo.Sessions;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.steering.parallelism.ApplyCost;
import io.understudy.steering.parallelism.Dials;
import io.understudy.steering.parallelism.ParallelismReport;
import io.understudy.steering.parallelism.Workload;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One load of small transactions with a setting of {@code binlog_commit_wait_count/usec}: measures the commits on the
 * primary, then lets the replica apply the same log again and again, each time with other workers.
 */
final class DialsExperiment {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long PROBE_MILLIS = 20;

    /**
     * The figures of one setting.
     *
     * @param waitCount {@code binlog_commit_wait_count}
     * @param waitMicros {@code binlog_commit_wait_usec}
     * @param p50 of a commit, in milliseconds
     * @param p95 of a commit, in milliseconds
     * @param groupSizes transactions of each commit group, in the log's order
     * @param catchUp seconds that the replica needed, by number of workers
     */
    record Result(
            int waitCount,
            int waitMicros,
            double p50,
            double p95,
            List<Integer> groupSizes,
            Map<Integer, Double> catchUp) {

        double perGroup() {
            return groupSizes.stream().mapToInt(Integer::intValue).average().orElse(0);
        }

        double seconds(int workers) {
            return catchUp.getOrDefault(workers, Double.NaN);
        }

        /** Returns it with the time that one worker needs for any of the logs: its groups do not matter to one. */
        Result withOneWorker(double seconds) {
            Map<Integer, Double> all = new LinkedHashMap<>(catchUp);
            all.put(1, seconds);
            return new Result(waitCount, waitMicros, p50, p95, groupSizes, all);
        }

        double speedup(int workers) {
            return seconds(1) / seconds(workers);
        }
    }

    private final EmbeddedPair pair;
    private final int sessions;
    private final int transactions;
    private final int rounds;

    /** @param rounds how often the replica applies the log with each number of workers */
    DialsExperiment(EmbeddedPair pair, int sessions, int transactions, int rounds) {
        this.rounds = rounds;
        this.pair = pair;
        this.sessions = sessions;
        this.transactions = transactions;
    }

    /**
     * Creates the table. On the replica each row waits for a while, as a read from a disk would: workers can wait at
     * the same time, however few processors there are.
     */
    static void prepare(EmbeddedPair pair, int rowMicros) {
        pair.primary()
                .execute(
                        "CREATE DATABASE dials",
                        "CREATE TABLE dials.log (session INT, id INT, pad VARCHAR(100), PRIMARY KEY (session, id))");
        pair.awaitCaughtUp(PATIENCE);
        pair.standby()
                .execute(
                        "STOP SLAVE",
                        "SET GLOBAL slave_parallel_mode='conservative'",
                        "SET GLOBAL slave_run_triggers_for_rbr='YES'",
                        "SET SESSION sql_log_bin=0",
                        "CREATE TRIGGER dials.read_page BEFORE INSERT ON dials.log FOR EACH ROW DO SLEEP("
                                + rowMicros / 1e6 + ")",
                        "START SLAVE");
    }

    Result run(int waitCount, int waitMicros) throws Exception {
        pair.primary()
                .execute(
                        "TRUNCATE dials.log",
                        "SET GLOBAL binlog_commit_wait_count=" + waitCount,
                        "SET GLOBAL binlog_commit_wait_usec=" + waitMicros);
        pair.awaitCaughtUp(PATIENCE);
        pair.primary().execute("FLUSH BINARY LOGS");
        String begin = pair.primary().query("SELECT @@global.gtid_binlog_pos");
        pair.standby().execute("STOP SLAVE");
        double[] commits = load();
        pair.primary().execute("SET GLOBAL binlog_commit_wait_count=0");
        Workload workload = new Workload(transactions, ApplyCost.DEFAULT);
        workload.read(newestLog());
        List<Integer> groupSizes = ParallelismReport.groups(workload.entries()).stream()
                .map(List::size)
                .toList();
        return new Result(
                waitCount,
                waitMicros,
                commits[commits.length / 2],
                commits[(int) (commits.length * 0.95)],
                groupSizes,
                catchUps(begin));
    }

    /** Returns the least time of each number of workers: what takes longer is other work of the machine. */
    private Map<Integer, Double> catchUps(String begin) throws InterruptedException {
        Map<Integer, Double> least = new LinkedHashMap<>();
        for (int round = 0; round < rounds; round++) {
            for (int workers : Dials.WORKERS) {
                least.merge(workers, apply(begin, workers), Math::min);
            }
        }
        return least;
    }

    private Path newestLog() {
        String file = pair.primary().rows("SHOW MASTER STATUS").get(0).getOrDefault("file", "");
        return Path.of(pair.primary().query("SELECT @@log_bin_basename")).resolveSibling(file);
    }

    /** Lets the replica apply the load once more, from its relay log. Returns the seconds. */
    private double apply(String begin, int workers) throws InterruptedException {
        pair.standby()
                .execute(
                        "STOP SLAVE",
                        "SET GLOBAL slave_parallel_threads=" + workers,
                        "RESET MASTER", // in strict mode its own log would refuse the numbers a second time
                        "SET GLOBAL gtid_slave_pos='" + begin + "'",
                        "SET STATEMENT sql_log_bin=0 FOR TRUNCATE dials.log",
                        "START SLAVE IO_THREAD");
        awaitReceived();
        long start = System.nanoTime();
        pair.standby().execute("START SLAVE SQL_THREAD");
        pair.awaitCaughtUp(PATIENCE);
        return (System.nanoTime() - start) / 1e9;
    }

    private void awaitReceived() throws InterruptedException {
        String end = pair.primary().query("SELECT @@global.gtid_binlog_pos");
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!received().equals(end)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("the replica has received up to " + received() + ", not " + end);
            }
            Thread.sleep(PROBE_MILLIS);
        }
    }

    private String received() {
        return pair.standby().replication().getOrDefault("gtid_io_pos", "");
    }

    /** Returns the duration of each commit in milliseconds, sorted. */
    private double[] load() throws Exception {
        double[] took = new double[transactions];
        Sessions.start("dials", sessions, (load, number) -> write(number, took)).join();
        Arrays.sort(took);
        return took;
    }

    private void write(int session, double[] took) throws SQLException {
        try (Connection connection = pair.primary().connect();
                Statement statement = connection.createStatement()) {
            for (int id = session; id < transactions; id += sessions) {
                long start = System.nanoTime();
                statement.execute(
                        "INSERT INTO dials.log VALUES (" + session + ", " + id + ", REPEAT('x', " + id % 100 + "))");
                took[id] = (System.nanoTime() - start) / 1e6;
            }
        }
    }
}
