package io.understudy.replay.compare;

import io.understudy.replay.compare.DigestComparison.TimeVerdict;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Decides which digests got slower or faster: beyond chance over all digests, and by enough to matter. */
final class TimeJudge {
    /** Pairs below which times are not judged. */
    private static final int LEAST_PAIRS = 8;
    /** The share of false findings among the digests reported as slower or faster. */
    private static final double FALSE_DISCOVERIES = 0.01;

    private TimeJudge() {}

    /**
     * Sets the verdict of each digest.
     *
     * @param minimumRatio of the times, in either direction
     * @param minimumNanos difference of the times
     */
    static void judge(Collection<DigestComparison> digests, double minimumRatio, long minimumNanos) {
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
        double threshold = FalseDiscovery.threshold(pValues, FALSE_DISCOVERIES);
        for (int i = 0; i < pValues.length; i++) {
            DigestComparison one = judged.get(i);
            double ratio = Math.exp(SignedRank.estimate(one.logRatios()));
            double nanos = SignedRank.estimate(one.differences());
            int direction = 0;
            if (pValues[i] <= threshold) {
                if (ratio >= minimumRatio && nanos >= minimumNanos) {
                    direction = 1;
                } else if (ratio <= 1 / minimumRatio && nanos <= -minimumNanos) {
                    direction = -1;
                }
            }
            one.time = new TimeVerdict(direction, pValues[i], ratio, nanos);
        }
    }
}
