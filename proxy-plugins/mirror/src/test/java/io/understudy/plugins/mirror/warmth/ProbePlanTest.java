package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProbePlanTest {
    private static final long SECOND = 1_000_000_000L;

    private static int taken(ProbePlan plan, int statements) {
        int taken = 0;
        for (int i = 0; i < statements; i++) {
            taken += plan.take() ? 1 : 0;
        }
        return taken;
    }

    @Test
    void aFewASecondAreTakenWhateverTheLoad() {
        for (int load : new int[] {3, 50, 1000, 50_000}) {
            ProbePlan plan = new ProbePlan(5, 5);
            plan.adapt(5, 0);
            int taken = 0;
            for (int second = 1; second <= 60; second++) {
                int now = taken(plan, load);
                taken += second > 2 ? now : 0;
                plan.adapt(5, second * SECOND);
            }
            int expected = Math.min(load, 5) * 58;
            assertThat(taken).as("%s a second", load).isBetween(expected * 8 / 10, expected * 12 / 10);
        }
    }

    @Test
    void aLoadThatRisesAtOnceIsBounded() {
        ProbePlan plan = new ProbePlan(5, 5);
        plan.adapt(5, 0);
        plan.adapt(5, SECOND);
        assertThat(taken(plan, 100_000)).isEqualTo(20);
    }

    @Test
    void oneSeedGivesOneSequence() {
        List<List<Boolean>> runs = new ArrayList<>();
        for (long seed : new long[] {1, 1, 2}) {
            ProbePlan plan = new ProbePlan(seed, 5);
            plan.adapt(5, 0);
            taken(plan, 50);
            plan.adapt(5, SECOND);
            List<Boolean> run = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                run.add(plan.take());
            }
            runs.add(run);
        }
        assertThat(runs.get(0)).isEqualTo(runs.get(1)).isNotEqualTo(runs.get(2));
    }

    @Test
    void noneAreTakenWhenSwitchedOff() {
        ProbePlan plan = new ProbePlan(5, 0);
        assertThat(taken(plan, 1000)).isZero();
        plan.adapt(0, SECOND);
        assertThat(taken(plan, 1000)).isZero();
        plan.adapt(5, 2 * SECOND);
        assertThat(taken(plan, 1)).isZero();
        plan.adapt(5, 3 * SECOND);
        assertThat(taken(plan, 1)).isEqualTo(1);
    }
}
