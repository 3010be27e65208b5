package io.understudy.switchover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The new primary executes the scheduled events that the old one did, and the old one no longer. */
@Tag("long")
class SwitchoverEventsTest extends SwitchoverHarness {
    private static final String BY_APP = "app@% ANSI_QUOTES latin1 latin1_swedish_ci";
    private static final String BY_ROOT = "root@localhost ANSI_QUOTES latin1 latin1_swedish_ci";
    private static final String RUN = "by_app ENABLED " + BY_APP + ",by_root ENABLED " + BY_ROOT;
    private static final String REST = "by_app SLAVESIDE_DISABLED " + BY_APP + ",by_root SLAVESIDE_DISABLED " + BY_ROOT;

    private static String events(EmbeddedServer server) {
        return server.query("SELECT GROUP_CONCAT(EVENT_NAME, ' ', STATUS, ' ', DEFINER, ' ', SQL_MODE, ' ',"
                + " CHARACTER_SET_CLIENT, ' ', COLLATION_CONNECTION ORDER BY 1)"
                + " FROM information_schema.EVENTS WHERE EVENT_NAME <> 'off'");
    }

    private static void awaitEvents(EmbeddedServer server, String expected) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(events(server)).isEqualTo(expected));
    }

    @Test
    void runOnThePrimaryAlone() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        String every = " ON SCHEDULE EVERY 1 HOUR STARTS '2037-01-01 00:00:00' DO INSERT INTO shop.t (v) VALUES ('e')";
        old.execute(
                "SET SESSION session_track_system_variables=''",
                "SET SESSION character_set_client=latin1, collation_connection=latin1_swedish_ci",
                "SET SESSION sql_mode='ANSI_QUOTES'",
                "CREATE DEFINER=app@'%' EVENT shop.by_app" + every,
                "CREATE EVENT shop.by_root" + every.replace("DO", "DISABLE DO"),
                "CREATE EVENT shop.off" + every.replace("DO", "DISABLE DO"),
                "ALTER DEFINER=root@localhost EVENT shop.by_root ENABLE");
        awaitEvents(chosen, REST);
        assertThat(events(old)).isEqualTo(RUN);
        assertThatThrownBy(() -> switchTo(chosen)).hasMessageContaining("it lacks SET USER");
        old.execute("GRANT SET USER ON *.* TO switcher");

        Said undone = switchTo(chosen, BOUNDS, SwitchoverHarness::failing);
        assertThat(undone.text()).contains("again: shop.by_app, shop.by_root", "everything is as before");
        assertThat(events(old)).isEqualTo(RUN);
        awaitEvents(chosen, REST);

        old.execute("CREATE EVENT shop.another" + every);
        Said less = switchTo(chosen, BOUNDS, steps -> failing(steps, () -> old.execute("DROP EVENT shop.another")));
        assertThat(less.text()).contains("again: shop.another, shop.by_app", "everything is as before");
        assertThat(events(old))
                .as("one that was dropped meanwhile does not keep the others")
                .isEqualTo(RUN);
        awaitEvents(chosen, REST);

        Said said = switchTo(chosen);
        assertThat(said.outcome()).as(said.text()).isEqualTo(ChangeOutcome.DONE);
        assertThat(events(chosen)).isEqualTo(RUN);
        assertThat(events(old)).isEqualTo(REST);
        makeStandby(old, said);

        Said back = switchTo(old);
        assertThat(back.outcome()).as(back.text()).isEqualTo(ChangeOutcome.DONE);
        assertThat(events(old)).isEqualTo(RUN);
        assertThat(events(chosen)).isEqualTo(REST);
        assertThat(old.query("SELECT STATUS FROM information_schema.EVENTS WHERE EVENT_NAME = 'off'"))
                .as("was not enabled before")
                .endsWith("DISABLED");
        makeStandby(chosen, back);
    }
}
