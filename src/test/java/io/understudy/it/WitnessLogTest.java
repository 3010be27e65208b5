package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.cli.Understudy;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The log of a witness survives proxy and primary: a restarted proxy has it, and so have commands without one. */
@Timeout(180)
@SuppressWarnings("NullAway") // a view may lack a key
class WitnessLogTest {
    @TempDir
    private Path folder;

    @Test
    void aRestartAndTheCommandsHaveEveryAnsweredRow() throws Exception {
        String section = "memory: 64MiB, poll: 100ms, acknowledge: disk, directory: " + folder.resolve("log");
        try (EmbeddedPair pair = WitnessServerTest.pair(PairOptions.defaults())) {
            Set<String> answered;
            try (BlackBoxProxy proxy = BlackBoxProxy.start(pair, section)) {
                proxy.awaitWitness();
                Writers writers = Writers.start(8, proxy::connect);
                writers.awaitRows(300);
                pair.link().refuse();
                pair.link().cut();
                writers.awaitMore(200); // which the standby lacks
                pair.primary().kill();
                answered = writers.join();
                WitnessServerTest.awaitApplied(pair.standby());
            }
            Set<String> missing = new HashSet<>(answered);
            missing.removeAll(WitnessServerTest.rows(pair.standby()));
            assertThat(missing).isNotEmpty();

            String directory = folder.resolve("log").toString();
            Path config = Files.writeString(folder.resolve("understudy.yaml"), """
                    listen: { address: "127.0.0.1:0" }
                    primary:
                      address: "127.0.0.1:%d"
                      monitor: { user: monitor, password: %s }
                    """.formatted(
                            pair.primary().port(), BlackBoxProxy.PASSWORD));
            List<String> on = List.of(
                    "-c",
                    config.toString(),
                    "--directory",
                    directory,
                    "--on",
                    "127.0.0.1:" + pair.standby().port());
            StringWriter report = new StringWriter();
            // Nothing is missing; that nothing came behind it no file can say.
            assertThat(run(report, on, "report", "lost")).isEqualTo(4);
            assertThat(report.toString()).contains("NOT KNOWN: what clients were told after");
            assertThat(report.toString())
                    .contains("which does not tell what was answered")
                    .contains("Answered OK and missing: 0")
                    .contains("Missing, not known to have been answered: ")
                    .contains("Unknown because of a gap: 0");
            Path file = folder.resolve("rescued");
            assertThat(run(new StringWriter(), on, "rescue", "--to", file.toString()))
                    .isEqualTo(4);

            try (BlackBoxProxy proxy = BlackBoxProxy.start(pair, section)) {
                await().ignoreExceptions()
                        .until(() -> proxy.lostNow().number("missingNotKnownAnswered", "count") >= missing.size());
                assertThat(proxy.lostNow().number("unknown", "transactions")).isZero();
            }
            BlackBoxTools.assumeMariaDbTools();
            pair.standby().execute("STOP SLAVE", "SET GLOBAL read_only=0");
            BlackBoxTools.replay(file, pair.standby());
            missing.removeAll(WitnessServerTest.rows(pair.standby()));
            assertThat(missing).isEmpty();
        }
    }

