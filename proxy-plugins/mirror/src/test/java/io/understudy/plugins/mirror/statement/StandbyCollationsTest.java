package io.understudy.plugins.mirror.statement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class StandbyCollationsTest {
    private final Map<Integer, String> names = Map.of(45, "NAMES utf8mb4");
    private int calls;

    /** A machine that is out of threads for a moment, or memory: the connections that come later ask again. */
    @Test
    void aQueryThatCouldNotBeRunIsRunByTheNextCall() {
        Executor executor = task -> {
            if (calls++ == 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            task.run();
        };
        StandbyCollations collations = new StandbyCollations(executor, () -> names);
        assertThat(collations.names()).isCompletedExceptionally();
        assertThat(collations.names()).isCompletedWithValue(names);
    }

    @Test
    void aQueryThatFailedByAnErrorIsRepeated() {
        StandbyCollations collations = new StandbyCollations(Runnable::run, () -> {
            if (calls++ == 0) {
                throw new OutOfMemoryError("heap");
            }
            return names;
        });
        assertThat(collations.names()).isCompletedExceptionally();
        assertThat(collations.names()).isCompletedWithValue(names);
    }
}
