package io.understudy.replay.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.understudy.replay.compare.TimeJudge.SignedRank;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TimeJudgeTest {
    private static final long SEED = 20_260_115;

    /** The definition: of all assignments of signs, the share whose rank sum is at least as far from the mean. */
    private static double byEnumeration(double[] differences) {
        int n = differences.length;
        double[] rank = new double[n];
        for (int i = 0; i < n; i++) {
            double below = 0;
            double equal = 0;
            for (double other : differences) {
                below += Math.abs(other) < Math.abs(differences[i]) ? 1 : 0;
                equal += Math.abs(other) == Math.abs(differences[i]) ? 1 : 0;
            }
            rank[i] = below + (equal + 1) / 2;
        }
        double mean = Arrays.stream(rank).sum() / 2;
        double observed = 0;
        for (int i = 0; i < n; i++) {
            observed += differences[i] > 0 ? rank[i] : 0;
        }
        int asFar = 0;
        for (int signs = 0; signs < 1 << n; signs++) {
            double sum = 0;
            for (int i = 0; i < n; i++) {
                sum += (signs >> i & 1) == 1 ? rank[i] : 0;
            }
            asFar += Math.abs(sum - mean) >= Math.abs(observed - mean) - 1e-9 ? 1 : 0;
        }
        return asFar / (double) (1 << n);
    }

    @Test
    void theExactTestIsItsDefinition() {
        Random random = new Random(SEED);
        for (int n = 1; n <= 12; n++) {
            for (int round = 0; round < 20; round++) {
                double[] differences = new double[n];
                for (int i = 0; i < n; i++) {
                    // Few values, so that there are ties.
                    int value = random.nextInt(6) + 1;
                    differences[i] = random.nextInt(3) == 0 ? -value : value;
                }
                assertThat(SignedRank.pValue(differences))
                        .as("%s", Arrays.toString(differences))
                        .isCloseTo(byEnumeration(differences), within(1e-9));
            }
        }
        assertThat(SignedRank.pValue(new double[] {0, 0, 0})).isEqualTo(1);
        assertThat(SignedRank.pValue(new double[0])).isEqualTo(1);
    }

    /** Where exact and approximate test meet, both say nearly the same. */
    @Test
    void theApproximationFits() {
        Random random = new Random(SEED);
        for (double shift : new double[] {0, 0.2, 0.4}) {
            double[] exact = new double[SignedRank.EXACT];
            for (int i = 0; i < exact.length; i++) {
                exact[i] = random.nextGaussian() + shift;
            }
            double[] longer = Arrays.copyOf(exact, exact.length + 1);
            longer[exact.length] = 1e-9; // the smallest rank, so nearly nothing
            assertThat(SignedRank.pValue(longer)).isCloseTo(SignedRank.pValue(exact), within(0.03));
        }
        double[] far = new double[400];
        Arrays.fill(far, 1);
        for (int i = 0; i < far.length; i++) {
            far[i] += i * 1e-3;
        }
        assertThat(SignedRank.pValue(far)).isPositive().isLessThan(1e-60);
    }

    @Test
    void theEstimateIsTheMedianOfMeans() {
        assertThat(SignedRank.estimate(new double[] {1, 2, 6})).isEqualTo(2.75); // 1 1.5 2 3.5 4 6
        assertThat(SignedRank.estimate(new double[] {-3})).isEqualTo(-3);
    }

    @Test
    void falseDiscoveriesAreBounded() {
        // Benjamini and Hochberg 1995, section 3.3: four of fifteen at 0.05.
        double[] published = {
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
            0.7590, 1.0000
        };
        assertThat(TimeJudge.threshold(published, 0.05)).isEqualTo(0.0095);
        assertThat(TimeJudge.threshold(new double[] {0.5}, 0.05)).isNegative();
        assertThat(TimeJudge.threshold(new double[0], 0.05)).isNegative();
    }

    /** Times as a busy server has them: a quarter of scatter, and one in thirty many times as long. */
    private static DigestComparison digest(Random random, double millis, double factor, int pairs) {
        DigestComparison digest = new DigestComparison(random.nextLong(), "SELECT ?");
        for (int i = 0; i < pairs; i++) {
            double statement = millis * Math.exp(random.nextGaussian());
            digest.pair(time(random, statement), time(random, statement * factor), new byte[0], null);
        }
        return digest;
    }

    private static long time(Random random, double millis) {
        double stall = random.nextInt(30) == 0 ? 1 + random.nextInt(20) : 1;
        return (long) (1e6 * millis * stall * Math.exp(random.nextGaussian() / 4));
    }

    private static long flagged(List<DigestComparison> digests) {
        TimeJudge.judge(digests);
        return digests.stream().filter(one -> one.slower() || one.faster()).count();
    }

    @Test
    void onlyWhatMattersIsFlagged() {
        Random random = new Random(SEED);
        long same = 0;
        long little = 0;
        for (int run = 0; run < 20; run++) {
            List<DigestComparison> alike = new ArrayList<>();
            List<DigestComparison> five = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                alike.add(digest(random, 2, 1, 8 + random.nextInt(100)));
                five.add(digest(random, 2, 1.05, 150));
            }
            same += flagged(alike);
            little += flagged(five);
        }
        assertThat(same).isZero();
        assertThat(little).isZero();
        for (int run = 0; run < 20; run++) {
            List<DigestComparison> mixed = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                mixed.add(digest(random, 2, 1, 100));
            }
            DigestComparison slower = digest(random, 2, 1.6, 200);
            DigestComparison faster = digest(random, 2, 0.5, 200);
            DigestComparison tooShort = digest(random, 0.1, 2, 200);
            mixed.addAll(List.of(slower, faster, tooShort));
            assertThat(flagged(mixed)).isEqualTo(2);
            assertThat(slower.slower()).isTrue();
            assertThat(faster.faster()).isTrue();
        }
    }
}
