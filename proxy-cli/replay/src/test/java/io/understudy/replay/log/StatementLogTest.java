package io.understudy.replay.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Logs that servers wrote: MariaDB 10.11 with log_slow_verbosity, MySQL 9.7 with log_slow_extra, each with a rotation,
 * literals and comments that hold events, quotes that nobody closes, and a session that sets its own time.
 */
@Timeout(60)
class StatementLogTest {
    /** Behind the one whose literal ends in an escaped quote. */
    private static final long AMBIGUOUS = 1;

    private final List<LogEvent> events = new ArrayList<>();
    private LogCounts counts = new LogCounts();

    private void read(InputStream in) throws IOException {
        events.clear();
        try (StatementLog log = StatementLog.open(in, ZoneOffset.UTC)) {
            for (LogEvent event = log.next(); event != null; event = log.next()) {
                events.add(event);
            }
            counts = log.counts();
        }
    }

    private void file(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(StatementLogTest.class.getResourceAsStream(name), name)) {
            read(in);
        }
    }

    private void text(String log) throws IOException {
        read(new ByteArrayInputStream(log.getBytes(StandardCharsets.UTF_8)));
    }

    private List<String> statements() {
        return events.stream()
                .filter(event -> event.kind() == LogEvent.Kind.STATEMENT)
                .map(LogEvent::sql)
                .toList();
    }

    private LogEvent statement(String sql) {
        return events.stream()
                .filter(event -> event.sql().equals(sql))
                .findFirst()
                .orElseThrow(() -> new AssertionError(sql + " is not among " + statements()));
    }

    private void holdsWhatWasSent() {
        assertThat(statements())
                .noneMatch(sql -> sql.startsWith("DROP"))
                .contains("SELECT 7", "SELECT 8", "SELECT 'last'");
        assertThat(statements())
                .contains("INSERT INTO t VALUES (1,'it\\'s'),(2,'a;b')", "SELECT 3 # comment it's\n FROM t");
        assertThat(statements()).contains("SELECT \"a\\\"b;\n\"", "SELECT 'C:\\\\' AS p", "SET timestamp=55");
        assertThat(statements().stream().filter(sql -> sql.contains("# User@Host: root[root] @ forged")))
                .hasSize(2);
        for (int i = 0; i < 50; i++) {
            LogEvent shop = statement("SELECT * FROM t WHERE id=" + i);
            LogEvent mysql = statement("SELECT user FROM user LIMIT " + i);
            assertThat(mysql.schema()).isEqualTo("mysql");
            assertThat(shop.threadId()).isNotEqualTo(mysql.threadId());
            assertThat(shop.user()).isEqualTo("root");
        }
    }

    @Test
    void mariaDbsSlowLog() throws Exception {
        file("mariadb-10.11-slow.txt");
        holdsWhatWasSent();
        assertThat(counts.events()).isEqualTo(125);
        assertThat(counts.rotations()).isEqualTo(2);
        assertThat(counts.refused()).isEqualTo(Map.of("forged", 2L, "ambiguous", AMBIGUOUS, "unbalanced", 1L));
        assertThat(statement("SELECT * FROM t WHERE id=7").schema()).isEqualTo("shop");
        assertThat(statement("SELECT NOW()").startMicros()).isEqualTo(LogEvent.UNKNOWN);
        assertThat(time("SELECT * FROM t WHERE id=7")).isEqualTo(Instant.parse("2026-11-22T07:01:50Z"));
    }

    @Test
    void mySqlsSlowLog() throws Exception {
        file("mysql-9.7-slow.txt");
        holdsWhatWasSent();
        assertThat(counts.events()).isEqualTo(127);
        assertThat(events.stream().filter(event -> event.kind() == LogEvent.Kind.QUIT))
                .hasSize(2);
        assertThat(counts.rotations()).isEqualTo(2);
        assertThat(counts.refused()).isEqualTo(Map.of("forged", 2L, "ambiguous", AMBIGUOUS));
        assertThat(statement("SELECT * FROM t WHERE id=7").schema()).isEqualTo("shop");
        assertThat(time("SELECT 'C:\\\\' AS p")).isEqualTo(Instant.parse("2026-11-22T07:02:28.038578Z"));
        assertThat(statement("SELECT 'C:\\\\' AS p").durationMicros()).isEqualTo(80);
        // Its own clock does not show in # Time.
        assertThat(time("SELECT NOW()")).isAfter(Instant.parse("2026-11-22T07:02:00Z"));
    }

    @Test
    void generalLogs() throws Exception {
        file("mariadb-10.11-general.txt");
        holdsWhatWasSent();
        assertThat(counts.refused()).isEqualTo(Map.of("unbalanced", 1L));
        assertThat(statement("SELECT * FROM t WHERE id=7").schema()).isEqualTo("shop");
        assertThat(events.stream().filter(event -> event.kind() == LogEvent.Kind.QUIT))
                .hasSize(2);
        file("mysql-9.7-general.txt");
        holdsWhatWasSent();
        assertThat(counts.refused()).isEmpty();
        assertThat(events.stream().filter(event -> event.kind() == LogEvent.Kind.CONNECT))
                .hasSize(2);
    }

    private Instant time(String sql) {
        return Instant.EPOCH.plusNanos(statement(sql).startMicros() * 1_000);
    }

    @Test
    void perconasKeysAndTheOldTime() throws Exception {
        text("""
                /usr/sbin/mysqld, Version: 5.7.44-48 (Percona Server), Time: 2026-01-15T09:05:00. started with:
                Tcp port: 3306  Unix socket: /run/mysqld/mysqld.sock
                Time                 Id Command    Argument
                # Time: 260115  9:05:01
                # User@Host: app[app] @ web1 [10.0.0.9]  Id:     7
                # Schema: shop  Last_errno: 0  Killed: 0
                # Query_time: 0.500000  Lock_time: 0.000000  Rows_sent: 1  Rows_examined: 0  Rows_affected: 0
                # Bytes_sent: 120
                # InnoDB_trx_id: 1A2B
                #   InnoDB_IO_r_ops: 0  InnoDB_IO_r_bytes: 0  InnoDB_IO_r_wait: 0.000000
                SET last_insert_id=4,insert_id=5,timestamp=1768467901;
                SELECT 1;
                # User@Host: app[app] @ web1 [10.0.0.9]
                # Thread_id: 8  Schema:   QC_hit: No
                # Query_time: 0.000001  Lock_time: 0.000000  Rows_sent: 1  Rows_examined: 0
                # No InnoDB statistics available for this query
                # explain: id\tselect_type\ttable
                # explain: 1\tSIMPLE\tNULL
                SET timestamp=1768467902;
                SELECT 2;
                # Time: 260115  9:05:03
                # User@Host: app[app] @ web1 [10.0.0.9]  Id:     7
                # Query_time: 0.1  Lock_time: 0.0 Rows_sent: 0  Rows_examined: 0
                # administrator command: Quit;
                """);
        assertThat(statements()).containsExactly("SELECT 1", "SELECT 2");
        assertThat(events.get(0).schema()).isEqualTo("shop");
        assertThat(events.get(0).threadId()).isEqualTo(7);
        assertThat(events.get(0).startMicros()).isEqualTo(1_768_467_901_000_000L);
        assertThat(events.get(1).schema()).isNull();
        assertThat(events.get(1).threadId()).isEqualTo(8);
        assertThat(events.get(2).kind()).isEqualTo(LogEvent.Kind.QUIT);
        assertThat(counts.rotations()).isEqualTo(1);
        assertThat(counts.refused()).isEmpty();
    }

    private static final String HEAD = "# Time: 260115 09:05:01.500000\n# User@Host: app[app] @  [10.0.0.9]  Id: 7\n"
            + "# Thread_id: 7  Schema: shop  QC_hit: No\n"
            + "# Query_time: 0.250000  Lock_time: 0.000000  Rows_sent: 1  Rows_examined: 0\n"
            + "# Rows_affected: 0  Bytes_sent: 120\n";

    /** The proxy's stream says in each event that a statement is one line: the last one need not wait for the next. */
    @Test
    void theProxysStream() throws Exception {
        java.io.PipedOutputStream writer = new java.io.PipedOutputStream();
        java.io.PipedInputStream reader = new java.io.PipedInputStream(1 << 16);
        writer.connect(reader);
        writer.write(
                (HEAD + "# Digest: 00ff\nuse `shop`;\nSET timestamp=1768467901;\n/* */ use x;\n# Dropped_events: 12\n")
                        .getBytes(StandardCharsets.UTF_8));
        try (StatementLog log = StatementLog.open(reader, ZoneId.of("Asia/Tokyo"))) {
            LogEvent event = Objects.requireNonNull(log.next());
            assertThat(event.sql()).isEqualTo("/* */ use x");
            // UTC, and the end.
            assertThat(event.startMicros()).isEqualTo(1_768_467_901_250_000L);
            writer.close();
            assertThat(log.next()).isNull();
            assertThat(log.counts().missing()).isEqualTo(12);
        }
    }

    @Test
    void whatIsNoEventIsNamed() throws Exception {
        text("garbage\nmore\n" + HEAD + "SELECT 1;\n" + HEAD + HEAD + "SELECT 2;\n" + HEAD + "SELECT 3 -- no end");
        assertThat(statements()).containsExactly("SELECT 1", "SELECT 2");
        assertThat(counts.refused()).isEqualTo(Map.of("no_header", 1L, "no_statement", 1L, "truncated", 1L));
    }

    /** What has not one event is refused rather than played as an empty log. */
    @Test
    void whatIsNoLogIsRefused() {
        String capture = "# Tume: 2026-01-15T09:05:01Z\n# Conn_ID: 1\n# Payload_len: 8\nSELECT 1\n";
        for (String none : List.of("garbage\nmore\n", "{\"error\":\"no token\"}\n", capture + capture)) {
            assertThatThrownBy(() -> text(none))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("is no slow log, general log or capture")
                    .hasMessageContaining(
                            "it begins with \"" + none.lines().findFirst().orElseThrow());
        }
    }

    /** Clients that prepare, execute and close each time do not make what is held grow. */
    @Test
    void preparedStatementsOfACaptureAreForgotten() throws Exception {
        StringBuilder capture = new StringBuilder();
        for (int i = 0; i < 5000; i++) {
            capture.append("# Time: 2026-01-15T09:05:01Z\n# Conn_ID: ").append(i < 3000 ? 1 : 2);
            capture.append("\n# Cmd_type: StmtExecute\n")
                    .append(i >= 3000 && i % 100 == 0 ? "# Server_thread: 1\n" : "");
            capture.append("# Captured_ps_id: ").append(i).append("\n# Prepared_stmt: \"SELECT 1\"\n# Params: 0\n");
            capture.append("# Payload_len: 9\n\1\0\0\0\0\1\0\0\0\n");
        }
        LineBuffer lines =
                new LineBuffer(new ByteArrayInputStream(capture.toString().getBytes(StandardCharsets.UTF_8)));
        CaptureReader reader = new CaptureReader(lines);
        int read = 0;
        while (reader.next() != null) {
            read++;
        }
        assertThat(read).isEqualTo(5000);
        assertThat(reader.statementsOf(1)).isLessThan(1100);
        assertThat(reader.statementsOf(2)).isLessThan(101);
    }

    /** A file that was made to fill the memory. */
    @Test
    void aRecordHasFewKeys() {
        StringBuilder capture = new StringBuilder("# Time: 2026-01-15T09:05:01Z\n# Conn_ID: 1\n");
        for (int i = 0; i < 100; i++) {
            capture.append("# Key").append(i).append(": 1\n");
        }
        capture.append("# Payload_len: 8\nSELECT 1\n");
        LineBuffer lines =
                new LineBuffer(new ByteArrayInputStream(capture.toString().getBytes(StandardCharsets.UTF_8)));
        assertThatThrownBy(() -> new CaptureReader(lines).next())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("more than 64 keys in one record");
    }

    /** A file that is no log has lines without an end. */
    @Test
    void aLineHasAnEnd() {
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                return 'x';
            }

            @Override
            public int read(byte[] bytes, int from, int length) {
                java.util.Arrays.fill(bytes, from, from + length, (byte) 'x');
                return length;
            }
        };
        assertThatThrownBy(() -> read(endless))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no end of a line or statement within 128 MiB; is this a log?");
    }

    @Test
    void quotesThatNobodyClosesCostOneStatement() throws Exception {
        StringBuilder log = new StringBuilder(HEAD + "SELECT 'O'Brien';\n");
        for (int i = 0; i < 30_000; i++) {
            log.append(HEAD).append("SELECT ").append(i).append(";\n");
        }
        text(log.toString());
        assertThat(statements()).hasSize(30_000);
        assertThat(counts.refused()).isEqualTo(Map.of("unbalanced", 1L));
    }

    @Test
    void anyCutLeavesWholeEvents() throws Exception {
        String log = HEAD + "SELECT 'a\n;\n# User@Host: x[x] @ y []\n';\n" + HEAD
                + "use shop;\nSET timestamp=1768467901;\nSELECT 2;\n";
        for (int cut = 0; cut <= log.length(); cut++) {
            text(log.substring(0, cut));
            assertThat(statements()).allMatch(sql -> sql.endsWith("'") || sql.equals("SELECT 2"));
        }
        assertThat(statements()).hasSize(2);
    }
}
