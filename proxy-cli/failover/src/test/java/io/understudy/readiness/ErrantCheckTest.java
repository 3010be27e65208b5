package io.understudy.readiness;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.StandbyFigures;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Transactions that the standby alone has, by domain, server and number. */
class ErrantCheckTest {
    private static ServerFacts server(String version, Map<String, String> variables) {
        Map<String, String> all = new HashMap<>(variables);
        all.put("version", version);
        ServerFacts facts = new ServerFacts();
        facts.put(ServerFacts.VARIABLES, Known.of(all));
        return facts;
    }

    private static List<String> found(ServerFacts standby, ServerFacts primary) {
        Situation.Round round = new Situation.Round(standby, primary);
        Situation situation = new Situation(
                round, round, "s", "p:1", Set.of(), ProxyFigures.NONE, StandbyFigures.NONE, ReadinessGate.LIMITS);
        return Check.ERRANT.findings(situation).stream()
                .map(finding -> finding.severity().word() + (finding.decides() ? " " : "? ") + finding.subject())
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                // standby's log | primary's log | primary's gtid_slave_pos | found
                "0-1-150         | 0-1-150           | ''      | -",
                "0-2-101,0-1-150 | 0-1-150           | ''      | blocks 0-2-101",
                // Server 2 was the primary up to 100; 101 was written there behind that.
                "0-2-101,0-1-150 | 0-2-100,0-1-150   | 0-2-100 | blocks 0-2-101",
                "0-2-100,0-1-150 | 0-2-100,0-1-150   | 0-2-100 | -",
                // The primary's log begins later than it has replicated.
                "0-2-100,0-1-150 | 0-1-150           | 0-2-100 | -",
                "0-2-101,0-1-150 | 0-1-150           | 0-2-100 | blocks 0-2-101",
                // It has replicated from server 3 last: 0-2-101 may be of before that, or not.
                "0-2-101,0-3-140,0-1-150 | 0-1-150   | 0-3-140 | unknown unclear 0-2-101",
                "0-2-101,0-3-140 | 0-2-90,0-3-140    | 0-3-140 | blocks 0-2-101",
                "9-2-2           | 0-1-150           | 0-3-140 | blocks 9-2-2",
                "0-2-101,9-2-2   | 0-1-150           | 0-3-140 | blocks 9-2-2;unknown unclear 0-2-101",
                "0-2             | 0-1-150           | ''      | 'unknown '",
                "0-1-150         | 0-1-x             | ''      | 'unknown '"
            })
    void onMariaDb(String standby, String primary, String replicated, String expected) {
        assertThat(String.join(
                        ";",
                        found(
                                server("11.4.5-MariaDB", Map.of("gtid_binlog_state", standby)),
                                server(
                                        "11.4.5-MariaDB",
                                        Map.of("gtid_binlog_state", primary, "gtid_slave_pos", replicated)))))
                .isEqualTo(expected == null ? "" : expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "a:1-10       | a:1-10       | -",
                "a:1-10,b:1   | a:1-11       | blocks b:1",
                "a:1-10,a:t:1 | a:1-10       | blocks a:t:1",
                "a:1-x        | a:1-10       | 'unknown '",
                ":            | a:1-10       | 'unknown '"
            })
    void onMySql(String standby, String primary, String expected) {
        assertThat(String.join(
                        ";",
                        found(
                                server("9.7.0", Map.of("gtid_executed", standby)),
                                server("9.7.0", Map.of("gtid_executed", primary)))))
                .isEqualTo(expected == null ? "" : expected);
    }
}
