package io.understudy.demo.semisync;

import io.understudy.metrics.LatencyHistogram;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.servers.SemiSyncSource;
import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;

/**
 * Measures one setting: inserts, each its own transaction, in sequence over one connection through the proxy. First as
 * many as the time allows, with the counters read before and after all of them; then some more with a probe of the
 * server's counter around each, which would have slowed the first ones down.
 */
final class InsertRun {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int LEAST = 3;
    private static final int MOST_CHECKED = 100;
    /** The link's timer may be this much early. */
    private static final double SLACK_MILLIS = 1;

    private final Setting setting;
    private final Connection application;
    private final Connection primary;
    private final Attributed attributed;
    private final BooleanSupplier interrupted;
    private final List<String> problems = new ArrayList<>();

    /**
     * @param application connection through the proxy, in the schema with the table {@code payments}
     * @param primary direct connection, for the server's counters
     */
    InsertRun(
            Setting setting,
            Connection application,
            Connection primary,
            Attributed attributed,
            BooleanSupplier interrupted) {
        this.setting = setting;
        this.application = application;
        this.primary = primary;
        this.attributed = attributed;
        this.interrupted = interrupted;
    }

    /** @param length of the whole run; a quarter of it is for the commits that are checked one by one */
    Row measure(Duration length) throws SQLException, InterruptedException {
        try (PreparedStatement insert = application.prepareStatement(
                "INSERT INTO payments (amount, note) VALUES (?, 'semi-sync experiment')")) {
            untilAttributed(insert);
            return measure(insert, length);
        }
    }

    private Row measure(PreparedStatement insert, Duration length) throws SQLException, InterruptedException {
        long split = attributed.commits();
        long ackNanos = attributed.ackNanos();
        long executeNanos = attributed.executeNanos();
        SemiSyncCounters before = SemiSyncCounters.read(primary);
        long begin = System.nanoTime();
        long[] latencies = inserts(insert, length.multipliedBy(3).dividedBy(4).toNanos());
        double seconds = (System.nanoTime() - begin) / 1e9;
        SemiSyncCounters server = SemiSyncCounters.read(primary).since(before);
        int commits = latencies.length;
        if (!attributed.await(split + commits, PATIENCE)) {
            problems.add("of " + commits + " commits " + (attributed.commits() - split) + " were attributed");
        }
        long joined = Math.max(1, attributed.commits() - split);
        double ack = (attributed.ackNanos() - ackNanos) / 1e6 / joined;
        double execute = (attributed.executeNanos() - executeNanos) / 1e6 / joined;
        List<Double> errors = check(insert, length.dividedBy(4).toNanos());
        Arrays.sort(latencies);
        double p50 = at(latencies, 0.5);
        judge(server, commits, p50);
        return new Row(
                setting,
                commits,
                commits / seconds,
                p50,
                at(latencies, 0.99),
                execute,
                ack,
                server.waits() == 0 ? 0 : server.waitMicros() / 1e3 / server.waits(),
                errors.size(),
                median(errors),
                List.copyOf(problems));
    }

