package io.understudy.demo.domains;

import io.understudy.demo.Output;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.steering.parallelism.Dials;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;

/** Turns the dials of group commit and parallel apply, and draws one table. */
public final class DialsDemo {
    private static final int SESSIONS = 16;
    /** {@code binlog_commit_wait_count} and {@code binlog_commit_wait_usec}; the last waits for more than there are. */
    private static final int[][] DIALS = {{0, 5_000}, {4, 5_000}, {16, 500}, {16, 5_000}, {32, 5_000}};

    private static final int ROUNDS = 3;
    /** The setting with which the calibrating log is written; no predicted log has it. */
    private static final int CALIBRATING_COUNT = 8;

    private static final int CALIBRATING_MICROS = 5_000;
    /** For so long each row waits on the replica. */
    private static final int ROW_MICROS = 2_000;

    /** A simulated speed-up counts as right within this share of the real one. */
    private static final double TOLERANCE = 0.25;
    /** The least speed-up that eight workers must reach with the largest groups. */
    private static final double LEAST_SPEEDUP = 2;

    private final int transactions;
    private final Output out;

    /** @param transactions of the load, for each setting */
    public DialsDemo(int transactions, PrintWriter out) {
        this.transactions = transactions;
        this.out = new Output(out);
    }

    /**
     * Runs all settings. Returns true if the wait made larger groups, and eight workers applied those in half the time.
     */
    public boolean run() throws Exception {
        out.say(
                "%,d small transactions of %d sessions, slave_parallel_mode=conservative; on the replica each row waits"
                        + " %,d us, as for a page from a disk",
                transactions, SESSIONS, ROW_MICROS);
        List<DialsExperiment.Result> results = new ArrayList<>();
        DialsExperiment.Result alone;
        DialsExperiment.Result calibrating;
        try (EmbeddedPair pair = EmbeddedPair.start(ConflictRun.parallel())) {
            DialsExperiment.prepare(pair, ROW_MICROS);
            DialsExperiment experiment = new DialsExperiment(pair, SESSIONS, transactions, ROUNDS);
            alone = new DialsExperiment(pair, 1, transactions, ROUNDS).run(0, CALIBRATING_MICROS);
            calibrating = experiment.run(CALIBRATING_COUNT, CALIBRATING_MICROS);
            for (int[] dials : DIALS) {
                results.add(experiment.run(dials[0], dials[1]));
            }
        }
        double oneWorker = Math.min(
                Math.min(alone.seconds(1), calibrating.seconds(1)),
                results.stream().mapToDouble(result -> result.seconds(1)).min().orElseThrow());
        DialsCalibration calibration = calibrate(alone.withOneWorker(oneWorker), calibrating.withOneWorker(oneWorker));
        results.replaceAll(result -> result.withOneWorker(oneWorker));
        title();
        results.forEach(result -> row(result, calibration));
        DialsExperiment.Result none = results.get(0);
        DialsExperiment.Result most = results.get(results.size() - 1);
        out.say("");
        out.say(
                "%d of %d simulated speed-ups are within %.0f %% of the real ones, which are %.2f to %.2f; one figure"
                        + " for all would be right in %d.",
                right(results, calibration::speedup),
                real(results).size(),
                100 * TOLERANCE,
                Collections.min(real(results)),
                Collections.max(real(results)),
                real(results).stream()
                        .mapToInt(figure -> right(results, (groups, workers) -> figure))
                        .max()
                        .orElse(0));
        return most.perGroup() > none.perGroup() && most.speedup(8) >= LEAST_SPEEDUP;
    }

    /** Returns the real speed-ups of all settings. */
    private static List<Double> real(List<DialsExperiment.Result> results) {
        List<Double> all = new ArrayList<>();
        for (DialsExperiment.Result result : results) {
            Dials.WORKERS.stream().filter(workers -> workers > 1).forEach(workers -> all.add(result.speedup(workers)));
        }
        return all;
    }

    private DialsCalibration calibrate(DialsExperiment.Result alone, DialsExperiment.Result measured) {
        int processors = Runtime.getRuntime().availableProcessors();
        double micros = measured.seconds(1) * 1e6 / transactions;
        DialsCalibration calibration = DialsCalibration.of(
                List.of(
                        new DialsCalibration.Measured(alone.groupSizes(), alone.catchUp()),
                        new DialsCalibration.Measured(measured.groupSizes(), measured.catchUp())),
                Math.min(1, ROW_MICROS / micros),
                processors);
        out.say(
                "calibrated on a log of one session, and on one with wait_count %d, wait_usec %d (%.2f per group):"
                        + " %.0f us a transaction with one worker, %.0f of them its commit;",
                CALIBRATING_COUNT, CALIBRATING_MICROS, measured.perGroup(), micros, micros * calibration.commitShare());
        out.say(
                "%.1f us more for each other worker; the workers get %.1f processors of the machine's %d",
                micros * calibration.handOver(), calibration.processors(), processors);
        return calibration;
    }

    private void title() {
        out.say("");
        out.say(
                "  %-10s %9s %17s %9s   %-33s %s",
                "", "", "commit on primary", "", "replica's catch-up in seconds", "speed-up: real (simulated)");
        out.say(
                "  %-10s %9s %8s %8s %9s   %7s %7s %7s %7s %14s %14s %14s",
                "wait_count",
                "wait_usec",
                "p50 ms",
                "p95 ms",
                "per group",
                "1",
                "2",
                "4",
                "8 workers",
                "2",
                "4",
                "8 workers");
    }

    private static int right(List<DialsExperiment.Result> results, BiFunction<List<Integer>, Integer, Double> speedup) {
        int right = 0;
        for (DialsExperiment.Result result : results) {
            for (int workers : Dials.WORKERS) {
                double off = speedup.apply(result.groupSizes(), workers) / result.speedup(workers) - 1;
                right += workers > 1 && Math.abs(off) <= TOLERANCE ? 1 : 0;
            }
        }
        return right;
    }

    private void row(DialsExperiment.Result result, DialsCalibration calibration) {
        out.say(
                "  %-10d %9s %8.2f %8.2f %9.2f   %7.2f %7.2f %7.2f %9.2f %14s %14s %14s",
                result.waitCount(),
                result.waitCount() == 0 ? "" : result.waitMicros(),
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
        return Output.format("%.2f (%.2f)", result.speedup(workers), calibration.speedup(result.groupSizes(), workers));
    }
}
