package io.understudy.it.querylog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.base.JsonReader;
import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.remote.AdminClient;
import io.understudy.replay.LogFilter;
import io.understudy.replay.Replay;
import io.understudy.replay.ReplayOptions;
import io.understudy.replay.TargetWatch;
import io.understudy.replay.log.StatementLog;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class ReplayTest {
    private static EmbeddedServer target;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() {
        target = EmbeddedServer.start(ServerOptions.of(73).withArguments("--log-output=TABLE", "--general-log=1"));
        target.execute(
                "CREATE DATABASE shop",
                "USE shop",
                "CREATE TABLE items (id INT PRIMARY KEY, name VARCHAR(200), price DECIMAL(10,2), at DATETIME(6))",
                "INSERT INTO items SELECT seq, CONCAT('item ', seq), seq, NOW(6) FROM seq_1_to_100",
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

    private static StatementLog log(String text) throws Exception {
        return StatementLog.open(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), ZoneOffset.UTC);
    }

    private static String event(int session, long micros, String sql) {
        long end = 1_768_467_900_000_000L + micros;
        java.time.LocalDateTime time =
                java.time.LocalDateTime.ofEpochSecond(end / 1_000_000, (int) (end % 1_000_000) * 1000, ZoneOffset.UTC);
        return "# Time: " + time.format(java.time.format.DateTimeFormatter.ofPattern("yyMMdd HH:mm:ss.SSSSSS"))
                + "\n# User@Host: app[app] @  [10.0.0.9]  Id: " + session + "\n# Thread_id: " + session
                + "  Schema: shop  QC_hit: No\n"
                + "# Query_time: 0.000000  Lock_time: 0.000000  Rows_sent: 1  Rows_examined: 0\n"
                + "# Digest: 00ff\nuse `shop`;\nSET timestamp=" + end / 1_000_000 + ";\n" + sql + ";\n";
    }

    /** The statements that a player's sessions executed, each with its session, in order. */
    private static List<String[]> played(String like) throws Exception {
        List<String[]> all = new ArrayList<>();
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT thread_id, argument FROM mysql.general_log"
                        + " WHERE command_type = 'Query' AND user_host LIKE '%player%' AND argument LIKE '" + like + "'"
                        + " ORDER BY event_time")) {
            while (rows.next()) {
                all.add(new String[] {rows.getString(1), rows.getString(2)});
            }
        }
        return all;
    }

    private static Map<String, Object> view(Replay replay, StatementLog log) {
        return replay.figures().view(log.counts(), 1);
    }

    /** The pipeline: proxy, stream, replay. Reads arrive, in their sessions' order; nothing else does. */
    @Test
    void theStreamIsPlayed() throws Exception {
        QueryLogProxy proxy = QueryLogProxy.start("{ literals: keep }");
        InputStream stream =
                new AdminClient("127.0.0.1:" + proxy.adminPort(), QueryLogProxy.TOKEN).stream("slowlog?user=app");
        try (Replay replay = new Replay(options(0, true, 64))) {
            StatementLog log = StatementLog.open(stream, ZoneOffset.UTC);
            Thread player = new Thread(() -> {
                try {
                    replay.run(log);
                } catch (Exception e) {
                    replay.stop(e.toString());
                }
            });
            List<Connection> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                clients.add(proxy.connect("&useServerPrepStmts=true"));
            }
            player.start();
            for (int i = 0; i < 200; i++) {
                for (int c = 0; c < clients.size(); c++) {
                    try (var prepared = clients.get(c)
                                    .prepareStatement("SELECT name AS piped FROM items WHERE id = ? AND 'c' <> ?");
                            Statement statement = clients.get(c).createStatement()) {
                        prepared.setInt(1, i);
                        prepared.setString(2, c + "\n;");
                        prepared.executeQuery().close();
                        statement.execute("UPDATE items SET price = 999 WHERE id = 50 -- not piped");
                    }
                }
            }
            for (Connection client : clients) {
                client.close();
            }
            await().until(() -> proxy.metric("understudy.sessions") == 0);
            proxy.close();
            player.join(30_000);
            assertThat(player.isAlive()).isFalse();
            assertThat(replay.stopped()).isNull();
            Map<String, Object> view = view(replay, log);
            assertThat(view.toString()).contains("errors={}");
            List<String[]> arrived = played("SELECT name AS piped%");
            assertThat(arrived).hasSize(800);
            Map<String, List<Integer>> bySession = new java.util.TreeMap<>();
            for (String[] one : arrived) {
                int id = Integer.parseInt(one[1].replaceAll(".*id = ([0-9]+) .*", "$1"));
                bySession
                        .computeIfAbsent(one[0] + one[1].charAt(one[1].length() - 5), key -> new ArrayList<>())
                        .add(id);
            }
            assertThat(bySession).hasSize(4);
            assertThat(bySession.values())
                    .allSatisfy(ids -> assertThat(ids).isSorted().hasSize(200));
            assertThat(target.query("SELECT COUNT(*) FROM shop.items WHERE price = 999"))
                    .isEqualTo("0");
        } finally {
            proxy.close();
        }
    }

    @Test
    void readsOnlyCannotWrite() throws Exception {
        String text = event(1, 0, "DELETE FROM items")
                + event(1, 1000, "SELECT * FROM items FOR UPDATE")
                + event(1, 2000, "SELECT SLEEP(10)")
                + event(1, 2500, "SET SESSION TRANSACTION READ WRITE")
                + event(1, 3000, "SELECT ? FROM items")
                + event(1, 4000, "SELECT name FROM items WHERE id = 1");
        try (Replay replay = new Replay(options(1, true, 4));
                StatementLog log = log(text)) {
            replay.run(log);
            Map<String, Object> view = view(replay, log);
            assertThat(view).containsEntry("sent", 1L).containsEntry("ok", 1L).containsEntry("rows", 1L);
            assertThat((Map<?, ?>) view.get("leftOut")).hasSize(5);
            assertThat(String.valueOf(view.get("leftOut"))).contains("values_dropped");
        }
        assertThat(target.query("SELECT COUNT(*) FROM shop.items")).isEqualTo("100");
        try (Replay replay = new Replay(options(1, true, 4));
                StatementLog log = log(text)) {
            replay.dryRun(log);
            assertThat(view(replay, log)).containsEntry("sent", 0L).containsEntry("sessions", 1L);
        }
    }

    @Test
    void everythingOnACopy() throws Exception {
        String text = event(1, 0, "CREATE TABLE copied (id INT PRIMARY KEY)")
                + event(1, 1000, "BEGIN")
                + event(1, 2000, "INSERT INTO copied VALUES (1)")
                + event(1, 3000, "COMMIT")
                + event(1, 4000, "INSERT INTO copied VALUES (1)");
        try (Replay replay = new Replay(options(1, false, 4));
                StatementLog log = log(text)) {
            replay.run(log);
            Map<String, Object> view = view(replay, log);
            assertThat(view).containsEntry("ok", 4L).containsEntry("errors", Map.of("1062", 1L));
            assertThat(replay.figures().failures()).isEqualTo(1);
        }
        assertThat(target.query("SELECT COUNT(*) FROM shop.copied")).isEqualTo("1");
    }

    @Tag("long")
    @Test
    void thePaceIsTheLogs() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 400; i++) {
            text.append(event(i % 8, i * 10_000L, "SELECT " + i + " AS paced"));
        }
        for (double speed : new double[] {2, 4}) {
            try (Replay replay = new Replay(options(speed, true, 64));
                    StatementLog log = log(text.toString())) {
                long start = System.nanoTime();
                replay.run(log);
                double seconds = (System.nanoTime() - start) / 1e9;
                // Two seconds ahead, then the log's 3.99 s.
                assertThat(seconds).isBetween(2 + 3.99 / speed, 2 + 3.99 / speed + 10);
                assertThat(view(replay, log))
                        .containsEntry("ok", 400L)
                        .containsEntry("sessions", 8L)
                        .containsKey("lateSeconds");
            }
        }
    }

    @Tag("long")
    @Test
    void withoutAPaceNothingIsLate() throws Exception {
        try (Replay replay = new Replay(options(0, true, 4));
                StatementLog log = log(event(1, 0, "SELECT 1 AS unpaced"))) {
            replay.run(log);
            assertThat(view(replay, log)).containsEntry("ok", 1L).doesNotContainKey("lateSeconds");
        }
    }

    @Tag("long")
    @Test
    void aTargetThatIsPromotedIsLeftAlone() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 60_000; i++) {
            text.append(event(i % 8, i * 10_000L, "SELECT " + i + " AS promoted"));
        }
        target.execute("SET GLOBAL read_only = 1");
        try (Replay replay = new Replay(options(1, true, 64));
                StatementLog log = log(text.toString());
                TargetWatch watch = TargetWatch.start(
                        Address.parse("127.0.0.1:" + target.port()),
                        "player",
                        Secret.parse("pl4y"),
                        new ServerTlsConfig(ServerTlsMode.DISABLED, null, null, null),
                        replay::stop)) {
            assertThat(watch.readOnly()).isTrue();
            Thread player = new Thread(() -> {
                try {
                    replay.run(log);
                } catch (Exception e) {
                    replay.stop(e.toString());
                }
            });
            player.start();
            await().atMost(Duration.ofSeconds(30)).until(() -> replay.figures().sentCount() > 50);
            target.execute("SET GLOBAL read_only = 0");
            player.join(15_000);
            assertThat(player.isAlive()).isFalse();
            assertThat(replay.stopped()).contains("no longer read-only");
            long sent = replay.figures().sentCount();
            assertThat(sent)
                    .as("of %s", String.format(Locale.ROOT, "%d", 60_000))
                    .isLessThan(10_000);
        } finally {
            target.execute("SET GLOBAL read_only = 0");
        }
    }

    /** Ctrl-C and SIGTERM end a replay with its report, also one that waits for the next event of a stream. */
    @Tag("long")
    @Test
    void aSignalEndsAReplayWithItsReport() throws Exception {
        Path password = Files.writeString(folder.resolve("password"), "pl4y");
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        Process program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.understudy.cli.Understudy",
                        "replay",
                        "-",
                        "--to=127.0.0.1:" + target.port(),
                        "--user=player",
                        "--password-file=" + password,
                        "--tls=disabled",
                        "--json")
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            OutputStream stream = program.getOutputStream();
            for (int i = 0; i < 3; i++) {
                stream.write(
                        event(i, i * 1000L, "SELECT " + i + " AS signalled").getBytes(StandardCharsets.UTF_8));
            }
            stream.flush();
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> played("%AS signalled").size() == 3);
            program.destroy(); // SIGTERM
            assertThat(program.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(Files.readString(err)).contains("stopped: the program was asked to end");
            Map<?, ?> report = Objects.requireNonNull((Map<?, ?>) JsonReader.read(Files.readString(out)));
            assertThat(report.get("ok")).as("%s", report).isEqualTo(3L);
        } finally {
            program.destroyForcibly().waitFor();
        }
    }

    /** A session is connected, has its settings and its statements prepared, when their time comes. */
    @Tag("long")
    @Test
    void nothingIsLateBecauseASessionBegins() throws Exception {
        target.execute(
                "SET GLOBAL init_connect = 'DO SLEEP(0.4)'",
                "REVOKE ALL ON *.* FROM player",
                "GRANT SELECT ON *.* TO player");
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            text.append(event(i, i * 20_000L, "SELECT " + i + " AS begun"));
        }
        try (Replay replay = new Replay(options(1, true, 64));
                StatementLog log = log(text.toString())) {
            replay.run(log);
            Map<String, Object> view = view(replay, log);
            assertThat(view).containsEntry("ok", 20L);
            Map<?, ?> late = Objects.requireNonNull((Map<?, ?>) view.get("lateSeconds"));
            assertThat((Double) Objects.requireNonNull(late.get("p50")))
                    .as("%s", late)
                    .isLessThan(0.3);
        } finally {
            target.execute("SET GLOBAL init_connect = ''", "GRANT ALL ON *.* TO player");
        }
    }

    @Test
    void aTargetThatIsNotThereIsSaid() throws Exception {
        ReplayOptions wrong = new ReplayOptions(
                Address.parse("127.0.0.1:" + target.port()),
                "player",
                Secret.parse("wrong"),
                new ServerTlsConfig(ServerTlsMode.DISABLED, null, null, null),
                1,
                LogFilter.READS,
                4);
        try (Replay replay = new Replay(wrong);
                StatementLog log = log(event(1, 0, "SELECT 1") + event(1, 5_000_000, "SELECT 2"))) {
            replay.run(log);
            assertThat(replay.stopped()).contains("Access denied");
        }
    }
}
