package io.understudy.lost;

import static io.understudy.terminal.Table.map;
import static io.understudy.terminal.Table.rows;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LostUnionTest {
    private final Map<String, Map<String, Object>> views = new LinkedHashMap<>();

    private static Map<String, Object> numbered(String numbers) {
        return Map.of("numbers", numbers);
    }

    private static Map<String, Object> answered(int number, boolean captured) {
        return Map.of("gtid", "0-1-" + number, "captured", captured, "answeredAt", "12:00", "user", "app");
    }

    private static Map<String, Object> kept(int number) {
        return Map.of("gtid", "0-1-" + number, "captured", true, "tables", List.of("shop.t"));
    }

    private static Map<String, Object> part(List<Map<String, Object>> rows) {
        return Map.of("count", rows.size(), "transactions", rows);
    }

    private void proxy(
            String name,
            String captured,
            String gap,
            List<Map<String, Object>> answered,
            List<Map<String, Object>> kept) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("primary", Map.of("read", false, "lostAt", "12:00"));
        view.put("logs", List.of(Map.of("server", "server_id 1", "upTo", "0-1-" + name.length())));
        view.put("captured", numbered(captured));
        view.put("unknown", numbered(gap));
        view.put("answeredAndMissing", part(answered));
        view.put("missingNotKnownAnswered", part(kept));
        views.put(name, view);
    }

    /** A black box that acknowledges nothing cannot say that nothing more was told. */
    @Test
    void onlyAWitnessThatWasPresentSpeaksForTheOthers() {
        proxy("one", "0:7", "", List.of(), List.of());
        proxy("two", "0:7", "", List.of(), List.of());
        view("one").put("notKnown", List.of());
        view("two").put("notKnown", List.of(Map.of("what", "the end")));
        view("two").put("witness", Map.of("mode", "disk"));
        assertThat(rows(LostUnion.of(views).all(), "notKnown")).hasSize(1);
        view("one").put("witness", Map.of("mode", "disk"));
        assertThat(rows(LostUnion.of(views).all(), "notKnown")).isEmpty();
    }

    /** The other one may have been restarted since. */
    @Test
    void whatOneProxyKnowsOfAResetCountsForAll() {
        proxy("one", "0:7", "", List.of(), List.of());
        proxy("two", "0:7", "", List.of(), List.of());
        view("one").put("witness", Map.of("mode", "disk"));
        view("two").put("notKnown", List.of(Map.of("what", "since the reset", "renumbered", true)));
        assertThat(LostUnion.of(views).isRenumbered()).isTrue();
        assertThat(LostUnion.of(views).isLoss()).isTrue();
    }

    /** One proxy may lack the transaction from before the reset, and the other one have that from since. */
    @Test
    void afterAResetTheSameNumbersOfTwoProxiesMayBeOfTwoHistories() {
        proxy("one", "0:7", "", List.of(), List.of());
        proxy("two", "", "0:7", List.of(), List.of());
        assertThat(rows(LostUnion.of(views).all(), "notKnown")).isEmpty();
        view("one").put("primary", Map.of("read", false, "lostAt", "12:00", "lacksOfBefore", true));
        assertThat(rows(LostUnion.of(views).all(), "notKnown"))
                .singleElement()
                .satisfies(row -> assertThat(String.valueOf(row.get("what"))).contains("count once"));
        view("two").put("unknown", numbered(""));
        assertThat(rows(LostUnion.of(views).all(), "notKnown")).isEmpty();
    }

    /** One that read the old primary speaks for one that began later. */
    @Test
    void whatNoProxyHasReadIsNotKnown() {
        proxy("one", "0:7", "", List.of(), List.of());
        proxy("two", "0:7", "", List.of(), List.of());
        view("two").put("notKnown", List.of(Map.of("what", "the former", "unread", true)));
        assertThat(LostUnion.of(views).isUnread()).isFalse();
        view("one").put("notKnown", List.of(Map.of("what", "the former", "unread", true)));
        assertThat(LostUnion.of(views).isUnread()).isTrue();
        assertThat(LostUnion.of(views).isLoss()).isTrue();
        assertThat(LostUnion.of(views).lost()).contains("NOT KNOWN: the former");
    }

    private Map<String, Object> view(String proxy) {
        return Objects.requireNonNull(views.get(proxy));
    }

    @Test
    void aTransactionIsCapturedIfOneHasItAndAnsweredIfOneSawTheOk() {
        proxy("one", "0:7", "", List.of(answered(7, true), answered(8, false)), List.of());
        proxy("two", "0:7-9", "", List.of(), List.of(kept(7), kept(8), kept(9)));
        Map<String, Object> united = LostUnion.of(views).all();
        Map<String, Object> missing = map(united, "answeredAndMissing");
        assertThat(missing)
                .containsEntry("count", 2L)
                .containsEntry("captured", 2L)
                .containsEntry("notCaptured", 0L);
        assertThat(rows(missing, "transactions").get(1))
                .containsEntry("captured", true)
                .containsEntry("user", "app")
                .containsEntry("tables", List.of("shop.t"));
        assertThat(map(united, "missingNotKnownAnswered")).containsEntry("count", 1L);
        assertThat(rows(map(united, "missingNotKnownAnswered"), "transactions"))
                .extracting(row -> row.get("gtid"))
                .containsExactly("0-1-9");
        assertThat(rows(united, "proxies"))
                .containsExactly(Map.of("proxy", "one", "captured", 1L), Map.of("proxy", "two", "captured", 3L));
        assertThat(rows(united, "logs"))
                .extracting(row -> row.get("server"))
                .containsExactly("server_id 1 by one", "server_id 1 by two");
        assertThat(LostUnion.first(views)).isEqualTo("two");
        assertThat(LostUnion.elsewhere(views, "two")).isZero();
    }

    /** Each proxy sees the OKs of its own clients alone. */
    @Test
    void whatIsNotKnownToBeAnsweredIsSoByOneProxy() {
        proxy("one", "", "", List.of(), List.of());
        view("one").put("appliedNotKnownAnswered", part(List.of(kept(1))));
        assertThat(map(LostUnion.of(views).all(), "appliedNotKnownAnswered")).doesNotContainKey("by");
        proxy("two", "", "", List.of(), List.of());
        assertThat(map(LostUnion.of(views).all(), "appliedNotKnownAnswered"))
                .containsEntry("count", 1)
                .containsEntry("by", "one");
    }

    @Test
    void theTablesAreThoseOfTheRowsThatAreListed() {
        proxy("one", "0:7", "", List.of(answered(7, true)), List.of());
        proxy("two", "0:7-8", "", List.of(), List.of(kept(7), kept(8)));
        view("two")
                .put(
                        "missingNotKnownAnswered",
                        Map.of("count", 2, "transactions", List.of(kept(7), kept(8)), "tables", Map.of("shop.t", 2)));
        Map<String, Object> united = LostUnion.of(views).all();
        assertThat(map(map(united, "answeredAndMissing"), "tables")).isEqualTo(Map.of("shop.t", 1));
        assertThat(map(map(united, "missingNotKnownAnswered"), "tables")).isEqualTo(Map.of("shop.t", 1));
    }

    /** A proxy that was stopped during a failover follows the old primary again: its rows are on no other server. */
    @Test
    void whatIsReadFromAnotherPrimaryIsNotOnItsWay() {
        proxy("one", "0:7", "", List.of(answered(7, true)), List.of());
        proxy("two", "0:7", "", List.of(), List.of());
        for (String each : List.of("one", "two")) {
            view(each).put("primary", Map.of("read", true));
            view(each).put("survivor", Map.of("position", "0-1-6"));
            view(each).put("logs", List.of(Map.of("server", "server_id 1", "uuid", "", "read", true)));
        }
        assertThat(LostUnion.of(views).isPrimaryGone()).isFalse();
        assertThat(LostUnion.of(views).isLoss()).isFalse();
        view("two")
                .put(
                        "logs",
                        List.of(
                                Map.of("server", "server_id 1", "read", false),
                                Map.of("server", "server_id 2", "uuid", "", "read", true)));
        MissingView united = LostUnion.of(views);
        assertThat(united.isPrimaryGone()).isTrue();
        assertThat(united.isLoss()).as("though all of it is captured").isTrue();
        assertThat(rows(united.all(), "notKnown").toString())
                .contains("(server_id 1 by one; server_id 2 by two), and both may be writable");
    }

    /** The old primary lived on, its last OKs went through one proxy, and both read the new one. */
    @Test
    void whatTheFormerPrimaryHasIsNotOnItsWayAlthoughAnotherProxyLacksNothingOfIt() {
        proxy("one", "", "", List.of(), List.of());
        proxy("two", "", "", List.of(answered(7, false)), List.of());
        List<Map<String, Object>> both =
                List.of(Map.of("server", "server_id 1", "read", false), Map.of("server", "server_id 2", "read", true));
        for (String each : List.of("one", "two")) {
            view(each).put("primary", Map.of("read", true));
            view(each).put("survivor", Map.of("position", "0-2-9"));
            view(each).put("logs", both);
            view(each).put("answeredAndMissing", listed(0, 0, List.of()));
        }
        assertThat(LostUnion.of(views).isLoss()).isFalse();
        view("two").put("answeredAndMissing", listed(0, 1, List.of(answered(7, false))));
        assertThat(LostUnion.of(views).isLoss())
                .as("the log that is read may bring it")
                .isFalse();

        view("two").put("primary", Map.of("read", false, "lostAt", "12:00", "lacksOfFormer", true));
        assertThat(LostUnion.of(views).isPrimaryGone()).isTrue();
        assertThat(LostUnion.of(views).isLoss()).isTrue();
    }

    /** A proxy whose stream is away brings nothing, and the other one reads the same log, or another. */
    @Test
    void whatAProxyLacksThatReadsNothingIsOnItsWayIfAnotherReadsThatServer() {
        proxy("one", "", "", List.of(), List.of());
        proxy("two", "", "", List.of(), List.of());
        view("one").put("primary", Map.of("read", true));
        view("one").put("survivor", Map.of("position", "0-2-9"));
        view("one").put("logs", List.of(Map.of("server", "server_id 2", "read", true)));
        view("two").put("logs", List.of(Map.of("server", "server_id 2", "read", false)));
        view("two").put("answeredAndMissing", listed(0, 1, List.of(answered(7, false))));
        assertThat(LostUnion.of(views).isLoss()).isFalse();

        view("two").put("logs", List.of(Map.of("server", "server_id 1", "read", false)));
        assertThat(LostUnion.of(views).isLoss()).isTrue();
        view("two").put("answeredAndMissing", listed(0, 0, List.of()));
        assertThat(LostUnion.of(views).isLoss()).as("it lacks nothing").isFalse();
    }

    @Test
    void whoReadsAndWhoDoesNotIsSaid() {
        proxy("one", "", "", List.of(), List.of());
        proxy("two", "", "", List.of(), List.of());
        view("one").put("primary", Map.of("read", false, "lostAt", "12:00", "why", "the disk is full"));
        view("two").put("primary", Map.of("read", true));
        Map<String, Object> united = LostUnion.of(views).all();
        assertThat(map(united, "primary")).containsEntry("by", "two");
        assertThat(rows(united, "proxies").get(0)).containsEntry("notReading", "the disk is full");
        assertThat(rows(united, "proxies").get(1)).doesNotContainKey("notReading");
        view("one").put("primary", Map.of("read", true));
        assertThat(map(LostUnion.of(views).all(), "primary")).doesNotContainKey("by");
    }

    /** A witness that was present does not know which server is the primary. */
    @Test
    void aSplitIsALossThoughThePrimaryIsRead() {
        proxy("one", "", "", List.of(), List.of());
        proxy("two", "", "", List.of(), List.of());
        view("one").put("primary", Map.of("read", true));
        view("one").put("notKnown", List.of(Map.of("what", "which server", "split", true)));
        view("two").put("notKnown", List.of());
        view("two").put("witness", Map.of("mode", "disk"));
        assertThat(LostUnion.of(views).isLoss()).isTrue();
    }

    @Test
    void aGapIsOneOnlyIfNoneHasIt() {
        proxy("one", "0:1-5", "", List.of(), List.of(kept(1)));
        proxy("two", "0:6-9", "0:1-4,1:3", List.of(), List.of(kept(6)));
        assertThat(map(LostUnion.of(views).all(), "unknown"))
                .containsEntry("numbers", "1:3")
                .containsEntry("transactions", 1L);
    }

    @Test
    void theFileThatComesFirstHasNothingOfTheOthersBeforeIt() {
        proxy("late", "0:50-103", "0:1-49", List.of(), List.of());
        proxy("early", "0:1-100", "", List.of(), List.of());
        assertThat(LostUnion.first(views)).isEqualTo("early");
        assertThat(LostUnion.elsewhere(views, "early")).isEqualTo(3);
        views.clear();
        proxy("one", "0:1:3", "", List.of(), List.of());
        proxy("two", "0:2", "", List.of(), List.of());
        assertThat(LostUnion.first(views))
                .as("each lacks what precedes the other's")
                .isNull();
    }

    @Test
    void moreThanIsListedIsNotLess() {
        List<Map<String, Object>> many = new ArrayList<>();
        for (int i = 1; i <= 10; i++) {
            many.add(kept(i));
        }
        proxy("one", "0:1-2000", "", List.of(), many);
        Objects.requireNonNull(views.get("one"))
                .put("missingNotKnownAnswered", Map.of("count", 2000, "transactions", many));
        proxy("two", "0:1", "0:2-2000", List.of(), List.of(kept(1)));
        Map<String, Object> united = LostUnion.of(views).all();
        assertThat(map(united, "missingNotKnownAnswered")).containsEntry("count", 2000L);
        assertThat(map(united, "unknown")).containsEntry("transactions", 0L);
    }

    private static Map<String, Object> listed(int captured, int notCaptured, List<Map<String, Object>> rows) {
        return Map.of(
                "count",
                captured + notCaptured,
                "captured",
                captured,
                "notCaptured",
                notCaptured,
                "transactions",
                rows);
    }

    /** A proxy lists 1,000 at most, those that it has not captured first. */
    @Test
    void whatIsNotListedCountsByTheNumbers() {
        proxy("one", "0:1001-3000", "", List.of(), List.of());
        view("one").put("answeredAndMissing", listed(2000, 1000, List.of(answered(1, false), answered(2, false))));
        proxy("two", "0:1", "", List.of(), List.of());
        Map<String, Object> united = LostUnion.of(views).all();
        assertThat(map(united, "answeredAndMissing"))
                .containsEntry("captured", 2001L)
                .containsEntry("notCaptured", 999L)
                .containsEntry("count", 3000L);
        assertThat(map(united, "missingNotKnownAnswered")).containsEntry("count", 0L);
        assertThat(rows(map(united, "answeredAndMissing"), "transactions"))
                .extracting(row -> row.get("captured"))
                .containsExactly(true, false);

        proxy("two", "0:1-1000", "", List.of(), List.of());
        assertThat(map(LostUnion.of(views).all(), "answeredAndMissing"))
                .as("whether it has those that are not listed is not known")
                .containsEntry("notCaptured", 998L);
        proxy("three", "0:1001-5000", "", List.of(), List.of());
        view("three").put("answeredAndMissing", listed(1500, 0, List.of(answered(1001, true))));
        Map<String, Object> three = LostUnion.of(views).all();
        assertThat(map(three, "answeredAndMissing")).containsEntry("captured", 3502L);
        assertThat(map(three, "missingNotKnownAnswered")).containsEntry("count", 5000L - 3502);
    }

    @Test
    void aProxyThatWasNotAskedIsAWarning() {
        proxy("one", "", "", List.of(), List.of());
        Map<String, Object> united = LostUnion.of(views).all();
        united.put("survivor", Map.of("position", "0-1-9"));
        assertThat(new MissingView(united).isLoss()).isFalse();
        united.put("notAsked", List.of(Map.of("proxy", "two", "why", "refused")));
        assertThat(new MissingView(united).isLoss()).isTrue();
        assertThat(MissingView.isLoss(united)).isTrue();
    }

    /** Proxies that have just started read nothing of it yet, and it may be further than the old one. */
    @Test
    void whereTheReadingOfTheOldPrimaryEndedIsNotWhereThatOfTheNewOneDid() {
        proxy("one", "", "", List.of(), List.of());
        view("one")
                .put(
                        "logs",
                        List.of(
                                Map.of("serverId", 1L, "upTo", "0-1-140", "read", false, "variable", "@@v"),
                                Map.of("serverId", 2L, "upTo", "0-2-254", "read", false, "variable", "@@v")));
        assertThat(MissingView.readUpTo(views.values(), "h:3306:2").orElse("")).contains("up to 0-1-140");
        assertThat(MissingView.readUpTo(views.values(), "h:3306:12").orElse("")).contains("up to 0-2-254");
    }
}
