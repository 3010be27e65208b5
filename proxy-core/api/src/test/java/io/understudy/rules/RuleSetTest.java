package io.understudy.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.understudy.plugin.ExplainedStatement;
import io.understudy.testkit.FakeExchange;
import io.understudy.testkit.FakeSession;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RuleSetTest {

    record Named(String name, Match match) {}

    private static <T> @Nullable List<T> list(Function<String, T> parse, String values) {
        return values.isEmpty()
                ? null
                : java.util.Arrays.stream(values.split(",")).map(parse).toList();
    }

    private static Named rule(String name, String user, String schema, String client, String table, String kind) {
        return new Named(
                name,
                new Match(
                        list(NameGlob::parse, user),
                        list(NameGlob::parse, schema),
                        list(ClientNet::parse, client),
                        list(TableGlob::parse, table),
                        list(KindTerm::parse, kind),
                        null,
                        null));
    }

    private static Named patternRule(String name, String pattern) {
        return new Named(name, new Match(null, null, null, null, null, null, List.of(TextPattern.parse(pattern))));
    }

    private static RuleSet<Named> rules(Named... rules) {
        return new RuleSet<>(List.of(rules), Named::name, Named::match);
    }

    private static @Nullable String first(RuleSet<Named> rules, FakeSession session, @Nullable String sql) {
        Named match = rules.forSession(session).match(FakeExchange.to(sql));
        return match == null ? null : match.name();
    }

    private final FakeSession app = new FakeSession("app", "shop", "10.1.2.3");

    @Test
    void theFirstRuleThatMatchesWinsAndIsCounted() {
        RuleSet<Named> rules = rules(
                rule("reports", "reporting", "", "", "", ""),
                rule("hot", "", "shop", "", "orders,items", ""),
                rule("ddl", "", "", "", "", "ddl"),
                rule("rest", "!root", "", "10.0.0.0/8", "", ""));

        assertThat(first(rules, app, "SELECT * FROM orders")).isEqualTo("hot");
        assertThat(first(rules, app, "ALTER TABLE orders ADD c INT")).isEqualTo("hot");
        assertThat(first(rules, app, "ALTER TABLE other ADD c INT")).isEqualTo("ddl");
        assertThat(first(rules, app, "SELECT 1")).isEqualTo("rest");
        assertThat(first(rules, new FakeSession("reporting", null, "10.1.2.3"), "SELECT 1"))
                .isEqualTo("reports");
        assertThat(first(rules, new FakeSession("root", "shop", "10.1.2.3"), "SELECT 1"))
                .isNull();
        assertThat(first(rules, new FakeSession("app", "shop", "192.0.2.1"), "SELECT 1"))
                .isNull();
        assertThat(List.of(rules.hits(0), rules.hits(1), rules.hits(2), rules.hits(3)))
                .containsExactly(1L, 2L, 1L, 1L);
    }

    @Test
    void plainValuesAreAlternativesAndEveryNegatedValueExcludes() {
        RuleSet<Named> rules = rules(rule("t", "", "", "", "o*,i*,!orders_log", ""));

        assertThat(first(rules, app, "SELECT * FROM items")).isEqualTo("t");
        assertThat(first(rules, app, "SELECT * FROM orders_log")).isNull();
        assertThat(first(rules, app, "INSERT INTO items SELECT * FROM orders_log"))
                .isNull();
        assertThat(first(rules, app, "SELECT * FROM users")).isNull();

        RuleSet<Named> others = rules(rule("not-orders", "", "", "", "!orders", "!ddl,!call"));
        assertThat(first(others, app, "SELECT * FROM items")).isEqualTo("not-orders");
        assertThat(first(others, app, "SELECT 1")).isEqualTo("not-orders");
        assertThat(first(others, app, "DROP TABLE items")).isNull();
        assertThat(first(others, app, "SELECT * FROM shop.orders")).isNull();
    }

    @Test
    void unknownValuesNeverMatch() {
        RuleSet<Named> rules = rules(rule("not-orders", "", "", "", "!orders", ""), rule("rest", "", "", "", "", ""));

        assertThat(first(rules, app, null)).isEqualTo("rest");
    }

    @Test
    void aSchemaChangeIsFollowed() {
        RuleSet<Named> rules = rules(rule("shop", "", "", "", "shop.orders", ""));
        SessionRules<Named> session = rules.forSession(app);
        FakeExchange command = FakeExchange.to("SELECT * FROM orders");

        assertThat(session.matchIndex(command)).isZero();
        app.setSchema("crm");
        assertThat(session.matchIndex(command)).isEqualTo(SessionRules.NONE);
        app.setSchema(null);
        assertThat(session.matchIndex(command)).isEqualTo(SessionRules.NONE);
        app.setSchema("shop");
        assertThat(session.matchIndex(command)).isZero();
    }

    @Test
    void tablesOfAPreparedStatementUseTheSchemaOfItsPreparation() {
        RuleSet<Named> rules = rules(rule("crm", "", "", "", "crm.orders", ""), rule("shop", "", "shop", "", "", ""));
        SessionRules<Named> session = rules.forSession(app);

        assertThat(session.matchIndex(FakeExchange.to("SELECT * FROM orders").preparedIn("crm")))
                .isZero();
        assertThat(session.matchIndex(FakeExchange.to("SELECT * FROM orders").preparedIn("shop")))
                .isEqualTo(1);
        assertThat(session.matchIndex(FakeExchange.to("SELECT * FROM orders"))).isEqualTo(1);
        app.setSchema("crm");
        assertThat(session.matchIndex(FakeExchange.to("SELECT * FROM orders").preparedIn("shop")))
                .as("the session's schema is still the session's")
                .isEqualTo(SessionRules.NONE);
        assertThat(session.matchIndex(FakeExchange.to("SELECT * FROM orders"))).isZero();
    }

    @Test
    void aUserChangeIsFollowed() {
        RuleSet<Named> rules = rules(rule("app", "app", "", "", "", ""));
        SessionRules<Named> session = rules.forSession(app);

        assertThat(session.sessionIndex()).isZero();
        app.setUser("admin");
        assertThat(session.sessionIndex()).isEqualTo(SessionRules.NONE);
    }

    @Test
    void statementsAreNotAnalysedIfTheSessionDecides() {
        RuleSet<Named> rules = rules(
                rule("other", "other", "", "", "orders", ""),
                rule("app", "app", "", "", "", ""),
                rule("late", "", "", "", "", "ddl"));
        FakeExchange command = FakeExchange.to("SELECT * FROM orders");

        assertThat(rules.forSession(app).match(command)).extracting(Named::name).isEqualTo("app");
        assertThat(command.summaryCalls()).isZero();
    }

    @Test
    void beforeATransactionOnlyRulesWithoutStatementKeysCount() {
        RuleSet<Named> rules = rules(rule("ddl", "", "", "", "", "!ddl"), rule("app", "app", "", "", "", ""));

        assertThat(rules.forSession(app).sessionIndex()).isEqualTo(1);
    }

    @Test
    void aRepeatedStatementIsMatchedFromTheCache() {
        RuleSet<Named> rules = rules(patternRule("audit", "^insert into audit_"));
        FakeExchange command = FakeExchange.to("INSERT INTO audit_log VALUES (1)");

        assertThat(rules.forSession(app).match(command)).isNotNull();
        assertThat(rules.forSession(new FakeSession("b", "shop", "10.0.0.1")).match(command))
                .isNotNull();
        assertThat(command.textCalls()).isEqualTo(1);
    }

    @Test
    void aRepeatedStatementAllocatesNothing() {
        RuleSet<Named> rules = rules(
                rule("hot", "a*", "shop", "10.0.0.0/8", "nothing", "select"), patternRule("audit", "from orders"));
        SessionRules<Named> session = rules.forSession(app);
        FakeExchange command = FakeExchange.to("SELECT * FROM orders WHERE id = 1");
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        int matched = 0;
        for (int i = 0; i < 20_000; i++) {
            matched += session.matchIndex(command);
        }
        long before = threads.getThreadAllocatedBytes(thread);
        for (int i = 0; i < 20_000; i++) {
            matched += session.matchIndex(command);
        }
        long allocated = threads.getThreadAllocatedBytes(thread) - before;

        assertThat(matched).isEqualTo(40_000);
        // Covers the measurement's own objects and a counter's cells; one object per lookup would be 320,000 bytes.
        assertThat(allocated).isLessThan(20_000);
    }

    @Test
    @Timeout(20)
    void aBacktrackingPatternIsAbortedAndDisabled() {
        RuleSet<Named> rules = rules(patternRule("evil", "(x+x+)+y"), rule("rest", "", "", "", "", ""));

        for (int i = 0; i < 5; i++) {
            app.setId(i);
            assertThat(first(rules, app, "SELECT " + "x".repeat(200) + i + " FROM t"))
                    .isEqualTo("rest");
        }

        assertThat(rules.patternAborts(0)).isEqualTo(Conditions.MAX_ABORTS);
        assertThat(rules.explain(subject("SELECT xxy")).verdicts().get(0).reason())
                .contains("switched off");
    }

    /** The rule is one of all sessions. */
    @Test
    void oneSessionDoesNotSwitchAPatternOff() {
        RuleSet<Named> rules = rules(patternRule("logs", "\\w+_log\\b"), rule("rest", "", "", "", "", ""));

        for (int i = 0; i < 5; i++) {
            assertThat(first(rules, app, "SELECT " + "x".repeat(1_000) + i + " FROM t"))
                    .isEqualTo("rest");
        }

        assertThat(rules.patternAborts(0)).isOne();
        assertThat(first(rules, app, "SELECT * FROM app_log")).isEqualTo("rest");
        app.setId(2);
        assertThat(first(rules, app, "SELECT * FROM app_log")).isEqualTo("logs");
    }

    /** Else three such statements of one client switch the rule off for all. */
    @Test
    void aWordIsFoundBehindCombiningMarks() {
        String text = "select `" + "\u0300".repeat(1_000) + "`; delete from t";
        assertThat(TextPattern.parse("\\bdelete\\b").search(text)).isEqualTo(TextPattern.Found.YES);
    }

    @Test
    void aPatternThatOverflowsTheStackCountsAsAborted() {
        String long1 = "a, ".repeat(300);
        TextPattern.Found found = TextPattern.parse("^(?:select|[a-z ]|,)*$").search("select " + long1 + ";");

        assertThat(found).isNotEqualTo(TextPattern.Found.YES);
    }

    @Test
    void explainReportsTheMatchingRuleAndWhyOthersDidNotMatch() throws Exception {
        RuleSet<Named> rules = rules(
                rule("reports", "reporting", "", "", "", ""),
                rule("net", "", "", "192.168.0.0/16", "", ""),
                rule("hot", "", "", "", "orders", ""),
                rule("rest", "", "", "", "", "update,insert"),
                rule("never", "", "", "", "", ""));

        Explanation<Named> explanation = rules.explain(subject("UPDATE items SET a = 1"));

        assertThat(explanation.rule()).isEqualTo("rest");
        assertThat(explanation.index()).isEqualTo(3);
        assertThat(explanation.verdicts().stream().map(Explanation.Verdict::reason))
                .containsExactly(
                        "user: [reporting] does not match 'app'",
                        "client: [192.168.0.0/16] does not match 10.1.2.3",
                        "table: [orders] does not match reads [], writes [items]",
                        "every key holds");
        assertThat(rules.hits(3)).isZero();
    }

    private static ExplainedStatement subject(String sql) {
        try {
            return new ExplainedStatement(
                    "app",
                    "shop",
                    InetAddress.getByName("10.1.2.3"),
                    FakeExchange.summarize(sql),
                    sql,
                    FakeExchange.normalize(sql),
                    null);
        } catch (java.net.UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
