package io.understudy.plugins.gtiddomain.steering;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.plugin.ServerFlavor;
import io.understudy.rules.KindTerm;
import io.understudy.rules.Match;
import io.understudy.rules.NameGlob;
import io.understudy.rules.TableGlob;
import io.understudy.testkit.FakeClient;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LeverObserverTest {
    private static final String TWO_PHASE = "SET SESSION binlog_alter_two_phase=1";
    private static final String TWO_PHASE_OFF = "SET SESSION binlog_alter_two_phase=DEFAULT";
    private static final String SKIP = "SET SESSION skip_parallel_replication=1";
    private static final String SKIP_OFF = "SET SESSION skip_parallel_replication=0";

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final SteeringMeters meters = new SteeringMeters(registry);
    private Levers levers = levers(true);

    private Levers levers(boolean active) {
        Match ddl = new Match(null, null, null, null, List.of(KindTerm.parse("ddl")), null, null);
        Match hot = new Match(null, null, null, List.of(TableGlob.parse("counters")), null, null, null);
        Match batch = new Match(List.of(NameGlob.parse("batch")), null, null, null, null, null, null);
        return new Levers(
                List.of(
                        new DomainRule("alters", ddl, null, DomainRule.Alter.TWO_PHASE, null),
                        new DomainRule("hot", hot, null, null, DomainRule.Parallel.SKIP),
                        new DomainRule("batch", batch, null, null, DomainRule.Parallel.SKIP)),
                active,
                meters);
    }

    private FakeClient client(String user) {
        return new FakeClient(user, session -> new LeverObserver(session, () -> levers));
    }

    private double count(String action, String outcome) {
        return registry
                .find("understudy.steered.statements")
                .tags("action", action, "outcome", outcome)
                .counters()
                .stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    @Test
    void turnsALeverOnForTheStatementsThatWantItAndOffBeforeTheNext() {
        FakeClient app = client("app");
        assertThat(app.run("SELECT * FROM counters")).isEqualTo("-");
        assertThat(app.run("ALTER TABLE items ADD x INT")).isEqualTo(TWO_PHASE);
        assertThat(app.run("ALTER TABLE items ADD y INT")).isEqualTo("-");
        assertThat(app.run("SELECT @@binlog_alter_two_phase")).isEqualTo(TWO_PHASE_OFF);
        assertThat(app.run("UPDATE counters SET n = n + 1")).isEqualTo(SKIP);
        assertThat(app.run("UPDATE counters SET n = n + 1")).isEqualTo("-");
        assertThat(app.run("UPDATE items SET n = n + 1")).isEqualTo(SKIP_OFF);
        assertThat(app.run("COMMIT")).isEqualTo("-");
        assertThat(count("two_phase", "steered")).isEqualTo(2);
        assertThat(count("skip_parallel", "steered")).isEqualTo(2);
    }

    @Test
    void changesEachLeverByItself() {
        FakeClient app = client("batch");
        assertThat(app.run("ALTER TABLE items FORCE")).isEqualTo(TWO_PHASE + "; " + SKIP);
        assertThat(app.run("INSERT INTO items VALUES (1)")).isEqualTo(TWO_PHASE_OFF);
        assertThat(app.run("ALTER TABLE items FORCE")).isEqualTo(TWO_PHASE);
        assertThat(app.run("SELECT 1")).isEqualTo(TWO_PHASE_OFF + "; " + SKIP_OFF);
    }

    @Test
    void decidesATransactionAtItsBeginning() {
        FakeClient app = client("app");
        assertThat(app.run("BEGIN")).isEqualTo("-");
        assertThat(app.run("UPDATE counters SET n = n + 1")).isEqualTo("-");
        app.run("COMMIT");
        assertThat(count("skip_parallel", "in_transaction")).isEqualTo(1);
        FakeClient batch = client("batch");
        assertThat(batch.run("BEGIN")).isEqualTo(SKIP);
        assertThat(batch.run("UPDATE items SET n = n + 1")).isEqualTo("-");
        assertThat(batch.run("COMMIT")).isEqualTo("-");
        assertThat(batch.run("SELECT 1")).isEqualTo(SKIP_OFF);
        assertThat(count("skip_parallel", "steered")).isEqualTo(1);
    }

    @Test
    void decidesByTheFirstStatementWithoutAutocommit() {
        FakeClient app = client("app");
        app.run("SET autocommit=0");
        assertThat(app.run("SELECT n FROM counters FOR UPDATE")).isEqualTo(SKIP);
        assertThat(app.run("UPDATE items SET n = n + 1")).isEqualTo("-");
        assertThat(app.run("COMMIT")).isEqualTo("-");
        assertThat(app.run("UPDATE items SET n = n + 1")).isEqualTo(SKIP_OFF);
        assertThat(app.run("UPDATE counters SET n = n + 1")).isEqualTo("-");
        assertThat(count("skip_parallel", "steered")).isEqualTo(1);
        assertThat(count("skip_parallel", "in_transaction")).isEqualTo(1);
    }

    @Test
    void leavesAClientsOwnValueAlone() {
        FakeClient app = client("app");
        app.run("ALTER TABLE items FORCE");
        assertThat(app.run("SET binlog_alter_two_phase=0")).isEqualTo(TWO_PHASE_OFF);
        assertThat(app.run("ALTER TABLE items FORCE")).isEqualTo("-");
        assertThat(app.run("UPDATE counters SET n = n + 1")).isEqualTo(SKIP);
        assertThat(count("two_phase", "respected")).isEqualTo(1);
        assertThat(registry.get("understudy.steering.client.sets").counter().count())
                .isEqualTo(1);
        app.resetConnection();
        assertThat(app.run("ALTER TABLE items FORCE")).isEqualTo(TWO_PHASE);
    }

    @Test
    void knowsTheDefaultsAfterAReset() {
        FakeClient app = client("app");
        app.run("UPDATE counters SET n = 1");
        app.resetConnection();
        assertThat(app.owes()).isFalse();
        assertThat(app.run("UPDATE items SET n = 1")).isEqualTo("-");
        assertThat(app.run("UPDATE counters SET n = 1")).isEqualTo(SKIP);
    }

    @Test
    void turnsOffBetweenPipelinedStatementsAndNeverOn() {
        FakeClient app = client("app");
        app.send("UPDATE counters SET n = 1", true);
        app.send("UPDATE counters SET n = 2", false);
        assertThat(app.injected()).isEqualTo("-");
        app.send("UPDATE items SET n = 1", false);
        assertThat(app.injected()).isEqualTo(SKIP_OFF);
        app.send("UPDATE counters SET n = 3", false);
        assertThat(app.injected()).isEqualTo("-");
        assertThat(count("skip_parallel", "steered")).isEqualTo(2);
        assertThat(count("skip_parallel", "no_boundary")).isEqualTo(1);
    }

    @Test
    void countsWhatIsNotCovered() {
        FakeClient app = client("app");
        assertThat(app.run("TRUNCATE items")).isEqualTo("-");
        assertThat(app.run("RENAME TABLE items TO things")).isEqualTo("-");
        assertThat(count("two_phase", "not_covered")).isEqualTo(2);
    }

    /** What decides is behind what a normalised text has. */
    @Test
    void readsALongSchemaChangeToItsEnd() {
        FakeClient app = client("app");
        String columns =
                IntStream.range(0, 200).mapToObj(i -> "ADD c" + i + " INT").collect(Collectors.joining(", "));
        assertThat(app.run("ALTER TABLE items " + columns + ", DISABLE KEYS")).isEqualTo("-");
        assertThat(count("two_phase", "not_covered")).isEqualTo(1);
        assertThat(app.run("ALTER TABLE items " + columns)).isEqualTo(TWO_PHASE);
    }

    @Test
    void onlyCountsInModeAdvise() {
        levers = levers(false);
        FakeClient app = client("app");
        assertThat(app.run("ALTER TABLE items FORCE")).isEqualTo("-");
        assertThat(app.run("UPDATE counters SET n = n + 1")).isEqualTo("-");
        assertThat(count("two_phase", "advised")).isEqualTo(1);
        assertThat(count("skip_parallel", "advised")).isEqualTo(1);
    }

    @Test
    void turnsOffWhenAReloadStopsSteering() {
        FakeClient app = client("app");
        app.run("UPDATE counters SET n = 1");
        levers = levers(false);
        assertThat(app.run("UPDATE counters SET n = 1")).isEqualTo(SKIP_OFF);
    }

    @Test
    void stopsAfterThreeRefusals() {
        FakeClient app = client("app");
        app.refuseWith(1193);
        for (int i = 0; i < 3; i++) {
            assertThat(app.run("ALTER TABLE items FORCE")).isEqualTo(TWO_PHASE);
            assertThat(app.owes()).isFalse();
        }
        assertThat(app.run("ALTER TABLE items FORCE")).isEqualTo("-");
        assertThat(count("two_phase", "refused_1193")).isEqualTo(3);
        assertThat(count("two_phase", "left_alone")).isEqualTo(1);
    }

    @Test
    void triesAgainToTurnOffWhatTheServerDidNotTurnOff() {
        FakeClient app = client("app");
        app.run("UPDATE counters SET n = 1");
        app.refuseWith(1234);
        assertThat(app.run("UPDATE items SET n = 1")).isEqualTo(SKIP_OFF);
        assertThat(app.owes()).isTrue();
        app.refuseWith(0);
        assertThat(app.run("UPDATE items SET n = 1")).isEqualTo(SKIP_OFF);
        assertThat(app.owes()).isFalse();
    }

    @Test
    void turnsEverythingOffWhenTheObserverIsRetired() {
        FakeClient batch = client("batch");
        batch.run("UPDATE items SET n = 1");
        batch.retire();
        assertThat(batch.owes()).isTrue();
        assertThat(batch.send("UPDATE items SET n = 2", false)).isNotNull();
        assertThat(batch.injected()).isEqualTo(SKIP_OFF);
    }

    @Test
    void leavesServersWithoutTheVariableAlone() {
        FakeClient old =
                new FakeClient("app", "5.5.5-10.6.18-MariaDB-log", session -> new LeverObserver(session, () -> levers));
        assertThat(old.run("ALTER TABLE items FORCE")).isEqualTo("-");
        assertThat(old.run("UPDATE counters SET n = 1")).isEqualTo(SKIP);
        assertThat(count("two_phase", "unsupported")).isEqualTo(1);
        assertThat(Lever.TWO_PHASE.refusal(ServerFlavor.MARIADB, "10.6.18-MariaDB"))
                .isEqualTo("binlog_alter_two_phase exists from MariaDB 10.8, this server is 10.6");
        assertThat(Lever.TWO_PHASE.refusal(ServerFlavor.MARIADB, "10.8.1-MariaDB"))
                .isEmpty();
        assertThat(Lever.SKIP_PARALLEL.refusal(ServerFlavor.MYSQL, "9.7.0")).isEqualTo("MySQL: writesets need no tag");
    }
}
