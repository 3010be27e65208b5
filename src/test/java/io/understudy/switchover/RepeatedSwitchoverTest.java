package io.understudy.switchover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.embedded.EmbeddedServer;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A switchover is killed behind its promotion, and repeated: what it left is printed until it is done. */
@Tag("long")
class RepeatedSwitchoverTest extends SwitchoverHarness {
    private static final int EVENTS = 13;
    private static final int FORGOTTEN = 14;
    private static final Pattern ALTER = Pattern.compile("ALTER DEFINER=\\S+ EVENT \\S+ ENABLE");
    private static final Pattern FORGET = Pattern.compile("RESET SLAVE '' ALL");

    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    @ParameterizedTest
    @ValueSource(ints = {11, EVENTS, FORGOTTEN, 15})
    void whatIsLeftIsPrinted(int step) throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        old.execute(
                "GRANT SET USER ON *.* TO switcher",
                "CREATE OR REPLACE EVENT shop.e ON SCHEDULE EVERY 1 HOUR STARTS '2037-01-01 00:00:00' DO SELECT 1");
        assertThatThrownBy(() -> switchTo(
                        chosen,
                        BOUNDS,
                        steps -> InterruptedStep.behind(steps, step, () -> {
                            throw new Killed();
                        })))
                .isInstanceOf(Killed.class);
        proxy.proxy().release();

        Said again = switchTo(chosen);
        assertThat(again.outcome()).as(again.text()).isEqualTo(ChangeOutcome.LEFT);
        assertThat(again.text()).contains("is the primary already");
        assertThat(readOnly(chosen)).isFalse();
        run(chosen, again, ALTER, step < EVENTS);
        run(chosen, again, FORGET, step < FORGOTTEN);
        makeStandby(old, new Said(again.outcome(), again.text().replace("'USER'", "'repl'")));

        Said done = switchTo(chosen);
        assertThat(done.outcome()).as(done.text()).isEqualTo(ChangeOutcome.DONE);
        assertThat(done.text()).contains("is the primary already").doesNotContain("CHANGE MASTER");
        chosen.execute("INSERT INTO shop.t (v) VALUES ('behind it')");
        assertThat(old.query("SELECT MASTER_GTID_WAIT('" + chosen.query("SELECT @@GLOBAL.gtid_binlog_pos") + "', "
                        + PATIENCE.toSeconds() + ")"))
                .isEqualTo("0");

        for (String threads : List.of("", " SQL_THREAD", " IO_THREAD")) {
            old.execute("STOP SLAVE" + threads);
            Said stopped = switchTo(chosen);
            assertThat(stopped.outcome()).as(stopped.text()).isEqualTo(ChangeOutcome.LEFT);
            assertThat(stopped.text())
                    .contains("If that connection was made after the promotion: START SLAVE")
                    .doesNotContain("gtid_slave_pos");
            old.execute("START SLAVE");
        }
    }

    /** The last one, because the servers differ afterwards. */
    @Test
    @Order(Integer.MAX_VALUE)
    void anOldPrimaryThatHasMoreIsMadeNoStandby() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        old.execute("GRANT SET USER ON *.* TO switcher");
        assertThat(switchTo(chosen).outcome()).isEqualTo(ChangeOutcome.DONE);
        old.execute("INSERT INTO shop.t (v) VALUES ('by an administrator')");
        Said said = switchTo(chosen);
        assertThat(said.outcome()).as(said.text()).isEqualTo(ChangeOutcome.LEFT);
        assertThat(said.text())
                .contains("FAILED: the old primary " + text(old), "lacks a part of that")
                .doesNotContain("CHANGE MASTER");
    }

    /** Runs the printed statement, if it is left to do. */
    private static void run(EmbeddedServer server, Said said, Pattern statement, boolean left) {
        Matcher matcher = statement.matcher(said.text());
        assertThat(matcher.find()).as(said.text()).isEqualTo(left);
        if (left) {
            server.execute(matcher.group());
        }
    }
}
