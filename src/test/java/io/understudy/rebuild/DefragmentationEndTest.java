package io.understudy.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.config.ConfigLoader;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.pages.PagesAccount;
import io.understudy.servers.ServerQueries;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a run ends when the network, the server's limits or a promotion come in between. */
@Timeout(120)
@Tag("long")
class DefragmentationEndTest {
    private static final Duration MOST = Duration.ofSeconds(60);
    private static final Duration SOON = Duration.ofSeconds(15);
    private static final String SPACE =
            "SELECT SPACE FROM information_schema.INNODB_SYS_TABLESPACES WHERE NAME = 'shop/large'";

    private static EmbeddedPair pair;
    private static EmbeddedServer standby;

    private final StringWriter log = new StringWriter();

    @BeforeAll
    static void start() {
        pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false));
        standby = pair.standby();
        EmbeddedServer primary = pair.primary();
        standby.execute(
                "SET SESSION sql_log_bin = 0",
                "CREATE USER pages@'%' IDENTIFIED BY 'pages'",
                "GRANT PROCESS, BINLOG ADMIN, READ_ONLY ADMIN, REPLICA MONITOR ON *.* TO pages@'%'",
                "GRANT SELECT ON mysql.innodb_index_stats TO pages@'%'",
                "GRANT SELECT, INSERT, ALTER, CREATE ON `shop`.* TO pages@'%'");
        primary.execute("CREATE DATABASE shop");
        for (Map.Entry<String, Integer> table :
                Map.of("large", 120_000, "small", 500).entrySet()) {
            primary.execute(
                    "CREATE TABLE shop." + table.getKey()
                            + " (id INT PRIMARY KEY, k INT NOT NULL, c VARCHAR(80) NOT NULL, pad CHAR(100) NOT NULL,"
                            + " KEY k(k), KEY c(c))",
                    "INSERT INTO shop." + table.getKey()
                            + " SELECT seq, CRC32(seq) % 1000000, CONCAT(MD5(seq), REPEAT('c', CRC32(seq * 3) % 40)),"
                            + " 'x' FROM shop.seq_1_to_" + table.getValue());
        }
        pair.awaitCaughtUp(MOST);
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    @AfterEach
    void heal() {
        standby.execute("SET GLOBAL read_only = 1", "SET GLOBAL max_statement_time = 0", "START SLAVE");
        Awaitility.await().atMost(MOST).until(() -> processes("1").equals("0"));
    }

    private static String processes(String condition) {
        return standby.query(
                "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'pages' AND " + condition);
    }

    private CompletableFuture<Defragmentation.Result> begin(
            int port, int threads, MirroredReads reads, String... tables) throws Exception {
        Bounds bounds = new Bounds(Duration.ofSeconds(5), Duration.ofSeconds(20), threads, 200, MOST);
        return begin(port, new Defragmentation.Options(bounds, 1L << 40, false, false, false), false, reads, tables);
    }

    private CompletableFuture<Defragmentation.Result> begin(
            int port, Defragmentation.Options options, boolean terminal, MirroredReads reads, String... tables)
            throws Exception {
        PagesAccount account = PagesAccount.of(
                ConfigLoader.load("""
                        primary: { address: "localhost:1" }
                        standbys: [ { name: standby-1, address: "127.0.0.1:%d", user: x, tls: { mode: disabled } } ]
                        pages: { user: pages, password: pages }
                        """.formatted(port), "test", Map.of(), name -> null)
                        .config(),
                "standby-1");
        Defragmentation work =
                new Defragmentation(account, options, new ProgressOutput(new PrintWriter(log, true), terminal), reads);
        return CompletableFuture.supplyAsync(() -> {
            try {
                return work.run(List.of(tables));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void await(java.util.concurrent.Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(SOON)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .until(condition);
    }

    /** The server does not notice that its client is gone, and would finish the rebuild unwatched. */
    @Test
    void endsTheStatementOnTheServerWhenTheWorkingConnectionIsCut() throws Exception {
        String space = standby.query(SPACE);
        try (StatementRelay relay = new StatementRelay(standby.port(), "ALTER TABLE", false)) {
            var result = begin(relay.port(), 64, MirroredReads.NONE, "shop.large", "shop.small");
            await(() -> !processes("STATE LIKE 'alter%'").equals("0"));

            relay.cut();

            Defragmentation.Result ended = result.get(SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(processes("INFO LIKE 'ALTER%'")).isEqualTo("0");
            assertThat(standby.query(SPACE)).isEqualTo(space);
            assertThat(ended.tables()).as("%s", log).extracting("state").containsExactly("failed", "ended");
            assertThat((String) ended.tables().get(0).get("why"))
                    .contains("the connection that rebuilds it was lost", "does not run on the server any more");
            assertThat(log.toString()).contains("ending its statement on the server");
        }
    }

    /** Without RST or FIN the response never arrives. */
    @Test
    void doesNotWaitForeverForAResponseThatTheNetworkSwallowed() throws Exception {
        try (StatementRelay relay = new StatementRelay(standby.port(), "ALTER TABLE", true)) {
            var result = begin(relay.port(), 64, MirroredReads.NONE, "shop.small", "shop.large");

            Defragmentation.Result ended = result.get(SOON.toSeconds(), TimeUnit.SECONDS);

            assertThat(ended.tables()).as("%s", log).extracting("state").containsExactly("failed", "ended");
            assertThat((String) ended.tables().get(0).get("why")).contains("no response arrives");
            await(() -> processes("1").equals("0"));
        }
    }

    /** After a restart of the server the identifier of a lost connection is another one's, or its own. */
    @Test
    void endsNoConnectionButItsAccounts() throws Exception {
        String url = "jdbc:mariadb://127.0.0.1:" + standby.port() + "/?sslMode=disable&user=pages&password=pages";
        standby.execute("SET SESSION sql_log_bin = 0", "GRANT CONNECTION ADMIN ON *.* TO pages@'%'");
        try (Connection ending = DriverManager.getConnection(url);
                Connection lost = DriverManager.getConnection(url)) {
            ServerQueries queries = new ServerQueries(ending);
            StandbyQueries ended = new StandbyQueries(queries);
            long applier = Long.parseLong(
                    standby.query("SELECT MIN(ID) FROM information_schema.PROCESSLIST WHERE USER = 'system user'"
                            + " AND COMMAND = 'Slave_SQL'"));

            assertThat(ended.end(applier)).isTrue();
            assertThat(ended.end(queries.number("SELECT CONNECTION_ID()"))).isTrue();
            assertThat(ended.end(new ServerQueries(lost).number("SELECT CONNECTION_ID()")))
                    .isTrue();

            assertThat(standby.query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = " + applier))
                    .as("the applier still runs")
                    .isEqualTo("1");
            assertThat(queries.number("SELECT 1")).isEqualTo(1);
            assertThat(lost.isValid(1)).isFalse();
        } finally {
            standby.execute("SET SESSION sql_log_bin = 0", "REVOKE CONNECTION ADMIN ON *.* FROM pages@'%'");
        }
    }

    @Test
    void outlastsALimitOnTheTimeOfStatements() throws Exception {
        standby.execute("SET GLOBAL max_statement_time = 0.1");

        Defragmentation.Result result =
                begin(standby.port(), 64, MirroredReads.NONE, "shop.large").get(MOST.toSeconds(), TimeUnit.SECONDS);

        assertThat(result.allRebuilt()).as("%s", log).isTrue();
    }

    @Test
    void endsTheRunWhenTheServerIsPromotedWhileItWaits() throws Exception {
        var result = begin(standby.port(), 0, MirroredReads.NONE, "shop.small", "shop.large");
        await(() -> log.toString().contains("waiting, as Threads_running is"));

        standby.execute("SET GLOBAL read_only = 0");

        Defragmentation.Result ended = result.get(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(ended.tables()).as("%s", log).extracting("state").containsExactly("ended", "ended");
        assertThat(ended.promoted()).contains("the server is writable");
        assertThat(ended.succeeded()).isFalse();
        assertThat(log.toString()).contains("the run ends here, with tables not begun: 1, as the server is writable");
    }

    /** Between the first check and the rebuild lie requests to the proxy, ANALYZE and, on request, CHECKSUM. */
    @Test
    void waitsRightBeforeTheRebuildToo() throws Exception {
        MirroredReads reads = new MirroredReads() {
            @Override
            public String skip(String table) {
                standby.execute("STOP SLAVE SQL_THREAD");
                return "";
            }

            @Override
            public String again(String table) {
                return "";
            }

            @Override
            public Rewarmed rewarm(String table, Pause pause) {
                return Rewarmed.NOT;
            }
        };
        var result = begin(standby.port(), 64, reads, "shop.small");
        await(() -> log.toString().contains("waiting, as replication does not run"));

        standby.execute("START SLAVE SQL_THREAD");

        assertThat(result.get(SOON.toSeconds(), TimeUnit.SECONDS).allRebuilt())
                .as("%s", log)
                .isTrue();
    }

    /** The copy of a partition has a name of its own kind. */
    @Test
    void showsTheProgressOfAPartition() throws Exception {
        pair.primary()
                .execute(
                        "CREATE TABLE shop.parts (id INT PRIMARY KEY, pad CHAR(200) NOT NULL) PARTITION BY RANGE (id)"
                                + " (PARTITION p0 VALUES LESS THAN MAXVALUE)",
                        "INSERT INTO shop.parts SELECT seq, 'x' FROM shop.seq_1_to_100000");
        pair.awaitCaughtUp(MOST);
        Bounds bounds = new Bounds(Duration.ofSeconds(5), Duration.ofSeconds(20), 64, 200, MOST);
        var byPartition = new Defragmentation.Options(bounds, 1L << 40, false, true, false);

        Defragmentation.Result result = begin(standby.port(), byPartition, true, MirroredReads.NONE, "shop.parts")
                .get(MOST.toSeconds(), TimeUnit.SECONDS);

        assertThat(result.allRebuilt()).as("%s", log).isTrue();
        assertThat(log.toString()).containsPattern("shop.parts: ([1-9][0-9]*\\.[0-9]|0\\.[1-9]) of at most");
    }
}
