package io.understudy.plugins.gtiddomain.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.gtiddomain.catalog.Catalog;
import io.understudy.plugins.gtiddomain.catalog.Dictionary;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.Progress;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import io.understudy.sql.StatementSummary;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableResolverTest {
    private final SqlAnalyzer analyzer = new SqlAnalyzer();
    private final Dictionary dictionary = new Dictionary(() -> 0, 0);
    private final TableResolver resolver = new TableResolver(
            new TableOwnership(
                    new Progress(new DomainIndexes(0)),
                    new TableOwnership.Scope(100, false, true),
                    table -> true,
                    met -> {},
                    null,
                    null),
            dictionary);

    private Catalog learn() {
        Catalog.Builder builder = new Catalog.Builder();
        builder.table("shop.orders", true);
        Catalog catalog = builder.build();
        dictionary.learned(catalog, dictionary.changes());
        return catalog;
    }

    private List<String> touched(String sql) {
        byte[] text = sql.getBytes(StandardCharsets.US_ASCII);
        StatementSummary summary = analyzer.summarize(text, 0, text.length, SqlModes.MARIADB);
        return Arrays.stream(resolver.touched(Work.TABLES, summary, "shop"))
                .map(entry -> entry.name)
                .toList();
    }

    /** On some servers the name of another case is that of a table. */
    @Test
    void aStatementOfTheSameDigestThatReadsMoreTouchesMore() {
        learn();
        assertThat(touched("CREATE TABLE made WITH a AS (SELECT 1) SELECT * FROM a"))
                .containsExactly("shop.made");
        assertThat(touched("CREATE TABLE made WITH a AS (SELECT 1) SELECT * FROM A"))
                .containsExactly("shop.a", "shop.made");
    }

    @Test
    void aStatementThatIsNotRepeatedKeepsNoEarlierCatalogue() throws Exception {
        WeakReference<Catalog> earlier = new WeakReference<>(learn());
        touched("DELETE FROM orders");
        learn();
        for (int i = 0; i < 100 && !earlier.refersTo(null); i++) {
            System.gc();
            Thread.sleep(20);
        }
        assertThat(earlier.refersTo(null)).isTrue();
    }
}