    /** A proxy that finds no primary may be at a standby, whose log is no continuation of what it holds. */
    @Tag("long")
    @Test
    void readsNoStandbyInPlaceOfAPrimaryThatIsDead() throws Exception {
        String section = "memory: 64MiB, poll: 100ms, acknowledge: disk, directory: " + folder.resolve("log");
        try (EmbeddedPair pair = WitnessServerTest.pair(PairOptions.defaults())) {
            try (BlackBoxProxy proxy = BlackBoxProxy.start(pair, section)) {
                proxy.awaitWitness();
                Writers writers = Writers.start(2, proxy::connect);
                writers.awaitRows(50);
                pair.primary().kill();
                writers.join();
            }
            String server = pair.standby().query("SELECT @@server_id");
            try (BlackBoxProxy proxy =
                    BlackBoxProxy.start(pair.standby().address(), pair.standby().address(), section)) {
                await().atMost(Duration.ofSeconds(60))
                        .ignoreExceptions()
                        .until(() -> proxy.witnessView("reason").equals("not_primary"));
                assertThat(proxy.witnessView("cause")).contains("server_id " + server + " is read-only");
                assertThat(proxy.lostNow().all().get("logs").toString())
                        .contains("server_id ")
                        .doesNotContain("server_id " + server);
                pair.standby().execute("STOP SLAVE", "SET GLOBAL read_only=0");
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> !proxy.witnessView("reason").equals("not_primary"));
            }
        }
    }

    /** From the first byte to the last command. */
    @Tag("long")
    @Test
    void anEncryptedLogSurvivesAKilledProxy() throws Exception {
        Path directory = folder.resolve("log");
        Path key = Files.writeString(folder.resolve("key"), "a key of more than sixteen");
        try (EmbeddedPair pair = WitnessServerTest.pair(PairOptions.defaults())) {
            Path config = Files.writeString(folder.resolve("understudy.yaml"), """
                    listen: { address: "127.0.0.1:0" }
                    primary:
                      address: "127.0.0.1:%d"
                      monitor: { user: monitor, password: %2$s }
                    standbys:
                      - { name: s1, address: "127.0.0.1:%3$d", user: monitor, password: %2$s }
                    admin: { enabled: false }
                    plugins:
                      black-box: { acknowledge: memory, directory: %4$s, key: "${file:%5$s}" }
                    """.formatted(
                            pair.primary().port(),
                            BlackBoxProxy.PASSWORD,
                            pair.standby().port(),
                            directory,
                            key));
            Process proxy = RunProgram.start(config, folder.resolve("printed"));
            Set<String> missing;
            try {
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> pair.primary().status("Rpl_semi_sync_master_clients") == 2);
                Writers writers = Writers.start(4, () -> {
                    Connection connection = pair.primary().connect();
                    connection.setCatalog("shop");
                    return connection;
                });
                writers.awaitRows(100);
                pair.link().refuse();
                pair.link().cut();
                writers.awaitMore(200); // which the proxy alone has
                proxy.destroyForcibly().onExit().join();
                await().until(() -> pair.primary().status("Rpl_semi_sync_master_wait_sessions") == 4);
                pair.primary().kill();
                missing = writers.join();
            } finally {
                proxy.destroyForcibly();
            }
            WitnessServerTest.awaitApplied(pair.standby());
            missing.removeAll(WitnessServerTest.rows(pair.standby()));
            assertThat(missing).isNotEmpty();
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file : files.toList()) {
                    assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                            .doesNotContain("shop", "filler");
                }
            }

            List<String> on = List.of("-c", config.toString(), "--directory", directory.toString(), "--on", "s1");
            StringWriter refused = new StringWriter();
            assertThat(run(refused, on, "report", "lost")).isNotZero();
            assertThat(refused.toString()).contains("--key-file");
            List<String> keyed = Stream.concat(on.stream(), Stream.of("--key-file", key.toString()))
                    .toList();
            StringWriter report = new StringWriter();
            assertThat(run(report, keyed, "report", "lost")).isEqualTo(4);
            assertThat(report.toString())
                    .contains("NOT KNOWN: what clients were told after")
                    .contains("the log ends there")
                    .contains("Unknown because of a gap: 0");
            Path file = folder.resolve("rescued");
            assertThat(run(new StringWriter(), keyed, "rescue", "--to", file.toString()))
                    .isEqualTo(4);
            BlackBoxTools.assumeMariaDbTools();
            pair.standby().execute("STOP SLAVE", "SET GLOBAL read_only=0");
            BlackBoxTools.replay(file, pair.standby());
            missing.removeAll(WitnessServerTest.rows(pair.standby()));
            assertThat(missing).isEmpty();
        }
    }

    private static int run(StringWriter out, List<String> on, String... command) {
        String[] arguments = Stream.concat(Arrays.stream(command), on.stream()).toArray(String[]::new);
        return Understudy.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(out))
                .execute(arguments);
    }
}
