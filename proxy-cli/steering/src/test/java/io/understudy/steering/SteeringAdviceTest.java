package io.understudy.steering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.understudy.config.ConfigException;
import io.understudy.config.ConfigLoader;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.LoggedStatement;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.gtiddomain.GtidDomainConfig;
import io.understudy.steering.parallelism.AlterPhase;
import io.understudy.steering.parallelism.ApplyCost;
import io.understudy.steering.parallelism.ApplyHints;
import io.understudy.steering.parallelism.RowImages;
import io.understudy.steering.parallelism.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SteeringAdviceTest {
    private final List<Workload.Entry> entries = new ArrayList<>();
    private final Workload workload = new Workload(5_000, ApplyCost.DEFAULT);
    private int number;
    /** Bytes of a small transaction in the binary log. */
    private long bytes = 200;

    private Workload.Entry log(
            TransactionKind kind,
            long group,
            long bytes,
            Set<String> tables,
            boolean statements,
            String sql,
            long seconds,
            AlterPhase phase) {
        number++;
        Workload.Entry entry = workload.add(
                new BinlogTransaction(
                        "0-1-" + number,
                        kind,
                        0,
                        1,
                        number,
                        group,
                        bytes,
                        0,
                        true,
                        tables,
                        !statements,
                        statements,
                        sql.isEmpty() ? null : new LoggedStatement("shop", sql, true),
                        seconds,
                        0),
                new ApplyHints(true, false, phase, 1_000, RowImages.UNKNOWN));
        entries.add(entry);
        return entry;
    }

    private Workload.Entry alter(String sql, AlterPhase phase) {
        return log(TransactionKind.SCHEMA, -1, 100, Set.of(), false, sql, 4, phase);
    }

    private void writes(int count, String table, long group) {
        for (int i = 0; i < count; i++) {
            log(
                    TransactionKind.WRITE,
                    group < 0 ? -1 : group + i / 8,
                    bytes,
                    Set.of(table),
                    false,
                    "",
                    0,
                    AlterPhase.WHOLE);
        }
    }

    /** Makes each of the last entries depend on the one before. */
    private void hot(int count, String table) {
        writes(count, table, -1);
        for (int i = entries.size() - count; i < entries.size(); i++) {
            Workload.Entry free = entries.get(i);
            entries.set(
                    i,
                    new Workload.Entry(
                            free.gtid(),
                            free.domain(),
                            free.sequence(),
                            free.group(),
                            free.thread(),
                            free.arrivedNanos(),
                            free.schemaChange(),
                            free.statements(),
                            free.bytes(),
                            free.what(),
                            free.tables(),
                            free.change(),
                            free.hints(),
                            free.micros(),
                            1));
        }
    }

    private static StandbyFacts standby(String mode, int workers, long retries) {
        return standby(mode, workers, retries, 0);
    }

    private static StandbyFacts standby(String mode, int workers, long retries, long lateMicros) {
        return new StandbyFacts("s1", workers, mode, retries, lateMicros, 0, "");
    }

    private Map<String, Object> advice(List<StandbyFacts> standbys, Stall... stalls) {
        return SteeringAdvice.of(entries, standbys, List.of(stalls), null, entries.size());
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> rows(Map<String, Object> view, String key) {
        return (List<Map<String, Object>>) Objects.requireNonNull(view.get(key), key);
    }

    private static List<Object> kinds(Map<String, Object> advice) {
        return rows(advice, "findings").stream().map(row -> row.get("kind")).toList();
    }

    @Test
    void ranksByTheTimeLostAndEveryRuleIsAccepted() throws Exception {
        writes(100, "shop.items", -1);
        Workload.Entry alter = alter("ALTER TABLE orders ADD c INT", AlterPhase.WHOLE);
        Workload.Entry optimize = alter("OPTIMIZE TABLE stock", AlterPhase.WHOLE);
        Workload.Entry batch = log(
                TransactionKind.WRITE,
                -1,
                300,
                Set.of(),
                true,
                "INSERT INTO archive SELECT * FROM orders",
                5,
                AlterPhase.WHOLE);
        hot(200, "shop.counters");

        Map<String, Object> advice = advice(
                List.of(standby("optimistic", 8, 500)),
                new Stall("s1", alter, 3_000_000, 40, true),
                new Stall("s1", optimize, 2_000_000, 40, true),
                new Stall("s1", batch, 5_000_000, 40, true));

        assertThat(kinds(advice)).containsExactly("long-transaction", "schema-change", "schema-change", "hot-rows");
        StringBuilder rules = new StringBuilder();
        int count = 0;
        for (Map<String, Object> finding : rows(advice, "findings")) {
            for (Map<String, Object> action : rows(finding, "actions")) {
                if (action.get("rule") instanceof String rule) {
                    rules.append("      ").append(rule).append('\n');
                    count++;
                }
            }
        }
        assertThat(rules).contains("alter: two-phase", "parallel: skip", "domain: 10");
        GtidDomainConfig read = (GtidDomainConfig) Objects.requireNonNull(ConfigLoader.load(
                        "listen: { address: \"127.0.0.1:0\" }\n"
                                + "primary: { address: \"127.0.0.1:3306\" }\n"
                                + "plugins:\n  gtid-domain:\n    mode: tag\n    rules:\n" + rules,
                        "pasted.yaml",
                        Map.of("gtid-domain", GtidDomainConfig.class),
                        name -> null)
                .plugins()
                .get("gtid-domain"));
        assertThat(read.rules()).hasSize(count);
    }

    /** It is no finding, but neither is it nothing. */
    @Test
    void aBriefStallIsNamedBesideTheThreshold() {
        Workload.Entry alter = alter("ALTER TABLE orders FORCE", AlterPhase.WHOLE);
        Map<String, Object> advice =
                advice(List.of(standby("optimistic", 8, 0)), new Stall("s1", alter, 150_000, 3, true));

        assertThat(rows(advice, "findings")).isEmpty();
        assertThat(advice).containsEntry("leastStallSeconds", 0.2).containsEntry("longestBriefStallSeconds", 0.15);
    }

    @Test
    void offersTwoPhasesOnlyForWhatTheyCover() {
        Workload.Entry optimize = alter("OPTIMIZE TABLE stock", AlterPhase.WHOLE);
        Workload.Entry end = alter("ALTER TABLE orders ADD c INT", AlterPhase.END);
        writes(10, "shop.items", -1);

        List<Map<String, Object>> findings = rows(
                advice(
                        List.of(standby("optimistic", 8, 0)),
                        new Stall("s1", optimize, 2_000_000, 9, true),
                        new Stall("s1", end, 1_000_000, 9, true)),
                "findings");

        assertThat(rows(findings.get(0), "actions"))
                .extracting(action -> action.get("action"))
                .doesNotContain("alter: two-phase");
        assertThat((String) findings.get(0).get("why")).contains("ALTER TABLE … FORCE");
        assertThat(rows(findings.get(1), "actions")).isEmpty();
        assertThat((String) findings.get(1).get("why")).contains("in two phases");
    }

    @Test
    void savesWhatTheAlterCosts() {
        Workload.Entry alter = alter("ALTER TABLE orders ADD c INT", AlterPhase.WHOLE);
        writes(100, "shop.items", -1);

        Map<String, Object> finding = rows(
                        advice(List.of(standby("optimistic", 8, 0)), new Stall("s1", alter, 4_500_000, 99, true)),
                        "findings")
                .get(0);

        for (Map<String, Object> action : rows(finding, "actions")) {
            assertThat((double) Objects.requireNonNull(action.get("savesSeconds")))
                    .as("%s", action)
                    .isBetween(4.4, 4.6);
        }
    }

    @Test
    void retriesThatNoStandbyHadAreNoFinding() {
        hot(200, "shop.counters");

        assertThat(kinds(advice(List.of(standby("optimistic", 8, 3))))).isEmpty();
        assertThat(kinds(advice(List.of(standby("conservative", 8, 900))))).doesNotContain("hot-rows");
        assertThat(kinds(advice(List.of(standby("optimistic", 8, 900))))).containsExactly("hot-rows");
    }

    @Test
    void withoutStandbysItSaysWhatIsNotKnown() {
        alter("ALTER TABLE orders ADD c INT", AlterPhase.WHOLE);
        writes(10, "shop.items", -1);

        Map<String, Object> advice = advice(List.of());

        assertThat(kinds(advice)).containsExactly("schema-change");
        assertThat(rows(advice, "findings").get(0)).containsEntry("measured", false);
        assertThat(advice.get("notKnown")).asString().contains("none was asked").contains("whole seconds");
    }

    @Test
    void aLateConservativeStandbyIsToldTheModeThatWouldHelp() {
        bytes = 4_000;
        writes(3_000, "shop.items", -1);

        Map<String, Object> late = advice(List.of(standby("conservative", 8, 0, 2_000_000)));

        assertThat(kinds(late)).containsExactly("serial-apply");
        assertThat(late.toString()).contains("one commit group after the other").contains("'optimistic'");
        assertThat(kinds(advice(List.of(standby("conservative", 8, 0, 500_000)))))
                .isEmpty();
        assertThat(kinds(advice(List.of(standby("optimistic", 8, 0, 2_000_000)))))
                .isEmpty();
    }

    @Test
    void aConservativeStandbyThatIsLateForAnotherReasonIsToldNothing() {
        for (int i = 0; i < 30; i++) {
            writes(8, "shop.items", i + 1L);
        }
        assertThat(kinds(advice(List.of(standby("conservative", 8, 0, 60_000_000)))))
                .isEmpty();
    }

    @Test
    void withoutParallelApplyThatComesFirst() {
        Workload.Entry alter = alter("ALTER TABLE orders ADD c INT", AlterPhase.WHOLE);
        writes(100, "shop.items", -1);

        Map<String, Object> finding = rows(
                        advice(List.of(standby("optimistic", 0, 0)), new Stall("s1", alter, 4_500_000, 99, true)),
                        "findings")
                .get(0);

        assertThat(rows(finding, "actions"))
                .extracting(action -> action.get("action"))
                .containsExactly("slave_parallel_threads");
    }

    /** Small transactions alone make no stall: the oldest unapplied one is another one at each probe. */
    @Test
    void aLateStandbyWithoutParallelApplyIsAFindingOfItsOwn() {
        writes(2_000, "shop.items", -1);

        for (StandbyFacts serial : List.of(
                standby("optimistic", 0, 0, 4_500_000),
                standby("optimistic", 1, 0, 4_500_000),
                standby("none", 4, 0, 4_500_000),
                standby("minimal", 16, 0, 4_500_000))) {
            Map<String, Object> finding =
                    rows(advice(List.of(serial)), "findings").get(0);
            assertThat(finding)
                    .containsEntry("kind", "serial-apply")
                    .containsEntry("subject", "standby s1")
                    .containsEntry("lostSeconds", 4.5)
                    .containsEntry("measured", true);
            Map<String, Object> action = rows(finding, "actions").get(0);
            assertThat((String) action.get("statement"))
                    .startsWith("STOP SLAVE SQL_THREAD; SET GLOBAL slave_parallel_threads = "
                            + (serial.workers() == 16 ? 16 : 8))
                    .satisfies(sql -> assertThat(sql.contains("slave_parallel_mode = 'optimistic'"))
                            .isEqualTo(serial.notParallel()));
            assertThat((double) Objects.requireNonNull(action.get("savesSeconds")))
                    .isPositive();
        }
        assertThat(kinds(advice(List.of(standby("optimistic", 0, 0, 900_000))))).isEmpty();
        assertThat(kinds(advice(List.of(standby("optimistic", 8, 0, 4_500_000)))))
                .isEmpty();
    }

    /** Parallel apply does not make the ALTER shorter, and the writes are not part of its finding. */
    @Test
    void aFindingOnASerialStandbySaysWhatItWouldSaveItself() {
        writes(2_000, "shop.items", -1);
        Workload.Entry alter = alter("ALTER TABLE orders ADD c INT", AlterPhase.WHOLE);
        Map<String, Object> advice =
                advice(List.of(standby("optimistic", 0, 0, 5_000_000)), new Stall("s1", alter, 4_000_000, 9, true));

        double whole = saves(advice, "serial-apply");
        assertThat(whole).isPositive();
        assertThat(saves(advice, "schema-change")).isLessThan(whole / 10);
    }

    private static double saves(Map<String, Object> advice, String kind) {
        Map<String, Object> found = rows(advice, "findings").stream()
                .filter(row -> kind.equals(row.get("kind")))
                .findFirst()
                .orElseThrow();
        return (double) Objects.requireNonNull(rows(found, "actions").get(0).get("savesSeconds"));
    }

    /** The log covers seconds, the counters ten minutes. */
    @Test
    void hotRowsAreRankedByAllTheRetriesThatWereMeasured() {
        hot(1_000, "shop.counters");
        Workload.Entry alter = alter("ALTER TABLE orders ADD c INT", AlterPhase.WHOLE);

        Map<String, Object> advice =
                advice(List.of(standby("optimistic", 8, 120_000)), new Stall("s1", alter, 3_000_000, 9, true));

        assertThat(kinds(advice)).startsWith("hot-rows");
    }

    private static StandbyFacts named(String name, String mode, int workers, long retries) {
        return new StandbyFacts(name, workers, mode, retries, 0, 0, "");
    }

    private static List<Object> actions(Map<String, Object> finding) {
        return rows(finding, "actions").stream().map(row -> row.get("action")).toList();
    }

    private static Map<String, Object> finding(Map<String, Object> advice, String kind) {
        return rows(advice, "findings").stream()
                .filter(row -> kind.equals(row.get("kind")))
                .findFirst()
                .orElseThrow();
    }

    /** A reporting standby without parallel apply beside one with it. */
    @Test
    void eachStandbyIsJudgedByItsOwnSettings() {
        hot(200, "shop.counters");
        Workload.Entry alter = alter("ALTER TABLE orders ADD c INT", AlterPhase.WHOLE);
        writes(100, "shop.items", -1);

        Map<String, Object> advice = advice(
                List.of(named("s1", "optimistic", 0, 0), named("s2", "optimistic", 8, 500)),
                new Stall("s2", alter, 4_000_000, 99, true));

        assertThat(finding(advice, "hot-rows")).containsEntry("standbys", List.of("s2"));
        assertThat(actions(finding(advice, "schema-change"))).startsWith("alter: two-phase");

        Map<String, Object> conservative = advice(
                List.of(named("s1", "conservative", 8, 0), named("s2", "optimistic", 8, 500)),
                new Stall("s2", alter, 4_000_000, 99, true));
        assertThat(finding(conservative, "hot-rows")).containsEntry("standbys", List.of("s2"));
    }

    /** Three standbys wait for the same ALTER: each loses its own time, and saves no more. */
    @Test
    void aCauseOnSeveralStandbysIsOneFindingWithTheTimeOfTheWorst() {
        Workload.Entry alter = alter("ALTER TABLE orders ADD c INT", AlterPhase.WHOLE);
        writes(100, "shop.items", -1);

        Map<String, Object> advice = advice(
                List.of(
                        named("s1", "optimistic", 8, 0),
                        named("s2", "optimistic", 8, 0),
                        named("s3", "optimistic", 8, 0)),
                new Stall("s1", alter, 3_000_000, 99, true),
                new Stall("s2", alter, 3_500_000, 99, true),
                new Stall("s3", alter, 3_000_000, 99, true));

        assertThat(rows(advice, "findings"))
                .singleElement()
                .satisfies(found -> assertThat(found)
                        .containsEntry("lostSeconds", 3.5)
                        .containsEntry("standbys", List.of("s1", "s2", "s3")));
    }

    @Test
    void aStandbyThatIsLateOnPurposeIsNotJudged() {
        writes(2_000, "shop.items", -1);
        StandbyFacts delayed = new StandbyFacts("s1", 0, "optimistic", 0, 3_600_000_000L, 3_600, "");

        Map<String, Object> advice = advice(List.of(delayed, named("s2", "optimistic", 8, 0)));

        assertThat(kinds(advice)).isEmpty();
        assertThat(advice.get("notKnown")).asString().contains("late on purpose (MASTER_DELAY = 3600)");
        assertThat(rows(advice, "standbys").get(0)).containsEntry("delaySeconds", 3_600L);
    }

    /** An ALTER that already has a domain of its own delays nothing. */
    @Test
    void whatHasItsOwnDomainIsNoLoadForTheOthers() {
        bytes = 4_000;
        for (int i = 0; i < 300; i++) {
            writes(8, "shop.items", i + 1L);
        }
        BinlogTransaction apart = new BinlogTransaction(
                "10-1-1",
                TransactionKind.SCHEMA,
                10,
                1,
                1,
                -1,
                100,
                0,
                true,
                Set.of(),
                true,
                false,
                new LoggedStatement("shop", "ALTER TABLE orders ADD c INT", true),
                60,
                0);
        ApplyHints hints = new ApplyHints(true, false, AlterPhase.WHOLE, 1_000, RowImages.UNKNOWN);
        entries.add(100, workload.add(apart, hints));
        assertThat(rows(finding(advice(List.of()), "schema-change"), "actions"))
                .filteredOn(action -> "domain: N".equals(action.get("action")))
                .singleElement()
                .satisfies(action -> assertThat(action).containsEntry("savesSeconds", 0.0));
    }

    /** Some seconds of the log are simulated, and more are covered. */
    @Test
    void whatIsSimulatedIsScaledToTheTimeThatIsCovered() {
        bytes = 4_000;
        writes(3_000, "shop.items", -1);
        List<StandbyFacts> serial = List.of(standby("optimistic", 0, 0, 2_000_000));
        double once = saved(SteeringAdvice.of(entries, serial, List.of(), null, entries.size()));
        Map<String, Object> ten = SteeringAdvice.of(entries, serial, List.of(), null, 10L * entries.size());
        assertThat(once).isPositive();
        assertThat(saved(ten)).isCloseTo(10 * once, within(0.1 * once));
        assertThat(ten)
                .containsEntry("transactions", 10L * entries.size())
                .containsEntry("simulatedTransactions", entries.size());
    }

    private static double saved(Map<String, Object> advice) {
        return (double) Objects.requireNonNull(
                rows(finding(advice, "serial-apply"), "actions").get(0).get("savesSeconds"));
    }

    private static GtidDomainConfig load(String section) throws ConfigException {
        String text = "primary: { address: \"127.0.0.1:3306\" }\nplugins:\n  gtid-domain:\n" + section.indent(4);
        return (GtidDomainConfig) Objects.requireNonNull(
                ConfigLoader.load(text, "test.yaml", Map.of("gtid-domain", GtidDomainConfig.class), name -> null)
                        .plugins()
                        .get("gtid-domain"));
    }

    /** Two findings with one remedy, and tables whose names differ by a character that no rule's name keeps. */
    @Test
    void allRulesOfOneAdviceMayBePastedTogether() throws Exception {
        writes(100, "shop.items", -1);
        List<Stall> stalls = new ArrayList<>();
        for (String table : List.of("a_b", "a$b", "a_B")) {
            Workload.Entry alter = alter("ALTER TABLE " + table + " ADD c INT", AlterPhase.WHOLE);
            stalls.add(new Stall("s1", alter, 3_000_000, 9, true));
        }
        Map<String, Object> advice = SteeringAdvice.of(
                entries,
                List.of(standby("optimistic", 8, 0)),
                stalls,
                load("rules: [ { name: alters, alter: two-phase }, { name: ten, domain: 10 } ]"),
                entries.size());

        List<String> rules = new ArrayList<>();
        List<Object> repeated = new ArrayList<>();
        for (Map<String, Object> finding : rows(advice, "findings")) {
            for (Map<String, Object> action : rows(finding, "actions")) {
                if (action.get("rule") instanceof String rule) {
                    rules.add(rule);
                } else {
                    repeated.add(action.get("sameRuleAs"));
                }
            }
        }
        assertThat(rules).hasSize(4).anyMatch(rule -> rule.contains("name: alters-2,"));
        assertThat(rules.stream().map(rule -> rule.replaceAll(".*name: ([^,]+),.*", "$1")))
                .doesNotHaveDuplicates();
        assertThat(repeated).containsExactly(1, 1);
        assertThat(rules).filteredOn(rule -> rule.contains("domain:")).allMatch(rule -> rule.contains("domain: 11"));
    }

    /** The findings of ten minutes remain when their rule was pasted; the same rule would then be pasted again. */
    @Test
    void saysWhichRulesHaveTheActionAlready() throws Exception {
        Workload.Entry alter = alter("ALTER TABLE orders ADD c INT", AlterPhase.WHOLE);
        hot(200, "shop.counters");
        Map<String, Object> advice = SteeringAdvice.of(
                entries,
                List.of(standby("optimistic", 8, 500)),
                List.of(new Stall("s1", alter, 3_000_000, 40, true)),
                load("rules: [ { name: alters, alter: two-phase }, { name: h1, parallel: skip },"
                        + " { name: h2, parallel: skip } ]"),
                entries.size());

        assertThat(rows(finding(advice, "schema-change"), "actions").toString())
                .contains("alters has this action already");
        assertThat(rows(finding(advice, "hot-rows"), "actions").toString()).contains("h1, h2 have this action already");
        assertThat(advice(List.of(standby("optimistic", 8, 500)), new Stall("s1", alter, 3_000_000, 40, true))
                        .toString())
                .doesNotContain("already");
    }
}
