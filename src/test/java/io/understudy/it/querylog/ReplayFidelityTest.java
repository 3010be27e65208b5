package io.understudy.it.querylog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.replay.LogFilter;
import io.understudy.replay.Replay;
import io.understudy.replay.ReplayOptions;
import io.understudy.replay.log.StatementLog;
import java.io.ByteArrayInputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A statement is played as its session executed it, or not at all; and the target is not asked for more than that. */
@Tag("long")
@Timeout(120)
class ReplayFidelityTest {
    private static final long START_MICROS = 1_768_467_900_000_000L;

    private static EmbeddedServer target;

    @BeforeAll
    static void start() {
        target = EmbeddedServer.start(ServerOptions.of(78).withArguments("--log-output=TABLE", "--general-log=1"));
        target.execute(
                "CREATE DATABASE one",
                "CREATE DATABASE other",
                "CREATE TABLE one.t (v INT)",
                "CREATE TABLE other.t (v INT)",
                "INSERT INTO one.t VALUES (1)",
                "INSERT INTO other.t VALUES (1), (2), (3)",
                "CREATE USER player IDENTIFIED BY 'pl4y'",
                "GRANT ALL ON *.* TO player");
    }

    @AfterAll
    static void stop() {
        target.close();
    }

    private static ReplayOptions options(double speed, boolean readsOnly, int connections) {
        return new ReplayOptions(
                Address.parse("127.0.0.1:" + target.port()),
                "player",
                Secret.parse("pl4y"),
                new ServerTlsConfig(ServerTlsMode.DISABLED, null, null, null),
                speed,
                new LogFilter(readsOnly, Long.MIN_VALUE, Long.MAX_VALUE, null, null),
                connections);
    }

