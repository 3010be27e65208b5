package io.understudy.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.sql.SqlAnalyzer;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
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

    /** The admin endpoint asks while the session's event loop shrinks the ring after a burst. */
    @Test
    void anotherThreadMayAskForTheOldest() throws Exception {
        InFlight inFlight = inFlight(new PipelineBudget(InFlight.LIMIT));
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong asked = new AtomicLong();
        ExecutorService admin = Executors.newSingleThreadExecutor();
        try {
            Future<?> asking = admin.submit(() -> {
                while (!over.get()) {
                    inFlight.head();
                    asked.incrementAndGet();
                }
            });
            for (int burst = 0; burst < 20_000 && !asking.isDone(); burst++) {
                for (int command = 0; command < 4 * InFlight.FREE && !inFlight.isFull(); command++) {
                    inFlight.add();
                }
                empty(inFlight);
            }
            over.set(true);
            asking.get(30, TimeUnit.SECONDS);
            assertThat(asked).hasPositiveValue();
        } finally {
            over.set(true);
            admin.shutdownNow();
        }
    }
}
