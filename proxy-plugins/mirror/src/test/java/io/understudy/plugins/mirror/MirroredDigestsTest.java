package io.understudy.plugins.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.DigestNotes;
import io.understudy.plugins.mirror.playback.DigestTimes;
import io.understudy.plugins.mirror.playback.MirrorConfigs;
import io.understudy.plugins.mirror.playback.MirrorRules;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.selection.SampleRate;
import io.understudy.rules.ClientNet;
import io.understudy.rules.Match;
import io.understudy.rules.NameGlob;
import io.understudy.rules.TableGlob;
import io.understudy.rules.TextPattern;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import io.understudy.sql.StatementSummary;
import io.understudy.testkit.FakeExchange;
import io.understudy.testkit.FakeSession;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What {@code /api/digests} says about the mirror. */
@SuppressWarnings("NullAway") // absent keys are null
class MirroredDigestsTest {
    private static Match users(String user) {
        return new Match(List.of(NameGlob.parse(user)), null, null, null, null, null, null);
    }

    private static MirrorConfig config(MirrorConfig.Rule... rules) {
        return MirrorConfigs.of(1, null, null, null, null, null, null, List.of(rules));
    }

    private static MirrorRules rules(MirrorConfig config) {
        return new MirrorRules(config, List.of());
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
        AtomicReference<MirrorRules> rules = new AtomicReference<>(
                rules(config(rule("no-reports", users("reporting"), "0%"), rule("rest", Match.ANY, "10%"))));
        MirroredDigests digests = new MirroredDigests(times, rules::get);
        DigestNotes.Subject read = digest("SELECT a FROM t", "app");
        assertThat(digests.of(read))
                .isEqualTo(Map.of("rules", List.of("rest"), "mirrored", true, "reasons", List.of("sampled")));

        times.record(read.summary().digest(), false, 1_000_000, 3_000_000);
        times.record(read.summary().digest(), false, 1_000_000, 2_000_000);
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
        rules.set(rules(config()));
        assertThat(digests.of(digest("SELECT b FROM t", "app")))
                .isEqualTo(Map.of("rules", List.of(), "mirrored", false, "reasons", List.of("no_rule")));
    }

    @Test
    void aRuleThatAsksForTheClientIsLeftOpen() {
        Match inside = new Match(null, null, List.of(ClientNet.parse("10.0.0.0/8")), null, null, null, null);
        MirrorRules rules = rules(config(rule("inside", inside, "100%")));
        MirroredDigests digests = new MirroredDigests(new DigestTimes(), () -> rules);
        assertThat(digests.of(digest("SELECT a FROM t", "app")))
                .containsEntry("dependsOnClient", true)
                .containsEntry("mirrored", false);
    }

    @Test
    void aRuleThatCannotMatchTheDigestDoesNotAskForTheClient() {
        List<ClientNet> client = List.of(ClientNet.parse("10.0.0.0/8"));
        Match other = new Match(null, null, client, List.of(TableGlob.parse("archive")), null, null, null);
        MirrorRules rules = rules(config(rule("other", other, "100%"), rule("rest", Match.ANY, "10%")));
        MirroredDigests digests = new MirroredDigests(new DigestTimes(), () -> rules);
        assertThat(digests.of(digest("SELECT a FROM t", "app"))).doesNotContainKey("dependsOnClient");
        assertThat(digests.of(digest("SELECT a FROM archive", "app"))).containsEntry("dependsOnClient", true);
    }

    /** A digest has no values of which a look-up could be made; each execution has. */
    @Test
    void aWriteThatIsLookedUpIsMirroredAndNotCompared() {
        DigestTimes times = new DigestTimes();
        MirrorConfig.Rule all = rule("all", Match.ANY, "100%");
        MirrorRules rules = rules(new MirrorConfig(
                1,
                null,
                null,
                null,
                null,
                null,
                null,
                List.of(all),
                null,
                null,
                null,
                null,
                MirrorConfig.Writes.LOOKUPS,
                null,
                null));
        MirroredDigests digests = new MirroredDigests(times, () -> rules);
        DigestNotes.Subject update = digest("UPDATE t SET a = 1 WHERE id = 2", "app");
        for (int i = 0; i < 5; i++) {
            times.record(update.summary().digest(), true, 3_000_000, 1_000_000);
        }
        assertThat(digests.of(update))
                .containsEntry("mirrored", true)
                .containsEntry("reasons", List.of("lookup"))
                .containsEntry("lookup", true)
                .containsEntry("count", 5L)
                .doesNotContainKey("ratio");
        assertThat(times.slowest(10)).isEmpty();
        assertThat(digests.of(digest("SELECT a FROM t", "app")))
                .isEqualTo(Map.of("rules", List.of("all"), "mirrored", true, "reasons", List.of("all")));
    }

    /** The mirror's own searches switch a pattern off, those for a view do not. */
    @Test
    void theViewSaysWhatTheMirrorDoesWithAPatternAndSwitchesNoneOff() {
        Match slow = new Match(null, null, null, null, null, null, List.of(TextPattern.parse("(x+x+)+y")));
        MirrorRules rules = rules(config(rule("slow", slow, "0%"), rule("rest", Match.ANY, "100%")));
        MirroredDigests digests = new MirroredDigests(new DigestTimes(), () -> rules);
        DigestNotes.Subject read = digest("SELECT " + "x".repeat(200) + " FROM t", "app");
        for (int i = 0; i < 10; i++) {
            assertThat(digests.of(read)).containsEntry("rules", List.of("rest"));
        }
        assertThat(rules.set().patternAborts(0)).isZero();
        DigestNotes.Subject matching = digest("SELECT xxy FROM t", "app");
        assertThat(digests.of(matching)).containsEntry("rules", List.of("slow"));
        for (int i = 0; i < 3; i++) {
            FakeSession session = new FakeSession("app");
            session.setId(i);
            rules.set().forSession(session).match(FakeExchange.to("SELECT " + "x".repeat(200) + i + " FROM t"));
        }
        assertThat(rules.set().patternAborts(0)).isEqualTo(3);
        assertThat(digests.of(matching)).as("switched off by then").containsEntry("rules", List.of("rest"));
    }
}
