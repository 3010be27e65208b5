package io.understudy.plugins.blackbox.witness;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.servers.SemiSyncSource;
import java.util.List;
import org.junit.jupiter.api.Test;

class WitnessAdviceTest {
    private static List<String> of(SemiSyncSource source, boolean mariaDb, boolean logInEngine) {
        return WitnessAdvice.of(source, mariaDb, logInEngine).stream()
                .map(note -> (note.warning() ? "warning " : "ok ") + note.text())
                .toList();
    }

    private static SemiSyncSource source(boolean enabled, long timeout, long clients, String waitPoint, long waitFor) {
        return new SemiSyncSource(true, enabled, timeout, clients, 0, 0, waitPoint, waitFor);
    }

    @Test
    void nothingIsSaidOfWhatIsWell() {
        assertThat(of(source(true, 10_000, 1, "AFTER_SYNC", 1), false, false)).isEmpty();
    }

    @Test
    void eachFindingHasItsRemedy() {
        assertThat(of(new SemiSyncSource(false, false, 0, 0, 0, 0, "", 1), false, false))
                .singleElement()
                .asString()
                .startsWith("warning semi-synchronous replication is not loaded")
                .contains("INSTALL PLUGIN rpl_semi_sync_source", "SET PERSIST rpl_semi_sync_source_enabled=1");
        assertThat(of(source(true, 10_000, 1, "AFTER_SYNC", 1), true, true))
                .singleElement()
                .asString()
                .startsWith("warning the primary's binary log is in InnoDB");
        assertThat(of(source(true, 10_000, 1, "AFTER_SYNC", 2), false, false))
                .singleElement()
                .asString()
                .startsWith("warning a commit waits for 2 acknowledgements")
                .contains("1 replicas are registered", "waits for 10 s. Set it to 1");
        assertThat(of(source(true, 10_000, 1, "AFTER_SYNC", 2), true, false))
                .singleElement()
                .asString()
                .contains("(rpl_semi_sync_master_wait_for_slave_count)"); // MariaDB from 12.1 on
        assertThat(of(source(true, 600_000, 1, "", 1), true, false))
                .singleElement()
                .asString()
                .startsWith("ok while the witness has withdrawn");
    }

    /** {@code check} runs before the proxy does: that nobody is registered yet is no fault of a setting. */
    @Test
    void oneAcknowledgementIsNotTooMany() {
        assertThat(of(source(true, 10_000, 0, "AFTER_SYNC", 1), true, false)).isEmpty();
        assertThat(of(source(true, 10_000, 0, "AFTER_SYNC", 1), false, false)).isEmpty();
    }

    /** As docs/witness.md has it, of both products. */
    @Test
    void commitsAreToWaitBeforeOthersReadThem() {
        assertThat(of(source(true, 10_000, 1, "AFTER_COMMIT", 1), true, false))
                .singleElement()
                .asString()
                .startsWith("warning ")
                .endsWith("SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC, and the same in its option file");
        assertThat(of(source(true, 10_000, 1, "AFTER_COMMIT", 1), false, false))
                .singleElement()
                .asString()
                .contains("SET GLOBAL rpl_semi_sync_source_wait_point = AFTER_SYNC");
    }
}
