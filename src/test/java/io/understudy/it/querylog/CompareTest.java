package io.understudy.it.querylog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.base.JsonReader;
import io.understudy.cli.compare.CompareCommand;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.remote.AdminClient;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A primary and its standby, on which things are changed behind the replication's back. */
@Timeout(300)
@Tag("long")
class CompareTest {
    private static final int ROWS = 20_000;
    private static final String TENANT_TABLE = "CREATE TABLE tenant.small (id INT PRIMARY KEY, v INT, t VARCHAR(20))";
    private static final String TENANT_ROWS = "INSERT INTO tenant.small SELECT * FROM shop.small";

    private static EmbeddedPair pair;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() {
        pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false));
        pair.createAccount("judge", "", "SELECT ON *.*");
        pair.primary()
                .execute(
                        "CREATE DATABASE shop",
                        "USE shop",
                        "CREATE TABLE orders (id INT PRIMARY KEY, customer INT, note VARCHAR(100), price DOUBLE,"
                                + " KEY customer (customer))",
                        "INSERT INTO orders SELECT seq, seq % 4000, CONCAT('note ', seq), seq / 7 FROM seq_1_to_"
                                + ROWS,
                        "CREATE TABLE small (id INT PRIMARY KEY, v INT, t VARCHAR(20)) ",
                        "INSERT INTO small SELECT seq, seq, CONCAT('<t', seq, '>') FROM seq_1_to_50",
                        "CREATE VIEW sorted AS SELECT id, v FROM small ORDER BY id",
                        "CREATE VIEW typed AS SELECT v FROM small",
                        "CREATE VIEW float_sum AS SELECT SUM(price) AS s FROM orders",
                        "CREATE VIEW whole_sum AS SELECT 1e10 AS s",
                        "CREATE TABLE scanned (id INT PRIMARY KEY, v VARCHAR(50))",
                        "INSERT INTO scanned SELECT seq, CONCAT('value ', seq) FROM seq_1_to_4000");
        pair.awaitCaughtUp(Duration.ofSeconds(30));
        pair.standby().execute("STOP SLAVE");
        pair.standby().execute("SET GLOBAL gtid_strict_mode = 0");
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    private static void onStandby(String... statements) {
        pair.standby().execute("SET SESSION sql_log_bin = 0");
        pair.standby().execute(statements);
    }

    private static String log(int executions, List<IntFunction<String>> statements) {
        StringBuilder log = new StringBuilder();
        for (int i = 0; i < executions; i++) {
            for (IntFunction<String> statement : statements) {
                log.append("# Time: 260115 09:05:0")
                        .append(i % 10)
                        .append(".123456\n# User@Host: app[app] @  [10.0.0.9]  Id: 7\n")
                        .append("# Thread_id: 7  Schema: shop  QC_hit: No\n# Query_time: 0.001000  Lock_time: 0.000000")
                        .append("  Rows_sent: 1  Rows_examined: 0\nuse `shop`;\nSET timestamp=1768467901;\n")
                        .append(statement.apply(i))
                        .append(";\n");
            }
        }
        return log.toString();
    }

    /** @param view what {@code --json} printed */
    private record Outcome(int code, Map<String, Object> view) {
        @SuppressWarnings("unchecked")
        Map<String, Object> digest(String part) {
            return ((List<Map<String, Object>>) Objects.requireNonNull(view.get("digests")))
                    .stream()
                            .filter(row -> String.valueOf(row.get("text")).contains(part))
                            .reduce((x, y) -> {
                                throw new AssertionError("two digests with " + part);
                            })
                            .orElseThrow();
        }
    }

    private Outcome compare(EmbeddedServer b, String log, String... more) throws Exception {
        return compare(b, Files.writeString(folder.resolve("slow.log"), log), more);
    }

    private Outcome compare(EmbeddedServer b, Path file, String... more) throws Exception {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = new CommandLine(new CompareCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err));
        String[] arguments = {
            file.toString(),
            "--a=127.0.0.1:" + pair.primary().port(),
            "--b=127.0.0.1:" + b.port(),
            "--user=judge",
            "--tls=disabled",
            "--json"
        };
        String[] all = java.util.Arrays.copyOf(arguments, arguments.length + more.length);
        System.arraycopy(more, 0, all, arguments.length, more.length);
        int code = line.execute(all);
        assertThat(out.toString()).as("%s", err).startsWith("{");
        @SuppressWarnings("unchecked")
        Map<String, Object> view = (Map<String, Object>) Objects.requireNonNull(JsonReader.read(out.toString()));
        return new Outcome(code, view);
    }

    private static final List<IntFunction<String>> READS = List.of(
            i -> "SELECT note FROM orders WHERE customer = " + i,
            i -> "SELECT * FROM small WHERE id = " + (i % 50 + 1),
            i -> "SELECT id, v FROM sorted WHERE id > " + i % 3,
            i -> "SELECT COUNT(*) FROM scanned WHERE v LIKE '%" + i + "%'",
            i -> "SELECT NOW(), id FROM small WHERE id = " + (i % 50 + 1),
            i -> "SELECT SYSDATE(6), id FROM small WHERE id = " + (i % 50 + 1),
            i -> "SELECT no_such_column FROM small WHERE id = " + i);

    /** One server twice: nothing is reported, and what differs by itself is named. */
    @Test
    void aServerIsLikeItself() throws Exception {
        Outcome found = compare(pair.primary(), log(60, READS));
        assertThat(found.view().toString()).contains("outcome=alike");
        assertThat(found.code()).isZero();
        assertThat(found.digest("SYSDATE")).containsEntry("bySelf", 60L).doesNotContainKey("equal");
        assertThat(found.digest("NOW")).containsEntry("equal", 60L).doesNotContainKey("bySelf");
        assertThat(found.digest("no_such_column")).containsEntry("failedOnBoth", 60L);
        assertThat(found.digest("customer")).containsEntry("equal", 60L);
    }

    /** As with an account that may read nothing: that both refuse says nothing about the servers. */
    @Test
    void serversThatOnlyFailAreNotAlike() throws Exception {
        Outcome found = compare(pair.standby(), log(10, List.of(i -> "SELECT no_such_column FROM small")));
        assertThat(found.code()).isEqualTo(1);
        assertThat(String.valueOf(found.view().get("counts"))).contains("failedOnBoth=1");
    }

    @Test
    void differencesAreFoundAndNamed() throws Exception {
        assertThat(compare(pair.standby(), log(20, READS)).code()).isZero();
        onStandby("UPDATE shop.small SET t = 'changed' WHERE id = 7");
        try {
            Path page = folder.resolve("report.html");
            Outcome changed = compare(pair.standby(), log(50, READS), "--html=" + page, "--examples");
            assertThat(changed.code()).isEqualTo(8);
            assertThat(changed.digest("SELECT * FROM small"))
                    .containsEntry("finding", "different")
                    .containsEntry("different", 1L)
                    .containsEntry("equal", 49L)
                    .containsEntry("example", "SELECT * FROM small WHERE id = 7");
            assertThat(changed.digest("customer")).containsEntry("finding", "alike");
            assertThat(Files.readString(page)).contains("<td class=\"different\">", "WHERE id = 7", "1 different");
        } finally {
            onStandby("UPDATE shop.small SET t = '<t7>' WHERE id = 7");
        }
    }

    @Test
    void resultsThatDifferInPartAreToldApart() throws Exception {
        onStandby(
                "CREATE OR REPLACE VIEW shop.sorted AS SELECT id, v FROM shop.small ORDER BY id DESC LIMIT 1000",
                "CREATE OR REPLACE VIEW shop.typed AS SELECT CAST(v AS CHAR) AS v FROM shop.small",
                "CREATE OR REPLACE VIEW shop.float_sum AS SELECT SUM(price) * (1 + 1e-15) AS s FROM shop.orders",
                "CREATE OR REPLACE VIEW shop.whole_sum AS SELECT 1e10 + 1 AS s",
                "RENAME TABLE shop.scanned TO shop.elsewhere");
        try {
            Outcome found = compare(
                    pair.standby(),
                    log(
                            10,
                            List.of(
                                    i -> "SELECT id, v FROM sorted",
                                    i -> "SELECT v FROM typed",
                                    i -> "SELECT s FROM float_sum",
                                    i -> "SELECT s FROM whole_sum",
                                    i -> "SELECT COUNT(*) FROM scanned WHERE id > " + i)));
            assertThat(found.digest("sorted")).containsEntry("orderOnly", 10L).containsEntry("finding", "alike");
            assertThat(found.digest("typed")).containsEntry("metadataOnly", 10L);
            assertThat(found.digest("float_sum")).containsEntry("roundingOnly", 10L);
            assertThat(found.digest("scanned"))
                    .containsEntry("finding", "different")
                    .containsEntry("errors", Map.of("ok / 1146", 10L));
            assertThat(found.digest("whole_sum")).containsEntry("different", 10L);
            assertThat(found.code()).isEqualTo(8);
        } finally {
            onStandby(
                    "CREATE OR REPLACE VIEW shop.whole_sum AS SELECT 1e10 AS s",
                    "CREATE OR REPLACE VIEW shop.sorted AS SELECT id, v FROM shop.small ORDER BY id",
                    "CREATE OR REPLACE VIEW shop.typed AS SELECT v FROM shop.small",
                    "CREATE OR REPLACE VIEW shop.float_sum AS SELECT SUM(price) AS s FROM shop.orders",
                    "RENAME TABLE shop.elsewhere TO shop.scanned");
        }
    }

    @Test
    void aDroppedIndexIsFoundAndFivePerCentAreNot() throws Exception {
        onStandby(
                "ALTER TABLE shop.orders DROP INDEX customer",
                "INSERT INTO shop.scanned SELECT seq, 'more' FROM shop.seq_5001_to_5200");
        try {
            Outcome found = compare(pair.standby(), log(200, READS.subList(0, 4)));
            assertThat(found.code()).isEqualTo(4);
            Map<String, Object> slower = found.digest("customer");
            assertThat(slower).containsEntry("finding", "slower").containsEntry("equal", 200L);
            assertThat(String.valueOf(slower.get("planA"))).contains("customer");
            assertThat(String.valueOf(slower.get("planB"))).contains("ALL").doesNotContain("possible_keys, customer");
            assertThat(found.digest("scanned")).containsEntry("finding", "alike");
            assertThat(found.digest("small")).containsEntry("finding", "alike");
        } finally {
            onStandby(
                    "ALTER TABLE shop.orders ADD INDEX customer (customer)",
                    "DELETE FROM shop.scanned WHERE id > 5000");
        }
    }

    /** With hashes in a capture, the report says which of two servers that differ returns what the client got. */
    @Test
    void aDifferenceIsThatOfTheServerThatLeftTheCapture() throws Exception {
        Path captures = folder.resolve("captures");
        pair.createAccount("app", QueryLogProxy.password(), "ALL ON *.*");
        try (QueryLogProxy proxy = QueryLogProxy.with(
                        "127.0.0.1:" + pair.primary().port(),
                        "capture: { directory: " + captures + ", literals: keep, results: hash, minFree: 1MiB }");
                Connection client = proxy.connect("&useServerPrepStmts=true");
                Statement text = client.createStatement();
                PreparedStatement prepared = client.prepareStatement("SELECT t, v FROM small WHERE id = ?")) {
            AdminClient admin = new AdminClient("127.0.0.1:" + proxy.adminPort(), QueryLogProxy.TOKEN);
            admin.act("capture/start");
            for (int i = 1; i <= 20; i++) {
                text.executeQuery("SELECT * FROM small WHERE id = " + i).close();
                prepared.setInt(1, i);
                prepared.executeQuery().close();
            }
            admin.act("capture/stop");
        }
        String changed = "UPDATE shop.small SET t = 'changed' WHERE id IN (7, 8)";
        String restored = "UPDATE shop.small SET t = CONCAT('<t', id, '>') WHERE id IN (7, 8)";
        List<String> both = List.of("SELECT * FROM small", "SELECT t, v FROM small");
        onStandby(changed);
        try {
            Outcome onB = compare(pair.standby(), captures);
            assertThat(both)
                    .allSatisfy(digest -> assertThat(onB.digest(digest))
                            .containsEntry("different", 2L)
                            .containsEntry("capturedLikeA", 2L)
                            .doesNotContainKey("capturedLikeB"));
        } finally {
            onStandby(restored);
        }
        pair.primary().execute("SET SESSION sql_log_bin = 0", changed);
        try {
            Outcome onA = compare(pair.standby(), captures);
            assertThat(both)
                    .allSatisfy(digest -> assertThat(onA.digest(digest))
                            .containsEntry("different", 2L)
                            .containsEntry("capturedLikeB", 2L)
                            .doesNotContainKey("capturedLikeA"));
            // Both have left it, each in its own way: neither is like the capture.
            onStandby("UPDATE shop.small SET t = 'elsewhere' WHERE id IN (7, 8)");
            Outcome onBoth = compare(pair.standby(), captures);
            assertThat(both)
                    .allSatisfy(digest -> assertThat(onBoth.digest(digest))
                            .containsEntry("different", 2L)
                            .doesNotContainKeys("capturedLikeA", "capturedLikeB"));
        } finally {
            onStandby(restored);
            pair.primary().execute("SET SESSION sql_log_bin = 0", restored);
        }
    }

    /** A capture hashes the first 64 KiB of a row: of rows that differ behind them it says nothing. */
    @Test
    void aCaptureDoesNotTellRowsThatDifferBehindItsHash() throws Exception {
        Path captures = folder.resolve("long");
        pair.createAccount("app", QueryLogProxy.password(), "ALL ON *.*");
        pair.primary()
                .execute(
                        "SET SESSION sql_log_bin = 0",
                        "CREATE TABLE shop.long_rows (t LONGTEXT)",
                        "INSERT INTO shop.long_rows VALUES (CONCAT(REPEAT('a', 70000), 'x'))");
        onStandby(
                "CREATE TABLE shop.long_rows (t LONGTEXT)",
                "INSERT INTO shop.long_rows VALUES (CONCAT(REPEAT('a', 70000), 'y'))");
        try (QueryLogProxy proxy = QueryLogProxy.with(
                        "127.0.0.1:" + pair.primary().port(),
                        "capture: { directory: " + captures + ", literals: keep, results: hash, minFree: 1MiB }");
                Connection client = proxy.connect("");
                Statement text = client.createStatement()) {
            AdminClient admin = new AdminClient("127.0.0.1:" + proxy.adminPort(), QueryLogProxy.TOKEN);
            admin.act("capture/start");
            text.executeQuery("SELECT t FROM long_rows").close();
            admin.act("capture/stop");
        }
        try {
            assertThat(compare(pair.standby(), captures).digest("long_rows"))
                    .containsEntry("different", 1L)
                    .doesNotContainKeys("capturedLikeA", "capturedLikeB");
            onStandby("UPDATE shop.long_rows SET t = CONCAT('b', t)");
            assertThat(compare(pair.standby(), captures).digest("long_rows"))
                    .containsEntry("different", 1L)
                    .containsEntry("capturedLikeA", 1L)
                    .doesNotContainKey("capturedLikeB");
        } finally {
            pair.primary().execute("SET SESSION sql_log_bin = 0", "DROP TABLE shop.long_rows");
            onStandby("DROP TABLE shop.long_rows");
        }
    }

    /** Tenants have the same texts in schemas of their own: a statement is prepared for each of them. */
    @Test
    void aPreparedStatementIsExecutedInItsSchema() throws Exception {
        pair.primary().execute("SET SESSION sql_log_bin = 0", "CREATE DATABASE tenant", TENANT_TABLE, TENANT_ROWS);
        onStandby(
                "CREATE DATABASE tenant",
                TENANT_TABLE,
                TENANT_ROWS,
                "UPDATE tenant.small SET t = 'changed' WHERE id = 3");
        StringBuilder capture = new StringBuilder();
        for (int i = 0; i < 2; i++) {
            capture.append(execution(1, "shop", 3)).append(execution(2, "tenant", 3));
        }
        try {
            Outcome found = compare(pair.standby(), Files.writeString(folder.resolve("tenants.cap"), capture));
            assertThat(found.digest("small")).containsEntry("different", 2L).containsEntry("equal", 2L);
        } finally {
            pair.primary().execute("SET SESSION sql_log_bin = 0", "DROP DATABASE tenant");
            onStandby("DROP DATABASE tenant");
        }
    }

    /** Returns the record of an execution, with its text, as a capture has it. */
    private static String execution(int session, String schema, int id) {
        // COM_STMT_EXECUTE of statement 1: no cursor, one iteration, no NULL, types sent: one LONG.
        String payload = "\1\0\0\0\0\1\0\0\0\0\1\3\0" + (char) id + "\0\0\0";
        return "# Time: 2026-01-15T09:05:01Z\n# Conn_ID: " + session + "\n# Cmd_type: StmtExecute\n# User: \"app\"\n"
                + "# Server_thread: " + session + "\n# Schema: \"" + schema + "\"\n# Settings: \"NAMES utf8mb4\"\n"
                + "# Captured_ps_id: 1\n# Prepared_stmt: \"SELECT t FROM small WHERE id = ?\"\n# Params: 1\n"
                + "# Param_types: 0300\n# Took_us: 100\n# Payload_len: " + payload.length() + "\n" + payload + "\n";
    }

    /** Under settings that a server refuses, a statement is not judged: it would run under others. */
    @Test
    void aStatementWhoseSettingsAreRefusedIsLeftOut() throws Exception {
        String query = "SELECT COUNT(*) FROM small";
        String capture = query("NAMES utf8mb4, SESSION sql_mode = 'NO_SUCH_MODE'", query)
                + query("NAMES utf8mb4, GLOBAL max_connections = 77", query)
                + query("NAMES utf8mb4, SESSION transaction_read_only = 0", "SELECT @@transaction_read_only");
        Outcome found = compare(pair.standby(), Files.writeString(folder.resolve("settings.cap"), capture));
        assertThat(found.view().get("leftOut"))
                .isEqualTo(Map.of("settings_refused_a_1231", 1L, "settings_refused_a_unsafe", 1L));
        assertThat(found.view()).containsEntry("executed", 1L);
        assertThat(found.code()).isZero();
    }

    /** Settings that are not known are the server's, not those of the statement before. */
    @Test
    void aStatementWithoutSettingsRunsUnderTheServers() throws Exception {
        String capture = query("NAMES utf8mb4, SESSION sql_mode = 'ANSI_QUOTES'", "SELECT COUNT(*) FROM small")
                + query("", "SELECT \"text\" FROM small LIMIT 1")
                        .replace("# Settings: \"\"\n", "")
                        .replace("Conn_ID: 1", "Conn_ID: 2");
        Outcome found = compare(pair.standby(), Files.writeString(folder.resolve("unset.cap"), capture));
        assertThat(found.view()).containsEntry("executed", 2L);
        assertThat(found.view().toString()).doesNotContain("failedOnBoth");
    }

    /** A candidate on which the application's sessions cannot be set up is not alike. */
    @Test
    void settingsThatOnlyBRefusesAreADifference() throws Exception {
        pair.primary()
                .execute(
                        "SET SESSION sql_log_bin = 0",
                        "INSERT INTO mysql.time_zone VALUES (9001, 'N')",
                        "INSERT INTO mysql.time_zone_name VALUES ('Nowhere/City', 9001)",
                        "INSERT INTO mysql.time_zone_transition_type VALUES (9001, 0, 0, 0, 'LMT')");
        String capture = query("NAMES utf8mb4, SESSION time_zone = 'Nowhere/City'", "SELECT COUNT(*) FROM small");
        Outcome found = compare(pair.standby(), Files.writeString(folder.resolve("zone.cap"), capture));
        assertThat(found.view().get("leftOut")).isEqualTo(Map.of("settings_refused_b_1298", 1L));
        assertThat(found.view()).containsEntry("outcome", "different");
        assertThat(found.code()).isEqualTo(8);
    }

    private static String query(String settings, String sql) {
        return "# Time: 2026-01-15T09:05:01Z\n# Conn_ID: 1\n# User: \"app\"\n# Server_thread: 1\n# Schema: \"shop\"\n"
                + "# Settings: \"" + settings + "\"\n# Took_us: 100\n# Payload_len: " + sql.length() + "\n" + sql
                + "\n";
    }

    /**
     * A server that crashes on a statement is the finding; it is reported although nothing can be executed any more.
     */
    @Test
    void aServerThatDiesOfAStatementIsReported() throws Exception {
        onStandby("CREATE OR REPLACE VIEW shop.typed AS SELECT SLEEP(20) AS v FROM shop.small WHERE id = 1");
        Thread killer = new Thread(() -> {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> !"0"
                            .equals(pair.standby()
                                    .query("SELECT COUNT(*) FROM information_schema.processlist"
                                            + " WHERE user = 'judge' AND info LIKE '%typed%'")));
            pair.standby().kill();
        });
        killer.start();
        try {
            Outcome found =
                    compare(pair.standby(), log(20, List.of(i -> "SELECT * FROM small", i -> "SELECT v FROM typed")));
            assertThat(found.digest("typed")).containsEntry("errors", Map.of("ok / 2013", 1L));
            assertThat(found.view()).containsKey("stopped");
            assertThat(found.code()).isEqualTo(8);
        } finally {
            killer.join();
            pair.standby().restart();
            pair.standby().execute("STOP SLAVE", "SET GLOBAL gtid_strict_mode = 0");
            onStandby("CREATE OR REPLACE VIEW shop.typed AS SELECT v FROM shop.small");
        }
    }

    /** A statement that only B does not finish is a finding of time, and does not hold up the rest. */
    @Test
    void aTimeLimitHolds() throws Exception {
        onStandby("CREATE OR REPLACE VIEW shop.typed AS SELECT a.v FROM shop.orders o, shop.orders p, shop.small a"
                + " WHERE o.price + p.price < 0");
        try {
            Outcome found = compare(
                    pair.standby(),
                    log(30, List.of(i -> "SELECT v FROM typed", i -> "SELECT * FROM small WHERE id = " + (i % 50 + 1))),
                    "--timeout=200ms");
            assertThat(found.digest("typed")).containsEntry("finding", "slower").containsEntry("timeoutsB", 7L);
            assertThat(found.digest("small")).containsEntry("equal", 30L);
            assertThat(found.code()).isEqualTo(4);
        } finally {
            onStandby("CREATE OR REPLACE VIEW shop.typed AS SELECT v FROM shop.small");
        }
    }
}
