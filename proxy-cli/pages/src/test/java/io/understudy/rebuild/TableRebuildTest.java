package io.understudy.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.rebuild.TableRebuild.NotRebuiltException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class TableRebuildTest {
    private static NotRebuiltException failure(int code, String message, String ended) {
        return TableRebuild.failure(new SQLException(message, "HY000", code), ended, false);
    }

    @Test
    void saysWhatToDoIfTheCopyHasNoRoom() {
        NotRebuiltException full = failure(1114, "The table 'orders' is full", "");

        assertThat(full.state()).isEqualTo(TableOutcome.State.FAILED);
        assertThat(full.why()).contains("The table 'orders' is full", "free space on the standby's disk or tmpdir");
    }

    /** The state is printed before it. */
    @Test
    void doesNotRepeatThatItEnded() {
        NotRebuiltException stopped = failure(1317, "Query execution was interrupted", "it was stopped");

        assertThat(stopped.state()).isEqualTo(TableOutcome.State.ENDED);
        assertThat(stopped.why()).isEqualTo("it was stopped");
    }
}
