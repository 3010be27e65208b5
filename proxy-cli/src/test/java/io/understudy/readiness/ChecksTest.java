package io.understudy.readiness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks on facts that a real pair seldom shows. */
class ChecksTest {
    private static ServerFacts server(Map<String, String> variables) {
        Map<String, String> all = new HashMap<>(Map.of("version", "11.4.5-MariaDB", "server_id", "1"));
        all.putAll(variables);
        ServerFacts facts = new ServerFacts();
        facts.variables(Known.of(all));
        return facts;
    }

    private static Situation situation(Situation.Round before, Situation.Round now) {
        return new Situation(before, now, "p:1", Set.of(), null, false, 0, ReadinessGate.LIMITS);
    }

    private static Situation.Round round(String applier, String secondsBehind) {
        Map<String, String> columns =
                new HashMap<>(Map.of("master_server_id", "1", "slave_io_running", "Yes", "slave_sql_running", applier));
        if (!secondsBehind.isEmpty()) {
            columns.put("seconds_behind_master", secondsBehind);
        }
        ServerFacts standby = server(Map.of("gtid_slave_pos", "0-1-10", "server_id", "2"));
        standby.channels(Known.of(List.of(new Channel(columns))));
        return new Situation.Round(standby, server(Map.of("gtid_binlog_pos", "0-1-5000")));
    }

    /** Its applier has been started between the readings. */
    @Test
    void aLagThatOnlyTheSecondReadingHasCounts() {
        Situation situation = situation(round("No", ""), round("Yes", "3600"));
        assertThat(new LagCheck().findings(situation))
                .extracting(Finding::severity)
                .containsExactly(Severity.BLOCKS);
    }

    @Test
    void aListOfTablesThatWasCutOffProvesNoMissingTable() {
        List<Finding> found = new ArrayList<>();
        found.addAll(tables(new TableNames(Set.of("shop.a"), false, false), Set.of("shop.a", "shop.b")));
        assertThat(found).extracting(Finding::subject).containsExactly("many");
        assertThat(tables(new TableNames(Set.of("shop.a", "shop.b"), false, false), Set.of("shop.a")))
                .extracting(Finding::subject)
                .containsExactly("more shop.b", "many");
    }

    private static List<Finding> tables(TableNames standby, Set<String> primary) {
        Situation.Round round = new Situation.Round(server(Map.of()), server(Map.of()));
        round.standby().tables(Known.of(standby));
        round.primary().tables(Known.of(new TableNames(new HashSet<>(primary), false, true)));
        return new TablesCheck().findings(round, situation(round, round));
    }

    @ParameterizedTest
    @CsvSource({
        "ALTER TABLE t ADD c INT, true",
        "/* app=shop */ ALTER TABLE t ADD c INT, true",
        "'/* a */ /* b */ SET STATEMENT max_statement_time=0 FOR ALTER TABLE t FORCE', true",
        "/* ALTER TABLE t */ SELECT 1, false",
        "CREATE UNIQUE INDEX i ON t (c), true",
        "CREATE TABLE t (c INT), false"
    })
    void schemaChangesAreRecognised(String statement, boolean change) {
        assertThat(SchemaChange.is(Map.of("info", statement))).isEqualTo(change);
    }
}
