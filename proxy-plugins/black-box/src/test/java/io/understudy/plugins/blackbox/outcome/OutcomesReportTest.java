package io.understudy.plugins.blackbox.outcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.blackbox.outcome.OutcomeRecord.Verdict;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OutcomesReportTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    private final Outcomes outcomes = new Outcomes();
    private final Outcomes named = new Outcomes();
    private final PrimaryOrder order = new PrimaryOrder(() -> 0);
    private LoggedTransactions logged = new LoggedTransactions(List.of(), null, null);
    private @Nullable LoggedTransactions tokens;

    private Map<String, Object> asked(String... parameters) {
        Map<String, String> all = new java.util.HashMap<>();
        for (int i = 0; i < parameters.length; i += 2) {
            all.put(parameters[i], parameters[i + 1]);
        }
        LoggedTransactions.Source log = new LoggedTransactions.Source() {
            @Override
            public LoggedTransactions of(long connection, @Nullable Instant since) {
                return logged;
            }

            @Override
            public @Nullable LoggedTransactions of(String token) {
                return token.equals("order-99") ? tokens : null;
            }
        };
        order.identified(order.generation(), new ServerIdentity(ServerFlavor.MARIADB, 11, ""));
        PresentOutcomes present = new PresentOutcomes(order, () -> null, () -> false, () -> NOW, () -> 0);
        return new OutcomesReport(outcomes, named, present, log, Clock.fixed(NOW, ZoneOffset.UTC)).of(all);
    }

    private void lost(long thread, int secondsAgo, Verdict verdict, boolean settled) {
        outcomes.add(new OutcomeRecord(
                NOW.minusSeconds(secondsAgo),
                thread,
                3,
                "server_id 11",
                thread,
                "app",
                0x0a,
                "commit",
                "order-" + thread,
                verdict,
                verdict == Verdict.COMMITTED ? "0-11-5" : "",
                verdict == Verdict.UNKNOWN ? "the log has a gap" : "",
                settled,
                false,
                0));
    }

    private static List<?> rows(Map<String, Object> view, String key) {
        return (List<?>) Objects.requireNonNull(view.get(key));
    }

    @Test
    void thoseThatMatchAreShownTheNewestLast() {
        lost(57, 90, Verdict.COMMITTED, true);
        lost(58, 30, Verdict.UNKNOWN, true);
        assertThat(asked()).containsEntry("count", 2).containsEntry("settled", true);
        assertThat(rows(asked("token", "order-57"), "outcomes"))
                .singleElement()
                .isEqualTo(Map.ofEntries(
                        Map.entry("when", "2026-03-01T11:58:30Z"),
                        Map.entry("connection", 57L),
                        Map.entry("server", "server_id 11"),
                        Map.entry("session", 57L),
                        Map.entry("user", "app"),
                        Map.entry("digest", "000000000000000a"),
                        Map.entry("kind", "commit"),
                        Map.entry("token", "order-57"),
                        Map.entry("outcome", "committed"),
                        Map.entry("gtid", "0-11-5"),
                        Map.entry("reason", ""),
                        Map.entry("settled", true),
                        Map.entry("told", false)));
        assertThat(asked("since", "1m")).containsEntry("count", 1);
        assertThat(asked("since", "2026-03-01T11:00:00Z")).containsEntry("count", 2);
        assertThat(asked("digest", "000000000000000a")).containsEntry("count", 2);
        assertThat(asked("user", "other")).containsEntry("count", 0).containsEntry("settled", true);
    }

    @Test
    void whatWasCommittedIsThatOfTheFirstPrimaryOnly() {
        lost(57, 1, Verdict.COMMITTED, true);
        outcomes.find(Outcomes.Filter.ANY).forEach(named::add);
        order.changed(); // to one that does not respond
        assertThat(rows(asked("connection", "57"), "outcomes"))
                .singleElement()
                .asString()
                .contains("outcome=unknown");
        assertThat(asked("token", "order-57")).containsEntry("count", 2).containsEntry("settled", false);
    }

    @Test
    void whatIsStillBeingFoundOutIsNotSettled() {
        lost(57, 1, Verdict.UNKNOWN, false);
        assertThat(asked("connection", "57")).containsEntry("settled", false);
    }

    @Test
    void aConnectionHasWhatTheLogHasOfIt() {
        logged = new LoggedTransactions(
                List.of(new LoggedTransactions.Entry("0-11-5", "server_id 11", NOW)),
                NOW.minusSeconds(60),
                "it still runs");
        assertThat(asked()).doesNotContainKey("transactions");
        assertThat(asked("connection", "57"))
                .containsEntry("count", 0)
                .containsEntry("settled", false)
                .containsEntry("reason", "it still runs")
                .containsEntry("logSince", "2026-03-01T11:59:00Z")
                .containsEntry(
                        "transactions",
                        List.of(Map.of("gtid", "0-11-5", "server", "server_id 11", "when", "2026-03-01T12:00:00Z")));
    }

    /** It was in flight when the proxy was killed, and the log does not tell the connections. */
    @Test
    void aTokenOfWhichNothingElseIsKnownHasWhatTheLogNamesSo() {
        tokens = new LoggedTransactions(
                List.of(new LoggedTransactions.Entry("0-11-5", "server_id 11", NOW)), null, null);
        assertThat(rows(asked("token", "order-99"), "transactions")).hasSize(1);
        assertThat(asked("token", "order-99", "connection", "57")).containsEntry("settled", true);
        tokens = new LoggedTransactions(List.of(), null, "the primary lacks it", true);
        assertThat(asked("token", "order-99"))
                .containsEntry("settled", true)
                .containsEntry("reason", "the primary lacks it");
        assertThat(asked("token", "order-98")).doesNotContainKey("transactions");
        assertThat(rows(asked("token", "order-98", "connection", "57"), "transactions"))
                .isEmpty();
        lost(99, 1, Verdict.UNKNOWN, true);
        assertThat(asked("token", "order-99")).doesNotContainKey("transactions");
    }

    @Test
    void aListThatIsCutOffSaysSinceWhenItIsWhole() {
        List<LoggedTransactions.Entry> many = java.util.stream.IntStream.rangeClosed(1, 1_001)
                .mapToObj(i -> new LoggedTransactions.Entry("0-11-" + i, "server_id 11", NOW.plusSeconds(i)))
                .toList();
        logged = new LoggedTransactions(many, NOW.minusSeconds(60), null);
        assertThat(asked("connection", "57")).containsEntry("logSince", "2026-03-01T12:00:01Z");
        assertThat(rows(asked("connection", "57"), "transactions")).hasSize(1_000);
    }

    @Test
    void itSaysSinceWhenItKnowsAnything() {
        assertThat(asked("token", "a")).containsEntry("knownSince", NOW.toString());
        for (int i = 0; i <= Outcomes.MOST; i++) {
            named.add(new OutcomeRecord(
                    NOW.plusSeconds(i),
                    1,
                    i,
                    "",
                    57,
                    "app",
                    0,
                    "insert",
                    "t" + i,
                    Verdict.COMMITTED,
                    "",
                    "",
                    true,
                    true,
                    0));
        }
        assertThat(asked("token", "t1")).containsEntry("count", 1).containsEntry("knownSince", NOW.toString());
        named.add(new OutcomeRecord(
                NOW, 1, 0, "", 57, "app", 0, "insert", "again", Verdict.COMMITTED, "", "", true, true, 0));
        assertThat(asked("token", "t1"))
                .containsEntry("count", 0)
                .containsEntry("knownSince", NOW.plusSeconds(1).toString());
    }

    @Test
    void aWrongValueIsNamed() {
        assertThatThrownBy(() -> asked("connection", "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("connection: expected a number, found 'x'");
        assertThatThrownBy(() -> asked("digest", "x")).hasMessageStartingWith("digest: expected 16 hex");
        assertThatThrownBy(() -> asked("since", "yesterday")).hasMessageStartingWith("since: expected how long ago");
    }
}
