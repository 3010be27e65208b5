package io.understudy.it.querylog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.it.Packet;
import io.understudy.it.RawClient;
import io.understudy.plugins.capture.CaptureInput;
import io.understudy.remote.AdminClient;
import io.understudy.replay.CheckpointFile;
import io.understudy.replay.CheckpointLock;
import io.understudy.replay.LogFilter;
import io.understudy.replay.Replay;
import io.understudy.replay.ReplayOptions;
import io.understudy.replay.Resume;
import io.understudy.replay.log.StatementLog;
import io.understudy.sql.Collations;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a capture keeps of its sessions' settings, and what a replay makes of them. */
@Timeout(120)
class CaptureSettingsTest {
    private static final int QUERY = 3;
    private static final int RESET_CONNECTION = 0x1F;
    /** An id that no server has. */
    private static final int NO_COLLATION = 100;

    @TempDir
    private Path folder;

    private QueryLogProxy proxy(String results) throws Exception {
        return QueryLogProxy.with(
                "127.0.0.1:" + QueryLogProxy.server().port(),
                "capture: { directory: " + folder + ", literals: keep, results: " + results + ", minFree: 1MiB }");
    }

    private static AdminClient admin(QueryLogProxy proxy) {
        return new AdminClient("127.0.0.1:" + proxy.adminPort(), QueryLogProxy.TOKEN);
    }

    private static RawClient login(QueryLogProxy proxy, int collation) throws IOException {
        RawClient client = RawClient.open(new InetSocketAddress("127.0.0.1", proxy.port()));
        client.collation(collation);
        Packet last = client.tryLogin("app", QueryLogProxy.password(), "shop", RawClient.PLAIN);
        assertThat(last.isOk())
                .as("collation %d: %s", collation, new String(last.payload(), StandardCharsets.ISO_8859_1))
                .isTrue();
        return client;
    }

    private static ReplayOptions options(boolean readsOnly, double speed) {
        return new ReplayOptions(
                Address.parse("127.0.0.1:" + QueryLogProxy.server().port()),
                "app",
                Secret.parse(QueryLogProxy.password()),
                new ServerTlsConfig(ServerTlsMode.DISABLED, null, null, null),
                speed,
                new LogFilter(readsOnly, Long.MIN_VALUE, Long.MAX_VALUE, null, null),
                64);
    }

    private Map<String, Object> play(boolean readsOnly) throws Exception {
        try (Replay replay = new Replay(options(readsOnly, 0));
                StatementLog log = StatementLog.open(CaptureInput.open(folder, null, note -> {}), ZoneOffset.UTC)) {
            replay.run(log);
            assertThat(replay.stopped()).isNull();
            return replay.figures().view(log.counts(), 1);
        }
    }

