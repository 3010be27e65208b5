package io.understudy.it.querylog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.plugins.capture.CaptureInput;
import io.understudy.remote.AdminClient;
import io.understudy.replay.LogFilter;
import io.understudy.replay.Replay;
import io.understudy.replay.ReplayOptions;
import io.understudy.replay.log.LogEvent;
import io.understudy.replay.log.StatementLog;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** From clients through the proxy to files, and from the files to another server. */
@Timeout(240)
class CaptureReplayTest {
    @TempDir
    private Path folder;

    private QueryLogProxy proxy(String literals) throws Exception {
        return QueryLogProxy.with(
                "127.0.0.1:" + QueryLogProxy.server().port(),
                "capture: { directory: " + folder + ", literals: " + literals + ", minFree: 1MiB }");
    }

    private static AdminClient admin(QueryLogProxy proxy) {
        return new AdminClient("127.0.0.1:" + proxy.adminPort(), QueryLogProxy.TOKEN);
    }

    private List<LogEvent> events() throws Exception {
        List<LogEvent> events = new ArrayList<>();
        try (StatementLog log = StatementLog.open(CaptureInput.open(folder, null, note -> {}), ZoneOffset.UTC)) {
            for (LogEvent event = log.next(); event != null; event = log.next()) {
                events.add(event);
            }
        }
        return events;
    }

