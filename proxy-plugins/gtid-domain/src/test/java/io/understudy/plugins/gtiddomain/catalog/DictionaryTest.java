package io.understudy.plugins.gtiddomain.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import io.understudy.sql.StatementSummary;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DictionaryTest {
    private static final String SEQUENCE = "select nextval(`s`.`numbers`)";

    private final SqlAnalyzer analyzer = new SqlAnalyzer();
    private final Dictionary dictionary = new Dictionary(() -> 0, 0);

    @BeforeEach
    void learn() {
        learn(true);
    }

    /** @param view whether s.next_number is a view that advances a sequence, and not a table */
    private void learn(boolean view) {
        Catalog.Builder builder = new Catalog.Builder();
        builder.routinesKnown();
        builder.table("s.t", true);
        builder.table("s.next_number", !view);
        if (view) {
            builder.view("s", "next_number", SEQUENCE, false);
        }
        dictionary.learned(builder.build(), dictionary.changes());
    }

    private StatementSummary summary(String sql) {
        byte[] text = sql.getBytes(StandardCharsets.US_ASCII);
        return analyzer.summarize(text, 0, text.length, SqlModes.MARIADB);
    }

    private boolean callsStored(String sql, String schema) {
        boolean first = dictionary.callsStored(summary(sql), schema, true);
        assertThat(dictionary.callsStored(summary(sql), schema, true))
                .as("once more")
                .isEqualTo(first);
        return first;
    }

    @Test
    void theSameStatementIsAnotherInAnotherSchema() {
        String sql = "SELECT * FROM next_number";
        assertThat(callsStored(sql, "s")).isTrue();
        assertThat(callsStored(sql, "other")).isFalse();
        assertThat(callsStored(sql, "s")).isTrue();
        assertThat(dictionary.callsStored(summary(sql), "s", false))
                .as("without a guard")
                .isFalse();
    }

    @Test
    void aSchemaChangeAndACatalogueReadChangeTheVerdict() {
        String created = "SELECT * FROM created";
        assertThat(callsStored(created, "s")).isFalse();
        assertThat(callsStored("SELECT * FROM next_number", "s")).isTrue();

        dictionary.changed();
        assertThat(callsStored(created, "s"))
                .as("may be a view that is not known yet")
                .isTrue();
        assertThat(callsStored("SELECT * FROM t", "s")).isFalse();

        learn(false);
        assertThat(callsStored(created, "s")).isFalse();
        assertThat(callsStored("SELECT * FROM next_number", "s")).isFalse();
    }

    @Test
    void aRepeatedStatementAllocatesNothing() {
        StatementSummary read = summary("SELECT * FROM t AS a, s.t AS b WHERE a.id = b.id");
        for (int i = 0; i < 20_000; i++) {
            dictionary.callsStored(read, "s", true);
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 10_000; i++) {
            dictionary.callsStored(read, "s", true);
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                .as("bytes for 10,000 statements")
                .isLessThan(10_000);
    }
}
