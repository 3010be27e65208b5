package io.understudy.it.querylog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.base.JsonReader;
import io.understudy.cli.replay.ReplayCommand;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Replays that end before their log does, as programs, and what the next one makes of their checkpoint. */
@Timeout(240)
@Tag("long")
class ResumeTest {
    private static EmbeddedServer target;

    @TempDir
    private Path folder;

    private String to = "unset";

    private Path password = Path.of("unset");

    @BeforeAll
    static void start() {
        target = EmbeddedServer.start(ServerOptions.of(76).withArguments("--log-output=TABLE", "--general-log=1"));
        target.execute(
                "CREATE DATABASE shop",
                "CREATE TABLE shop.ledger (session INT, n INT, PRIMARY KEY (session, n))",
                "CREATE USER player IDENTIFIED BY 'pl4y'",
                "GRANT ALL ON *.* TO player");
    }

    @BeforeEach
    void toTarget() throws IOException {
        to = "127.0.0.1:" + target.port();
        password = Files.writeString(folder.resolve("password"), "pl4y");
    }

    @AfterAll
    static void stop() {
        target.close();
    }

    private static String event(int session, long micros, String sql) {
        long end = 1_768_467_900_000_000L + micros;
        LocalDateTime time =
                LocalDateTime.ofEpochSecond(end / 1_000_000, (int) (end % 1_000_000) * 1000, ZoneOffset.UTC);
        return "# Time: " + time.format(DateTimeFormatter.ofPattern("yyMMdd HH:mm:ss.SSSSSS"))
                + "\n# User@Host: app[app] @  [10.0.0.9]  Id: " + session + "\n# Thread_id: " + session
                + "  Schema: shop  QC_hit: No\n"
                + "# Query_time: 0.000000  Lock_time: 0.000000  Rows_sent: 1  Rows_examined: 0\n"
                + "# Digest: 00ff\nuse `shop`;\nSET timestamp=" + end / 1_000_000 + ";\n" + sql + ";\n";
    }

