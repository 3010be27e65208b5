package io.understudy.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CommitsTextTest {
    private static String text(String state, String active, boolean expected) {
        return text(state, active, expected, Map.of());
    }

    private static String text(String state, String active, boolean expected, Map<String, Object> present) {
        Map<String, Object> prediction = new HashMap<>(
                Map.of("commits", 500, "commitsPerSecond", 10.0, "commitMillis", 2.0, "roundTripMillis", 0.0));
        prediction.putAll(present);
        return ReportText.COMMITS.of(Map.of(
                "semisync",
                Map.of("state", state, "waitPoint", "", "replicas", 1),
                "attribution",
                Map.of("active", active, "reason", ""),
                "prediction",
                prediction,
                "exposure",
                Map.of("expected", expected, "unacknowledged", 0),
                "users",
                List.of(Map.of("key", "app", "commits", 500, "p50Millis", 2.0, "ackShare", 0.0))));
    }

    /** As without {@code primary.monitor}. */
    @Test
    void whatNobodyCouldAskIsNotKnown() {
        assertThat(text("unknown", "off", false))
                .contains("Whether commits were acknowledged is not known", "a part that is not known is the wait")
                .doesNotContain("could be lost", "0.00 ms is the wait", "Every commit", "0%");
        assertThat(text("unknown", "off", true)).contains("at present the primary cannot be asked");
    }

    @Test
    void whatIsKnownIsSaid() {
        assertThat(text("off", "binlog", false)).contains("each could be lost", "0.00 ms is the wait", "0%");
        assertThat(text("on", "binlog", true))
                .contains("No commit is known to have got its OK without a replica's acknowledgement since the start.");
    }

    @Test
    void whatAWitnessWouldDoIsForetold() {
        Map<String, Object> with = new HashMap<>(Map.of(
                "present", false,
                "executeMillis", 0.5,
                "roundTripMillis", 0.2,
                "memoryMillis", 0.7,
                "memoryCeilingPerConnection", 1428.6));
        assertThat(text("on", "binlog", true, Map.of("witness", with)))
                .contains("A witness beside the primary (plugins.black-box.acknowledge) would acknowledge in its place:"
                        + " 0.70 ms each from memory, 1429 a second for one connection (0.50 ms until the proxy has it,"
                        + " 0.20 ms to the primary and back); from disk one fdatasync more\n");
        with.put("withdrawn", true);
        assertThat(text("on", "binlog", true, Map.of("witness", with)))
                .contains("The witness has withdrawn (/api/witness says why). Once it is back: 0.70 ms each");
        with.put("diskMillis", 4.9);
        with.put("present", true);
        assertThat(text("on", "binlog", true, Map.of("witness", with)))
                .contains("With the witness, which acknowledges now, 0.70 ms", "; from disk 4.90 ms\n");
        assertThat(text("off", "off", false)).doesNotContain("witness");
    }

    /** The rate of the last burst is not that of now. */
    @Test
    void ratesHaveTheirTime() {
        assertThat(text("on", "binlog", true, Map.of("commitsPerSecondNow", 0.0, "lastCommitSecondsAgo", 600.0)))
                .contains("At present nobody commits; the last commit was 10 min ago. Until then: 10.0 commits a"
                        + " second");
        assertThat(text("on", "binlog", true, Map.of("commitsPerSecondNow", 12.5, "lastCommitSecondsAgo", 0.1)))
                .contains("At present 12.5 commits a second; of the last minutes: 10.0 commits a second");
    }
}
