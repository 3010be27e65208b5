package io.understudy.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.rebuild.Bounds.Load;
import org.junit.jupiter.api.Test;

class BoundsTest {
    /** Replication that was stopped, for instance for a backup, comes back; a primary's does not. */
    @Test
    void tellsAPromotedServerFromOneWhoseReplicationIsStopped() {
        assertThat(Bounds.promoted(new Load(-1, 1, true, true))).isEmpty();
        assertThat(Bounds.promoted(new Load(0, 1, false, true))).contains("the server is writable");
        assertThat(Bounds.promoted(new Load(-1, 1, true, false))).contains("replicates from no server any more");
    }
}
