package io.understudy.it;

import static org.awaitility.Awaitility.await;

import io.understudy.cli.Understudy;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.embedded.DelayedLink;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import io.understudy.host.PluginTypes;
import io.understudy.runtime.RunningProxy;
import io.understudy.servers.MariaDbGtid;
import io.understudy.switchover.ChangeOutcome;
import io.understudy.testkit.FreePort;
import io.understudy.unplanned.Failover;
import io.understudy.unplanned.FailoverOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** A pair whose primary dies, and a running proxy with a black box before it. */
final class FailoverPair implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String PASSWORD = CommitProxy.PASSWORD;

    final EmbeddedPair pair;
    /** The proxy's way to the primary, if that is another one. */
    private final @Nullable DelayedLink way;

    private final Path folder;
    private final RunningProxy proxy;
    private boolean closed;

    record Said(int status, String text) {}

    /** @param grants of the account of section {@code switchover}, in addition to those that a switchover needs */
    static FailoverPair start(Path folder, String grants) throws Exception {
        return new FailoverPair(pair(grants), null, folder);
    }

    /** As above, with a proxy that can be cut off from the primary. */
    static FailoverPair startApart(Path folder, String grants) throws Exception {
        EmbeddedPair pair = pair(grants);
        return new FailoverPair(
                pair,
                DelayedLink.to(new InetSocketAddress("127.0.0.1", pair.primary().port()), Duration.ZERO),
                folder);
    }

    private static EmbeddedPair pair(String grants) {
        EmbeddedPair pair = EmbeddedPair.start(PairOptions.defaults()
                .withSemiSync(false)
                .withRtt(Duration.ZERO)
                .withStandby(ServerOptions.of(2).withArguments("--skip-slave-start")));
        pair.primary()
                .execute(
                        "CREATE DATABASE shop",
                        "CREATE TABLE shop.t (w INT, n INT, filler VARCHAR(60), PRIMARY KEY (w, n))");
        pair.createAccount("app", PASSWORD, "ALL ON shop.*");
        pair.createAccount("monitor", PASSWORD, "REPLICATION SLAVE, SLAVE MONITOR ON *.*");
        pair.createAccount(
                "switcher",
                PASSWORD,
                "READ_ONLY ADMIN, REPLICATION SLAVE ADMIN, SLAVE MONITOR, RELOAD, EVENT, SET USER" + grants
                        + " ON *.*");
        pair.awaitCaughtUp(PATIENCE);
        return pair;
    }

    private FailoverPair(EmbeddedPair pair, @Nullable DelayedLink way, Path folder) throws Exception {
        this.pair = pair;
        this.way = way;
        this.folder = folder;
        int admin = FreePort.next();
        Files.writeString(folder.resolve("failover.yaml"), """
                listen: { address: "127.0.0.1:0" }
                primary:
                  address: "127.0.0.1:%d"
                  tls: { mode: disabled }
                  monitor: { user: monitor, password: %3$s }
                standbys:
                  - { name: s1, address: "127.0.0.1:%d", tls: { mode: disabled }, user: monitor, password: %3$s }
                admin: { address: "127.0.0.1:%4$d", token: a-token-of-fair-length }
                switchover: { user: switcher, password: %3$s }
                plugins:
                  black-box: { poll: 100ms }
                """.formatted(
                way == null ? pair.primary().port() : way.port(), pair.standby().port(), PASSWORD, admin));
        proxy = startProxy();
        awaitRead();
    }

    private RunningProxy startProxy() throws Exception {
        PluginTypes plugins = PluginTypes.installed();
        LoadedConfig loaded = ConfigLoader.load(folder.resolve("failover.yaml"), plugins.records());
        return RunningProxy.start(loaded, plugins, () -> loaded);
    }

    UnderstudyConfig config() throws Exception {
        return ConfigLoader.load(
                        folder.resolve("failover.yaml"), PluginTypes.installed().records())
                .config();
    }

    /** Runs a failover, whose output a test follows. */
    ChangeOutcome failOver(boolean fenced, PrintWriter out) throws Exception {
        FailoverOptions options = new FailoverOptions(fenced, PATIENCE, Set.of(), null);
        try (Failover failover = Failover.to("s1", config(), options, out)) {
            return failover.run();
        }
    }

    private void awaitRead() {
        await().atMost(PATIENCE).until(() -> run("report", "lost").text().contains("is being read"));
    }

    Connection connect() throws SQLException {
        InetSocketAddress address =
                (InetSocketAddress) proxy.proxy().addresses().get(0);
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + address.getPort() + "/shop?sslMode=disable", "app", PASSWORD);
    }

    void closeProxy() {
        if (!closed) {
            closed = true;
            proxy.close();
        }
    }

    /** Runs a command with the configuration file. */
    Said run(String... arguments) {
        StringWriter out = new StringWriter();
        CommandLine line = Understudy.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        String[] all = Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "-c";
        all[arguments.length + 1] = folder.resolve("failover.yaml").toString();
        return new Said(line.execute(all), out.toString());
    }

    /** Cuts the standby off, so that it lacks what is written from now on. */
    void cutOff() {
        pair.link().refuse();
        pair.link().cut();
    }

    /** Cuts the proxy off from the primary, whose address refuses it. */
    void cutProxyOff() {
        Objects.requireNonNull(way).close();
    }

    /** Waits until the black box has all that was written without the proxy and that the standby lacks. */
    void awaitCaptured() {
        long missing = sequence(pair.primary()) - sequence(pair.standby());
        await().atMost(PATIENCE)
                .until(() -> run("report", "lost").text().contains("known to have been answered: " + missing));
    }

    private static long sequence(EmbeddedServer server) {
        return MariaDbGtid.sequences(server.query("SELECT @@GLOBAL.gtid_current_pos")).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Has a session of the standby wait for a position, as those of the proxies do; for longer than usual. */
    CompletableFuture<String> waitForPosition(int seconds) {
        CompletableFuture<String> waiting = CompletableFuture.supplyAsync(
                () -> standby().query("SELECT MASTER_GTID_WAIT('0-1-999999999', " + seconds + ")"));
        await().atMost(PATIENCE)
                .until(() -> standby()
                        .query("SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE '%GTID%'")
                        .equals("1"));
        return waiting;
    }

    EmbeddedServer standby() {
        return pair.standby();
    }

    static Set<String> rows(EmbeddedServer server) {
        Set<String> all = new HashSet<>();
        server.rows("SELECT CONCAT(w, '-', n) AS r FROM shop.t").forEach(row -> all.add(String.valueOf(row.get("r"))));
        return all;
    }

    @Override
    public void close() {
        closeProxy();
        pair.close();
    }
}
