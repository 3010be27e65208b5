package io.understudy.cli.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.cli.explain.Explainer.ExplainResult;
import io.understudy.config.ConfigException;
import io.understudy.config.ConfigLoader;
import io.understudy.host.PluginTypes;
import org.junit.jupiter.api.Test;

class ExplainActionsTest {
    private static final String LEVERS = """
            primary: { address: "127.0.0.1:3306" }
            plugins:
              gtid-domain:
                rules:
                  - { name: alters, match: { kind: ddl }, alter: two-phase }
                  - { name: hot, match: { table: counters }, parallel: skip }
            """;

    private static ExplainResult explain(String yaml, String sql) throws ConfigException {
        return new Explainer(ConfigLoader.load(
                        yaml, "test.yaml", PluginTypes.installed().records(), name -> null))
                .explain(new ExplainRequest(1, sql, "app", "shop", null, "mariadb"));
    }

    @Test
    void showsForEachActionWhetherItApplies() throws Exception {
        assertThat(explain(LEVERS, "ALTER TABLE items FORCE").text())
                .contains(
                        "action     alter: two-phase: yes (rule alters)",
                        "action     parallel: skip: no, no rule matches",
                        "domain     as the session has it");
        assertThat(explain(LEVERS, "UPDATE counters SET n = 1").text())
                .contains("action     parallel: skip: yes (rule hot)");
        assertThat(explain(LEVERS, "SELECT n FROM counters").text())
                .contains("action     parallel: skip: no, it writes nothing (rule hot)");
    }

    @Test
    void namesWhatTwoPhaseDoesNotCover() throws Exception {
        assertThat(explain(LEVERS, "TRUNCATE items").text())
                .contains("alter: two-phase: no, TRUNCATE is logged once, when it has ended (rule alters)");
        assertThat(explain(LEVERS, "ALTER TABLE items DROP PARTITION p0").json())
                .contains("\"action\":\"alter: two-phase\"", "\"applies\":false", "work on single partitions");
        assertThat(explain(LEVERS, "UPDATE items SET n = 1").text())
                .contains("action     alter: two-phase: no, no rule matches");
    }

    /** What decides is behind the part of the normalised text that is kept. */
    @Test
    void readsALongStatementToItsEnd() throws Exception {
        String columns = "ADD c INT, ".repeat(200);
        assertThat(explain(LEVERS, "ALTER TABLE items " + columns + "DISABLE KEYS")
                        .text())
                .contains("alter: two-phase: no, DISABLE KEYS");
        String settings = "SET STATEMENT " + "max_statement_time = 1, ".repeat(100);
        String own = LEVERS + "      - { name: own, match: { table: items }, domain: 10 }\n";
        assertThat(explain(own, settings + "gtid_domain_id = 7 FOR UPDATE items SET v = 1")
                        .text())
                .contains("domain     as the session has it");
    }

    @Test
    void showsADomainBesideThem() throws Exception {
        String yaml = LEVERS + "      - { name: own, match: { kind: ddl }, domain: 10 }\n";
        assertThat(explain(yaml, "ALTER TABLE items FORCE").text())
                .contains("domain     10 (rule own)", "action     alter: two-phase: yes (rule alters)");
    }
}
