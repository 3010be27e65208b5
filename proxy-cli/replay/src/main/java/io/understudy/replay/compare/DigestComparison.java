package io.understudy.replay.compare;

import io.understudy.replay.compare.ResultPrint.Relation;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Compares the executions of one digest on both servers. Not thread-safe. */
final class DigestComparison {
    /** A statement of the digest, kept for EXPLAIN and for the report. */
    record Example(byte[] text, @Nullable String schema) {}

    private static final int LONGEST_EXAMPLE = 4096;
    /** The smallest number of executions beyond the time limit, for each on the other server, that is a finding. */
    private static final int TIMEOUTS = 3;

    final long digest;
    final String text;
    final Map<Relation, Integer> relations = new EnumMap<>(Relation.class);
    final Map<String, Integer> errors = new TreeMap<>();
    int executions;
    int unstable;
    int failedOnBoth;
    int timeoutsA;
    int timeoutsB;
    int cut;
    /** Differences in which a server's result is the captured one. */
    int capturedLikeA;

    int capturedLikeB;
    long rowsA;
    long rowsB;
    private long[] nanosA = new long[16];
    private long[] nanosB = new long[16];
    private int pairs;
    private double slowest;
    private Relation worst = Relation.EQUAL;
    private @Nullable Example differing;
    private @Nullable Example slow;

    /** Set by the judgement of all digests together. */
    TimeVerdict time = TimeVerdict.NONE;

    DigestComparison(long digest, String text) {
        this.digest = digest;
        this.text = text;
    }

    void relation(Relation relation, byte[] statement, @Nullable String schema) {
        relations.merge(relation, 1, Integer::sum);
        if (relation.compareTo(worst) > 0 && statement.length <= LONGEST_EXAMPLE) {
            worst = relation;
            differing = new Example(statement, schema);
        }
    }

    void pair(long a, long b, byte[] statement, @Nullable String schema) {
        if (pairs == nanosA.length) {
            nanosA = Arrays.copyOf(nanosA, pairs * 2);
            nanosB = Arrays.copyOf(nanosB, pairs * 2);
        }
        nanosA[pairs] = Math.max(1, a);
        nanosB[pairs++] = Math.max(1, b);
        double ratio = (double) b / Math.max(1, a);
        if ((slow == null || ratio > slowest) && statement.length <= LONGEST_EXAMPLE) {
            slowest = ratio;
            slow = new Example(statement, schema);
        }
    }

    int pairs() {
        return pairs;
    }

    double[] logRatios() {
        double[] out = new double[pairs];
        for (int i = 0; i < pairs; i++) {
            out[i] = Math.log((double) nanosB[i] / nanosA[i]);
        }
        return out;
    }

    double[] differences() {
        double[] out = new double[pairs];
        for (int i = 0; i < pairs; i++) {
            out[i] = nanosB[i] - nanosA[i];
        }
        return out;
    }

    double medianNanosA() {
        return median(nanosA);
    }

    double medianNanosB() {
        return median(nanosB);
    }

    private double median(long[] values) {
        long[] sorted = Arrays.copyOf(values, pairs);
        Arrays.sort(sorted);
        return pairs == 0 ? 0 : (sorted[(pairs - 1) / 2] + sorted[pairs / 2]) / 2.0;
    }

    int count(Relation relation) {
        return relations.getOrDefault(relation, 0);
    }

    /** Returns whether results or errors differ. */
    boolean differs() {
        return count(Relation.DIFFERENT) + count(Relation.ERROR) > 0;
    }

    /** Returns whether B ran into the time limit again and again, and A at most a third as often. */
    boolean stuckOnB() {
        return timeoutsB >= TIMEOUTS * Math.max(1, timeoutsA);
    }

    boolean stuckOnA() {
        return timeoutsA >= TIMEOUTS * Math.max(1, timeoutsB);
    }

    /** Returns whether more executions would only cost time. */
    boolean stuck() {
        return timeoutsA + timeoutsB > 2 * TIMEOUTS;
    }

    boolean slower() {
        return time.direction() > 0 || stuckOnB();
    }

    boolean faster() {
        return time.direction() < 0 || stuckOnA();
    }

    /** Returns a statement to show and explain, the worst first; null if all were too long. */
    @Nullable
    Example example() {
        return differs() && differing != null ? differing : slow;
    }

    @Nullable
    Example slowExample() {
        return slow;
    }

    /**
     * The judgement of the times.
     *
     * @param direction 1 when B is slower, -1 when it is faster, 0 when nothing is shown
     * @param pValue of the paired test, or NaN with too few pairs
     * @param ratio of B's time to A's
     * @param nanos difference of B's time to A's
     */
    record TimeVerdict(int direction, double pValue, double ratio, double nanos) {
        static final TimeVerdict NONE = new TimeVerdict(0, Double.NaN, Double.NaN, Double.NaN);
    }
}
