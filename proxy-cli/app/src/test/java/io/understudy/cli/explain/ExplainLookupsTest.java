package io.understudy.cli.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.cli.explain.Explainer.ExplainResult;
import io.understudy.config.ConfigException;
import io.understudy.config.ConfigLoader;
import io.understudy.host.PluginTypes;
import org.junit.jupiter.api.Test;

class ExplainLookupsTest {
    private static final String MIRROR = """
            primary: { address: "127.0.0.1:3306" }
            standbys: [ { name: s1, address: "127.0.0.1:3307", user: m, password: p } ]
            plugins:
              mirror:
                writes: %s
                rules:
                  - { name: stock, match: { table: stock }, sample: 10%% }
                  - { name: items, match: { table: items }, sample: adaptive }
            """;

    private static ExplainResult explain(String writes, String sql) throws ConfigException {
        return new Explainer(ConfigLoader.load(
                        MIRROR.formatted(writes),
                        "test.yaml",
                        PluginTypes.installed().records(),
                        name -> null))
                .explain(new ExplainRequest(1, sql, "app", "shop", null, "mariadb"));
    }

    @Test
    void aWriteIsShownWithTheReadInItsPlace() throws Exception {
        ExplainResult explained = explain("lookups", "UPDATE stock SET n = 1 WHERE shelf = 7");
        assertThat(explained.fields()).containsEntry("mirrored", true);
        assertThat(explained.text())
                .contains(
                        "mirrored   yes, sampled (rule stock, sample 10%)",
                        "as         SELECT * FROM stock WHERE shelf = 7");
        assertThat(explained.json()).contains("\"lookup\":\"SELECT * FROM stock WHERE shelf = 7\"");
    }

    @Test
    void aWriteWithoutOneSaysSo() throws Exception {
        ExplainResult explained = explain("lookups", "UPDATE stock SET n = 1 WHERE f(shelf) = 7");
        assertThat(explained.text()).contains("mirrored   no, no_lookup (rule stock, sample 10%)");
        assertThat(explained.json()).contains("\"lookup\":null");
        assertThat(explain("lookups", "INSERT INTO stock VALUES (1)").fields()).containsEntry("reason", "writes");
        assertThat(explain("lookups", "UPDATE other SET n = 1 WHERE id = 7").fields())
                .containsEntry("reason", "no_rule");
    }

    @Test
    void anAdaptiveSampleIsOne() throws Exception {
        ExplainResult explained = explain("lookups", "SELECT v FROM items WHERE id = 1");
        assertThat(explained.fields()).containsEntry("mirrored", true);
        assertThat(explained.text()).contains("mirrored   yes, sampled (rule items, sample adaptive)");
        assertThat(explain("lookups", "DELETE FROM items WHERE id = 1").fields())
                .containsEntry("lookup", "SELECT * FROM items WHERE id = 1");
    }

    @Test
    void nothingIsLookedUpByDefault() throws Exception {
        assertThat(explain("none", "UPDATE stock SET n = 1 WHERE shelf = 7").fields())
                .containsEntry("reason", "writes");
        assertThat(explain("none", "SELECT n FROM stock WHERE id = 7 FOR UPDATE")
                        .fields())
                .containsEntry("reason", "locking_read");
        assertThat(explain("none", "SELECT n FROM stock WHERE id = 7").fields()).containsEntry("lookup", null);
    }
}
