package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.mirror.warmth.ProbeResult.Outcome;
import io.understudy.sql.TableName;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Responses of MariaDB 10.11.19 and 11.4.5, shortened. */
class ProbeResultTest {
    private static final String TABLE =
            "{\"table\": {\"table_name\": \"%s\", \"r_loops\": 1, %s \"attached_condition\": \"a.k = 'secret'\"}}";

    private static String query(String... tables) {
        return "{\"query_block\": {\"select_id\": 1, \"nested_loop\": [" + String.join(", ", tables) + "]}}";
    }

    private static String table(String name, String stats) {
        return TABLE.formatted(name, stats);
    }

    private static String reads(int pages) {
        return "\"r_engine_stats\": {\"pages_accessed\": 9, \"pages_read_count\": " + pages + "},";
    }

    @Test
    void pagesAreCountedByTable() {
        ProbeResult result = ProbeResult.parse(query(table("a", reads(2)), table("b", reads(5))));
        assertThat(result.outcome()).isEqualTo(Outcome.COUNTED);
        assertThat(result.pages()).isEqualTo(7);
        assertThat(result.tables()).containsExactly(new ReferencePages("a", 2), new ReferencePages("b", 5));
        assertThat(result.toString()).doesNotContain("secret");
    }

    @Test
    void aMissingCountIsNoneWhereThePagesWereAccessed() {
        ProbeResult result = ProbeResult.parse(query(table("a", "\"r_engine_stats\": {\"pages_accessed\": 3},")));
        assertThat(result.outcome()).isEqualTo(Outcome.COUNTED);
        assertThat(result.pages()).isZero();
    }

    /** MariaDB before 10.6.15, 10.11.5 and 11.0.3. */
    @Test
    void aServerWithoutCountersIsNotOneThatReadsNothing() {
        assertThat(ProbeResult.parse(query(table("a", ""))).outcome()).isEqualTo(Outcome.NO_COUNTERS);
    }

    /** {@code SELECT MAX(k) … WHERE k < 5}: 11.4.5 reads pages for it and counts none. */
    @Test
    void whatTheOptimizerReadIsUnknown() {
        for (String message : List.of(
                "Select tables optimized away",
                "Impossible WHERE noticed after reading const tables",
                "no matching row in const table")) {
            String json = "{\"query_block\": {\"select_id\": 1, \"table\": {\"message\": \"" + message + "\"}}}";
            assertThat(ProbeResult.parse(json).outcome()).as(message).isEqualTo(Outcome.READ_BY_OPTIMIZER);
        }
        String nothing = "{\"query_block\": {\"select_id\": 1, \"table\": {\"message\": \"No tables used\"}}}";
        assertThat(ProbeResult.parse(nothing).outcome()).isEqualTo(Outcome.COUNTED);
    }

    @Test
    void temporaryResultsAreNoTables() {
        ProbeResult result = ProbeResult.parse("{\"query_block\": {\"union_result\": {\"table_name\": \"<union1,2>\","
                + " \"r_loops\": 1, \"query_specifications\": [" + query(table("a", reads(1))) + "]}}}");
        assertThat(result.outcome()).isEqualTo(Outcome.COUNTED);
        assertThat(result.tables()).containsExactly(new ReferencePages("a", 1));
    }

    @Test
    void whatIsNotJsonIsUnreadable() {
        for (String text : List.of("", "{\"query_block\": {", "{\"a\": 1e99999999}", "[".repeat(3000))) {
            assertThat(ProbeResult.parse(text).outcome()).isEqualTo(Outcome.UNREADABLE);
        }
    }

    @Test
    void namesLeaveTheProbeOnlyIfTheStatementHasThem() {
        TableName orders = new TableName(null, "orders");
        TableName items = new TableName("depot", "items");
        Probed join = new Probed("r", 1, 1, "shop", List.of(orders, items), ProbeResult.counted(0), 0);
        assertThat(join.table("Items")).isEqualTo("depot.items");
        assertThat(join.table("orders")).isEqualTo("shop.orders");
        assertThat(join.table("o")).isEqualTo("(by alias)");
        Probed single = new Probed("r", 1, 1, "shop", List.of(orders), ProbeResult.counted(0), 0);
        assertThat(single.table("o")).isEqualTo("shop.orders");
    }
}
