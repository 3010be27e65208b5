package io.understudy.demo.domains;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.plugins.gtiddomain.parallelism.Dials;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Turns the dials of group commit and parallel apply, and draws one table. */
public final class DialsDemo {
    private static final int SESSIONS = 16;
    private static final int[] COUNTS = {0, 4, 16};
    private static final int ROUNDS = 3;
    private static final int WAIT_MICROS = 5_000;
    /** A simulated speed-up counts as right within this share of the real one. */
    private static final double TOLERANCE = 0.25;

    private final int transactions;
    private final PrintWriter out;

    /** @param transactions of the load, for each setting */
    public DialsDemo(int transactions, PrintWriter out) {
        this.transactions = transactions;
        this.out = out;
    }

    /** Runs all settings. Returns true if the wait made larger groups. */
    public boolean run() throws Exception {
        say(
                "%,d small transactions of %d sessions, slave_parallel_mode=conservative, binlog_commit_wait_usec=%,d",
                transactions, SESSIONS, WAIT_MICROS);
        say("");
        say(
                "  %-10s %17s %9s   %-33s %s",
                "", "commit on primary", "", "replica's catch-up in seconds", "speed-up: real (simulated)");
        say(
                "  %-10s %8s %8s %9s   %7s %7s %7s %7s %14s %14s %14s",
                "wait_count", "p50 ms", "p95 ms", "per group", "1", "2", "4", "8 workers", "2", "4", "8 workers");
        List<DialsExperiment.Result> results = new ArrayList<>();
        try (EmbeddedPair pair = EmbeddedPair.start(ConflictRun.parallel())) {
            DialsExperiment.prepare(pair);
            DialsExperiment experiment = new DialsExperiment(pair, SESSIONS, transactions, ROUNDS);
            for (int count : COUNTS) {
                DialsExperiment.Result result = experiment.run(count, WAIT_MICROS);
                results.add(result);
                say(result);
            }
        }
        DialsExperiment.Result none = results.get(0);
        DialsExperiment.Result most = results.get(results.size() - 1);
        say("");
        say(
                "%d of %d simulated speed-ups are within %.0f %% of the real ones; the simulation knows no"
                        + " limit of processors or disk, and here all servers share them.",
                right(results), results.size() * (Dials.WORKERS.size() - 1), 100 * TOLERANCE);
        return most.perGroup() > none.perGroup();
    }

    private static int right(List<DialsExperiment.Result> results) {
        int right = 0;
        for (DialsExperiment.Result result : results) {
            for (int workers : Dials.WORKERS) {
                double off = result.simulated(workers) / result.speedup(workers) - 1;
                right += workers > 1 && Math.abs(off) <= TOLERANCE ? 1 : 0;
            }
        }
        return right;
    }

    private void say(DialsExperiment.Result result) {
        say(
                "  %-10d %8.2f %8.2f %9.2f   %7.2f %7.2f %7.2f %9.2f %14s %14s %14s",
                result.waitCount(),
                result.p50(),
                result.p95(),
                result.perGroup(),
                result.seconds(1),
                result.seconds(2),
                result.seconds(4),
                result.seconds(8),
                speedup(result, 2),
                speedup(result, 4),
                speedup(result, 8));
    }

    private static String speedup(DialsExperiment.Result result, int workers) {
        return String.format(Locale.ROOT, "%.2f (%.2f)", result.speedup(workers), result.simulated(workers));
    }

    private void say(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
        out.flush();
    }
}
