package io.understudy.plugins.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.DigestNotes;
import io.understudy.rules.ClientNet;
import io.understudy.rules.Match;
import io.understudy.rules.NameGlob;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import io.understudy.sql.StatementSummary;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What {@code /api/digests} says about the mirror. */
class MirroredDigestsTest {
    private static Match users(String user) {
        return new Match(List.of(NameGlob.parse(user)), null, null, null, null, null, null);
    }

    private static MirrorConfig config(MirrorConfig.Rule... rules) {
        return new MirrorConfig(1, null, null, null, null, null, null, List.of(rules));
    }

    private static MirrorConfig.Rule rule(String name, Match match, String sample) {
        return new MirrorConfig.Rule(name, match, SampleRate.parse(sample), null, null, null);
    }

    private static StatementSummary summary(String sql) {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        return new SqlAnalyzer().summarize(text, 0, text.length, SqlModes.NONE);
    }

    private static DigestNotes.Subject digest(String sql, String... users) {
        return new DigestNotes.Subject(summary(sql), List.of(users), List.of("shop"), sql);
    }

    @Test
    void aDigestHasItsRuleOrTheReasonAndItsTimes() {
        DigestTimes times = new DigestTimes();
        MirroredDigests digests = new MirroredDigests(
                times, config(rule("no-reports", users("reporting"), "0%"), rule("rest", Match.ANY, "10%")));
        DigestNotes.Subject read = digest("SELECT a FROM t", "app");
        assertThat(digests.of(read))
                .isEqualTo(Map.of("rules", List.of("rest"), "mirrored", true, "reasons", List.of("sampled")));

        times.record(read.summary().digest(), 1_000_000, 3_000_000);
        times.record(read.summary().digest(), 1_000_000, 2_000_000);
        assertThat(digests.of(read))
                .containsEntry("count", 2L)
                .containsEntry("primaryMicros", 1000L)
                .containsEntry("standbyMicros", 2500L)
                .containsEntry("ratio", 2.5);

        assertThat(digests.of(digest("SELECT a FROM t", "reporting")))
                .containsEntry("mirrored", false)
                .containsEntry("reasons", List.of("sample_0"));
        assertThat(digests.of(digest("SELECT a FROM t", "reporting", "app")))
                .containsEntry("rules", List.of("no-reports", "rest"))
                .containsEntry("mirrored", true)
                .containsEntry("reasons", List.of("sample_0", "sampled"));
        Map<String, Object> write = digests.of(digest("UPDATE t SET a = 1", "app"));
        assertThat(write).containsEntry("mirrored", false).containsEntry("reasons", List.of("writes"));
        // A reload counts.
        digests.reload(config());
        assertThat(digests.of(digest("SELECT b FROM t", "app")))
                .isEqualTo(Map.of("rules", List.of(), "mirrored", false, "reasons", List.of("no_rule")));
    }

    @Test
    void aRuleThatAsksForTheClientIsLeftOpen() {
        Match inside = new Match(null, null, List.of(ClientNet.parse("10.0.0.0/8")), null, null, null, null);
        MirroredDigests digests = new MirroredDigests(new DigestTimes(), config(rule("inside", inside, "100%")));
        assertThat(digests.of(digest("SELECT a FROM t", "app")))
                .containsEntry("dependsOnClient", true)
                .containsEntry("mirrored", false);
    }
}
