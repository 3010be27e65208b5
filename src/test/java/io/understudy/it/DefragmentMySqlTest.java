package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.base.JsonReader;
import io.understudy.cli.Understudy;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** {@code report pages} and {@code defragment} on a MySQL replica. */
@Timeout(300)
@EnabledIfSystemProperty(named = MySqlSemiSyncPair.PROPERTY, matches = ".+")
class DefragmentMySqlTest {
    private static final Duration MOST = Duration.ofSeconds(120);
    private static final int ROWS = 40_000;
    private static MySqlSemiSyncPair pair;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() throws Exception {
        pair = new MySqlSemiSyncPair();
        try (Connection connection = pair.connect();
                Statement primary = connection.createStatement()) {
            primary.execute("SET SESSION cte_max_recursion_depth = 1000000");
            for (int part : new int[] {2, 3, 5}) {
                primary.execute("CREATE TABLE shop.deleted_" + part
                        + " (id INT PRIMARY KEY, k INT NOT NULL, c VARCHAR(80) NOT NULL, pad CHAR(100) NOT NULL,"
                        + " KEY k(k), KEY c(c)) CHARSET latin1");
                primary.execute("INSERT INTO shop.deleted_" + part
                        + " WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < " + ROWS
                        + ") SELECT n, CRC32(n) % 1000000, CONCAT(LEFT(SHA2(n, 256), 32), REPEAT('c', CRC32(n * 3)"
                        + " % 40)), 'x' FROM s");
                primary.execute("DELETE FROM shop.deleted_" + part + " WHERE CRC32(id * 7 + 13) % " + part + " = 0");
            }
        }
        try (Connection connection = pair.connectReplica();
                Statement replica = connection.createStatement()) {
            PagesReplica.createAccount(replica, "SESSION_VARIABLES_ADMIN");
            MySqlSemiSyncPair.logIn(pair.replica(), "pages", "pages");
            replica.execute("SET GLOBAL read_only = 1");
            await().atMost(MOST).ignoreExceptions().until(() -> rows(replica) == rows());
            await().atMost(MOST)
                    .until(() -> "0"
                            .equals(CommitHarness.query(
                                    replica,
                                    "SELECT COUNT FROM information_schema.INNODB_METRICS"
                                            + " WHERE NAME = 'trx_rseg_history_len'")));
            for (int part : new int[] {2, 3, 5}) {
                replica.execute("ANALYZE LOCAL TABLE shop.deleted_" + part);
            }
        }
    }

    private static long rows(Statement server) throws SQLException {
        return Long.parseLong(CommitHarness.query(server, "SELECT COUNT(*) FROM shop.deleted_5"));
    }

    private static long rows() throws SQLException {
        try (Connection connection = pair.connect();
                Statement primary = connection.createStatement()) {
            return rows(primary);
        }
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    private Map<?, ?> understudy(String... arguments) throws Exception {
        StringWriter out = new StringWriter();
        StringWriter log = new StringWriter();
        int code = Understudy.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(log))
                .execute(arguments);
        assertThat(code).as("%s%s", out, log).isZero();
        return (Map<?, ?>) Objects.requireNonNull(JsonReader.read(out.toString()));
    }

    /** They tell which pages of an index are freed: with those of an empty table all but one would be. */
    @Test
    void doesNotTakePagesForFreedBecauseOfOutdatedStatistics() throws Exception {
        try (Connection connection = pair.connect();
                Statement primary = connection.createStatement()) {
            primary.execute("SET SESSION cte_max_recursion_depth = 1000000");
            primary.execute("CREATE TABLE shop.grown (id INT PRIMARY KEY, pad CHAR(200) NOT NULL) CHARSET latin1"
                    + " STATS_AUTO_RECALC = 0");
            primary.execute("INSERT INTO shop.grown WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s"
                    + " WHERE n < 5000) SELECT n, 'x' FROM s");
        }
        try (Connection connection = pair.connectReplica();
                Statement replica = connection.createStatement()) {
            await().atMost(MOST)
                    .ignoreExceptions()
                    .until(() -> "5000".equals(CommitHarness.query(replica, "SELECT COUNT(*) FROM shop.grown")));
        }

        Map<?, ?> report = understudy(
                "report",
                "pages",
                "-c",
                PagesReplica.configuration(folder, pair),
                "--server",
                "s1",
                "--schema",
                "shop",
                "--json");

        assertThat(forecast(report, "shop.grown", "PRIMARY")).isGreaterThan(60);
        assertThat(String.valueOf(report.get("notes")))
                .contains("statistics of these tables are outdated", "shop.grown");
    }

    /** A page that was freed by a merge stays in MySQL's pool with its old records. */
    @Test
    void forecastsTheRebuildAfterRandomDeletions() throws Exception {
        String file = PagesReplica.configuration(folder, pair);
        Map<?, ?> report = understudy("report", "pages", "-c", file, "--server", "s1", "--schema", "shop", "--json");

        Map<?, ?> result = understudy(
                "defragment",
                "-c",
                file,
                "--server",
                "s1",
                "--checksum",
                "--json",
                "shop.deleted_2",
                "shop.deleted_3",
                "shop.deleted_5");

        assertThat(result.get("errant")).isEqualTo("");
        Map<String, String> wrong = new TreeMap<>();
        int indexes = 0;
        for (Object one : (List<?>) Objects.requireNonNull(result.get("tables"))) {
            Map<?, ?> table = (Map<?, ?>) one;
            assertThat(table.get("checksum")).as("%s", table).isEqualTo("equal");
            Map<?, ?> after = (Map<?, ?>) Objects.requireNonNull(table.get("leafPagesAfter"));
            for (Map.Entry<?, ?> index : after.entrySet()) {
                double real = ((Number) index.getValue()).doubleValue();
                double forecast = forecast(report, String.valueOf(table.get("table")), String.valueOf(index.getKey()));
                indexes++;
                // The smallest index has 17 pages, of which one is more than 5 %.
                if (Math.abs(forecast - real) > Math.max(1, 0.05 * real)) {
                    wrong.put(table.get("table") + " " + index.getKey(), forecast + " instead of " + real);
                }
            }
        }
        assertThat(indexes).isEqualTo(9);
        assertThat(wrong).isEmpty();
    }

    private static double forecast(Map<?, ?> report, String table, String index) {
        for (Object one : (List<?>) Objects.requireNonNull(report.get("worst"))) {
            Map<?, ?> row = (Map<?, ?>) one;
            if (table.equals(row.get("name"))) {
                for (Object other : (List<?>) Objects.requireNonNull(row.get("indexes"))) {
                    Map<?, ?> pages = (Map<?, ?>) other;
                    if (index.equals(pages.get("index")) && pages.get("pagesAfter") instanceof Number number) {
                        return number.doubleValue();
                    }
                }
            }
        }
        throw new AssertionError("no " + table + " " + index + " in " + report);
    }
}