    /** The first commits pass before the proxy reads the binary log. */
    private void untilAttributed(PreparedStatement insert) throws SQLException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        do {
            if (System.nanoTime() - deadline > 0) {
                problems.add("no commit was attributed within " + PATIENCE.toSeconds() + " s");
                return;
            }
            insert(insert);
        } while (!attributed.await(1, Duration.ofMillis(200)));
        // Commits before the first attributed one stay without attribution; later ones get theirs at the next probe.
        attributed.await(attributed.commits() + 1, Duration.ofMillis(50));
    }

    private long[] inserts(PreparedStatement insert, long nanos) throws SQLException {
        LongStream.Builder latencies = LongStream.builder();
        long end = System.nanoTime() + nanos;
        for (int n = 0; (n < LEAST || System.nanoTime() - end < 0) && !interrupted.getAsBoolean(); n++) {
            latencies.accept(insert(insert));
        }
        return latencies.build().toArray();
    }

    private long insert(PreparedStatement insert) throws SQLException {
        insert.setInt(1, 42);
        long begin = System.nanoTime();
        insert.executeUpdate();
        return System.nanoTime() - begin;
    }

    /** Returns the absolute differences between the proxy and the server, one per commit, in milliseconds. */
    private List<Double> check(PreparedStatement insert, long nanos) throws SQLException, InterruptedException {
        List<Double> errors = new ArrayList<>();
        long end = System.nanoTime() + nanos;
        while ((errors.size() < LEAST || System.nanoTime() - end < 0)
                && errors.size() < MOST_CHECKED
                && !interrupted.getAsBoolean()) {
            long ackNanos = attributed.ackNanos();
            SemiSyncCounters before = SemiSyncCounters.read(primary);
            long split = attributed.commits();
            insert(insert);
            SemiSyncCounters server = SemiSyncCounters.read(primary).since(before);
            if (!attributed.await(split + 1, PATIENCE)) {
                problems.add("a commit was not attributed within " + PATIENCE.toSeconds() + " s");
                break;
            }
            errors.add(Math.abs((attributed.ackNanos() - ackNanos) / 1e6 - server.waitMicros() / 1e3));
        }
        return errors;
    }

    private void judge(SemiSyncCounters server, int commits, double p50) {
        if (commits < LEAST) {
            problems.add("only " + commits + " commits");
            return;
        }
        if (!setting.semiSync()) {
            if (server.acknowledged() > 0) {
                problems.add(
                        "the primary waited for " + server.acknowledged() + " acknowledgements, and should not have");
            }
            return;
        }
        if (server.acknowledged() < commits || server.unacknowledged() > 0) {
            problems.add("of " + commits + " commits the server counts " + server.acknowledged()
                    + " as acknowledged and " + server.unacknowledged() + " as not");
        }
        if (p50 + SLACK_MILLIS < setting.rtt().toNanos() / 1e6) {
            problems.add("a commit took less time than the way to the replica and back");
        }
    }

    /** Returns a quantile of sorted nanoseconds, in milliseconds. */
    private static double at(long[] sorted, double share) {
        return sorted.length == 0 ? 0 : sorted[Math.min(sorted.length - 1, (int) (share * sorted.length))] / 1e6;
    }

    private static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2);
    }

    /**
     * The server's counters of semi-synchronous replication at one probe.
     *
     * @param acknowledged transactions acknowledged in time
     * @param unacknowledged transactions not acknowledged in time
     * @param waits transactions that waited
     * @param waitMicros their total wait, in microseconds
     */
    record SemiSyncCounters(long acknowledged, long unacknowledged, long waits, long waitMicros) {

        static SemiSyncCounters read(Connection connection) throws SQLException {
            Map<String, String> all = new ServerQueries(connection).pairs("SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync%'");
            return new SemiSyncCounters(
                    SemiSyncSource.number(all, "yes_tx"),
                    SemiSyncSource.number(all, "no_tx"),
                    SemiSyncSource.number(all, "tx_waits"),
                    SemiSyncSource.number(all, "tx_wait_time"));
        }

        SemiSyncCounters since(SemiSyncCounters before) {
            return new SemiSyncCounters(
                    acknowledged - before.acknowledged,
                    unacknowledged - before.unacknowledged,
                    waits - before.waits,
                    waitMicros - before.waitMicros);
        }
    }

    /** The results of {@code commit-latency} so far, from its metrics. */
    static final class Attributed {
        private static final long LOOK_MILLIS = 2;

        private final LatencyHistogram ack;
        private final LatencyHistogram execute;

        Attributed(LatencyHistograms histograms) {
            ack = histograms.series("understudy_commit_semisync_wait_seconds", "", "source", "binlog");
            execute = histograms.series("understudy_commit_execute_seconds", "");
        }

        /** Commits whose time was split. */
        long commits() {
            // Recorded last but one, so the execution of as many is known when the next probe sees the same number
            // there.
            return Math.min(ack.count(), execute.count());
        }

        /** Waits for the own acknowledgement, together, nanoseconds. */
        long ackNanos() {
            return ack.sumNanos();
        }

        /** Execution and flush, together, nanoseconds. */
        long executeNanos() {
            return execute.sumNanos();
        }

        /** Waits until so many commits are split; false when that takes longer than {@code patience}. */
        boolean await(long commits, Duration patience) throws InterruptedException {
            long deadline = System.nanoTime() + patience.toNanos();
            while (commits() < commits) {
                if (System.nanoTime() - deadline > 0) {
                    return false;
                }
                Thread.sleep(LOOK_MILLIS);
            }
            return true;
        }
    }
}
