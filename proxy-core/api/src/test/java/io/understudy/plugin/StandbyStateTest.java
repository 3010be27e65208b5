package io.understudy.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StandbyStateTest {
    /** A frozen standby that is read-only is not writable, and does not run -1 threads. */
    @Test
    void whatIsNotKnownIsNull() {
        assertThat(StandbyState.UNKNOWN.view())
                .containsEntry("reachable", false)
                .containsEntry("problem", "not yet contacted")
                .containsEntry("readOnly", null)
                .containsEntry("applierStopped", null)
                .containsEntry("threadsRunning", null)
                .containsEntry("coldReads", null)
                .containsEntry("uptimeSeconds", null);
        assertThat(new StandbyState(true, false, 1.5, true, 3, 40, 50, null).view())
                .containsEntry("reachable", true)
                .containsEntry("readOnly", false)
                .containsEntry("lagSeconds", 1.5)
                .containsEntry("applierStopped", true)
                .containsEntry("threadsRunning", 3L)
                .containsEntry("coldReads", 40L)
                .containsEntry("uptimeSeconds", 50L);
    }
}
