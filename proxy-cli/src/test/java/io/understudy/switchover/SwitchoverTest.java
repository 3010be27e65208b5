package io.understudy.switchover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.cli.switchover.SwitchoverCommand;
import io.understudy.config.Address;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.report.AdminClient;
import io.understudy.runtime.PluginTypes;
import io.understudy.runtime.RunningProxy;
import io.understudy.testkit.CapturedLog;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Planned changes of the primary, through a running proxy under load. {@code -Dunderstudy.it.switchovers=20} sets how
 * many in a row are measured.
 */
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SwitchoverTest {
    private static final int SESSIONS = 8;
    private static final int TIMES = Integer.getInteger("understudy.it.switchovers", 3);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final SwitchoverLimits BOUNDS = new SwitchoverLimits(Duration.ofSeconds(5), Duration.ofSeconds(5));
    private static final Pattern HELD = Pattern.compile("held for (\\d+) ms");
    private static final Pattern STEP = Pattern.compile("(?m)^[\\d:.]+  (\\S+ \\S+ \\S+).* \\((\\d+) ms\\) - ");
    private static final Pattern LAG = Pattern.compile("lag (\\d+) ms");
    private static final Pattern STATEMENTS =
            Pattern.compile("on \\S+:\\s+(SET GLOBAL gtid_slave_pos.*);", Pattern.DOTALL);

    @TempDir
    private static Path folder;

    private static EmbeddedPair pair;

    private RunningProxy proxy;
    private UnderstudyConfig config;
    private AdminClient admin;
    private final AtomicReference<Switchover> running = new AtomicReference<>();
    /** Rows before the test's load. */
    private long before;

    @BeforeAll
    static void startServers() {
        pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false).withRtt(Duration.ZERO));
        pair.primary()
                .execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT AUTO_INCREMENT PRIMARY KEY, v TEXT)");
        pair.createAccount("app", "secret", "ALL ON shop.*");
        pair.createAccount("monitor", "secret", "SELECT, REPLICATION SLAVE, SLAVE MONITOR ON *.*");
        pair.createAccount(
                "switcher", "secret", "READ_ONLY ADMIN, REPLICATION SLAVE ADMIN, SLAVE MONITOR, RELOAD ON *.*");
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

    private void start(String primary) throws Exception {
        int port;
        try (ServerSocket probe = new ServerSocket(0)) {
            port = probe.getLocalPort();
        }
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
                """.formatted(
                        primary, text(pair.primary()), text(pair.standby()), port));
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

    private static String text(EmbeddedServer server) {
        return "127.0.0.1:" + server.port();
    }

    private static boolean readOnly(EmbeddedServer server) {
        return !server.query("SELECT @@GLOBAL.read_only").equals("0");
    }

    private static EmbeddedServer primary() {
        return readOnly(pair.primary()) ? pair.standby() : pair.primary();
    }

    private static EmbeddedServer standby() {
        return readOnly(pair.primary()) ? pair.primary() : pair.standby();
    }

    private static String name(EmbeddedServer server) {
        return server == pair.primary() ? "one" : "two";
    }

    private static long rows(EmbeddedServer server) {
        return Long.parseLong(server.query("SELECT COUNT(*) FROM shop.t"));
    }

    private InetSocketAddress address() {
        return (InetSocketAddress) proxy.proxy().addresses().get(0);
    }

    private record Said(SwitchoverOutcome outcome, String text) {
        long number(Pattern pattern) {
            Matcher matcher = pattern.matcher(text);
            assertThat(matcher.find()).as("%s in %s", pattern, text).isTrue();
            return Long.parseLong(matcher.group(1));
        }
    }

    private Said switchTo(EmbeddedServer server) throws Exception {
        StringWriter out = new StringWriter();
        try (Switchover switchover = Switchover.to(name(server), config, admin, BOUNDS, new PrintWriter(out, true))) {
            return new Said(switchover.run(), out.toString());
        }
    }

    /** Runs it with other steps. */
    private Said switchTo(EmbeddedServer server, SwitchoverLimits bounds, UnaryOperator<Steps> changed)
            throws Exception {
        StringWriter out = new StringWriter();
        Pair servers = Switchover.connect(
                config.primary(),
                Address.parse(text(primary())),
                config.standbys().get(server == pair.primary() ? 0 : 1),
                Objects.requireNonNull(config.switchover()));
        Steps steps = changed.apply(Steps.of(servers, new ProxyControl(admin), bounds, List.of()));
        try (Switchover switchover = new Switchover(servers, steps, new PrintWriter(out, true))) {
            running.set(switchover);
            return new Said(switchover.run(), out.toString());
        }
    }

    /** Runs the printed statements, and waits until the old primary replicates. */
    private static void makeStandby(EmbeddedServer old, Said said) {
        Matcher matcher = STATEMENTS.matcher(said.text());
        assertThat(matcher.find()).as(said.text()).isTrue();
        String statements = matcher.group(1).replace("'PASSWORD'", "'repl'");
        old.execute(statements.split(";\\s+"));
        awaitReplication(old);
    }

    private static void awaitReplication(EmbeddedServer standby) {
        await().atMost(PATIENCE)
                .until(() -> standby.query("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS"
                                + " WHERE VARIABLE_NAME='Slave_running'")
                        .equals("ON"));
    }

    private static void awaitGrowth(WriteLoad load) {
        long now = load.committed();
        await().atMost(PATIENCE).until(() -> load.committed() > now + 10);
    }

    @Test
    void nothingIsLostInAPlannedSwitchUnderLoad() throws Exception {
        List<Long> excess = new ArrayList<>();
        List<Long> held = new ArrayList<>();
        Map<String, Long> failures = new TreeMap<>();
        Map<String, List<Long>> took = new LinkedHashMap<>();
        CapturedLog log = new CapturedLog();
        try (log;
                WriteLoad load = new WriteLoad(address(), SESSIONS)) {
            for (int i = 0; i < TIMES; i++) {
                EmbeddedServer old = primary();
                EmbeddedServer chosen = standby();
                awaitGrowth(load);
                Said said = switchTo(chosen);
                steps(said.text())
                        .forEach((step, millis) -> took.computeIfAbsent(step, none -> new ArrayList<>())
                                .add(millis));
                assertThat(said.outcome()).as(said.text()).isEqualTo(SwitchoverOutcome.DONE);
                assertThat(readOnly(old)).isTrue();
                assertThat(readOnly(chosen)).isFalse();
                held.add(said.number(HELD));
                excess.add(said.number(HELD) - said.number(LAG));
                awaitGrowth(load);
                makeStandby(old, said);
            }
            load.close();
            assertThat(rows(primary()) - before).isEqualTo(load.committed());
            failures.putAll(load.failures());
        }
        Collections.sort(held);
        Collections.sort(excess);
        System.out.println("held ms " + held + ", without the lag " + excess + ", failed " + failures);
        took.forEach((step, millis) -> {
            Collections.sort(millis);
            System.out.println("  " + step + ": " + millis.get(millis.size() / 2) + " ms, at most "
                    + millis.get(millis.size() - 1));
        });
        assertThat(log.text().lines().filter(line -> line.contains(" WARN ")))
                .as("all of it was planned")
                .isEmpty();
        // Whatever failed had not begun.
        assertThat(failures.keySet()).isSubsetOf("begin 1053", "autocommit 1053", "login 1053");
        assertThat(failures).isNotEmpty();
        EmbeddedServer chosen = standby();
        String last = primary().query("SELECT @@GLOBAL.gtid_binlog_pos");
        assertThat(chosen.query("SELECT MASTER_GTID_WAIT('" + last + "', 20)")).isEqualTo("0");
        assertThat(chosen.query("CHECKSUM TABLE shop.t")).isEqualTo(primary().query("CHECKSUM TABLE shop.t"));
    }

    @Test
    void candidatesAreFollowedToo() throws Exception {
        proxy.close();
        start("candidates: [\"" + text(pair.primary()) + "\", \"" + text(pair.standby()) + "\"]");
        try (WriteLoad load = new WriteLoad(address(), 4)) {
            awaitGrowth(load);
            EmbeddedServer old = primary();
            Said said = switchTo(standby());
            assertThat(said.outcome()).as(said.text()).isEqualTo(SwitchoverOutcome.DONE);
            awaitGrowth(load);
            load.close();
            assertThat(rows(primary()) - before).isEqualTo(load.committed());
            makeStandby(old, said);
        }
    }

    /** Returns the time of each step by its first three words. */
    private static Map<String, Long> steps(String said) {
        Map<String, Long> steps = new LinkedHashMap<>();
        Matcher matcher = STEP.matcher(said);
        while (matcher.find()) {
            steps.put(matcher.group(1), Long.parseLong(matcher.group(2)));
        }
        return steps;
    }

    private int command(StringWriter out, String... arguments) {
        CommandLine line = new CommandLine(new SwitchoverCommand());
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        return line.execute(arguments);
    }

    @Test
    void aDryRunChangesNothing() {
        StringWriter out = new StringWriter();
        String file = folder.resolve("switchover.yaml").toString();
        String position = primary().query("SELECT @@GLOBAL.gtid_binlog_pos");
        assertThat(command(out, "--to", name(standby()), "-c", file, "--dry-run"))
                .as(out.toString())
                .isZero();
        assertThat(out.toString()).contains("12. print the statements", "lag ", "replicates from", "readiness gate");
        assertThat(readOnly(standby())).isTrue();
        assertThat(primary().query("SELECT @@GLOBAL.gtid_binlog_pos")).isEqualTo(position);
        assertThat(proxy.proxy().holdView()).containsEntry("held", false);

        assertThat(command(out, "--to", name(standby()), "-c", file, "--dry-run", "--max", "11s"))
                .isEqualTo(2);
        assertThat(out.toString()).contains("--max: expected at most limits.handshakeTimeout (10s), but found 11s");
        assertThat(command(out, "--to", "nobody", "-c", file)).isEqualTo(2);
        assertThat(command(out, "--to", name(primary()), "-c", file)).isEqualTo(2);
        assertThat(out.toString()).contains("there is no standby 'nobody'", "is the primary already");
    }

    /** A signal arrives during the step. */
    private record Signalled(Step step, AtomicReference<Switchover> whole) implements Step {
        @Override
        public String plan() {
            return step.plan();
        }

        @Override
        public String run() throws Exception {
            String result = step.run();
            java.util.Objects.requireNonNull(whole.get()).stop(Duration.ZERO);
            return result;
        }

        @Override
        public String undo() throws Exception {
            return step.undo();
        }
    }

    /** Fails after it was done, as by a broken connection. */
    private record Broken(Step step, boolean before) implements Step {
        @Override
        public String plan() {
            return step.plan();
        }

        @Override
        public String run() throws Exception {
            if (!before) {
                step.run();
            }
            throw new StepFailure("injected");
        }

        @Override
        public String undo() throws Exception {
            return step.undo();
        }
    }

    private static Steps broken(Steps steps, int which) {
        List<Step> preparation = new ArrayList<>(steps.preparation());
        boolean last = which == preparation.size();
        if (!last) {
            preparation.set(which, new Broken(preparation.get(which), false));
        }
        Step promotion = last ? new Broken(steps.promotion(), true) : steps.promotion();
        return new Steps(steps.checks(), preparation, promotion, steps.follow(), steps.release(), steps.rest());
    }

    private Steps signalled(Steps steps) {
        List<Step> preparation = new ArrayList<>(steps.preparation());
        preparation.set(3, new Signalled(preparation.get(3), running));
        return new Steps(steps.checks(), preparation, steps.promotion(), steps.follow(), steps.release(), steps.rest());
    }

    private void assertAsBefore(EmbeddedServer old, EmbeddedServer chosen, WriteLoad load, Said said) throws Exception {
        assertThat(said.outcome()).as(said.text()).isEqualTo(SwitchoverOutcome.UNDONE);
        assertThat(said.text()).contains("FAILED: ", "everything is as before");
        assertThat(readOnly(old)).as(said.text()).isFalse();
        assertThat(readOnly(chosen)).as(said.text()).isTrue();
        assertThat(admin.view("hold")).containsEntry("held", false);
        awaitReplication(chosen);
        awaitGrowth(load);
    }

    @Test
    void aFailureBeforeThePromotionIsUndone() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        try (WriteLoad load = new WriteLoad(address(), 4)) {
            awaitGrowth(load);
            for (int i = 0; i < 5; i++) {
                int which = i;
                Said said = switchTo(chosen, BOUNDS, steps -> broken(steps, which));
                assertThat(said.text()).contains("FAILED: injected");
                assertAsBefore(old, chosen, load, said);
            }
            Said ended = switchTo(chosen, BOUNDS, this::signalled);
            assertThat(ended.text()).contains("FAILED: ended by a signal");
            assertAsBefore(old, chosen, load, ended);
            load.close();
            assertThat(load.failures()).isEmpty();
            assertThat(rows(old) - before).isEqualTo(load.committed());
        }
    }

    @Test
    void whatServersAndSessionsRefuseIsUndone() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        SwitchoverLimits hasty = new SwitchoverLimits(Duration.ofMillis(500), Duration.ofSeconds(2));
        try (WriteLoad load = new WriteLoad(address(), 4)) {
            awaitGrowth(load);
            try (Connection blocker = chosen.connect();
                    Statement statement = blocker.createStatement()) {
                statement.execute("LOCK TABLES shop.t READ");
                awaitGrowth(load);
                Said said = switchTo(chosen, hasty, steps -> steps);
                assertThat(said.text()).contains("has not applied the primary's position within 500 ms");
                statement.execute("UNLOCK TABLES");
                assertAsBefore(old, chosen, load, said);
            }
            try (Connection open = DriverManager.getConnection(
                            "jdbc:mariadb://127.0.0.1:" + address().getPort() + "/shop?sslMode=disable",
                            "app",
                            "secret");
                    Statement statement = open.createStatement()) {
                statement.execute("START TRANSACTION");
                statement.execute("SELECT COUNT(*) FROM t");
                Said said = switchTo(chosen, hasty, steps -> steps);
                assertThat(said.text()).contains("1 in a transaction");
                assertAsBefore(old, chosen, load, said);
                statement.execute("COMMIT");
            }
            Said said = switchTo(chosen, hasty, steps -> writingBeforeThePromotion(steps, old));
            assertThat(said.text()).contains("somebody wrote to the old primary");
            assertAsBefore(old, chosen, load, said);
            load.close();
            assertThat(load.failures()).isEmpty();
            chosen.execute("STOP SLAVE");
            Said stopped = switchTo(chosen, hasty, steps -> steps);
            chosen.execute("START SLAVE");
            assertThat(stopped.outcome()).isEqualTo(SwitchoverOutcome.UNDONE);
            assertThat(stopped.text())
                    .contains("does not receive what the primary writes")
                    .doesNotContain("undone:");
        }
    }

    @Test
    void theReadinessGateIsQueried() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        old.execute("REVOKE SLAVE MONITOR ON *.* FROM monitor");
        pair.awaitCaughtUp(PATIENCE);
        Said unknown = switchTo(chosen);
        old.execute("GRANT SLAVE MONITOR ON *.* TO monitor");
        assertThat(unknown.outcome()).as(unknown.text()).isEqualTo(SwitchoverOutcome.UNDONE);
        assertThat(unknown.text())
                .contains("the readiness gate says unknown", "GRANT SLAVE MONITOR ON *.* TO 'monitor'");
        assertThat(readOnly(old)).isFalse();
        String connections = chosen.query("SELECT @@GLOBAL.max_connections");
        chosen.execute("SET GLOBAL max_connections = 19");
        try {
            // The proxy keeps a report for two seconds.
            await().atMost(PATIENCE).untilAsserted(() -> {
                StringWriter out = new StringWriter();
                String file = folder.resolve("switchover.yaml").toString();
                assertThat(command(out, "--to", name(chosen), "-c", file, "--dry-run"))
                        .isZero();
                assertThat(out.toString()).contains("warns settings: max_connections is '19'", "lag ");
            });
        } finally {
            chosen.execute("SET GLOBAL max_connections = " + connections);
        }
    }

    @Test
    void missingPrivilegesAreNamedBeforeAnythingIsChanged() {
        EmbeddedServer old = primary();
        old.execute("REVOKE RELOAD, READ_ONLY ADMIN ON *.* FROM switcher");
        assertThatThrownBy(() -> switchTo(standby()))
                .hasMessageContaining("the account of section switchover may do too little: on the old primary it lacks"
                        + " READ_ONLY ADMIN, RELOAD; ")
                .hasMessageContaining("GRANT READ_ONLY ADMIN, RELOAD ON *.* TO 'switcher'@'%'");
        old.execute("GRANT RELOAD, READ_ONLY ADMIN ON *.* TO switcher");
        assertThat(readOnly(old)).isFalse();
    }

    /** An administrator who writes to the read-only primary before that step. */
    private record Writing(Step step, EmbeddedServer server) implements Step {
        @Override
        public String plan() {
            return step.plan();
        }

        @Override
        public String run() throws Exception {
            server.execute("CREATE OR REPLACE TABLE shop.other (id INT)");
            return step.run();
        }

        @Override
        public String undo() throws Exception {
            return step.undo();
        }
    }

    private static Steps writingBeforeThePromotion(Steps steps, EmbeddedServer server) {
        return new Steps(
                steps.checks(),
                steps.preparation(),
                new Writing(steps.promotion(), server),
                steps.follow(),
                steps.release(),
                steps.rest());
    }

    /** Another switch has made the old primary read-only after this one's check. */
    private static Steps overtaken(Steps steps, EmbeddedServer old) {
        List<Step> preparation = new ArrayList<>(steps.preparation());
        Step hold = preparation.get(0);
        preparation.set(0, new Step() {
            @Override
            public String plan() {
                return hold.plan();
            }

            @Override
            public String run() throws Exception {
                old.execute("SET GLOBAL read_only=1");
                return hold.run();
            }

            @Override
            public String undo() throws Exception {
                return hold.undo();
            }
        });
        return new Steps(steps.checks(), preparation, steps.promotion(), steps.follow(), steps.release(), steps.rest());
    }

    /** Two operators at once: the second one must not promote a second server. */
    @Test
    void aSwitchThatAnotherHasOvertakenPromotesNothing() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        try {
            Said said = switchTo(chosen, BOUNDS, steps -> overtaken(steps, old));
            assertThat(said.outcome()).as(said.text()).isEqualTo(SwitchoverOutcome.UNDONE);
            assertThat(said.text()).contains("has become read-only since the check");
            assertThat(readOnly(old)).as("what the other switch has done stays").isTrue();
            assertThat(readOnly(chosen)).as(said.text()).isTrue();
            assertThat(admin.view("hold")).containsEntry("held", false);
        } finally {
            old.execute("SET GLOBAL read_only=0");
        }
    }

    /** As after a restart of the proxy, or its death: nobody is held, so nothing is gained by going on. */
    @Test
    void aHoldThatIsOverEarlyPromotesNothing() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        Said said = switchTo(chosen, BOUNDS, this::released);
        assertThat(said.outcome()).as(said.text()).isEqualTo(SwitchoverOutcome.UNDONE);
        assertThat(said.text()).contains("the proxy holds its sessions no more");
        assertThat(readOnly(old)).as(said.text()).isFalse();
        assertThat(readOnly(chosen)).as(said.text()).isTrue();
        awaitReplication(chosen);
    }

    private Steps released(Steps steps) {
        Step promotion = new Step() {
            @Override
            public String plan() {
                return steps.promotion().plan();
            }

            @Override
            public String run() throws Exception {
                admin.act("release");
                return steps.promotion().run();
            }
        };
        return new Steps(steps.checks(), steps.preparation(), promotion, steps.follow(), steps.release(), steps.rest());
    }

    private static Steps follow(Steps steps, Step follow) {
        return new Steps(steps.checks(), steps.preparation(), steps.promotion(), follow, steps.release(), steps.rest());
    }

    /** The last one, because the servers differ afterwards. */
    @Test
    @Order(Integer.MAX_VALUE)
    void aFailureAfterThePromotionIsSaidAndSessionsAreReleased() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        Said said = switchTo(chosen, BOUNDS, steps -> follow(steps, new Broken(steps.follow(), true)));
        assertThat(said.outcome()).as(said.text()).isEqualTo(SwitchoverOutcome.LEFT);
        assertThat(readOnly(old)).isTrue();
        assertThat(readOnly(chosen)).isFalse();
        assertThat(admin.view("hold")).containsEntry("held", false);
        makeStandby(old, said);
        admin.act("primary?address=" + text(chosen));

        Said wrote = switchTo(old, BOUNDS, steps -> follow(steps, new Writing(steps.follow(), chosen)));
        assertThat(wrote.outcome()).as(wrote.text()).isEqualTo(SwitchoverOutcome.LEFT);
        assertThat(wrote.text())
                .contains("FAILED: somebody wrote to the old primary")
                .doesNotContain("CHANGE MASTER");
    }
}
