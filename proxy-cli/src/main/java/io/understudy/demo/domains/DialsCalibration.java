package io.understudy.demo.domains;

import io.understudy.plugins.gtiddomain.parallelism.AppliedTransaction;
import io.understudy.plugins.gtiddomain.parallelism.ApplyCost;
import io.understudy.plugins.gtiddomain.parallelism.ParallelApply;
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
    private static final long UNIT = 1_000;
    /** The simulation of so many transactions is as good as that of all. */
    private static final int TRANSACTIONS = 200;

    private static final double COMMIT_STEP = 0.1;
    private static final double COMMIT_MOST = 0.9;
    private static final double HAND_OVER_STEP = 0.04;
    private static final double HAND_OVER_MOST = 0.4;
    private static final double[] PROCESSORS = {1, 1.5, 2, 3, 4, 6, 8};
    /** Of two fits alike the one nearer to the machine's processors. */
    private static final double PRIOR = 0.02;

    private final ApplyCost cost;

    private DialsCalibration(ApplyCost cost) {
        this.cost = cost;
    }

    /**
     * Finds the cost with which the simulation is nearest to what was measured.
     *
     * @param groupSizes transactions of each commit group, in the log's order
     * @param seconds that the log took, by number of workers
     * @param processors of the machine
     */
    static DialsCalibration of(List<Integer> groupSizes, Map<Integer, Double> seconds, int processors) {
        DialsCalibration best = new DialsCalibration(cost(0, 0, processors));
        double least = Double.MAX_VALUE;
        for (double commit = COMMIT_STEP; commit <= COMMIT_MOST; commit += COMMIT_STEP) {
            for (double handOver = 0; handOver <= HAND_OVER_MOST; handOver += HAND_OVER_STEP) {
                for (double got : PROCESSORS) {
                    DialsCalibration tried = new DialsCalibration(cost(commit, handOver, got));
                    double error = tried.error(groupSizes, seconds) + PRIOR * Math.abs(Math.log(got / processors));
                    if (error < least) {
                        least = error;
                        best = tried;
                    }
                }
            }
        }
        return best;
    }

    private double error(List<Integer> groupSizes, Map<Integer, Double> seconds) {
        double one = seconds.getOrDefault(1, Double.NaN);
        double error = 0;
        for (Map.Entry<Integer, Double> measured : seconds.entrySet()) {
            double off = Math.log(speedup(groupSizes, measured.getKey()) * measured.getValue() / one);
            error += off * off;
        }
        return error;
    }

    private static ApplyCost cost(double commit, double handOver, double processors) {
        long commits = Math.round(commit * UNIT);
        return new ApplyCost(UNIT - commits, 1, commits, 0, Math.round(handOver * UNIT), processors);
    }

    /** Returns the simulated speed relative to one worker. */
    double speedup(List<Integer> groupSizes, int workers) {
        AppliedTransaction transaction = new AppliedTransaction("", cost.perTransaction());
        List<List<AppliedTransaction>> groups = new ArrayList<>();
        int transactions = 0;
        for (int size : groupSizes) {
            if (transactions >= TRANSACTIONS) {
                break;
            }
            transactions += size;
            groups.add(Collections.nCopies(size, transaction));
        }
        return ParallelApply.simulate(groups, workers, cost).speedup();
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
