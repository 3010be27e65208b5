package io.understudy.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QueryFailuresTest {
    private boolean unreachable;
    private final QueryFailures failures = new QueryFailures(() -> unreachable);

    @Test
    void theThirdInARowIsLoggedAndThenTheEnd() {
        assertThat(failures.failed()).isFalse();
        assertThat(failures.failed()).isFalse();
        assertThat(failures.failed()).isTrue();
        assertThat(failures.failed()).isFalse();
        assertThat(failures.succeeded()).isTrue();
        assertThat(failures.succeeded()).isFalse();
    }

    @Test
    void twoFailuresAreNoNews() {
        for (int i = 0; i < 10; i++) {
            assertThat(failures.failed()).isFalse();
            assertThat(failures.failed()).isFalse();
            assertThat(failures.succeeded()).isFalse();
        }
    }

    @Test
    void anOutageThatTheMonitorHasLoggedIsNotLogged() {
        failures.failed();
        failures.failed();
        unreachable = true;
        assertThat(failures.failed()).isFalse();
        unreachable = false;
        assertThat(failures.failed()).as("the first since the server responds").isFalse();
        assertThat(failures.failed()).isFalse();
        assertThat(failures.failed()).as("a cause of its own").isTrue();
    }
}
