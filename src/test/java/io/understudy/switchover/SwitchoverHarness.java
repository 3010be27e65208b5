package io.understudy.switchover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.config.Address;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.host.PluginTypes;
import io.understudy.remote.AdminClient;
import io.understudy.runtime.RunningProxy;
import io.understudy.testkit.FreePort;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two servers and a running proxy, through which the primary is changed under load. */
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
abstract class SwitchoverHarness {
    static final Duration PATIENCE = Duration.ofSeconds(30);
    static final SwitchoverLimits BOUNDS = new SwitchoverLimits(Duration.ofSeconds(5), Duration.ofSeconds(5));
    static final Pattern STATEMENTS = Pattern.compile("on \\S+:\\s+(SET GLOBAL gtid_slave_pos.*);", Pattern.DOTALL);

    @TempDir
    static Path folder;

    static EmbeddedPair pair;

    RunningProxy proxy;
    UnderstudyConfig config;
    AdminClient admin;
    final AtomicReference<Switchover> running = new AtomicReference<>();
    /** Rows before the test's load. */
    long before;

    @BeforeAll
    static void startServers() {
        pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false).withRtt(Duration.ZERO));
        pair.primary()
                .execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT AUTO_INCREMENT PRIMARY KEY, v TEXT)");
        pair.createAccount("app", "secret", "ALL ON shop.*");
        pair.createAccount("monitor", "secret", "SELECT, SHOW VIEW, TRIGGER, REPLICATION SLAVE, SLAVE MONITOR ON *.*");
        pair.createAccount(
                "switcher", "secret", "READ_ONLY ADMIN, REPLICATION SLAVE ADMIN, SLAVE MONITOR, RELOAD, EVENT ON *.*");
        pair.awaitCaughtUp(PATIENCE);
    }

    @AfterAll
    static void stopServers() {
        pair.close();
    }

    @BeforeEach
    void startProxy() throws Exception {
        start("address: \"" + text(primary()) + "\"");
        before = rows(primary());
    }

    /** Returns further top-level sections of the proxy's configuration. */
    String sections() {
        return "";
    }

    final void start(String primary) throws Exception {
        int port = FreePort.next();
        Path file = Files.writeString(folder.resolve("switchover.yaml"), """
                listen: { address: "127.0.0.1:0" }
                primary:
                  %s
                  tls: { mode: disabled }
                  monitor: { user: monitor, password: secret }
                standbys:
                  - { name: one, address: "%s", tls: { mode: disabled }, user: monitor, password: secret }
                  - { name: two, address: "%s", tls: { mode: disabled }, user: monitor, password: secret }
                admin: { address: "127.0.0.1:%d", token: a-token-of-fair-length }
                switchover: { user: switcher, password: secret }
                %s
                """.formatted(
                        primary, text(pair.primary()), text(pair.standby()), port, sections()));
        PluginTypes plugins = PluginTypes.installed();
        LoadedConfig loaded = ConfigLoader.load(file, plugins.records());
        config = loaded.config();
        proxy = RunningProxy.start(loaded, plugins, () -> loaded);
        admin = AdminClient.of(config.admin());
    }

    @AfterEach
    void stopProxy() {
        proxy.close();
    }

    static String text(EmbeddedServer server) {
        return "127.0.0.1:" + server.port();
    }

    static boolean readOnly(EmbeddedServer server) {
        return !server.query("SELECT @@GLOBAL.read_only").equals("0");
    }

    static EmbeddedServer primary() {
        return readOnly(pair.primary()) ? pair.standby() : pair.primary();
    }

    static EmbeddedServer standby() {
        return readOnly(pair.primary()) ? pair.primary() : pair.standby();
    }

    static String name(EmbeddedServer server) {
        return server == pair.primary() ? "one" : "two";
    }

    static long rows(EmbeddedServer server) {
        return Long.parseLong(server.query("SELECT COUNT(*) FROM shop.t"));
    }

    InetSocketAddress address() {
        return (InetSocketAddress) proxy.proxy().addresses().get(0);
    }

    record Said(ChangeOutcome outcome, String text) {
        long number(Pattern pattern) {
            Matcher matcher = pattern.matcher(text);
            assertThat(matcher.find()).as("%s in %s", pattern, text).isTrue();
            return Long.parseLong(matcher.group(1));
        }
    }

    Said switchTo(EmbeddedServer server) throws Exception {
        StringWriter out = new StringWriter();
        try (PlannedChange switchover =
                Switchover.to(name(server), config, admin, BOUNDS, new PrintWriter(out, true))) {
            return new Said(switchover.run(), out.toString());
        }
    }

    /** Runs it with other steps. */
    Said switchTo(EmbeddedServer server, SwitchoverLimits bounds, UnaryOperator<Steps> changed) throws Exception {
        StringWriter out = new StringWriter();
        Pair servers = Switchover.connect(
                config.primary(),
                Address.parse(text(primary())),
                config.standbys().get(server == pair.primary() ? 0 : 1),
                Objects.requireNonNull(config.switchover()));
        Steps steps = changed.apply(Steps.of(servers, new ProxyControl(admin), bounds, Map.of()));
        try (Switchover switchover = new Switchover(servers, steps, new PrintWriter(out, true))) {
            running.set(switchover);
            return new Said(switchover.run(), out.toString());
        }
    }

    /** Has the preparation end with a step that fails. */
    static Steps failing(Steps steps) {
        return failing(steps, () -> {});
    }

    /** @param first done before the failure */
    static Steps failing(Steps steps, Runnable first) {
        List<Step> preparation = new ArrayList<>(steps.preparation());
        preparation.add(new Step() {
            @Override
            public String plan() {
                return "fail";
            }

            @Override
            public String run() throws StepFailure {
                first.run();
                throw new StepFailure("injected");
            }
        });
        return new Steps(steps.checks(), preparation, steps.promotion(), steps.follow(), steps.release(), steps.rest());
    }

    /** Runs the printed statements, and waits until the old primary replicates. */
    static void makeStandby(EmbeddedServer old, Said said) {
        Matcher matcher = STATEMENTS.matcher(said.text());
        assertThat(matcher.find()).as(said.text()).isTrue();
        String statements = matcher.group(1).replace("'PASSWORD'", "'repl'");
        old.execute(statements.split(";\\s+"));
        awaitReplication(old);
    }

    static void awaitReplication(EmbeddedServer standby) {
        await().atMost(PATIENCE)
                .until(() -> standby.query("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS"
                                + " WHERE VARIABLE_NAME='Slave_running'")
                        .equals("ON"));
    }

    static void awaitGrowth(WriteLoad load) {
        long now = load.committed();
        await().atMost(PATIENCE).until(() -> load.committed() > now + 10);
    }
}
