package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.base.JsonReader;
import io.understudy.cli.Understudy;
import io.understudy.cli.defragment.DefragmentCommand;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.host.PluginTypes;
import io.understudy.remote.AdminClient;
import io.understudy.runtime.RunningProxy;
import io.understudy.testkit.FreePort;
import io.understudy.testkit.ThinkTime;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code understudy defragment} and the proxy that mirrors to the same standby. */
@Timeout(180)
class DefragmentReadsTest {
    private static final Duration MOST = Duration.ofSeconds(60);
    private static final long THINK_NANOS = Duration.ofMillis(2).toNanos();
    private static EmbeddedPair pair;

    @TempDir
    Path folder;

    private int port;
    private int admin;

    @BeforeAll
    static void start() {
        pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false));
        MirroredPair.prepare(pair);
        pair.standby()
                .execute(
                        "SET SESSION sql_log_bin = 0",
                        "CREATE USER pages@'%' IDENTIFIED BY 'pages'",
                        "GRANT ALL ON *.* TO pages@'%'");
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    private Path file(String sample) throws Exception {
        port = FreePort.next();
        admin = FreePort.next();
        return Files.writeString(folder.resolve("u.yaml"), """
                listen: { address: "127.0.0.1:%d" }
                primary:
                  address: "127.0.0.1:%d"
                  tls: { mode: disabled }
                  monitor: { user: understudy, password: %s }
                standbys:
                  - name: s1
                    address: "127.0.0.1:%d"
                    tls: { mode: disabled }
                    user: understudy_mirror
                    password: %s
                pages: { user: pages, password: pages }
                admin: { address: "127.0.0.1:%d", token: a-token-of-fair-length }
                plugins: { mirror: { rules: [ { name: all, sample: %s } ] } }
                """.formatted(
                        port,
                        pair.primary().port(),
                        MirrorProxy.PASSWORD,
                        pair.standby().port(),
                        MirrorProxy.PASSWORD,
                        admin,
                        sample));
    }

    private static RunningProxy proxy(Path file) throws Exception {
        PluginTypes plugins = PluginTypes.installed();
        LoadedConfig loaded = ConfigLoader.load(file, plugins.records());
        return RunningProxy.start(loaded, plugins, () -> loaded);
    }

    private Map<?, ?> mirror() throws Exception {
        Object standbys = Objects.requireNonNull(new AdminClient("127.0.0.1:" + admin, "a-token-of-fair-length")
                .view("mirror")
                .get("standbys"));
        return (Map<?, ?>) ((List<?>) standbys).get(0);
    }

    /** Reads {@code shop.orders} through the proxy until {@code over}. */
    private Thread reader(AtomicBoolean over) {
        Thread reader = new Thread(() -> {
            try (Connection connection = DriverManager.getConnection("jdbc:mariadb://127.0.0.1:" + port
                            + "/shop?sslMode=disable&user=app&password=" + MirrorProxy.PASSWORD);
                    Statement statement = connection.createStatement()) {
                for (int i = 0; !over.get(); i++) {
                    statement
                            .executeQuery("SELECT note FROM orders WHERE id = " + i % 200)
                            .close();
                    ThinkTime.pause(THINK_NANOS);
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        reader.setDaemon(true);
        reader.start();
        return reader;
    }

    @Test
    void readsAreSkippedDuringTheRebuildAndAllMirroredAfterIt() throws Exception {
        Path file = file("50%");
        AtomicBoolean over = new AtomicBoolean();
        try (RunningProxy proxy = proxy(file)) {
            Thread reader = reader(over);
            await().atMost(MOST)
                    .ignoreExceptions()
                    .until(() -> String.valueOf(mirror().get("cold")).contains("{table=shop.orders, estimate=0.0"));

            String out = defragment(file);

            assertThat(out)
                    .contains("its reads are not mirrored during the rebuild; cold pages a statement before: 0.0")
                    .contains("its reads are mirrored again")
                    .containsPattern("cold pages a statement: 0\\.0.* before, 0\\.0.* right after")
                    .contains("reads mirrored in full: as warm as");
            assertThat(mirror().get("boostedTables")).isEqualTo(List.of());
            assertThat(mirror().get("skippedTables")).isEqualTo(Map.of());
            over.set(true);
            reader.join();
        }
        assertThat(defragment(file))
                .contains("because the proxy does not skip them: no response from")
                .contains("a skip of its reads, if there is one, ends within a minute")
                .contains("its reads are not mirrored in full: no response from");
    }

    /** A transaction that has read the table holds each rebuild up for some seconds; one of them gets the signal. */
    @Tag("long")
    @Test
    void aSignalEndsTheRebuildAndTheSkip() throws Exception {
        Path file = file("100%");
        try (RunningProxy proxy = proxy(file);
                Connection connection = pair.standby().connect();
                Statement transaction = connection.createStatement()) {
            transaction.execute("BEGIN");
            transaction.execute("SELECT COUNT(*) FROM shop.orders");
            Path out = folder.resolve("out");
            Path err = folder.resolve("err");
            Process program = new ProcessBuilder(command(file))
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            try {
                await().atMost(MOST)
                        .pollInterval(Duration.ofMillis(20))
                        .until(() -> !alter().equals("0") || !program.isAlive());
                program.destroy(); // SIGTERM

                assertThat(program.waitFor(MOST.toSeconds(), TimeUnit.SECONDS)).isTrue();
            } finally {
                program.destroyForcibly();
            }
            assertThat(program.exitValue()).as(Files.readString(err)).isEqualTo(128 + 15);
            assertThat(alter()).isEqualTo("0");
            assertThat(mirror().get("skippedTables")).isEqualTo(Map.of());
            Map<?, ?> result = (Map<?, ?>) Objects.requireNonNull(JsonReader.read(Files.readString(out)));
            assertThat(result.get("errant")).isEqualTo("");
            assertThat(String.valueOf(result.get("tables"))).contains("state=ended", "as it was stopped");
            assertThat(Files.readString(err))
                    .contains("its reads are not mirrored during the rebuild")
                    .contains("its reads are mirrored again");
        }
    }

    /** Returns the number of rebuilds that the standby is executing. */
    private static String alter() {
        return pair.standby()
                .query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'pages'"
                        + " AND INFO LIKE 'ALTER%'");
    }

    private static List<String> command(Path file) {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Understudy.class.getName(),
                "defragment"));
        command.addAll(List.of(arguments(file)));
        command.addAll(Collections.nCopies(40, "shop.orders"));
        command.add("--json");
        return command;
    }

    private static String[] arguments(Path file) {
        return new String[] {"-c", file.toString(), "--server", "s1", "--disk-free", "10GiB", "shop.orders"};
    }

    private static String defragment(Path file) {
        StringWriter out = new StringWriter();
        int code = new CommandLine(new DefragmentCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(out))
                .execute(arguments(file));
        assertThat(code).as(out.toString()).isZero();
        return out.toString();
    }
}
