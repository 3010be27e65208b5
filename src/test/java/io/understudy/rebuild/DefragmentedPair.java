package io.understudy.rebuild;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.understudy.config.ConfigLoader;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.pages.PagesAccount;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** A primary and its standby, on which tables are rebuilt. */
abstract class DefragmentedPair {
    static final Duration MOST = Duration.ofSeconds(60);
    static final Bounds CALM =
            new Bounds(Duration.ofSeconds(5), Duration.ofSeconds(20), 64, 200, Duration.ofSeconds(30));
    static final Defragmentation.Options OPTIONS = new Defragmentation.Options(CALM, 1L << 40, true, false, false);

    static EmbeddedPair pair;
    static EmbeddedServer primary;
    static EmbeddedServer standby;

    final StringWriter log = new StringWriter();

    @BeforeAll
    static void start() {
        pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false));
        primary = pair.primary();
        standby = pair.standby();
        primary.execute("CREATE DATABASE shop", "CREATE DATABASE other");
        for (EmbeddedServer server : List.of(primary, standby)) {
            server.execute(
                    "SET SESSION sql_log_bin = 0",
                    "CREATE USER pages@'%' IDENTIFIED BY 'pages'",
                    "GRANT PROCESS, BINLOG ADMIN, READ_ONLY ADMIN, REPLICA MONITOR ON *.* TO pages@'%'",
                    "GRANT SELECT ON mysql.innodb_index_stats TO pages@'%'",
                    "GRANT SELECT, INSERT, ALTER, CREATE ON `shop`.* TO pages@'%'",
                    "CREATE USER weak@'%' IDENTIFIED BY 'weak'",
                    "GRANT REPLICA MONITOR ON *.* TO weak@'%'");
        }
        load("orders", 2_000);
        pair.awaitCaughtUp(MOST);
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    @AfterEach
    void heal() {
        standby.execute("SET GLOBAL read_only = 1", "START SLAVE");
        Awaitility.await()
                .atMost(MOST)
                .until(() -> standby.query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'pages'")
                        .equals("0"));
    }

    static void load(String table, int rows) {
        primary.execute(
                "CREATE TABLE shop." + table
                        + " (id INT PRIMARY KEY, k INT NOT NULL, c VARCHAR(80) NOT NULL, pad CHAR(100) NOT NULL, KEY"
                        + " k(k), KEY c(c))",
                "INSERT INTO shop." + table
                        + " SELECT seq, CRC32(seq) % 1000000, CONCAT(MD5(seq), REPEAT('c', CRC32(seq * 3) % 40)), 'x'"
                        + " FROM shop.seq_1_to_" + rows);
    }

    Defragmentation work(EmbeddedServer server, String user, Defragmentation.Options options) throws Exception {
        return new Defragmentation(
                account(server, user),
                options,
                new ProgressOutput(new PrintWriter(log, true), false),
                MirroredReads.NONE);
    }

    static PagesAccount account(EmbeddedServer server, String user) throws Exception {
        var config = ConfigLoader.load("""
                        primary: { address: "localhost:1" }
                        standbys: [ { name: standby-1, address: "127.0.0.1:%d", user: x, tls: { mode: disabled } } ]
                        pages: { user: %s, password: %s }
                        """.formatted(server.port(), user, user), "test", Map.of(), name -> null)
                .config();
        return PagesAccount.of(config, "standby-1");
    }

    Defragmentation work(MirroredReads reads) throws Exception {
        return new Defragmentation(
                account("pages"), with(CALM), new ProgressOutput(new PrintWriter(log, true), false), reads);
    }

    static PagesAccount account(String user) throws Exception {
        return account(standby, user);
    }

    Map<String, Object> only(Defragmentation.Result result) {
        assertThat(result.tables()).hasSize(1);
        return result.tables().get(0);
    }

    static String checksum(EmbeddedServer server, String table) throws Exception {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery("CHECKSUM TABLE " + table)) {
            rows.next();
            return rows.getString(2);
        }
    }

    static Defragmentation.Options with(Bounds bounds) {
        return new Defragmentation.Options(bounds, 1L << 40, false, false, false);
    }

    static long pages(Map<String, Object> outcome, String key) {
        return outcome.get(key) instanceof Map<?, ?> indexes && indexes.get("PRIMARY") instanceof Long pages
                ? pages
                : fail("no %s in %s", key, outcome);
    }
}