    private static void run(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                try {
                    statement.execute(sql);
                } catch (SQLException e) {
                    assertThat(sql).as("%s", e.getMessage()).contains("refused");
                }
            }
        }
    }

    @Test
    void aCaptureIsPlayedAsItWas() throws Exception {
        String hostile = "a\n# Time: 2026-01-15T09:05:01Z\n# Conn_ID: 1\n# Payload_len: 8\nDROP x;\n";
        try (QueryLogProxy proxy = proxy("keep");
                Connection open = proxy.connect("&useServerPrepStmts=true")) {
            open.setAutoCommit(false);
            run(open, "SELECT 'before the capture' FROM items");
            assertThat(admin(proxy).act("capture/start")).containsEntry("active", true);
            run(open, "SELECT 'in a transaction that began before' FROM items");
            open.commit();
            open.setAutoCommit(true);
            run(open, "SET time_zone = '+05:00', sql_mode = 'ANSI_QUOTES'");
            for (int i = 0; i < 300; i++) {
                try (PreparedStatement prepared = open.prepareStatement(
                        "SELECT name AS taken FROM items WHERE id = ? AND ? <> @@session.time_zone")) {
                    prepared.setInt(1, i);
                    prepared.setString(2, hostile + i);
                    prepared.executeQuery().close();
                }
            }
            try (Connection other = proxy.connect("")) {
                run(
                        other,
                        "SELECT '" + hostile + "' AS taken",
                        "UPDATE items SET price = 1 WHERE id = -1",
                        "SELECT refused");
            }
            await().ignoreExceptions()
                    .until(() -> events().stream().anyMatch(event -> event.sql().contains("refused")));
            Map<String, Object> view = admin(proxy).act("capture/stop");
            assertThat(view).containsEntry("active", false).containsEntry("writing", false);
            assertThat(((Number) Objects.requireNonNull(view.get("bytes"))).longValue() / 300)
                    .as("bytes a statement")
                    .isLessThan(100);
        }
        List<LogEvent> events = events();
        assertThat(events).extracting(LogEvent::sql).noneMatch(sql -> sql.contains("before"));
        assertThat(events.stream().filter(event -> event.execution() != null)).hasSize(300);
        assertThat(events.stream().filter(event -> event.kind() == LogEvent.Kind.QUIT))
                .isNotEmpty();
        assertThat(events).filteredOn(event -> event.execution() != null).allSatisfy(event -> {
            assertThat(event.settings()).contains("+05:00").contains("ANSI_QUOTES");
            assertThat(event.schema()).isEqualTo("shop");
            assertThat(event.user()).isEqualTo("app");
        });
        assertThat(events).extracting(LogEvent::sql).contains("SELECT '" + hostile + "' AS taken");
        assertThat(events)
                .extracting(LogEvent::startMicros)
                .allSatisfy(micros -> assertThat(micros).isGreaterThan(1_700_000_000_000_000L));
        play();
    }

    private void play() throws Exception {
        try (EmbeddedServer target = EmbeddedServer.start(ServerOptions.of(74)
                .withArguments("--log-output=TABLE", "--general-log=1", "--max-prepared-stmt-count=400"))) {
            target.execute(
                    "CREATE DATABASE shop",
                    "USE shop",
                    "CREATE TABLE items (id INT PRIMARY KEY, name VARCHAR(200), price DECIMAL(10,2), at DATETIME(6))",
                    "INSERT INTO items SELECT seq, CONCAT('item ', seq), seq, NOW(6) FROM seq_1_to_100",
                    "CREATE USER player IDENTIFIED BY 'pl4y'",
                    "GRANT ALL ON *.* TO player");
            ReplayOptions options = new ReplayOptions(
                    Address.parse("127.0.0.1:" + target.port()),
                    "player",
                    Secret.parse("pl4y"),
                    new ServerTlsConfig(ServerTlsMode.DISABLED, null, null, null),
                    0,
                    LogFilter.READS,
                    8);
            try (Replay replay = new Replay(options);
                    StatementLog log = StatementLog.open(CaptureInput.open(folder, null, note -> {}), ZoneOffset.UTC)) {
                replay.run(log);
                Map<String, Object> view = replay.figures().view(log.counts(), 1);
                assertThat(replay.stopped()).isNull();
                assertThat(String.valueOf(view.get("errors"))).isIn("{}", "{1054=1}");
                assertThat((Long) view.get("rows")).isGreaterThanOrEqualTo(101L);
            }
            try (Connection connection = target.connect();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT SUM(command_type = 'Execute'), SUM(command_type ="
                            + " 'Prepare'), SUM(argument LIKE 'SET NAMES%+05:00%'), SUM(argument LIKE 'UPDATE%')"
                            + " FROM mysql.general_log WHERE user_host LIKE '%player%'")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(300);
                assertThat(rows.getInt(2)).as("prepared once").isEqualTo(1);
                assertThat(rows.getInt(3)).as("settings").isPositive();
                assertThat(rows.getInt(4)).isZero();
            }
        }
    }

    private Map<String, Object> playedOnPrimary() throws Exception {
        ReplayOptions options = new ReplayOptions(
                Address.parse("127.0.0.1:" + QueryLogProxy.server().port()),
                "app",
                Secret.parse(QueryLogProxy.password()),
                new ServerTlsConfig(ServerTlsMode.DISABLED, null, null, null),
                0,
                LogFilter.READS,
                8);
        try (Replay replay = new Replay(options);
                StatementLog log = StatementLog.open(CaptureInput.open(folder, null, note -> {}), ZoneOffset.UTC)) {
            replay.run(log);
            return replay.figures().view(log.counts(), 1);
        }
    }

    /** Text and binary rows, large ones too, are the same when they are read again; a changed row is named. */
    @Tag("long")
    @Test
    void aReplayTellsWhichResultsAreAsCaptured() throws Exception {
        try (QueryLogProxy proxy = QueryLogProxy.with(
                        "127.0.0.1:" + QueryLogProxy.server().port(),
                        "capture: { directory: " + folder + ", literals: keep, results: hash, minFree: 1MiB }");
                Connection client = proxy.connect("&useServerPrepStmts=true")) {
            run(client, "CREATE TABLE hashed AS SELECT seq AS id, 'old' AS v FROM seq_1_to_1000");
            assertThat(admin(proxy).act("capture/start")).containsEntry("results", "hash");
            for (int i = 1; i <= 20; i++) {
                run(client, "SELECT id, v FROM hashed WHERE id = " + i);
                try (PreparedStatement prepared = client.prepareStatement("SELECT v FROM hashed WHERE id > ?")) {
                    prepared.setInt(1, i);
                    prepared.executeQuery().close();
                }
            }
            run(
                    client,
                    "SELECT id FROM hashed WHERE id < 0",
                    "SELECT REPEAT(v, 50000), id FROM hashed WHERE id < 20",
                    "UPDATE hashed SET v = 'old' WHERE id = -1",
                    "SELECT refused FROM hashed");
            admin(proxy).act("capture/stop");
        }
        assertThat(events().stream().filter(event -> event.result() != null)).hasSize(42);
        assertThat(playedOnPrimary().get("results")).isEqualTo(Map.of("equal", 42L, "orderOnly", 0L, "different", 0L));
        QueryLogProxy.server().execute("UPDATE shop.hashed SET v = 'new' WHERE id = 7");
        Map<String, Object> changed = playedOnPrimary();
        // One by id, the six executions of id > 1 to 6, and the wide rows.
        assertThat(changed.get("results")).isEqualTo(Map.of("equal", 34L, "orderOnly", 0L, "different", 8L));
        assertThat((Map<?, ?>) changed.get("differentDigests")).hasSize(3);
        QueryLogProxy.server()
                .execute(
                        "UPDATE shop.hashed SET v = 'old' WHERE id = 7",
                        "ALTER TABLE shop.hashed ADD PRIMARY KEY (id DESC)");
        Map<?, ?> reordered =
                Objects.requireNonNull((Map<?, ?>) playedOnPrimary().get("results"));
        assertThat(reordered.get("different")).isEqualTo(0L);
        QueryLogProxy.server().execute("DROP TABLE shop.hashed");
    }

    @Test
    void noSecretIsInTheFiles() throws Exception {
        for (String literals : List.of("drop", "hash", "keep")) {
            List<String> planted = new ArrayList<>();
            try (QueryLogProxy proxy = proxy(literals);
                    Connection client = proxy.connect("&useServerPrepStmts=true")) {
                admin(proxy).act("capture/start");
                for (int i = 0; i < 50; i++) {
                    String secret = "s3cr3t" + literals + i;
                    planted.add(secret);
                    run(
                            client,
                            "CREATE USER refused" + i + " IDENTIFIED BY '" + secret + "'",
                            "SET PASSWORD FOR refused" + i + " = PASSWORD('" + secret + "')",
                            "SELECT AES_ENCRYPT('x', '" + secret + "')",
                            "CHANGE MASTER 'refused' TO MASTER_PASSWORD = '" + secret + "', MASTER_HOST=''",
                            "DROP USER refused" + i);
                    if (!literals.equals("keep")) {
                        run(
                                client,
                                "SELECT * FROM items WHERE name = '" + secret + "'",
                                "SELECT refused \"" + secret + "\" FROM",
                                "SELECT 1 /* " + secret + " */");
                        try (PreparedStatement prepared =
                                client.prepareStatement("SELECT id FROM items WHERE name = ? -- " + i)) {
                            prepared.setString(1, secret);
                            prepared.executeQuery().close();
                        }
                    } else {
                        run(client, "SELECT name FROM items WHERE id = " + i);
                    }
                }
                Map<String, Object> view = admin(proxy).act("capture/stop");
                assertThat(String.valueOf(view.get("skipped"))).contains("account");
                assertThat(((Number) Objects.requireNonNull(view.get("statements"))).longValue())
                        .as("%s", view)
                        .isGreaterThanOrEqualTo(50);
            }
            try (InputStream in = CaptureInput.open(folder, null, note -> {})) {
                String all = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                assertThat(all).contains("FROM items");
                for (String secret : planted) {
                    assertThat(all).doesNotContain(secret);
                }
            }
        }
    }

    /** A prepared statement keeps the meaning that it had when it was prepared. */
    @Test
    void anExecutionIsCapturedWithTheSettingsOfItsPreparation() throws Exception {
        try (QueryLogProxy proxy = proxy("keep");
                Connection client = proxy.connect("&useServerPrepStmts=true")) {
            run(client, "SET SESSION sql_mode = 'ANSI_QUOTES'");
            try (PreparedStatement prepared = client.prepareStatement("SELECT \"name\" FROM items WHERE id = ?")) {
                prepared.setInt(1, 1);
                prepared.executeQuery().close();
                admin(proxy).act("capture/start");
                run(client, "SET SESSION sql_mode = ''");
                prepared.executeQuery().close();
                run(client, "SELECT 'of now'");
            }
            admin(proxy).act("capture/stop");
        }
        List<String> settings = new ArrayList<>();
        try (StatementLog log = StatementLog.open(CaptureInput.open(folder, null, note -> {}), ZoneOffset.UTC)) {
            for (LogEvent event = log.next(); event != null; event = log.next()) {
                if (event.kind() == LogEvent.Kind.STATEMENT && event.sql().startsWith("SELECT")) {
                    settings.add(event.sql() + ": " + event.settings());
                }
            }
        }
        assertThat(settings).hasSize(2);
        assertThat(settings.get(0)).startsWith("SELECT \"name\"").contains("sql_mode = 'ANSI_QUOTES'");
        assertThat(settings.get(1)).startsWith("SELECT 'of now'").contains("sql_mode = ''");
    }

    /** Debian's zstd reads the files. */
    @Test
    void zstdReadsTheFiles() throws Exception {
        try (QueryLogProxy proxy = proxy("keep");
                Connection client = proxy.connect("")) {
            admin(proxy).act("capture/start");
            run(client, "SELECT 'by zstd'");
            admin(proxy).act("capture/stop");
        }
        Path file;
        try (var files = Files.list(folder)) {
            file = files.findFirst().orElseThrow();
        }
        org.junit.jupiter.api.Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/zstd")));
        Process zstd = new ProcessBuilder("zstd", "-dc", file.toString()).start();
        assertThat(new String(zstd.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("# Payload_len: 16\nSELECT 'by zstd'\n");
        assertThat(zstd.waitFor()).isZero();
    }

    /** Written as TiProxy writes them: an execution refers to a preparation, types come once. */
    @Test
    void capturesOfTiProxyAreRead() throws Exception {
        ByteArrayOutput out = new ByteArrayOutput();
        out.record("# Time: 2026-01-15T10:05:01.5+01:00", 9, "InitDB", "", "shop".getBytes(StandardCharsets.UTF_8));
        out.record(
                "# Time: 2026-01-15T10:05:01.6+01:00",
                9,
                null,
                "",
                "SELECT 1\n# Time: x".getBytes(StandardCharsets.UTF_8));
        byte[] prepare = "SELECT id FROM items WHERE id = ?".getBytes(StandardCharsets.UTF_8);
        out.record("# Time: 2026-01-15T10:05:01.7+01:00", 9, "StmtPrepare", "# Captured_ps_id: 4\n", prepare);
        byte[] first = {4, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3, 0, 7, 0, 0, 0};
        byte[] second = {4, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0, 0, 0};
        out.record("# Time: 2026-01-15T10:05:01.8+01:00", 9, "StmtExecute", "", first);
        out.record("# Time: 2026-01-15T10:05:01.9+01:00", 9, "StmtExecute", "# New_key: x\n", second);
        out.record("# Time: 2026-01-15T10:05:02+01:00", 9, "Quit", "", new byte[0]);
        try (StatementLog log = StatementLog.open(new ByteArrayInputStream(out.bytes()), ZoneOffset.UTC)) {
            LogEvent query = java.util.Objects.requireNonNull(log.next());
            assertThat(query.sql()).isEqualTo("SELECT 1\n# Time: x");
            assertThat(query.schema()).isEqualTo("shop");
            assertThat(query.startMicros()).isEqualTo(1_768_467_901_600_000L);
            log.next();
            LogEvent execution = java.util.Objects.requireNonNull(log.next());
            assertThat(execution.sql()).isEqualTo("SELECT id FROM items WHERE id = ?");
            assertThat(java.util.Objects.requireNonNull(execution.execution()).payloadFor(513))
                    .containsExactly(1, 2, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3, 0, 8, 0, 0, 0);
            assertThat(java.util.Objects.requireNonNull(log.next()).kind()).isEqualTo(LogEvent.Kind.QUIT);
            assertThat(log.next()).isNull();
        }
    }

    private static final class ByteArrayOutput {
        private final java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();

        void record(String time, long id, @org.jspecify.annotations.Nullable String type, String more, byte[] payload) {
            String head = time + "\n# Conn_ID: " + id + "\n" + (type == null ? "" : "# Cmd_type: " + type + "\n") + more
                    + "# Payload_len: " + payload.length + "\n";
            out.writeBytes(head.getBytes(StandardCharsets.UTF_8));
            out.writeBytes(payload);
            out.write('\n');
        }

        byte[] bytes() {
            return out.toByteArray();
        }
    }
}
