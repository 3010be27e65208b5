package io.understudy.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.sql.SqlAnalyzer;
import org.junit.jupiter.api.Test;

class InFlightTest {
    private static InFlight inFlight(PipelineBudget budget) {
        return new InFlight(
                new StatementBytes(new SqlAnalyzer(), StatementBytesTest.model(0)), new CommitDomain(), budget);
    }

    private static int fill(InFlight inFlight) {
        while (!inFlight.isFull()) {
            inFlight.add();
        }
        return inFlight.size();
    }

    private static void empty(InFlight inFlight) {
        while (!inFlight.isEmpty()) {
            inFlight.remove();
        }
    }

    @Test
    void allSessionsTogetherStayWithinTheBudget() {
        PipelineBudget budget = new PipelineBudget(2 * (InFlight.LIMIT - InFlight.FREE));
        InFlight first = inFlight(budget);
        InFlight second = inFlight(budget);
        InFlight third = inFlight(budget);
        assertThat(fill(first)).isEqualTo(InFlight.LIMIT);
        assertThat(fill(second)).isEqualTo(InFlight.LIMIT);
        assertThat(fill(third)).isEqualTo(InFlight.FREE);

        empty(first);
        assertThat(fill(third)).as("what another session has given back").isEqualTo(InFlight.LIMIT);
    }

    @Test
    void anEndedSessionGivesItsRoomBackOnce() {
        PipelineBudget budget = new PipelineBudget(InFlight.LIMIT - InFlight.FREE);
        InFlight ended = inFlight(budget);
        fill(ended);
        ended.givePermits();
        ended.givePermits();
        assertThat(fill(inFlight(budget))).isEqualTo(InFlight.LIMIT);
        assertThat(fill(inFlight(budget))).isEqualTo(InFlight.FREE);
    }
}
