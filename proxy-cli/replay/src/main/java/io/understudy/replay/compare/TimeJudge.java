package io.understudy.replay.compare;

import io.understudy.replay.compare.DigestComparison.TimeVerdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** Decides which digests got slower or faster: beyond chance over all digests, and by enough to matter. */
final class TimeJudge {
    /** Pairs below which times are not judged. */
    private static final int LEAST_PAIRS = 8;
    /** The share of false findings among the digests reported as slower or faster. */
    private static final double FALSE_DISCOVERIES = 0.01;

    /** The smallest ratio of the times that counts, in either direction. */
    private static final double LEAST_RATIO = 1.3;
    /** The smallest difference of the times that counts. */
    private static final long LEAST_NANOS = 200_000;

    private TimeJudge() {}

    /** Sets the verdict of each digest. */
    static void judge(Collection<DigestComparison> digests) {
        List<DigestComparison> judged = new ArrayList<>();
        for (DigestComparison one : digests) {
            if (one.pairs() >= LEAST_PAIRS) {
                judged.add(one);
            }
        }
        double[] pValues = new double[judged.size()];
        for (int i = 0; i < pValues.length; i++) {
            pValues[i] = SignedRank.pValue(judged.get(i).logRatios());
        }
        double threshold = threshold(pValues, FALSE_DISCOVERIES);
        for (int i = 0; i < pValues.length; i++) {
            DigestComparison one = judged.get(i);
            double ratio = Math.exp(SignedRank.estimate(one.logRatios()));
            double nanos = SignedRank.estimate(one.differences());
            int direction = 0;
            if (pValues[i] <= threshold) {
                if (ratio >= LEAST_RATIO && nanos >= LEAST_NANOS) {
                    direction = 1;
                } else if (ratio <= 1 / LEAST_RATIO && nanos <= -LEAST_NANOS) {
                    direction = -1;
                }
            }
            one.time = new TimeVerdict(direction, pValues[i], ratio, nanos);
        }
    }

    /**
     * Wilcoxon's signed-rank test, two-sided: do paired differences lie symmetrically around zero? Exact for up to
     * {@link #EXACT} pairs, also with equal differences; beyond, the normal approximation with corrections for ties and
     * continuity. Differences of zero are left out.
     */
    static final class SignedRank {
        /** Pairs up to which all assignments of signs are counted. */
        static final int EXACT = 60;

        private SignedRank() {}

        /** Returns the probability of a rank sum at least as far from its mean, 1 without a difference. */
        static double pValue(double[] differences) {
            double[] nonZero = Arrays.stream(differences).filter(d -> d != 0).toArray();
            int n = nonZero.length;
            if (n == 0) {
                return 1;
            }
            Double[] byMagnitude = Arrays.stream(nonZero).boxed().toArray(Double[]::new);
            Arrays.sort(byMagnitude, (x, y) -> Double.compare(Math.abs(x), Math.abs(y)));
            // Twice the rank, so that the mean rank of ties is whole.
            int[] ranks = new int[n];
            double tieTerm = 0;
            for (int from = 0; from < n; ) {
                int to = from + 1;
                while (to < n && Math.abs(byMagnitude[to]) == Math.abs(byMagnitude[from])) {
                    to++;
                }
                Arrays.fill(ranks, from, to, from + 1 + to);
                double ties = to - from;
                tieTerm += ties * ties * ties - ties;
                from = to;
            }
            long positive = 0;
            for (int i = 0; i < n; i++) {
                positive += byMagnitude[i] > 0 ? ranks[i] : 0;
            }
            return n <= EXACT ? exact(ranks, positive) : approximate(n, positive / 2.0, tieTerm);
        }

        /** Counts, for every sum of ranks, the assignments of signs that give it. */
        private static double exact(int[] ranks, long positive) {
            int total = Arrays.stream(ranks).sum();
            double[] share = new double[total + 1];
            share[0] = 1;
            int reached = 0;
            for (int rank : ranks) {
                reached += rank;
                for (int sum = reached; sum >= 0; sum--) {
                    share[sum] = (share[sum] + (sum >= rank ? share[sum - rank] : 0)) / 2;
                }
            }
            long distance = Math.abs(2 * positive - total);
            double p = 0;
            for (int sum = 0; sum <= total; sum++) {
                if (Math.abs(2L * sum - total) >= distance) {
                    p += share[sum];
                }
            }
            return Math.min(1, p);
        }

        private static double approximate(double n, double positive, double tieTerm) {
            double mean = n * (n + 1) / 4;
            double variance = n * (n + 1) * (2 * n + 1) / 24 - tieTerm / 48;
            double z = Math.max(0, Math.abs(positive - mean) - 0.5) / Math.sqrt(variance);
            return Math.min(1, 2 * upperTail(z));
        }

        /** Returns the normal distribution's upper tail by a continued fraction, or by a series near the middle. */
        private static double upperTail(double z) {
            double density = Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
            if (z < 3) {
                double term = z;
                double sum = z;
                for (int k = 3; Math.abs(term) > 1e-17; k += 2) {
                    term *= z * z / k;
                    sum += term;
                }
                return 0.5 - density * sum;
            }
            double fraction = z;
            for (int k = 100; k >= 1; k--) {
                fraction = z + k / fraction;
            }
            return density / fraction;
        }

        /** Returns the Hodges-Lehmann estimate that belongs to the test: the median of all means of two differences. */
        static double estimate(double[] differences) {
            int n = differences.length;
            if (n == 0) {
                return 0;
            }
            double[] means = new double[n * (n + 1) / 2];
            int at = 0;
            for (int i = 0; i < n; i++) {
                for (int j = i; j < n; j++) {
                    means[at++] = (differences[i] + differences[j]) / 2;
                }
            }
            Arrays.sort(means);
            int middle = means.length / 2;
            return means.length % 2 == 1 ? means[middle] : (means[middle - 1] + means[middle]) / 2;
        }
    }

    /** Returns the largest p-value that counts as a finding, or -1 when none does. */
    static double threshold(double[] pValues, double rate) {
        double[] sorted = pValues.clone();
        Arrays.sort(sorted);
        for (int i = sorted.length - 1; i >= 0; i--) {
            if (sorted[i] <= rate * (i + 1) / sorted.length) {
                return sorted[i];
            }
        }
        return -1;
    }
}