    private static StatementLog log(String text) {
        return StatementLog.open(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), ZoneOffset.UTC);
    }

    /** An event of a slow log that began at that time. */
    private static String event(int session, String schema, long micros, double seconds, String end) {
        long at = START_MICROS + micros + (long) (seconds * 1e6);
        LocalDateTime time = LocalDateTime.ofEpochSecond(at / 1_000_000, (int) (at % 1_000_000) * 1000, ZoneOffset.UTC);
        return "# Time: " + time.format(DateTimeFormatter.ofPattern("yyMMdd HH:mm:ss.SSSSSS"))
                + "\n# User@Host: app[app] @  [10.0.0.9]  Id: " + session + "\n# Thread_id: " + session
                + "  Schema: " + schema + "  QC_hit: No\n"
                + "# Query_time: " + String.format(java.util.Locale.ROOT, "%.6f", seconds)
                + "  Lock_time: 0.000000  Rows_sent: 1  Rows_examined: 0\n"
                + "# Digest: 00ff\nuse `" + schema + "`;\nSET timestamp=" + at / 1_000_000 + ";\n" + end + ";\n";
    }

    private static String quit(int session, long micros) {
        return event(session, "one", micros, 0, "# administrator command: Quit");
    }

    /** A record of a capture: the execution of a prepared statement. */
    private static String execution(int session, String schema, int statement, String text) {
        return "# Time: 2026-01-15T09:05:01Z\n# Conn_ID: " + session + "\n# Cmd_type: StmtExecute\n# Server_thread: 5"
                + "\n# Schema: \"" + schema + "\"\n# Settings: \"NAMES utf8mb4\"\n# Captured_ps_id: " + statement
                + "\n# Prepared_stmt: \"" + text + "\"\n# Params: 0\n# Payload_len: 9\n\1\0\0\0\0\1\0\0\0\n";
    }

    private static String query(int session, String settings, String text) {
        return "# Time: 2026-01-15T09:05:01Z\n# Conn_ID: " + session + "\n# Server_thread: 5\n# Schema: \"one\""
                + "\n# Settings: \"" + settings + "\"\n# Payload_len: " + text.length() + "\n" + text + "\n";
    }

    private static Map<String, Object> play(ReplayOptions options, String text) throws Exception {
        try (Replay replay = new Replay(options);
                StatementLog log = log(text)) {
            replay.run(log);
            assertThat(replay.stopped()).isNull();
            return replay.figures().view(log.counts(), 1);
        }
    }

    private static long count(String sql) {
        return Long.parseLong(target.query(sql));
    }

    private static long played(String like) {
        return count("SELECT COUNT(*) FROM mysql.general_log WHERE user_host LIKE '%player%' AND argument LIKE '" + like
                + "'");
    }

    /** The statement behind a schema that the target does not have would be executed in the one before it. */
    @Test
    void noStatementIsPlayedInAnotherSchema() throws Exception {
        target.execute("CREATE TABLE one.kept AS SELECT 1 AS v");
        Map<String, Object> view = play(
                options(0, false, 4),
                event(1, "one", 0, 0, "INSERT INTO kept VALUES (2)")
                        + event(1, "nowhere", 1000, 0, "DELETE FROM kept")
                        + event(1, "one", 2000, 0, "INSERT INTO kept VALUES (3)"));
        assertThat(count("SELECT COUNT(*) FROM one.kept")).isEqualTo(3);
        assertThat(view)
                .containsEntry("ok", 2L)
                .containsEntry("sent", 2L)
                .containsEntry("errors", Map.of("1049", 1L))
                .containsEntry("leftOut", Map.of("schema_refused", 1L));
    }

    /** A text that the connection played may have changed the schema, or dropped it. */
    @Test
    void aPlayedTextThatChangesTheSchemaIsNotTheSessions() throws Exception {
        target.execute(
                "CREATE DATABASE gone", "CREATE TABLE one.used AS SELECT 1 AS v", "CREATE TABLE other.used (v INT)");
        Map<String, Object> view = play(
                options(0, false, 4),
                event(1, "one", 0, 0, "USE other") // which failed for the client: its next statement is in one
                        + event(1, "one", 1000, 0, "INSERT INTO used VALUES (2)")
                        + event(1, "gone", 2000, 0, "DROP DATABASE gone")
                        + event(1, "one", 3000, 0, "CREATE DATABASE gone")
                        + event(1, "gone", 4000, 0, "CREATE TABLE made (v INT)")
                        + event(1, "one", 5000, 0, "SELECT 1; USE other")
                        + event(1, "one", 6000, 0, "INSERT INTO used VALUES (3)"));
        assertThat(count("SELECT COUNT(*) FROM one.used")).as("%s", view).isEqualTo(3);
        assertThat(count("SELECT COUNT(*) FROM other.used")).isZero();
        assertThat(count("SELECT COUNT(*) FROM gone.made")).isZero();
    }

    /** What is played with the settings of now was prepared under those of then. */
    @Test
    void aPreparedTextIsAnotherStatementUnderAnotherSqlMode() throws Exception {
        target.execute("CREATE TABLE one.modes (a VARCHAR(9))", "CREATE TABLE one.source AS SELECT 'value' AS a");
        String text = "INSERT INTO modes SELECT \\\"a\\\" FROM source";
        String quoted =
                execution(1, "one", 1, text).replace("NAMES utf8mb4", "NAMES utf8mb4, sql_mode = 'ANSI_QUOTES'");
        String plain = execution(1, "one", 1, text).replace("NAMES utf8mb4", "NAMES utf8mb4, sql_mode = ''");
        Map<String, Object> view = play(options(0, false, 4), quoted + plain + quoted);
        assertThat(target.query("SELECT GROUP_CONCAT(a ORDER BY a) FROM one.modes"))
                .as("%s", view)
                .isEqualTo("a,value,value");
    }

    /** Sessions that share a connection have the same text in schemas of their own. */
    @Test
    void aPreparedTextIsAnotherStatementInAnotherSchema() throws Exception {
        Map<String, Object> view = play(
                options(0, true, 1),
                execution(1, "one", 1, "SELECT v FROM t")
                        + execution(2, "other", 1, "SELECT v FROM t")
                        + execution(1, "one", 1, "SELECT v FROM t"));
        assertThat(view).containsEntry("ok", 3L).containsEntry("rows", 1L + 3 + 1);
    }

    @Test
    void preparedStatementsLeaveRoomForOthers() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            for (int session = 1; session <= 10; session++) {
                text.append(execution(session, "one", i, "SELECT v AS c" + i + " FROM t"));
            }
        }
        target.execute("SET GLOBAL max_prepared_stmt_count = 50");
        try (Replay replay = new Replay(options(0, true, 10));
                StatementLog log = log(text.toString())) {
            replay.limitPrepared(50);
            replay.run(log);
            assertThat(replay.figures().view(log.counts(), 1))
                    .containsEntry("errors", Map.of())
                    .containsEntry("ok", 200L);
        } finally {
            target.execute("SET GLOBAL max_prepared_stmt_count = 16382");
        }
    }

    /** The connections that exist share the bound, not those that may come. */
    @Test
    void aStatementStaysPreparedWhileThereIsRoom() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 40; i++) {
                text.append(execution(1, "one", i, "SELECT v AS kept" + i + " FROM t"));
            }
        }
        long before = prepared();
        assertThat(play(options(0, true, 256), text.toString())).containsEntry("ok", 120L);
        assertThat(prepared() - before).isEqualTo(40);
    }

    private static long prepared() {
        return count("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS"
                + " WHERE VARIABLE_NAME = 'COM_STMT_PREPARE'");
    }

    /** As of an application that connects for each request. */
    @Test
    void sessionsThatEndCountUntilTheyHaveEnded() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 80; i++) {
            text.append(event(1000 + i, "one", i, 0, "SELECT COUNT(*) AS brief FROM seq_1_to_100000"))
                    .append(quit(1000 + i, i));
        }
        target.execute("FLUSH STATUS");
        for (boolean readsOnly : new boolean[] {true, false}) {
            assertThat(play(options(0, readsOnly, 4), text.toString())).containsEntry("ok", 80L);
        }
        // Beside the four: the one that a fifth replaces, those that warm up, and the test's own.
        assertThat(count("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS"
                        + " WHERE VARIABLE_NAME = 'Max_used_connections'"))
                .isLessThan(16);
    }

    /** What is queued for sessions that the log has ended already is not sent either. */
    @Test
    void nothingIsSentAfterAStop() throws Exception {
        StringBuilder text = new StringBuilder(event(1, "one", 0, 0, "SELECT 0 AS halted"));
        for (int i = 2; i < 40; i++) {
            text.append(event(i, "one", 1_500_000, 0, "SELECT " + i + " AS halted"))
                    .append(quit(i, 1_500_000));
        }
        PipedOutputStream writer = new PipedOutputStream();
        try (Replay replay = new Replay(options(1, true, 64));
                PipedInputStream open = new PipedInputStream(writer, 1 << 20)) {
            writer.write(text.toString().getBytes(StandardCharsets.UTF_8));
            writer.flush();
            Thread stopper = new Thread(() -> {
                await().until(() -> replay.figures().sentCount() > 0);
                replay.stop("enough");
            });
            stopper.start();
            replay.run(StatementLog.open(open, ZoneOffset.UTC)); // which does not end by itself
            stopper.join();
        }
        // Until their time is over.
        await().during(Duration.ofMillis(1_600))
                .atMost(Duration.ofSeconds(10))
                .until(() -> played("SELECT % AS halted") == 1);
    }

    private static Map<?, ?> seconds(Map<String, Object> view, String figure) {
        return (Map<?, ?>) Objects.requireNonNull(view.get(figure));
    }

    /** A log has a statement when it has ended: what takes longer than what is read ahead is late by the log. */
    @Test
    void aLongStatementIsLateByItsLog() throws Exception {
        Map<String, Object> view = play(
                options(1, true, 4),
                event(1, "one", 0, 0, "SELECT 1 AS quick") + event(2, "one", 0, 2.5, "SELECT 2 AS slow"));
        assertThat(view).containsEntry("ok", 2L).containsEntry("lateByLog", 1L);
        assertThat((Double) seconds(view, "lateByLogSeconds").get("max")).isBetween(0.4, 2.4);
        assertThat((Double) seconds(view, "lateSeconds").get("max")).isLessThan(2.4);
    }

    /** A capture is a file: what it says of a session does not let a read write, and reaches no other session. */
    @Test
    void aCapturesSettingsDoNotLiftTheGuard() throws Exception {
        play(options(0, true, 1), query(1, "NAMES utf8mb4, tx_read_only = 0", "SELECT v AS guarded FROM t"));
        String last = target.query("SELECT CONVERT(argument USING utf8mb4) FROM mysql.general_log WHERE thread_id ="
                + " (SELECT thread_id FROM mysql.general_log WHERE argument = 'SELECT v AS guarded FROM t')"
                + " AND argument LIKE 'SET %' ORDER BY event_time DESC LIMIT 1");
        assertThat(last).startsWith("SET SESSION autocommit = 1");
        Map<String, Object> view = play(
                options(0, false, 1),
                query(1, "NAMES utf8mb4, GLOBAL max_connections = 77", "SELECT v AS reaching FROM t"));
        assertThat(view).containsEntry("sent", 0L).containsEntry("leftOut", Map.of("settings_of_the_server", 1L));
    }

    @Test
    void aDryRunEndsWhenAsked() throws Exception {
        try (Replay replay = new Replay(options(1, true, 4))) {
            byte[] event = event(1, "one", 0, 0, "SELECT 1").getBytes(StandardCharsets.UTF_8);
            Thread stopper = new Thread(() -> replay.stop("enough"));
            StatementLog endless = StatementLog.open(
                    new java.io.InputStream() {
                        private long at;

                        @Override
                        public int read() {
                            return event[(int) (at++ % event.length)];
                        }

                        @Override
                        public int read(byte[] bytes, int from, int length) {
                            for (int i = 0; i < length; i++) {
                                bytes[from + i] = (byte) read();
                            }
                            return length;
                        }
                    },
                    ZoneOffset.UTC);
            stopper.start();
            replay.dryRun(endless);
            stopper.join();
            assertThat(replay.stopped()).isEqualTo("enough");
        }
    }

    /** Two captures in one folder: a session of the second is not the one of the first with its number. */
    @Test
    void anotherCapturesSessionsAreOthers() throws Exception {
        target.execute("CREATE TABLE one.ended (v INT)");
        String first = query(1, "NAMES utf8mb4", "BEGIN").replace("# Server_thread", "# Capture: a\n# Server_thread")
                + query(1, "NAMES utf8mb4", "INSERT INTO ended VALUES (1)");
        String second = query(1, "NAMES utf8mb4", "INSERT INTO ended VALUES (2)")
                .replace("# Server_thread", "# Capture: b\n# Server_thread");
        assertThat(play(options(0, false, 4), first + second)).containsEntry("ok", 3L);
        assertThat(target.query("SELECT GROUP_CONCAT(v) FROM one.ended"))
                .as("the transaction of the first was never committed, the second's insert is none of it")
                .isEqualTo("2");
    }
}
