package io.understudy.plugins.mirror.playback;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.mirror.statement.StatementSetting;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The settings that a statement needs on the connection that sends it. */
class MirrorSettingsTest extends MirrorHarness {
    @Test
    void setsTheSessionsSettingsOnceForStatementsThatShareThem() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 1", 1);
        run(mirror);
        offer(mirror, "SELECT 2", 2);
        run(mirror);
        assertThat(standby.statements())
                .containsExactly(
                        "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci, time_zone = DEFAULT, sql_mode = DEFAULT",
                        "SELECT 1",
                        "SELECT 2");
        mirror.stop();
    }

    /**
     * A session's row limit must not remain for the next session; flags are sent as a difference to the server's
     * default.
     */
    @Test
    void readVariablesOfASessionAreSetAndReset() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 1", 1, reading("sql_select_limit = 1, optimizer_switch = 'mrr=on'"));
        run(mirror);
        offer(mirror, "SELECT 2", 2, reading("sql_select_limit = 2"));
        run(mirror);
        offer(mirror, "SELECT 3", 3);
        run(mirror);
        String rest = "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci, time_zone = DEFAULT, sql_mode = DEFAULT";
        assertThat(standby.statements())
                .containsExactly(
                        "SET sql_select_limit = 1, optimizer_switch = 'mrr=on'",
                        rest,
                        "SELECT 1",
                        "SET sql_select_limit = DEFAULT, optimizer_switch = DEFAULT",
                        "SET sql_select_limit = 2",
                        rest,
                        "SELECT 2",
                        "SET sql_select_limit = DEFAULT",
                        rest,
                        "SELECT 3");
        mirror.stop();
    }

    /** Text within a session's value must not reset the settings that keep the standby unwritten. */
    @Test
    void aValueIsNotTakenForAName() {
        assertThat(reading("old_mode = 'x, tx_read_only = y', sql_select_limit = 3")
                        .readingNames())
                .containsExactly("old_mode", "sql_select_limit");
    }

    private static StatementSetting reading(String assignments) {
        return new StatementSetting(null, 45, null, null, null, assignments);
    }
}
