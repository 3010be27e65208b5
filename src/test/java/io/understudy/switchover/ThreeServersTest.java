package io.understudy.switchover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import io.understudy.host.PluginTypes;
import io.understudy.remote.AdminClient;
import io.understudy.runtime.RunningProxy;
import io.understudy.testkit.FreePort;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A primary with two standbys: a planned switch to one of them, then the new primary dies. */
@Timeout(180)
@Tag("long")
class ThreeServersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final SwitchoverLimits BOUNDS = new SwitchoverLimits(Duration.ofSeconds(5), Duration.ofSeconds(5));

    private static String text(EmbeddedServer server) {
        return "127.0.0.1:" + server.port();
    }

    /** Makes it a standby of the pair's primary. */
    private static void follow(EmbeddedServer third, EmbeddedPair pair) {
        third.execute(
                "RESET MASTER",
                "SET GLOBAL gtid_slave_pos=''",
                "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT="
                        + pair.primary().port()
                        + ", MASTER_USER='repl', MASTER_PASSWORD='repl', MASTER_USE_GTID=slave_pos, MASTER_SSL=0",
                "START SLAVE");
    }

    private static LoadedConfig config(EmbeddedPair pair, EmbeddedServer third) throws Exception {
        int port = FreePort.next();
        String server = "tls: { mode: disabled }, user: monitor, password: secret }";
        return ConfigLoader.load(
                """
                listen: { address: "127.0.0.1:0" }
                primary: { address: "%s", tls: { mode: disabled }, monitor: { user: monitor, password: secret } }
                standbys:
                  - { name: one, address: "%s", %s
                  - { name: two, address: "%s", %s
                  - { name: three, address: "%s", %s
                admin: { address: "127.0.0.1:%d", token: a-token-of-fair-length }
                switchover: { user: switcher, password: secret }
                plugins: { black-box: { poll: 100ms } }
                """.formatted(
                                text(pair.primary()),
                                text(pair.primary()),
                                server,
                                text(pair.standby()),
                                server,
                                text(third),
                                server,
                                port),
                "three.yaml",
                PluginTypes.installed().records(),
                name -> null);
    }

    /** Returns what was printed for a server, as statements. */
    private static String[] statements(String printed, EmbeddedServer server) {
        Matcher matcher = Pattern.compile("on " + text(server) + "(?: \\(\\w+\\))?:((?:\\R    .*;)+)")
                .matcher(printed);
        assertThat(matcher.find()).as(printed).isTrue();
        return matcher.group(1).strip().replace("'PASSWORD'", "'repl'").split(";\\s*");
    }

    private static void awaitSame(EmbeddedServer primary, EmbeddedServer standby) {
        String last = primary.query("SELECT @@GLOBAL.gtid_binlog_pos");
        assertThat(standby.query("SELECT MASTER_GTID_WAIT('" + last + "', 20)")).isEqualTo("0");
        assertThat(standby.query("SELECT COUNT(*) FROM shop.t"))
                .isEqualTo(primary.query("SELECT COUNT(*) FROM shop.t"));
        assertThat(standby.query("SELECT SUM(id) FROM shop.t")).isEqualTo(primary.query("SELECT SUM(id) FROM shop.t"));
    }

    private static long rows(EmbeddedServer server) {
        return Long.parseLong(server.query("SELECT COUNT(*) FROM shop.t"));
    }

    private static void awaitGrowth(WriteLoad load) {
        long now = load.committed();
        await().atMost(PATIENCE).until(() -> load.committed() > now + 10);
    }

    private static Map<?, ?> lost(AdminClient admin, String on) throws IOException, InterruptedException {
        return (Map<?, ?>) Objects.requireNonNull(admin.act("lost?on=" + on).get("answeredAndMissing"));
    }

    @Test
    void theOtherStandbyIsRepointedAndALossIsReportedForEach() throws Exception {
        try (EmbeddedPair pair = EmbeddedPair.start(
                        PairOptions.defaults().withSemiSync(false).withRtt(Duration.ZERO));
                EmbeddedServer third = EmbeddedServer.start(ServerOptions.of(3).withArguments("--read-only=1"))) {
            pair.primary()
                    .execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT AUTO_INCREMENT PRIMARY KEY, v TEXT)");
            pair.createAccount("app", "secret", "ALL ON shop.*");
            pair.createAccount(
                    "monitor",
                    "secret",
                    "SELECT, SHOW VIEW, TRIGGER, REPLICATION SLAVE, SLAVE MONITOR, PROCESS ON *.*");
            pair.createAccount(
                    "switcher",
                    "secret",
                    "READ_ONLY ADMIN, REPLICATION SLAVE ADMIN, SLAVE MONITOR, RELOAD, EVENT ON *.*");
            follow(third, pair);
            awaitSame(pair.primary(), third);
            pair.awaitCaughtUp(PATIENCE);
            LoadedConfig loaded = config(pair, third);
            try (RunningProxy proxy = RunningProxy.start(loaded, PluginTypes.installed(), () -> loaded)) {
                AdminClient admin = AdminClient.of(loaded.config().admin());
                InetSocketAddress address =
                        (InetSocketAddress) proxy.proxy().addresses().get(0);
                switchToTwo(loaded, admin, address, pair, third);
                killTwo(admin, address, pair, third);
            }
        }
    }

    private static void switchToTwo(
            LoadedConfig loaded, AdminClient admin, InetSocketAddress address, EmbeddedPair pair, EmbeddedServer third)
            throws Exception {
        StringWriter out = new StringWriter();
        try (WriteLoad load = new WriteLoad(address, 4)) {
            awaitGrowth(load);
            try (PlannedChange switchover =
                    Switchover.to("two", loaded.config(), admin, BOUNDS, new PrintWriter(out, true))) {
                assertThat(switchover.run()).as(out.toString()).isEqualTo(ChangeOutcome.DONE);
            }
            awaitGrowth(load);
        }
        assertThat(out.toString())
                .contains("still to do: a restart goes by the file, where primary.address is " + text(pair.primary()))
                .doesNotContain("(one):", "(two):");
        pair.primary().execute(statements(out.toString(), pair.primary()));
        third.execute(statements(out.toString(), third));
        awaitSame(pair.standby(), pair.primary());
        awaitSame(pair.standby(), third);
    }

    /** The standbys are cut off at different times. */
    private static void killTwo(AdminClient admin, InetSocketAddress address, EmbeddedPair pair, EmbeddedServer third)
            throws Exception {
        await().atMost(PATIENCE)
                .until(() -> admin.view("lost").get("primary") instanceof Map<?, ?> primary
                        && Boolean.TRUE.equals(primary.get("read")));
        EmbeddedServer first = pair.primary();
        long before = rows(pair.standby());
        WriteLoad load = new WriteLoad(address, 1);
        try (load) {
            awaitGrowth(load);
            third.execute("STOP SLAVE IO_THREAD");
            awaitGrowth(load);
            first.execute("STOP SLAVE IO_THREAD");
            awaitGrowth(load);
            pair.standby().kill();
        }
        long committed = load.committed();
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(lost(admin, "one").get("count")).isEqualTo(before + committed - rows(first));
            assertThat(lost(admin, "three").get("count")).isEqualTo(before + committed - rows(third));
        });
        assertThat(rows(third)).isLessThan(rows(first));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat((Map<?, ?>) admin.view("lost").get("survivor"))
                        .as("of the standbys it lacks least")
                        .isNotNull()
                        .satisfies(survivor -> assertThat(survivor.get("name")).isEqualTo("one")));
    }
}
