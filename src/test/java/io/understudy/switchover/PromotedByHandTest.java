package io.understudy.switchover;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.embedded.EmbeddedServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Somebody changes roles by hand while a switchover stands still: two servers are never writable. */
@Tag("long")
class PromotedByHandTest extends SwitchoverHarness {
    private static Steps interrupted(Steps steps, int behind, Runnable meanwhile, boolean fails) {
        return InterruptedStep.behind(steps, behind, () -> {
            meanwhile.run();
            if (fails) {
                throw new StepFailure("injected");
            }
            return null;
        });
    }

    /** Behind the read-only step, the wait and the end of replication: steps 6, 7 and 8. */
    @Test
    void theUndoLeavesTheOldPrimaryReadOnly() throws Exception {
        for (int behind = 6; behind <= 8; behind++) {
            int step = behind;
            EmbeddedServer old = primary();
            EmbeddedServer chosen = standby();
            Said said = switchTo(
                    chosen,
                    BOUNDS,
                    steps -> interrupted(
                            steps, step, () -> chosen.execute("STOP SLAVE", "SET GLOBAL read_only=0"), true));
            assertThat(readOnly(old)).as(said.text()).isTrue();
            assertThat(readOnly(chosen)).isFalse();
            assertThat(said.outcome()).as(said.text()).isEqualTo(ChangeOutcome.LEFT);
            assertThat(said.text()).contains("somebody has promoted it", "stays read-only");
            assertThat(slave(chosen)).isNotEqualTo("ON");
            back(old, chosen);
        }
    }

    @Test
    void aMovedProxyLeavesTheOldPrimaryReadOnly() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        Said said = switchTo(chosen, BOUNDS, steps -> interrupted(steps, 7, () -> follow(text(chosen)), true));
        assertThat(readOnly(old)).as(said.text()).isTrue();
        assertThat(said.outcome()).isEqualTo(ChangeOutcome.LEFT);
        assertThat(said.text()).contains("the proxy follows " + text(chosen));
        follow(text(old));
        back(old, chosen);
    }

    @Test
    void anOldPrimaryThatWasSetWritableEndsTheSwitch() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        Said said = switchTo(
                chosen, BOUNDS, steps -> interrupted(steps, 8, () -> old.execute("SET GLOBAL read_only=0"), false));
        assertThat(readOnly(chosen)).as(said.text()).isTrue();
        assertThat(said.outcome()).isEqualTo(ChangeOutcome.NOT_PROMOTED);
        assertThat(said.text()).contains("is not read-only any more");
        assertThat(readOnly(old)).isFalse();
        awaitReplication(chosen);
    }

    private void follow(String address) {
        try {
            new ProxyControl(admin).follow(address);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static String slave(EmbeddedServer server) {
        return server.query(
                "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS" + " WHERE VARIABLE_NAME='Slave_running'");
    }

    private static void back(EmbeddedServer old, EmbeddedServer chosen) {
        chosen.execute("SET GLOBAL read_only=1", "START SLAVE");
        old.execute("SET GLOBAL read_only=0");
        awaitReplication(chosen);
    }
}
