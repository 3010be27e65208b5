package io.understudy.unplanned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.switchover.StepFailure;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What protects commits on the new primary, asked for by a witness, after whatever became of an earlier run. */
class SemiSyncSourceStepTest {
    private static final Map<String, Object> WITNESS =
            Map.of("witness", Map.of("mode", "disk", "waitPoint", "AFTER_SYNC", "timeoutMillis", 5000));
    private static final String ON_MARIADB =
            "SET GLOBAL rpl_semi_sync_master_wait_point='AFTER_SYNC', GLOBAL rpl_semi_sync_master_timeout=5000,"
                    + " GLOBAL rpl_semi_sync_master_wait_no_slave=0, GLOBAL rpl_semi_sync_master_enabled=1";
    private static final String INSTALL = "INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so'";
    private static final String ON_MYSQL =
            ON_MARIADB.replace("master", "source").replace("slave", "replica");

    private final TakeoverFixture standby = new TakeoverFixture();

    private SemiSyncSourceStep step(List<Map<String, Object>> views) throws Exception {
        return new SemiSyncSourceStep(standby.takeover("10.0.0.1:3306"), views, false);
    }

    private void variables(String source, String waits) {
        standby.variables.put("rpl_semi_sync_master_enabled", source);
        standby.variables.put("rpl_semi_sync_master_wait_no_slave", waits);
    }

    @Test
    void askedTwiceItIsDoneOnce() throws Exception {
        variables("OFF", "ON");
        assertThat(step(List.of(Map.of(), WITNESS)).run()).startsWith("commits wait once");
        assertThat(standby.executed).containsExactly(ON_MARIADB);
        variables("ON", "OFF");
        assertThat(step(List.of(WITNESS)).run()).isEqualTo("it need not be");
        assertThat(standby.executed).hasSize(1);
    }

    @Test
    void withoutAWitnessItIsLeftAsItIs() throws Exception {
        variables("OFF", "ON");
        assertThat(step(List.of(Map.of(), Map.of("witness", Map.of()))).run()).isEqualTo("it need not be");
        assertThat(standby.executed).isEmpty();
    }

    /** If the proxy is down, the configuration alone says whether it has a witness. */
    @Test
    void aDirectoryTellsOfNoWitnessAndTheConfigurationDoes() throws Exception {
        variables("OFF", "ON");
        var takeover = standby.takeover("10.0.0.1:3306");
        List<Map<String, Object>> saved = List.of(Map.of("witness", Map.of()));
        assertThat(new SemiSyncSourceStep(takeover, saved, true).run()).startsWith("commits wait once");
        assertThat(standby.executed)
                .containsExactly(ON_MARIADB.replace(", GLOBAL rpl_semi_sync_master_timeout=5000", ""));
    }

    /** Where it is on already, no standby is connected yet either. */
    @Test
    void commitsDoNotWaitForNobody() throws Exception {
        variables("ON", "ON");
        step(List.of(WITNESS)).run();
        assertThat(standby.executed).containsExactly("SET GLOBAL rpl_semi_sync_master_wait_no_slave=0");
    }

    @Test
    void aRehearsalTellsAndChangesNothing() throws Exception {
        variables("OFF", "ON");
        assertThat(step(List.of(WITNESS)).rehearse()).contains(ON_MARIADB);
        assertThat(standby.executed).isEmpty();
    }

    @Test
    void aMissingPrivilegeIsNoSuccess() throws Exception {
        variables("OFF", "ON");
        standby.refused = ON_MARIADB;
        assertThatThrownBy(() -> step(List.of(WITNESS)).run())
                .isInstanceOf(StepFailure.class)
                .hasMessageContaining("it takes writes, and commits wait for no acknowledgement")
                .hasMessageEndingWith("on 10.0.0.2:3306: " + ON_MARIADB);
    }

    @Test
    void onMySqlAPluginThatIsNotLoadedIsInstalled() throws Exception {
        step(List.of(WITNESS)).run();
        assertThat(standby.executed).containsExactly(INSTALL, ON_MYSQL);
    }

    /** A second INSTALL PLUGIN would fail. */
    @Test
    void whatIsDoneIsNotAskedForAgain() throws Exception {
        standby.refused = ON_MYSQL;
        assertThatThrownBy(() -> step(List.of(WITNESS)).run()).hasMessageEndingWith("on 10.0.0.2:3306: " + ON_MYSQL);
        standby.refused = INSTALL;
        assertThatThrownBy(() -> step(List.of(WITNESS)).run()).hasMessageEndingWith(INSTALL + "; " + ON_MYSQL);
    }
}
