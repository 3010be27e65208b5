package io.understudy.switchover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A switchover is stopped, frozen or killed behind each step, with and without somebody who promotes the standby by
 * hand meanwhile: two servers are never writable. {@code -Dunderstudy.it.everyStep=true} runs all steps and prints the
 * table; a build, those at which roles change.
 */
@Timeout(600)
@Tag("long")
class EveryStepTest extends SwitchoverHarness {
    private static final int READ_ONLY = 6;
    private static final int PROMOTED = 10;
    private static final int LAST = 15;
    private static final boolean ALL = Boolean.getBoolean("understudy.it.everyStep");

    /** Whether the step was reached. */
    private boolean met;

    enum Fate {
        /** SIGTERM. */
        STOPPED,
        /** SIGSTOP until the hold is over, then SIGCONT. */
        FROZEN,
        FROZEN_AND_PROMOTED_BY_HAND,
        /** SIGKILL: the connection that asked for the hold closes, and nothing is undone. */
        KILLED,
        KILLED_AND_PROMOTED_BY_HAND
    }

    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    @ParameterizedTest
    @EnumSource
    void twoServersAreNeverWritable(Fate fate) throws Exception {
        List<String> table = new ArrayList<>();
        for (int step : ALL ? steps(1, LAST) : List.of(4, READ_ONLY, 8, PROMOTED)) {
            table.add(run(fate, step));
        }
        table.forEach(System.out::println);
    }

    private static List<Integer> steps(int first, int last) {
        return java.util.stream.IntStream.rangeClosed(first, last).boxed().toList();
    }

    private String run(Fate fate, int step) throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        String result;
        Said said = null;
        met = false;
        try (WritableServers seen = new WritableServers(() -> !readOnly(old), () -> !readOnly(chosen))) {
            try {
                said = switchTo(
                        chosen, BOUNDS, steps -> InterruptedStep.behind(steps, step, meet(fate, step, old, chosen)));
                result = said.outcome().toString();
            } catch (Killed killed) {
                proxy.proxy().release();
                result = "killed";
                if (fate == Fate.KILLED_AND_PROMOTED_BY_HAND) {
                    promote(step, old, chosen);
                }
            }
            assertThat(met).as("%s behind step %d: %s", fate, step, said).isTrue();
            assertThat(seen.most())
                    .as("%s behind step %d: %s", fate, step, said)
                    .isLessThanOrEqualTo(1);
            assertThat(!readOnly(old) && !readOnly(chosen))
                    .as("%s behind step %d: %s", fate, step, said)
                    .isFalse();
            String now = !readOnly(old) ? "old primary" : !readOnly(chosen) ? "standby" : "none";
            if (result.equals("killed") && fate == Fate.KILLED) {
                aSecondRunRecognisesIt(step, old, chosen);
            }
            restore(old, chosen);
            return "%-28s behind step %2d: %-7s writable at most %d, in the end: %s"
                    .formatted(fate, step, result, seen.most(), now);
        }
    }

    private Callable<?> meet(Fate fate, int step, EmbeddedServer old, EmbeddedServer chosen) {
        return () -> {
            met = true;
            switch (fate) {
                case STOPPED -> Objects.requireNonNull(running.get()).stop(Duration.ZERO);
                case FROZEN, FROZEN_AND_PROMOTED_BY_HAND -> {
                    if (fate == Fate.FROZEN_AND_PROMOTED_BY_HAND) {
                        promote(step, old, chosen);
                    }
                    await().atMost(PATIENCE)
                            .until(() -> Boolean.FALSE.equals(
                                    proxy.proxy().holdView().get("held")));
                }
                case KILLED, KILLED_AND_PROMOTED_BY_HAND -> throw new Killed();
            }
            return fate;
        };
    }

    /** As docs/failover.md has it: the old primary is fenced first, unless the switchover has done that. */
    private static void promote(int behind, EmbeddedServer old, EmbeddedServer chosen) {
        if (behind < READ_ONLY) {
            old.execute("SET GLOBAL read_only=1");
        }
        if (behind < PROMOTED) {
            chosen.execute("STOP SLAVE", "SET GLOBAL read_only=0");
        }
    }

    private void aSecondRunRecognisesIt(int step, EmbeddedServer old, EmbeddedServer chosen) throws Exception {
        if (step >= READ_ONLY && step < PROMOTED) {
            assertThat(switchTo(chosen).text())
                    .contains(
                            "killed before its promotion",
                            "on " + text(old) + ": SET GLOBAL read_only=0; on " + text(chosen) + ": START SLAVE");
        } else if (step == PROMOTED) {
            assertThat(switchTo(chosen).text())
                    .contains("killed behind its promotion", "POST /api/primary?address=" + text(chosen), "this again");
            new ProxyControl(admin).follow(text(chosen));
            assertThat(switchTo(chosen).text())
                    .contains("on " + text(chosen) + ": STOP SLAVE ''; RESET SLAVE '' ALL")
                    .contains("on " + text(old) + ":", "SET GLOBAL gtid_slave_pos=");
        }
        assertThat(readOnly(old) && readOnly(chosen)).isEqualTo(step >= READ_ONLY && step < PROMOTED);
    }

    /** Makes the writable server the primary, and the other its standby; the old primary if there is none. */
    private void restore(EmbeddedServer old, EmbeddedServer chosen) throws Exception {
        EmbeddedServer primary = readOnly(chosen) ? old : chosen;
        EmbeddedServer standby = primary == old ? chosen : old;
        standby.execute("STOP ALL SLAVES", "SET GLOBAL read_only=1", "RESET SLAVE ALL");
        primary.execute("STOP ALL SLAVES", "RESET SLAVE ALL", "SET GLOBAL read_only=0");
        standby.execute(
                "SET GLOBAL gtid_slave_pos=@@GLOBAL.gtid_current_pos",
                "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=" + primary.port()
                        + ", MASTER_USER='repl', MASTER_PASSWORD='repl', MASTER_USE_GTID=slave_pos",
                "START SLAVE");
        awaitReplication(standby);
        new ProxyControl(admin).follow(text(primary));
        primary.execute("INSERT INTO shop.t (v) VALUES ('behind it')");
        assertThat(standby.query("SELECT MASTER_GTID_WAIT('" + primary.query("SELECT @@GLOBAL.gtid_binlog_pos") + "', "
                        + PATIENCE.toSeconds() + ")"))
                .isEqualTo("0");
    }
}