    private static String rows(String sql) throws Exception {
        StringBuilder all = new StringBuilder();
        try (Connection connection = QueryLogProxy.server().connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    all.append(rows.getString(i)).append(' ');
                }
            }
        }
        return all.toString();
    }

    /** The table is what the server itself says. */
    @Test
    void collationsHaveTheServersCharacterSets() throws Exception {
        int compared = 0;
        try (Connection connection = QueryLogProxy.server().connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id, character_set_name"
                        + " FROM information_schema.collation_character_set_applicability WHERE id > 0")) {
            while (rows.next()) {
                assertThat(Collations.charset(rows.getInt(1)))
                        .as("collation %d", rows.getInt(1))
                        .isEqualTo(rows.getString(2).replaceFirst("^utf8$", "utf8mb3"));
                compared++;
            }
        }
        assertThat(compared).isGreaterThan(300);
        assertThat(Collations.charset(NO_COLLATION)).isNull();
        assertThat(Collations.clientCharset(35)).isNull();
    }

    /** A literal has the same bytes and the same meaning on the target, whichever character set its client has. */
    @Test
    void literalsKeepTheirCharacterSet() throws Exception {
        int[] collations = {2, 9, 27, 5, 7, 14, 51, 26, 41, 25, 16, 30, 36, 40, 33, 45, 192, 224, 63, NO_COLLATION};
        byte[] bytes = {(byte) 0xF3, (byte) 0xB1, (byte) 0xE6, 'a'};
        try (QueryLogProxy proxy = proxy("hash")) {
            admin(proxy).act("capture/start");
            for (int collation : collations) {
                try (RawClient client = login(proxy, collation)) {
                    ByteArrayOutputStream sql = new ByteArrayOutputStream();
                    sql.writeBytes("SELECT HEX(CONVERT('".getBytes(StandardCharsets.US_ASCII));
                    sql.writeBytes(
                            collation == 33 || collation == 45 || collation > 190
                                    ? "žš".getBytes(StandardCharsets.UTF_8)
                                    : bytes);
                    sql.writeBytes("' USING utf8mb4)) AS h, @@character_set_client AS cs, @@character_set_results AS rs"
                            .getBytes(StandardCharsets.US_ASCII));
                    client.command(QUERY, sql.toByteArray());
                    List<Packet> result = client.readResult();
                    assertThat(result.get(0).isErr())
                            .as("collation %d", collation)
                            .isFalse();
                }
            }
            admin(proxy).act("capture/stop");
        }
        Map<String, Object> view = play(true);
        assertThat(view).containsEntry("ok", (long) collations.length);
        // That of the unknown collation has no hash: its text cannot be analysed for certain.
        assertThat(view.get("results"))
                .as("%s", view)
                .isEqualTo(Map.of("equal", collations.length - 1L, "orderOnly", 0L, "different", 0L));
        assertThat(view.get("notCaptured")).isEqualTo(Map.of("character set of collation " + NO_COLLATION, 1L));
    }

    /**
     * A session that is older than the capture writes under its own isolation level, autocommit and checks; its SET
     * within a transaction does not end that; and where its client reset it, it has the server's values again.
     */
    @Test
    void sessionsThatWriteHaveTheirSettings() throws Exception {
        QueryLogProxy.server()
                .execute("CREATE TABLE shop.written (n INT, isolation VARCHAR(20), autocommit INT, fk INT, mode"
                        + " VARCHAR(200))");
        List<String> writes = new ArrayList<>();
        for (int n = 1; n <= 6; n++) {
            writes.add("INSERT INTO written SELECT " + n
                    + ", @@session.transaction_isolation, @@autocommit, @@foreign_key_checks, @@sql_mode");
        }
        try (QueryLogProxy proxy = proxy("none");
                RawClient old = login(proxy, 45);
                RawClient odd = login(proxy, 45)) {
            old.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE");
            old.execute("SET autocommit = 0, SESSION foreign_key_checks = 0");
            odd.execute("SET @level = 'SERIALIZABLE'");
            odd.execute("SET SESSION transaction_isolation = @level");
            odd.execute("CREATE TEMPORARY TABLE own (id INT)");
            admin(proxy).act("capture/start");
            old.execute(writes.get(0));
            old.execute("SET sql_mode = 'ANSI_QUOTES'");
            old.execute(writes.get(1));
            old.execute("COMMIT");
            old.execute(writes.get(2));
            old.execute("ROLLBACK");
            old.execute("SET autocommit = 1");
            old.execute(writes.get(3));
            old.command(RESET_CONNECTION, "");
            assertThat(old.read().isOk()).isTrue();
            old.execute(writes.get(4));
            odd.command(QUERY, "SELECT 1");
            odd.readResult();
            try (RawClient fresh = login(proxy, 45)) {
                fresh.execute(writes.get(5));
            }
            admin(proxy).act("capture/stop");
        }
        String all = "SELECT * FROM shop.written ORDER BY n";
        String written = rows(all);
        assertThat(written)
                .startsWith("1 READ-COMMITTED 0 0 ")
                .contains("2 READ-COMMITTED 0 0 ANSI_QUOTES 4 READ-COMMITTED 1 0 ANSI_QUOTES 5 REPEATABLE-READ 1 1 ");
        QueryLogProxy.server().execute("TRUNCATE shop.written");
        Map<String, Object> view = play(false);
        assertThat(rows(all)).as("%s", view).isEqualTo(written);
        assertThat(view).containsEntry("errors", Map.of());
        Map<?, ?> missing = Objects.requireNonNull((Map<?, ?>) view.get("notCaptured"));
        assertThat(missing)
                .isEqualTo(Map.of("user variables", 2L, "temporary tables", 1L, "transaction_isolation", 1L));
        // A session that only reads keeps autocommit: an open transaction would hold back the target.
        assertThat(play(true)).containsEntry("errors", Map.of());
        QueryLogProxy.server().execute("DROP TABLE shop.written");
    }

    /** A replay that is resumed has each session's settings, schema and prepared statements. */
    @Test
    void aResumedReplayHasSettingsAndStatements() throws Exception {
        int all = 200;
        try (QueryLogProxy proxy = proxy("hash");
                Connection client = proxy.connect("&useServerPrepStmts=true");
                Statement statement = client.createStatement()) {
            statement.execute("SET time_zone = '+05:00'");
            statement.execute("CREATE DATABASE IF NOT EXISTS elsewhere");
            admin(proxy).act("capture/start");
            statement.execute("USE elsewhere");
            try (PreparedStatement prepared = client.prepareStatement(
                    "SELECT ? AS i, @@session.time_zone AS zone, DATABASE() AS s, name FROM shop.items WHERE id = ?")) {
                for (int i = 0; i < all; i++) {
                    prepared.setInt(1, i);
                    prepared.setString(2, String.valueOf(i));
                    prepared.executeQuery().close();
                }
            }
            admin(proxy).act("capture/stop");
        }
        Path file = folder.resolve("replay.ckpt");
        Map<String, Object> first;
        try (CheckpointLock lock = CheckpointLock.take(file);
                CheckpointFile checkpoint = CheckpointFile.begin(lock, "capture", options(true, 0.1), null);
                Replay replay = new Replay(options(true, 0.1), checkpoint, null);
                StatementLog log = StatementLog.open(CaptureInput.open(folder, null, note -> {}), ZoneOffset.UTC)) {
            Thread stopper = new Thread(() -> {
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> replay.figures().sentCount() >= all / 4);
                replay.stop("enough");
            });
            stopper.start();
            replay.run(log);
            stopper.join();
            first = replay.figures().view(log.counts(), 1);
        }
        Resume resume;
        try (CheckpointLock lock = CheckpointLock.take(file);
                StatementLog log = StatementLog.open(CaptureInput.open(folder, null, note -> {}), ZoneOffset.UTC)) {
            resume = Resume.read(lock, "capture", log, options(true, 0));
        }
        try (CheckpointLock lock = CheckpointLock.take(file);
                CheckpointFile checkpoint = CheckpointFile.begin(lock, "capture", options(true, 0), resume);
                Replay replay = new Replay(options(true, 0), checkpoint, resume);
                StatementLog log = StatementLog.open(CaptureInput.open(folder, null, note -> {}), ZoneOffset.UTC)) {
            replay.run(log);
            Map<String, Object> second = replay.figures().view(log.counts(), 1);
            assertThat(equal(first)).as("%s", first).isBetween(all / 4L, all - 1L);
            assertThat(equal(first) + equal(second))
                    .as("%s and %s", first, second)
                    .isEqualTo(all);
            assertThat(second).containsEntry("playedBefore", equal(first)).containsEntry("errors", Map.of());
        }
        QueryLogProxy.server().execute("DROP DATABASE elsewhere");
    }

    private static long equal(Map<String, Object> view) {
        Object count = Objects.requireNonNull((Map<?, ?>) view.get("results")).get("equal");
        return (Long) Objects.requireNonNull(count);
    }
}
