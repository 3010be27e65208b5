package io.understudy.it.querylog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class DigestsTest {
    private static Map<String, Object> row(List<Map<String, Object>> rows, String text) {
        return rows.stream()
                .filter(row -> String.valueOf(row.get("text")).equals(text))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no digest '" + text + "' in " + rows));
    }

    private static long whole(Map<String, Object> row, String key) {
        return Objects.requireNonNull((Number) row.get(key)).longValue();
    }

    private static double total(Map<String, Object> row) {
        return seconds(row, "total");
    }

    private static double seconds(Map<String, Object> row, String figure) {
        Map<?, ?> seconds = Objects.requireNonNull((Map<?, ?>) row.get("seconds"));
        return Objects.requireNonNull((Number) seconds.get(figure)).doubleValue();
    }

    @Test
    void everyStatementIsCountedUnderItsDigest() throws Exception {
        try (QueryLogProxy proxy = QueryLogProxy.start("");
                Connection connection = proxy.connect("&useServerPrepStmts=true");
                Statement statement = connection.createStatement()) {
            for (int i = 1; i <= 20; i++) {
                statement.executeQuery("SELECT name FROM items WHERE id = " + i).close();
            }
            try (PreparedStatement prepared = connection.prepareStatement("SELECT id FROM items WHERE price > ?")) {
                for (int i = 0; i < 10; i++) {
                    prepared.setInt(1, 90);
                    prepared.executeQuery().close();
                }
            }
            assertThatThrownBy(() -> statement.execute("SELECT nothing FROM items"))
                    .isInstanceOf(SQLException.class);
            statement.execute("UPDATE items SET price = price + 1 WHERE id < 4");
            statement.executeQuery("SELECT SLEEP(0.2)").close();

            List<Map<String, Object>> rows = proxy.digests(QueryLogProxy.TOKEN);
            Map<String, Object> point = row(rows, "SELECT name FROM items WHERE id = ?");
            assertThat(whole(point, "count")).isEqualTo(20);
            assertThat(whole(point, "rows")).isEqualTo(20);
            assertThat(whole(point, "errors")).isZero();
            assertThat(point).containsEntry("pureRead", true).containsEntry("users", List.of("app"));
            assertThat(point).containsEntry("schemas", List.of("shop")).containsEntry("reads", List.of("items"));
            Map<String, Object> executed = row(rows, "SELECT id FROM items WHERE price > ?");
            assertThat(whole(executed, "count")).isEqualTo(10);
            assertThat(whole(executed, "rows")).isGreaterThanOrEqualTo(100);
            assertThat(whole(row(rows, "SELECT nothing FROM items"), "errors")).isEqualTo(1);
            Map<String, Object> update = row(rows, "UPDATE items SET price = price + ? WHERE id < ?");
            assertThat(whole(update, "affectedRows")).isEqualTo(3);
            assertThat(update).containsEntry("pureRead", false).containsEntry("writes", List.of("items"));
            Map<String, Object> slept = row(rows, "SELECT SLEEP(?)");
            for (String figure : List.of("total", "mean", "p50", "p95", "p99", "max")) {
                assertThat(seconds(slept, figure)).as(figure).isBetween(0.19, 5.0);
            }
            assertThat(rows)
                    .as("the most time first")
                    .isSortedAccordingTo(
                            java.util.Comparator.comparing(DigestsTest::total).reversed());
        }
    }

    @Test
    void withoutTheTokenThereIsNoText() throws Exception {
        try (QueryLogProxy proxy = QueryLogProxy.start("");
                Connection connection = proxy.connect("");
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT 'public' FROM items LIMIT 1");
            assertThat(proxy.text("/api/digests", QueryLogProxy.TOKEN)).contains("\"text\"", "SELECT ? FROM items");
            assertThat(proxy.text("/api/digests", null)).contains("\"count\"").doesNotContain("\"text\"");
        }
    }

    /** With an odd number of quotes, values and names change places for whoever tells them by the quotes. */
    @Test
    void aTextThatTheServerCannotParseIsNotShown() throws Exception {
        try (QueryLogProxy proxy = QueryLogProxy.start("");
                Connection connection = proxy.connect("");
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute("SELECT 'O'Planted secret'', 1"))
                    .isInstanceOf(SQLException.class);
            assertThat(proxy.text("/api/digests", QueryLogProxy.TOKEN)).doesNotContain("Planted");
            assertThat(proxy.digests(QueryLogProxy.TOKEN)).anySatisfy(row -> {
                assertThat(row.get("text")).isNull();
                assertThat(whole(row, "errors")).isEqualTo(1);
            });
        }
    }

    @Test
    void theTableStaysBoundedAndKeepsWhatIsBusy() throws Exception {
        try (QueryLogProxy proxy = QueryLogProxy.start("{ digests: 32 }");
                Connection connection = proxy.connect("");
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < 500; i++) {
                statement.executeQuery("SELECT 1 AS busy").close();
                statement.executeQuery("SELECT 1 AS once_" + i).close();
            }
            List<Map<String, Object>> rows = proxy.digests(QueryLogProxy.TOKEN);
            assertThat(rows).hasSize(32);
            assertThat(whole(row(rows, "SELECT ? AS busy"), "count")).isEqualTo(500);
            double evicted = proxy.metric("understudy.digests.evicted");
            assertThat(evicted).isGreaterThanOrEqualTo(500 - 32);
        }
    }
}