    private List<String> arguments(Path log, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                log.toString(),
                "--to=" + to,
                "--user=player",
                "--password-file=" + password,
                "--tls=disabled",
                "--checkpoint=" + folder.resolve("replay.ckpt"),
                "--json"));
        arguments.addAll(List.of(more));
        return arguments;
    }

    private Process program(Path log, String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "io.understudy.cli.Understudy",
                "replay"));
        command.addAll(arguments(log, more));
        return new ProcessBuilder(command)
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile())
                .start();
    }

    /** @param said on standard error */
    private record Outcome(int code, Map<String, Object> view, String said) {
        long count(String name) {
            return view.get(name) instanceof Number number ? number.longValue() : 0;
        }

        long resumed(String name) {
            Map<?, ?> resumed = Objects.requireNonNull((Map<?, ?>) view.get("resumed"), said);
            return ((Number) Objects.requireNonNull(resumed.get(name))).longValue();
        }
    }

    private Outcome replay(Path log, String... more) throws IOException {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = new CommandLine(new ReplayCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .setExecutionExceptionHandler((failure, line, parsed) -> {
                    err.append(String.valueOf(failure.getMessage()));
                    return 1;
                })
                .execute(arguments(log, more).toArray(new String[0]));
        return new Outcome(code, view(out.toString()), err.toString());
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> view(String json) throws IOException {
        return json.isEmpty() ? Map.of() : (Map<String, Object>) Objects.requireNonNull(JsonReader.read(json));
    }

    private static long number(String sql) {
        return Long.parseLong(target.query(sql));
    }

    /** How often each statement was executed. */
    private static Map<String, Integer> played(String like) throws Exception {
        Map<String, Integer> all = new TreeMap<>();
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT CONVERT(argument USING utf8mb4) a, COUNT(*)"
                        + " FROM mysql.general_log WHERE command_type = 'Query' AND user_host LIKE '%player%'"
                        + " AND argument LIKE '" + like + "' GROUP BY a")) {
            while (rows.next()) {
                all.put(rows.getString(1), rows.getInt(2));
            }
        }
        return all;
    }

    private static void awaitPlayed(String like, int count) {
        await().atMost(Duration.ofSeconds(60)).until(() -> played(like).size() >= count);
    }

    private static void kill(Process program) throws InterruptedException {
        program.destroyForcibly().waitFor();
    }

    @Test
    void readsArePlayedOnceAcrossSigtermAndKill() throws Exception {
        StringBuilder text = new StringBuilder();
        int all = 900;
        for (int i = 0; i < all; i++) {
            String sql = i == 600
                    ? "SELECT COUNT(*) AS resumed FROM seq_1_to_15000000 WHERE seq % 7 = 3"
                    : "SELECT " + i + " AS resumed";
            text.append(event(i == 600 ? 77 : i % 6, i * 5_000L, sql));
            if (i == 300) {
                text.append(event(3, i * 5_000L, "DELETE FROM ledger"));
            }
        }
        Path log = Files.writeString(folder.resolve("slow.log"), text);
        Process program = program(log);
        long before;
        try {
            awaitPlayed("SELECT%AS resumed%", 200);
            program.destroy(); // SIGTERM
            assertThat(program.waitFor(30, TimeUnit.SECONDS)).isTrue();
            before = new Outcome(1, view(Files.readString(folder.resolve("out"))), "").count("ok");
            assertThat(Files.readString(folder.resolve("err"))).contains("--resume goes on");
            assertThat(before).isBetween(200L, all - 1L);
            program = program(log, "--resume");
            // The slow one is being executed.
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> played("SELECT COUNT(*) AS resumed%").size() == 1);
            kill(program); // kill -9
        } finally {
            kill(program);
        }
        Outcome last = replay(log, "--resume", "--speed=max");
        assertThat(last.code()).as(last.said()).isZero();
        assertThat(last.count("playedBefore") + last.count("sent"))
                .as("%s", last)
                .isEqualTo(all);
        assertThat(last.count("playedBefore")).isGreaterThan(before);
        long again = last.resumed("readAgain");
        // The slow one, and at most one of each other session.
        assertThat(again).as("%s", last).isBetween(1L, 7L);
        assertThat(last.said()).contains("reads in flight that are played again: events ");
        Map<String, Integer> played = played("SELECT%AS resumed%");
        assertThat(played).hasSize(all);
        assertThat(played.values()).allSatisfy(times -> assertThat(times).isBetween(1, 2));
        assertThat(played.values().stream().filter(times -> times == 2).count()).isBetween(1L, again);
        Outcome nothing = replay(log, "--resume");
        assertThat(nothing.count("sent")).isZero();
        assertThat(nothing.count("playedBefore")).isEqualTo(all);
    }

    /** What one replay has played, another one with the same checkpoint must not play again. */
    @Test
    void oneReplayAtATimeHasACheckpoint() throws Exception {
        StringBuilder text = new StringBuilder();
        int all = 600;
        for (int i = 0; i < all; i++) {
            text.append(event(i % 6, i * 5_000L, "SELECT " + i + " AS alone"));
        }
        Path log = Files.writeString(folder.resolve("slow.log"), text);
        Process program = program(log);
        try {
            awaitPlayed("SELECT%AS alone%", 100);
            for (String option : List.of("--resume", "--speed=max")) {
                Outcome second = replay(log, option);
                assertThat(second.code()).isEqualTo(1);
                assertThat(second.said())
                        .contains("replay.ckpt is being written by another replay, process " + program.pid());
            }
        } finally {
            kill(program);
        }
        // Two that go on at once: each reads the checkpoint that the other one left, or is refused.
        List<CompletableFuture<Outcome>> both = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            both.add(CompletableFuture.supplyAsync(() -> {
                try {
                    return replay(log, "--resume", "--speed=max");
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }));
        }
        long again = 0;
        for (CompletableFuture<Outcome> each : both) {
            Outcome outcome = each.get(60, TimeUnit.SECONDS);
            again += outcome.code() == 0 ? outcome.resumed("readAgain") : 0;
            assertThat(outcome.code() == 0 || outcome.said().contains("is being written by another replay"))
                    .as("%s", outcome)
                    .isTrue();
        }
        assertThat(replay(log, "--resume").count("playedBefore")).isEqualTo(all);
        Map<String, Integer> played = played("SELECT%AS alone");
        assertThat(played).hasSize(all);
        assertThat(played.values().stream().mapToInt(times -> times).sum()).isBetween(all, all + (int) again);
    }

    /** Transactions that end with the program are rolled back, and begin again; no row is written twice. */
    @Test
    void writesAreNeverRepeated() throws Exception {
        StringBuilder text = new StringBuilder(event(5, 0, "SET SESSION sql_mode = 'ANSI_QUOTES'"));
        int transactions = 60;
        for (int i = 0; i < transactions * 5; i++) {
            for (int session = 1; session <= 4; session++) {
                int step = i % 5;
                int n = i / 5 * 3 + step;
                text.append(event(
                        session,
                        i * 16_000L + session * 4_000L,
                        step == 0
                                ? "BEGIN"
                                : step == 4 ? "COMMIT" : "INSERT INTO ledger VALUES (" + session + ", " + n + ")"));
            }
            // Fails without the session's mode.
            text.append(event(5, i * 16_000L + 15_000L, "INSERT INTO \"ledger\" VALUES (5, " + i + ")"));
        }
        int rows = 4 * transactions * 3 + transactions * 5;
        Path log = Files.writeString(folder.resolve("slow.log"), text);
        long unknown = 0;
        long restarted = 0;
        for (int run = 0; run < 2; run++) {
            Process program = run == 0 ? program(log, "--all") : program(log, "--all", "--resume");
            long until = number("SELECT COUNT(*) FROM shop.ledger") + 200;
            try {
                await().atMost(Duration.ofSeconds(60)).until(() -> number("SELECT COUNT(*) FROM shop.ledger") >= until);
            } finally {
                kill(program); // kill -9
            }
            if (run > 0) {
                String said = Files.readString(folder.resolve("err"));
                restarted += said.contains("transactions that are played again") ? 1 : 0;
                unknown += said.contains("not played again because") ? said.split("events ")[1].split(",").length : 0;
            }
        }
        Outcome last = replay(log, "--all", "--resume", "--speed=max");
        assertThat(last.view().get("errors")).as("%s", last).isEqualTo(Map.of());
        assertThat(last.code()).as(last.said()).isZero();
        unknown += last.resumed("outcomeUnknown");
        assertThat(restarted + last.resumed("transactionsRestarted"))
                .as("%s", last)
                // A kill may come while no session is in a transaction.
                .isPositive();
        long written = number("SELECT COUNT(*) FROM shop.ledger");
        // What was in flight may be there or not; nothing else is missing.
        assertThat(written).as("%s", last).isBetween(rows - 3 * unknown, (long) rows);
        assertThat(number("SELECT COUNT(*) FROM shop.ledger WHERE session = 5"))
                .isBetween(transactions * 5L - unknown, transactions * 5L);
    }

    /** A log that has grown goes on with its sessions; what their connections had and new ones lack is said. */
    @Test
    void whatIsGoneWithTheConnectionsIsSaid() throws Exception {
        target.execute("CREATE TABLE shop.grown (n INT)");
        String begun = event(1, 0, "CREATE TEMPORARY TABLE own (id INT)")
                + event(1, 1, "SET @x = 1")
                + event(2, 2, "BEGIN")
                + event(2, 3, "INSERT INTO grown VALUES (1)")
                + event(3, 4, "INSERT INTO grown VALUES (2)");
        Path log = Files.writeString(folder.resolve("slow.log"), begun);
        assertThat(replay(log, "--all", "--speed=max").count("ok")).isEqualTo(5);
        assertThat(number("SELECT COUNT(*) FROM shop.grown")).isEqualTo(1);
        Files.writeString(
                log, begun + event(1, 5, "INSERT INTO own VALUES (1)") + event(2, 6, "COMMIT") + event(3, 7, "DO 1"));
        Outcome grown = replay(log, "--all", "--speed=max", "--resume");
        assertThat(grown.view())
                .containsEntry("playedBefore", 3L)
                .containsEntry("ok", 4L)
                .containsEntry("errors", Map.of("1146", 1L));
        assertThat(grown.resumed("transactionsRestarted")).isEqualTo(1);
        Map<?, ?> resumed = Objects.requireNonNull((Map<?, ?>) grown.view().get("resumed"));
        assertThat(resumed.get("sessionsWithout")).isEqualTo(Map.of("temporary tables", 1L, "user variables", 1L));
        assertThat(number("SELECT SUM(n) FROM shop.grown")).as("each once").isEqualTo(3);
        assertThat(number("SELECT COUNT(*) FROM shop.grown")).isEqualTo(2);
    }

    @Test
    void anotherReplaysCheckpointIsRefused() throws Exception {
        Path log = folder.resolve("slow.log");
        Path other = folder.resolve("other.log");
        Path shorter = folder.resolve("short.log");
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            text.append(event(1, i, "SELECT " + i + " AS refused"));
        }
        Files.writeString(log, text);
        Files.writeString(other, text.toString().replace("SELECT 7", "SELECT 70"));
        Files.writeString(shorter, text.substring(0, text.indexOf("SELECT 9")) + "SELECT 9;\n");
        assertThat(replay(log, "--resume").said()).contains("replay.ckpt does not exist: begin without --resume");
        assertThat(replay(log, "--speed=max").count("sent")).isEqualTo(20);
        assertThat(replay(log).said()).contains("replay.ckpt exists: --resume continues its replay");
        assertThat(replay(other, "--resume").said())
                .contains("is the checkpoint of another log than ", "other.log, whose first 20 events are others")
                .contains("it was written for ", "slow.log");
        assertThat(replay(shorter, "--resume").said()).contains("short.log, which has only 10 events");
        assertThat(replay(log, "--resume", "--all").said()).contains("that plays {plays=reads,");
        to = "127.0.0.1:9";
        assertThat(replay(log, "--resume").said())
                .contains("is the checkpoint of a replay on 127.0.0.1:" + target.port() + ", not on 127.0.0.1:9");
        to = "127.0.0.1:" + target.port();
        assertThat(played("SELECT%AS refused").values()).hasSize(20).containsOnly(1);
        // A capture may have grown meanwhile.
        Files.writeString(log, text + event(1, 30, "SELECT 20 AS refused"));
        Outcome grown = replay(log, "--resume", "--speed=max");
        assertThat(grown.count("sent")).as("%s", grown).isEqualTo(1);
        Path file = folder.resolve("replay.ckpt");
        Files.writeString(file, Files.readString(file, StandardCharsets.UTF_8).replace("checkpoint 2", "checkpoint 9"));
        assertThat(replay(log, "--resume").said()).contains("is a checkpoint of another version");
        Files.writeString(file, "something else");
        assertThat(replay(log, "--resume").said()).contains("is no checkpoint of a replay");
    }
}
