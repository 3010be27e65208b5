package io.understudy.demo.domains;

import io.understudy.steering.parallelism.AppliedTransaction;
import io.understudy.steering.parallelism.ApplyCost;
import io.understudy.steering.parallelism.ParallelApply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * What the simulation has to know of a replica, from how long one log took it with each number of workers: the share of
 * the commit in a transaction, what another worker costs each transaction, and how many processors the workers get,
 * which other work of the machine decides too.
 */
final class DialsCalibration {
    /** Time of a transaction with one worker, in the units of the simulation. */
    private static final long UNIT = 10_000;

    /** Shares that a commit may take of the time that is not known to be waiting. */
    private static final double[] COMMITS = {0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};

    private static final double HAND_OVER_STEP = 0.04;
    private static final double HAND_OVER_MOST = 0.4;
    private static final double[] PROCESSORS = {1, 1.2, 1.5, 2, 3, 4, 6, 8, 12, 16};
    /** Weight that prefers, of two equal fits, the one nearer to the machine's number of processors. */
    private static final double PRIOR = 0.02;

    private final ApplyCost cost;

    private DialsCalibration(ApplyCost cost) {
        this.cost = cost;
    }

    /**
     * What a replica needed for a log.
     *
     * @param groupSizes transactions of each commit group, in the log's order
     * @param seconds that the log took, by number of workers
     */
    record Measured(List<Integer> groupSizes, Map<Integer, Double> seconds) {}

    /**
     * Finds the cost with which the simulation is nearest to what was measured.
     *
     * @param logs those that were measured
     * @param waiting known share of a transaction's time in which it waits and needs no processor
     * @param processors of the machine
     */
    static DialsCalibration of(List<Measured> logs, double waiting, int processors) {
        DialsCalibration best = new DialsCalibration(cost(0, 0, waiting, processors));
        double least = Double.MAX_VALUE;
        for (double commit : COMMITS) {
            for (double handOver = 0; handOver <= HAND_OVER_MOST; handOver += HAND_OVER_STEP) {
                for (double got : PROCESSORS) {
                    DialsCalibration tried =
                            new DialsCalibration(cost(commit * (1 - waiting), handOver * (1 - waiting), waiting, got));
                    double error = PRIOR * Math.abs(Math.log(got / processors));
                    for (Measured log : logs) {
                        error += tried.error(log);
                    }
                    if (error < least) {
                        least = error;
                        best = tried;
                    }
                }
            }
        }
        return best;
    }

    private double error(Measured log) {
        double one = log.seconds().getOrDefault(1, Double.NaN);
        double error = 0;
        for (Map.Entry<Integer, Double> measured : log.seconds().entrySet()) {
            double off = Math.log(speedup(log.groupSizes(), measured.getKey()) * measured.getValue() / one);
            error += off * off;
        }
        return error;
    }

    private static ApplyCost cost(double commit, double handOver, double waiting, double processors) {
        long commits = Math.round(commit * UNIT);
        double computing = Math.max(0, (UNIT * (1 - waiting) - commits) / (UNIT - commits));
        return new ApplyCost(UNIT - commits, 1, commits, 0, Math.round(handOver * UNIT), computing, processors);
    }

    /** Returns the simulated speed relative to one worker. */
    double speedup(List<Integer> groupSizes, int workers) {
        List<AppliedTransaction> log = new ArrayList<>();
        for (int group = 0; group < groupSizes.size(); group++) {
            AppliedTransaction transaction = new AppliedTransaction("", 0, group, cost.perTransaction(), false, 0);
            log.addAll(Collections.nCopies(groupSizes.get(group), transaction));
        }
        return ParallelApply.simulate(log, workers, cost).speedup();
    }

    /** Returns the share of the commit in the time of a transaction with one worker. */
    double commitShare() {
        return cost.commit() / (double) UNIT;
    }

    /** Returns what each other worker costs a transaction, in transactions of one worker. */
    double handOver() {
        return cost.handOver() / (double) UNIT;
    }

    /** Returns the processors that the workers get. */
    double processors() {
        return cost.processors();
    }
}
