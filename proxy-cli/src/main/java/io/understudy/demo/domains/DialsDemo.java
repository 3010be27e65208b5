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
    private static final int ROUNDS = 7;
    /** Of the log on which the simulation is calibrated; none of those that it predicts has it. */
    private static final int CALIBRATING_COUNT = 8;

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
        List<DialsExperiment.Result> results = new ArrayList<>();
        DialsExperiment.Result calibrating;
        try (EmbeddedPair pair = EmbeddedPair.start(ConflictRun.parallel())) {
            DialsExperiment.prepare(pair);
            DialsExperiment experiment = new DialsExperiment(pair, SESSIONS, transactions, ROUNDS);
            calibrating = experiment.run(CALIBRATING_COUNT, WAIT_MICROS);
            for (int count : COUNTS) {
                results.add(experiment.run(count, WAIT_MICROS));
            }
        }
        double oneWorker = Math.min(
                calibrating.seconds(1),
                results.stream().mapToDouble(result -> result.seconds(1)).min().orElseThrow());
        DialsCalibration calibration = calibrate(calibrating.withOneWorker(oneWorker));
        results.replaceAll(result -> result.withOneWorker(oneWorker));
        title();
        results.forEach(result -> say(result, calibration));
        DialsExperiment.Result none = results.get(0);
        DialsExperiment.Result most = results.get(results.size() - 1);
        say("");
        say(
                "%d of %d simulated speed-ups are within %.0f %% of the real ones.",
                right(results, calibration), results.size() * (Dials.WORKERS.size() - 1), 100 * TOLERANCE);
        return most.perGroup() > none.perGroup();
    }

    private DialsCalibration calibrate(DialsExperiment.Result measured) {
        int processors = Runtime.getRuntime().availableProcessors();
        DialsCalibration calibration = DialsCalibration.of(measured.groupSizes(), measured.catchUp(), processors);
        double micros = measured.seconds(1) * 1e6 / transactions;
        say(
                "calibrated on a log with wait_count %d (%.2f per group): %.0f us a transaction with one worker, %.0f"
                        + " of them its commit;",
                CALIBRATING_COUNT, measured.perGroup(), micros, micros * calibration.commitShare());
        say(
                "%.1f us more for each other worker; the workers get %.2f processors of the machine's %d",
                micros * calibration.handOver(), calibration.processors(), processors);
        return calibration;
    }

    private void title() {
        say("");
        say(
                "  %-10s %17s %9s   %-33s %s",
                "", "commit on primary", "", "replica's catch-up in seconds", "speed-up: real (simulated)");
        say(
                "  %-10s %8s %8s %9s   %7s %7s %7s %7s %14s %14s %14s",
                "wait_count", "p50 ms", "p95 ms", "per group", "1", "2", "4", "8 workers", "2", "4", "8 workers");
    }

    private static int right(List<DialsExperiment.Result> results, DialsCalibration calibration) {
        int right = 0;
        for (DialsExperiment.Result result : results) {
            for (int workers : Dials.WORKERS) {
                double off = calibration.speedup(result.groupSizes(), workers) / result.speedup(workers) - 1;
                right += workers > 1 && Math.abs(off) <= TOLERANCE ? 1 : 0;
            }
        }
        return right;
    }

    private void say(DialsExperiment.Result result, DialsCalibration calibration) {
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
                speedup(result, calibration, 2),
                speedup(result, calibration, 4),
                speedup(result, calibration, 8));
    }

    private static String speedup(DialsExperiment.Result result, DialsCalibration calibration, int workers) {
        return String.format(
                Locale.ROOT, "%.2f (%.2f)", result.speedup(workers), calibration.speedup(result.groupSizes(), workers));
    }

    private void say(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
        out.flush();
    }
}
