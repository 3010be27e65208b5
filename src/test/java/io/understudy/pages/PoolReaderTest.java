package io.understudy.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.understudy.config.ConfigLoader;
import io.understudy.config.UnderstudyConfig;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.pages.PoolReader.PoolTooLarge;
import io.understudy.report.ReportText;
import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads the buffer pool of a real server, and compares forecasts with rebuilds. */
@Tag("long")
class PoolReaderTest {
    private static final Duration MOST = Duration.ofSeconds(60);
    private static final long ANY = Long.MAX_VALUE;

    private static EmbeddedServer server;

    @BeforeAll
    static void start() {
        server = EmbeddedServer.start(ServerOptions.of(1).withBufferPool("160M"));
        server.execute(
                "CREATE DATABASE pages",
                "CREATE USER reader@'%' IDENTIFIED BY 'reader'",
                "CREATE USER stranger@'%' IDENTIFIED BY 'stranger'",
                "GRANT PROCESS ON *.* TO reader@'%'",
                "GRANT SELECT ON mysql.innodb_index_stats TO reader@'%'");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static PoolContents read(String schema) throws Exception {
        try (Connection connection = server.connect()) {
            return new PoolReader(new ServerQueries(connection), warning -> {})
                    .read(schema, new PoolReader.Limit(ANY, MOST));
        }
    }

    private static TablePages table(String name) throws Exception {
        return read("pages").tables().stream()
                .filter(table -> table.name().shown().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static UnderstudyConfig config(String user, String limit) throws Exception {
        return ConfigLoader.load("""
                        primary: { address: "localhost:1" }
                        standbys: [ { name: standby-1, address: "127.0.0.1:%d", user: x, tls: { mode: disabled } } ]
                        pages: { user: %s, password: %s, poolLimit: %s }
                        """.formatted(server.port(), user, user, limit), "test", Map.of(), name -> null)
                .config();
    }

    private static long leafPages(String table, String index) throws Exception {
        try (Connection connection = server.connect()) {
            Map<String, Long> ofTable = Objects.requireNonNull(
                    LeafPages.read(new ServerQueries(connection), "pages")
                            .get(new TableOrPartition("pages", table, "")),
                    table);
            return Objects.requireNonNull(ofTable.get(index), index);
        }
    }

    /** Creates a table with a clustered index, an index of random numbers and an index of texts of many lengths. */
    private static void load(String table, int rows) {
        server.execute(
                "CREATE TABLE pages." + table
                        + " (id INT PRIMARY KEY, k INT NOT NULL, c VARCHAR(80) NOT NULL, pad CHAR(100) NOT NULL, KEY"
                        + " k(k), KEY c(c))",
                "INSERT INTO pages." + table
                        + " SELECT seq, CRC32(seq) % 1000000, CONCAT(MD5(seq), REPEAT('c', CRC32(seq * 3) % 40)), 'x'"
                        + " FROM pages.seq_1_to_" + rows);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void forecastsTheRebuildAfterRandomDeletions(int part) throws Exception {
        String table = "deleted_" + part;
        load(table, 40_000);
        server.execute("DELETE FROM pages." + table + " WHERE CRC32(id * 7 + 13) % " + part + " = 0");
        Awaitility.await().atMost(MOST).until(() -> read("pages").historyList() == 0);
        TablePages before = table("pages." + table);
        RebuildForecast forecast = read("pages").forecast();

        server.execute(
                "ALTER TABLE pages." + table + " FORCE, ALGORITHM=INPLACE, LOCK=NONE",
                "ANALYZE LOCAL TABLE pages." + table);

        Map<String, Double> errors = new TreeMap<>();
        for (IndexPages index : before.indexes()) {
            long real = leafPages(table, index.name());
            errors.put(index.name(), (double) index.after(forecast) / real - 1);
        }
        assertThat(errors).hasSize(3);
        assertThat(errors.values()).as("relative errors %s", errors).allMatch(error -> Math.abs(error) <= 0.05);
        if (part == 3) {
            assertThat(before.frees(forecast)).isGreaterThan(before.pages() / 4);
        }
    }

    /** For a small index that it has read completely, MariaDB's statistics report one leaf page. */
    @Test
    void countsTheLeafPagesOfSmallIndexes() throws Exception {
        load("small", 20_000);
        server.execute("ANALYZE LOCAL TABLE pages.small");

        IndexPages index = table("pages.small").indexes().stream()
                .filter(each -> each.name().equals("k"))
                .findFirst()
                .orElseThrow();

        // All pages except the root.
        assertThat(index.leafPages()).isEqualTo(index.pages() - 1);
    }

    @Test
    void separatesPartitionsIndexesAndLongValues() throws Exception {
        server.execute(
                "CREATE TABLE pages.parts (id INT, d INT, t LONGTEXT, PRIMARY KEY (id, d), KEY d(d)) PARTITION BY"
                        + " RANGE (d)"
                        + " (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN MAXVALUE)",
                "INSERT INTO pages.parts SELECT seq, seq % 20, REPEAT('t', 40000) FROM pages.seq_1_to_100");

        TablePages first = table("pages.parts:p0");

        assertThat(first.indexes()).extracting(IndexPages::name).containsExactly("PRIMARY", "d");
        assertThat(first.indexes().get(0).records()).isEqualTo(50);
        // Two full pages and a partial one for each long value.
        assertThat(first.otherPages()).isGreaterThanOrEqualTo(50 * 2);
        assertThat(first.fileBytes()).isGreaterThan(50 * 40_000);
        assertThat(first.indexes().get(0).dirty())
                .isBetween(0L, first.indexes().get(0).pages());
    }

    @Test
    void findsTheClusteredIndexOfATableWithoutPrimaryKey() throws Exception {
        server.execute(
                "CREATE TABLE pages.unnamed (a INT NOT NULL, b INT, UNIQUE KEY rows_here(a), KEY b(b))",
                "INSERT INTO pages.unnamed VALUES (1, 1)");

        assertThat(table("pages.unnamed").indexes())
                .extracting(IndexPages::name, IndexPages::clustered)
                .containsExactly(tuple("rows_here", true), tuple("b", false));
    }

    @Test
    void refusesAPoolAboveTheLimitUnlessForced() throws Exception {
        PagesQuery query = PagesQuery.of(config("reader", "128MiB"), "standby-1");

        assertThatThrownBy(() -> query.report(null, 5, false, MOST))
                .isInstanceOf(PoolTooLarge.class)
                .hasMessageContaining("160 MiB, more than the 128 MiB of pages.poolLimit")
                .hasMessageContaining("report pages --force");
        assertThat(query.report(null, 5, true, MOST)).containsKey("worst");
    }

    @Test
    void saysWhatToDoIfTheServerGaveUp() throws Exception {
        PagesQuery query = PagesQuery.of(config("reader", "1GiB"), "standby-1");

        assertThatThrownBy(() -> query.report(null, 5, false, Duration.ofMillis(1)))
                .hasMessageContaining("gave up reading its pool after 0.001 s")
                .hasMessageContaining("longer --timeout");
    }

    @Test
    void namesTheMissingPrivilegeAndTheGrant() throws Exception {
        assertThatThrownBy(() ->
                        PagesQuery.of(config("stranger", "1GiB"), "standby-1").report(null, 5, false, MOST))
                .hasMessageContaining("PROCESS")
                .hasMessageContaining("GRANT PROCESS ON *.* TO 'stranger'@'%'");
        assertThatThrownBy(() ->
                        PagesQuery.of(config("nobody", "1GiB"), "standby-1").report(null, 5, false, MOST))
                .hasMessageContaining("cannot log in to standby-1")
                .hasMessageContaining("CREATE USER 'nobody'@'%'");
        assertThatThrownBy(() -> PagesQuery.of(config("reader", "1GiB"), "standby-2"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no standby 'standby-2'; known: [standby-1]");
    }

    @Test
    void theAdminEndpointReadsThePoolOnceAMinute() throws Exception {
        UnderstudyConfig config = config("reader", "1GiB");
        AtomicLong nanos = new AtomicLong();
        PagesView view = new PagesView(() -> config, nanos::get);

        Map<String, Object> first = view.of("standby-1");
        nanos.set(Duration.ofSeconds(59).toNanos());
        assertThat(view.of("standby-1")).isSameAs(first);
        nanos.set(Duration.ofSeconds(61).toNanos());
        assertThat(view.of("standby-1")).isNotSameAs(first).containsEntry("standby", "standby-1");
        assertThatThrownBy(() -> view.of("standby-9")).isInstanceOf(IllegalArgumentException.class);
    }

    /** A query that the standby has ended was the most expensive one: repeated requests must not keep it busy. */
    @Test
    void theAdminEndpointDoesNotRepeatAReadingThatTookTooLong() throws Exception {
        UnderstudyConfig config = config("reader", "1GiB");
        PagesView view = new PagesView(() -> config, System::nanoTime, Duration.ofMillis(1));
        long before = exceeded();

        for (int call = 0; call < 3; call++) {
            assertThatThrownBy(() -> view.of("standby-1"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("max_statement_time");
        }

        assertThat(exceeded() - before).isEqualTo(1);
    }

    private static long exceeded() {
        return Long.parseLong(server.query("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS"
                + " WHERE VARIABLE_NAME = 'Max_statement_time_exceeded'"));
    }

    @Test
    void warnsAboveASecondOfTheServersTime() {
        assertThat(PoolReader.warning(1L << 30, 16384)).isEmpty();
        assertThat(PoolReader.warning(16L << 30, 16384)).contains("16,384 MiB", "up to 11 s");
    }

    @Test
    void printsTheTableThatFreesMostFirst() throws Exception {
        load("airy", 20_000);
        load("dense", 20_000);
        server.execute("DELETE FROM pages.airy WHERE CRC32(id * 7 + 13) % 5 < 2");
        Awaitility.await().atMost(MOST).until(() -> read("pages").historyList() == 0);

        Map<String, Object> report =
                PagesQuery.of(config("reader", "1GiB"), "standby-1").report("pages", 50, false, MOST);

        String text = ReportText.PAGES.of(report);
        assertThat(text).contains("standby-1: ", "PRIMARY", "frees MiB");
        assertThat(text)
                .containsPattern("pages\\.airy +\\d+ +[\\d.]+ +[\\d.]+% +\\d+% +\\d+% +\\d+% +\\d+ +[\\d.]+\\n");
        assertThat(text).containsPattern("  PRIMARY +\\d+ +[\\d.]+ +[\\d.]+% +[\\d.]+ +\\d+% +\\d+% +\\d+% +\\d+\\n");
        assertThat(text.indexOf("pages.airy")).isPositive().isLessThan(text.indexOf("pages.dense"));
    }
}
