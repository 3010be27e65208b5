package io.understudy.it;

import static io.understudy.terminal.Table.map;
import static io.understudy.terminal.Table.whole;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.base.JsonReader;
import io.understudy.cli.Understudy;
import io.understudy.config.ConfigLoader;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.host.PluginTypes;
import io.understudy.it.FailoverPair.Said;
import io.understudy.remote.AdminClient;
import io.understudy.testkit.FreePort;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** A witness with {@code acknowledge: disk} in a process of its own, which is killed. */
@Tag("long")
@Timeout(600)
class KilledProxyTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final String PASSWORD = BlackBoxProxy.PASSWORD;

    @TempDir
    private Path folder;

    private EmbeddedPair pair;
    private Process proxy;
    private int port;
    private AdminClient admin;

    @BeforeEach
    void start() throws Exception {
        pair = WitnessServerTest.pair(PairOptions.defaults());
        pair.primary().execute("CREATE DATABASE direct", "CREATE TABLE direct.t LIKE shop.t");
        pair.createAccount(
                "switcher",
                PASSWORD,
                "READ_ONLY ADMIN, REPLICATION SLAVE ADMIN, SLAVE MONITOR, RELOAD, EVENT, SET USER, BINLOG REPLAY,"
                        + " REPLICATION MASTER ADMIN"
                        + " ON *.*");
        pair.awaitCaughtUp(PATIENCE);
        int endpoint;
        port = FreePort.next();
        endpoint = FreePort.next();
        Files.writeString(file(), """
                listen: { address: "127.0.0.1:%d" }
                primary:
                  candidates: ["127.0.0.1:%d", "127.0.0.1:%d"]
                  tls: { mode: disabled }
                  monitor: { user: monitor, password: %5$s }
                standbys:
                  - { name: s1, address: "127.0.0.1:%3$d", tls: { mode: disabled }, user: monitor, password: %5$s }
                admin: { address: "127.0.0.1:%4$d", token: a-token-of-fair-length }
                switchover: { user: switcher, password: %5$s }
                plugins:
                  black-box: { poll: 100ms, acknowledge: disk, directory: "%6$s" }
                """.formatted(
                        port, pair.primary().port(), pair.standby().port(), endpoint, PASSWORD, directory()));
        admin = AdminClient.of(ConfigLoader.load(file(), PluginTypes.installed().records())
                .config()
                .admin());
        startProxy();
        await().atMost(PATIENCE).ignoreExceptions().until(this::isPresent);
    }

    @AfterEach
    void stop() {
        proxy.destroyForcibly();
        pair.close();
    }

    private Path file() {
        return folder.resolve("understudy.yaml");
    }

    private Path directory() {
        return folder.resolve("log");
    }

    private void startProxy() throws Exception {
        proxy = RunProgram.start(file(), folder.resolve("log.txt"));
    }

    private boolean isPresent() throws Exception {
        return "present".equals(admin.view("witness").get("state"));
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + port + "/shop?sslMode=disable", "app", PASSWORD);
    }

    private Connection direct() throws SQLException {
        Connection connection = pair.primary().connect();
        connection.setCatalog("direct");
        return connection;
    }

    private Said run(String... arguments) {
        StringWriter out = new StringWriter();
        CommandLine line = Understudy.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        String[] all = Stream.concat(Stream.of(arguments), Stream.of("-c", file().toString()))
                .toArray(String[]::new);
        return new Said(line.execute(all), out.toString());
    }

    private void cutOff() {
        pair.link().refuse();
        pair.link().cut();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFailoverReadsTheDirectoryOfOneThatIsNotThere(boolean rescuedBefore) throws Exception {
        Writers writers = Writers.start(8, this::connect);
        writers.awaitRows(300);
        cutOff();
        writers.awaitMore(200); // which the standby lacks
        proxy.destroyForcibly().waitFor();
        pair.primary().kill();
        Set<String> answered = writers.join();
        Set<String> missing = new HashSet<>(answered);
        missing.removeAll(FailoverPair.rows(pair.standby()));
        assertThat(missing).isNotEmpty();

        Said refused = run("failover", "--to", "s1");
        assertThat(refused.text()).contains("--directory DIR").contains("--without");
        assertThat(refused.status()).isEqualTo(1);
        String[] failover = {
            "failover", "--to", "s1", "--directory", directory().toString()
        };
        Said looked =
                run(Stream.concat(Stream.of(failover), Stream.of("--dry-run")).toArray(String[]::new));
        assertThat(looked.status()).as(looked.text()).isEqualTo(4);
        assertThat(pair.standby().query("SELECT @@GLOBAL.read_only")).isEqualTo("1");
        if (rescuedBefore) {
            Said rescued = run(
                    "rescue",
                    "--apply",
                    "--on",
                    "s1",
                    "--directory",
                    directory().toString());
            assertThat(rescued.status()).as(rescued.text()).isEqualTo(4);
        }
        for (int i = 0; i < 2; i++) {
            Said said = run(failover);
            assertThat(said.text()).containsOnlyOnce("NOT KNOWN: what clients were told after 0-1-");
            assertThat(said.status()).as(said.text()).isEqualTo(4);
            missing.removeAll(FailoverPair.rows(pair.standby()));
            assertThat(missing).isEmpty();
            assertThat(pair.standby().query("SELECT @@GLOBAL.read_only")).isEqualTo("0");
        }

        startProxy();
        await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            try (Connection app = connect();
                    Statement statement = app.createStatement()) {
                return statement.executeUpdate("INSERT INTO t VALUES (100, 1, 'after')") == 1;
            }
        });
        assertThat(FailoverPair.rows(pair.standby())).contains("100-1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLogThatEndedBeforeIsNotAll(boolean inRelayLogsAlone) throws Exception {
        Writers writers = Writers.start(3, this::connect);
        writers.awaitRows(50);
        writers.stop();
        writers.join();
        String end = pair.primary().query("SELECT @@GLOBAL.gtid_binlog_pos");
        String[] on = {"--directory", directory().toString()};
        await().atMost(PATIENCE) // the standby may have acknowledged first
                .until(() ->
                        run("report", "lost", "--on", "s1", on[0], on[1]).text().contains("was read up to " + end));
        proxy.destroyForcibly().waitFor();
        pair.awaitCaughtUp(PATIENCE);
        if (inRelayLogsAlone) {
            pair.standby().execute("STOP SLAVE SQL_THREAD");
        }
        pair.primary().execute("SET GLOBAL rpl_semi_sync_master_enabled=0", "INSERT INTO direct.t VALUES (1, 1, '')");
        String later = pair.primary().query("SELECT @@GLOBAL.gtid_binlog_pos");
        await().atMost(PATIENCE)
                .until(() -> later.equals(
                        inRelayLogsAlone
                                ? pair.standby().replication().get("gtid_io_pos")
                                : pair.standby().query("SELECT @@GLOBAL.gtid_slave_pos")));
        pair.primary().kill();
        pair.standby().execute("STOP SLAVE");
        Said report = run("report", "lost", "--on", "s1", on[0], on[1]);
        assertThat(report.text()).contains("was read up to " + end + ". It may hold more");
        assertThat(report.status()).as(report.text()).isEqualTo(4);
        Said said = run("failover", "--to", "s1", on[0], on[1]);
        if (inRelayLogsAlone) {
            assertThat(said.text()).contains("which the black boxes do not have");
            assertThat(said.status()).as(said.text()).isEqualTo(1);
        } else {
            assertThat(said.text()).contains("NOT KNOWN: what clients were told after " + end + " of 20");
            assertThat(said.status()).as(said.text()).isEqualTo(4);
        }
    }

    @Test
    void oneThatIsBackIsPresentWithoutAGap() throws Exception {
        String section = "poll: 100ms, acknowledge: disk, directory: " + directory();
        try (BlackBoxProxy other = BlackBoxProxy.start(pair, section)) {
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> other.witnessView("cause").contains("is in use by process " + proxy.pid() + ":"));
            assertThat(other.witness()).isEqualTo("withdrawn");
        }
        Said meanwhile =
                run("report", "lost", "--on", "s1", "--directory", directory().toString());
        assertThat(meanwhile.text()).contains("is being written by process " + proxy.pid() + ":");
        assertThat(isPresent()).isTrue();

        Writers writers = Writers.start(8, this::connect);
        writers.awaitRows(300);
        cutOff();
        writers.awaitMore(200); // which the standby lacks
        proxy.destroyForcibly().waitFor();
        Set<String> answered = writers.join();
        Writers direct = Writers.start(3, this::direct);
        await().atMost(PATIENCE).until(() -> pair.primary().status("Rpl_semi_sync_master_wait_sessions") >= 3);
        startProxy();
        direct.awaitMore(100); // nobody else acknowledges
        assertThat(isPresent()).isTrue();
        direct.stop();
        direct.join();
        Set<String> missing = new HashSet<>(answered);
        missing.removeAll(FailoverPair.rows(pair.standby()));
        assertThat(missing).isNotEmpty();
        long lacking = sequence(pair.primary().query("SELECT @@GLOBAL.gtid_binlog_pos"))
                - sequence(pair.standby().query("SELECT @@GLOBAL.gtid_slave_pos"));
        await().atMost(PATIENCE).until(() -> whole(map(lost(), "captured"), "transactions") == lacking);
        Map<String, Object> lost = lost();
        assertThat(whole(map(lost, "unknown"), "transactions")).isZero();
        assertThat(lost.get("damaged")).isEqualTo(List.of());
    }

    private static long sequence(String position) {
        return Long.parseLong(position.substring(position.lastIndexOf('-') + 1));
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> lost() throws Exception {
        return (Map<String, Object>) Objects.requireNonNull(
                JsonReader.read(run("report", "lost", "--on", "s1", "--json").text()));
    }
}
