package io.understudy.it;

import static io.understudy.terminal.Table.map;
import static io.understudy.terminal.Table.rows;
import static io.understudy.terminal.Table.whole;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.base.JsonReader;
import io.understudy.cli.Understudy;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.host.PluginTypes;
import io.understudy.runtime.RunningProxy;
import io.understudy.testkit.FreePort;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Two proxies before one primary, of which the second starts later: their black boxes are read as one. */
@Timeout(180)
class PeersTest {
    private static final String PASSWORD = CommitProxy.PASSWORD;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private final List<RunningProxy> running = new ArrayList<>();
    private EmbeddedPair pair;
    private int first;
    private int second;

    @BeforeEach
    void start() throws Exception {
        pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false).withRtt(Duration.ZERO));
        pair.primary().execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT PRIMARY KEY)");
        pair.createAccount("app", PASSWORD, "ALL ON shop.*");
        pair.createAccount("monitor", PASSWORD, "REPLICATION SLAVE, SLAVE MONITOR ON *.*");
        pair.createAccount(
                "switcher",
                PASSWORD,
                "READ_ONLY ADMIN, REPLICATION SLAVE ADMIN, SLAVE MONITOR, RELOAD, EVENT, BINLOG REPLAY ON *.*");
        pair.awaitCaughtUp(PATIENCE);
        first = FreePort.next();
        second = FreePort.next();
    }

    @AfterEach
    void stop() {
        running.forEach(RunningProxy::close);
        pair.close();
    }

    private Path file(int admin) {
        return folder.resolve(admin + ".yaml");
    }

    private RunningProxy proxy(int admin) throws Exception {
        Files.writeString(file(admin), """
                listen: { address: "127.0.0.1:0" }
                primary:
                  address: "127.0.0.1:%d"
                  tls: { mode: disabled }
                  monitor: { user: monitor, password: %3$s }
                standbys:
                  - { name: s1, address: "127.0.0.1:%d", tls: { mode: disabled }, user: monitor, password: %3$s }
                admin: { address: "127.0.0.1:%4$d", token: a-token-of-fair-length }
                peers: ["127.0.0.1:%5$d", "127.0.0.1:%6$d"]
                switchover: { user: switcher, password: %3$s }
                plugins:
                  black-box: { poll: 100ms }
                """.formatted(
                        pair.primary().port(), pair.standby().port(), PASSWORD, admin, first, second));
        PluginTypes plugins = PluginTypes.installed();
        LoadedConfig loaded = ConfigLoader.load(file(admin), plugins.records());
        RunningProxy proxy = RunningProxy.start(loaded, plugins, () -> loaded);
        running.add(proxy);
        await().atMost(PATIENCE).until(() -> run(admin, "report", "lost").contains("is being read"));
        return proxy;
    }

    private String run(int admin, String... arguments) {
        StringWriter out = new StringWriter();
        CommandLine line = Understudy.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        String[] all = Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "-c";
        all[arguments.length + 1] = file(admin).toString();
        int status = line.execute(all);
        return out + "exit " + status;
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> lost(int admin) throws Exception {
        String text = run(admin, "report", "lost", "--on", "s1", "--json");
        return (Map<String, Object>)
                Objects.requireNonNull(JsonReader.read(text.substring(0, text.indexOf("\nexit "))));
    }

    private static void write(RunningProxy proxy, int from, int to) throws Exception {
        int port = ((InetSocketAddress) proxy.proxy().addresses().get(0)).getPort();
        try (Connection app = DriverManager.getConnection(
                        "jdbc:mariadb://127.0.0.1:" + port + "/shop?sslMode=disable", "app", PASSWORD);
                Statement statement = app.createStatement()) {
            for (int i = from; i < to; i++) {
                statement.execute("INSERT INTO t VALUES (" + i + ")");
            }
        }
    }

    @Test
    void whatOneHasIsCapturedAndWhatOneSawIsAnswered() throws Exception {
        RunningProxy one = proxy(first);
        pair.link().refuse();
        pair.link().cut();
        write(one, 0, 5);
        RunningProxy two = proxy(second);
        write(two, 5, 8);
        await().atMost(PATIENCE).until(() -> whole(map(lost(first), "captured"), "transactions") == 8);
        pair.primary().kill();
        for (int each : new int[] {first, second}) {
            await().atMost(PATIENCE)
                    .until(() -> Boolean.FALSE.equals(map(lost(each), "primary").get("read")));
            Map<String, Object> view = lost(each);
            assertThat(map(view, "answeredAndMissing"))
                    .containsEntry("count", 8L)
                    .containsEntry("captured", 8L)
                    .containsEntry("notCaptured", 0L);
            assertThat(whole(map(view, "missingNotKnownAnswered"), "count")).isZero();
            assertThat(whole(map(view, "unknown"), "transactions")).isZero();
            assertThat(rows(view, "proxies")).hasSize(2);
            assertThat(run(each, "report", "lost", "--on", "s1")).endsWith("exit 0");
        }
        Path file = folder.resolve("lost.binlog");
        assertThat(run(second, "rescue", "--on", "s1", "--to", file.toString()))
                .contains("8 transactions that s1 lacks", "By the black box of 127.0.0.1:" + first)
                .endsWith("exit 0");
        assertThat(Files.size(file)).isPositive();

        running.remove(one);
        one.close();
        assertThat(run(second, "report", "lost", "--on", "s1"))
                .contains("NOT ASKED: the black box of 127.0.0.1:" + first + ": no response from")
                .contains("Unknown because of a gap: 5")
                .endsWith("exit 4");
        assertThat(run(first, "report", "lost", "--on", "s1"))
                .contains("NOT ASKED: the black box of this proxy: no response from")
                .endsWith("exit 4");
    }

    @Tag("long")
    @Test
    void aGapThatTheOtherProxyFillsIsNotLost() throws Exception {
        RunningProxy one = proxy(first);
        pair.link().refuse();
        pair.link().cut();
        write(one, 0, 5);
        write(proxy(second), 5, 8);
        await().atMost(PATIENCE).until(() -> whole(map(lost(first), "captured"), "transactions") == 8);
        pair.primary().kill();
        for (int each : new int[] {first, second}) {
            await().atMost(PATIENCE)
                    .until(() -> Boolean.FALSE.equals(map(lost(each), "primary").get("read")));
        }
        assertThat(run(second, "failover", "--to", "s1", "--dry-run"))
                .contains("8 transactions, about")
                .doesNotContain("in a gap")
                .endsWith("exit 0");
        for (int each : new int[] {second, first}) {
            assertThat(run(each, "failover", "--to", "s1"))
                    .contains("lost: nothing")
                    .endsWith("exit 0");
            assertThat(pair.standby().query("SELECT COUNT(*) FROM shop.t")).isEqualTo("8");
            assertThat(run(each, "report", "lost", "--on", "s1")).endsWith("exit 0");
        }
    }
}
