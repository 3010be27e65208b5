package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.understudy.cli.Understudy;
import io.understudy.config.ConfigLoader;
import io.understudy.embedded.DelayedLink;
import io.understudy.host.PluginTypes;
import io.understudy.it.OutcomeLoad.Failed;
import io.understudy.it.OutcomeLoad.Told;
import io.understudy.remote.AdminClient;
import io.understudy.testkit.FreePort;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/**
 * Many statements in flight when the server dies, or their connections, or the proxy: what each client was told, or can
 * ask for afterwards, is compared with the tables. {@code -Dunderstudy.it.kills=50} for the figures; {@link ProvedPair}
 * for other servers; {@code -Dunderstudy.it.witness=disk} for a witness; {@code -Dunderstudy.it.death=CUT,PROXY} for
 * some of the deaths alone.
 */
@Tag("long")
@Timeout(3600)
@SuppressWarnings("NullAway") // start() sets the fields, and a view may lack a key
class OutcomesServerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int KILLS = Integer.getInteger("understudy.it.kills", 1);
    private static final String WITNESS = System.getProperty("understudy.it.witness", "off");
    private static final int CLIENTS = 20;
    private static final Duration ASKED = Duration.ofSeconds(20);

    /** What dies. */
    enum Death {
        RESTART,
        FAILOVER,
        CUT,
        PROXY
    }

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    private ProvedPair pair;
    private DelayedLink link;
    private Process proxy;
    private int port;
    private AdminClient admin;
    private final Map<String, Integer> figures = new TreeMap<>();
    private final List<String> wrong = new ArrayList<>();
    private final Map<String, Integer> unknown = new TreeMap<>();

    @AfterEach
    void stop() {
        if (proxy != null) {
            proxy.destroyForcibly().onExit().join();
        }
        if (link != null) {
            link.close();
        }
        if (pair != null) {
            pair.close();
        }
    }

    private Path file() {
        return folder.resolve("understudy.yaml");
    }

    private void start(int round, Death death) throws Exception {
        pair = ProvedPair.start();
        link = DelayedLink.to(new InetSocketAddress("127.0.0.1", pair.primary()), Duration.ZERO);
        int primary = death == Death.CUT ? link.port() : pair.primary();
        port = FreePort.next();
        Path log = Files.createDirectory(folder.resolve("log" + round));
        boolean directory = death == Death.PROXY || !WITNESS.equals("off");
        Files.writeString(file(), """
                listen: { address: "127.0.0.1:%1$d" }
                primary:
                  address: "127.0.0.1:%2$d"
                  tls: { mode: %3$s }
                  monitor: { user: monitor, password: %4$s }
                standbys:
                  - { name: s1, address: "127.0.0.1:%5$d", tls: { mode: %3$s }, user: monitor, password: %4$s }
                admin: { address: "127.0.0.1:%6$d", token: a-token-of-fair-length }
                switchover: { user: switcher, password: %4$s }
                failover: { sessions: move, hold: 60s, accounts: [{ user: app, password: %4$s }] }
                plugins:
                  black-box: { poll: 100ms, acknowledge: "%7$s" %8$s }
                """.formatted(
                        port,
                        primary,
                        pair.mariadb() ? "disabled" : "preferred",
                        CommitProxy.PASSWORD,
                        pair.standby(),
                        FreePort.next(),
                        WITNESS,
                        directory ? ", directory: \"" + log + "\"" : ""));
        Files.setPosixFilePermissions(log, java.nio.file.attribute.PosixFilePermissions.fromString("rwx------"));
        admin = AdminClient.of(ConfigLoader.load(file(), PluginTypes.installed().records())
                .config()
                .admin());
        startProxy();
    }

    private void startProxy() throws Exception {
        proxy = RunProgram.start(file(), folder.resolve("proxy.log"));
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> "true"
                        .equals(String.valueOf(
                                Views.map(admin.view("lost").get("primary")).get("read"))));
        if (!WITNESS.equals("off")) {
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> "present".equals(admin.view("witness").get("state")));
        }
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + port
                        + "/shop?sslMode=disable&allowPublicKeyRetrieval=true&useServerPrepStmts=true"
                        + "&cachePrepStmts=false&connectTimeout=10000",
                "app",
                CommitProxy.PASSWORD);
    }

    @ParameterizedTest
    @EnumSource
    void whatClientsAreToldIsSo(Death death) throws Exception {
        assumeTrue(System.getProperty("understudy.it.death", death.name()).contains(death.name()));
        for (int round = 1; round <= KILLS; round++) {
            if (round == 1 || death == Death.FAILOVER) {
                stop();
                start(round, death);
            }
            round(round, death);
        }
        System.out.println("FIGURE " + death + " witness " + WITNESS + ", " + KILLS + " deaths: " + figures + ", wrong "
                + wrong.size() + ", unknown " + unknown);
        assertThat(wrong).isEmpty();
    }

    /** Killed twice while a session waits for a lock at the server, where it goes on; then the server restarts. */
    @Test
    void aSessionThatTheDeadProxyLeftIsSettledWhenItHasEnded() throws Exception {
        start(1, Death.PROXY);
        Instant begun = Instant.now();
        long first;
        try (Connection before = connect();
                Statement statement = before.createStatement()) {
            statement.execute("INSERT INTO t VALUES (1, 0, 'a'), (2, 0, 'b')");
            first = OutcomeLoad.thread(before);
        }
        await().atMost(PATIENCE)
                .until(() -> Boolean.TRUE.equals(logged(first, begun).get("settled"))
                        || String.valueOf(logged(first, begun).get("reason")).contains("does not tell"));
        Map<String, Object> known = logged(first, begun);
        assumeTrue(!known.containsKey("reason")); // MariaDB before 11.5 with ROW
        Instant opened = Instant.now();
        try (Connection holder = pair.connect(pair.primary());
                Statement hold = holder.createStatement();
                Connection client = connect();
                Statement statement = client.createStatement()) {
            long thread = OutcomeLoad.thread(client);
            statement.execute("INSERT INTO t VALUES (3, 0, 'c')");
            holder.setAutoCommit(false);
            hold.execute("UPDATE shop.t SET filler = 'held' WHERE w = 1");
            Thread waiting = new Thread(() -> {
                try {
                    statement.execute("UPDATE t SET filler = 'late' WHERE w = 1");
                } catch (SQLException e) {
                    count("lost");
                }
            });
            waiting.start();
            String runs = "SELECT 1 FROM information_schema.PROCESSLIST WHERE INFO LIKE 'UPDATE t SET%'";
            await().atMost(PATIENCE).until(() -> !values(pair.primary(), runs).isEmpty());
            for (int kill = 1; kill <= 2; kill++) {
                kill(Death.PROXY);
                Map<String, Object> view = logged(thread, opened);
                assertThat(view).containsEntry("settled", false);
                assertThat(String.valueOf(view.get("reason"))).contains("still exists");
            }
            waiting.join();
            holder.commit();
            await().atMost(PATIENCE)
                    .until(() -> Boolean.TRUE.equals(logged(thread, opened).get("settled")));
            Map<String, Object> view = logged(thread, opened);
            assertThat((List<?>) view.get("transactions")).hasSize(2);
            assertThat(String.valueOf(view.get("logSince"))).isLessThan(opened.toString());
            assertThat(values(pair.primary(), "SELECT filler FROM shop.t WHERE w = 1"))
                    .containsExactly("late");

            proxy.destroyForcibly().onExit().join();
            pair.kill();
            pair.restart();
            startProxy();
            view = logged(thread, opened);
            assertThat(view).containsEntry("settled", false);
            assertThat(String.valueOf(view.get("reason"))).contains("restarted");
        }
    }

    private Map<String, Object> logged(long thread, Instant opened) throws Exception {
        return admin.view("outcomes?connection=" + thread + "&since=" + opened);
    }

    /** An application that repeats by the proxy's word writes each order once, with a pool of its own. */
    @ParameterizedTest
    @EnumSource(names = "PROXY", mode = EnumSource.Mode.EXCLUDE)
    void eachOrderIsWrittenOnce(Death death) throws Exception {
        assumeTrue(System.getProperty("understudy.it.death", death.name()).contains(death.name()));
        int repeated = 0;
        int orders = 0;
        Map<String, String> open = new TreeMap<>();
        for (int round = 1; round <= KILLS; round++) {
            if (round == 1 || death == Death.FAILOVER) {
                stop();
                start(round, death);
            }
            OrderLoad load = new OrderLoad("r" + round, port, "app", CommitProxy.PASSWORD, CLIENTS, this::outcome);
            int at;
            try (load) {
                await().atMost(PATIENCE).until(() -> load.ended() > 100);
                TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(100)); // any moment of a commit
                at = kill(death);
                int before = load.ended();
                await().atMost(PATIENCE).until(() -> load.ended() > before + 2 * CLIENTS);
            }
            wrong.addAll(load.wrong(values(at, "SELECT v FROM shop.orders")));
            repeated += load.repeated();
            orders += load.ended();
            open.putAll(load.unknown());
            pair.execute(at, "DELETE FROM shop.orders");
        }
        System.out.println("FIGURE orders " + death + " witness " + WITNESS + ", " + KILLS + " deaths: " + orders
                + " orders, repeated " + repeated + ", wrong " + wrong.size() + ", given up " + open);
        assertThat(wrong).isEmpty();
    }

    private String outcome(String token) {
        String[] known = {"nothing"};
        try {
            await().atMost(Duration.ofSeconds(20)).ignoreExceptions().until(() -> {
                Map<String, Object> view = admin.view("outcomes?token=" + token);
                List<?> records = (List<?>) view.get("outcomes");
                if (records == null || records.isEmpty()) {
                    known[0] = "none";
                    return true;
                }
                List<String> found = records.stream()
                        .map(each -> String.valueOf(Views.map(each).get("outcome")))
                        .distinct()
                        .toList();
                known[0] = found.size() == 1 ? found.get(0) : "unknown";
                return Boolean.TRUE.equals(view.get("settled"));
            });
        } catch (ConditionTimeoutException e) {
            return known[0] + " within 20 s";
        }
        return known[0];
    }

    private List<String> values(int at, String sql) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Connection connection = pair.connect(at);
                Statement statement = connection.createStatement();
                ResultSet all = statement.executeQuery(sql)) {
            while (all.next()) {
                values.add(all.getString(1));
            }
        }
        return values;
    }

    private void round(int round, Death death) throws Exception {
        if (round == 1 && death == Death.PROXY) {
            pair.execute(pair.primary(), "INSERT INTO shop.t VALUES (-1, 0, 'before')", "DELETE FROM shop.t");
        }
        OutcomeLoad load = new OutcomeLoad(CLIENTS, "r" + round + "." + death, this::connect);
        int at;
        try (load) {
            load.awaitMore(100);
            if (death == Death.FAILOVER && !WITNESS.equals("off")) {
                pair.cutOff();
                load.awaitMore(50);
            }
            TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(100)); // any moment of a commit
            at = kill(death);
            load.awaitMore(CLIENTS);
        }
        Set<String> rows = new HashSet<>(values(at, "SELECT CONCAT(w, '-', n) FROM shop.t"));
        Set<String> lost = load.answered();
        lost.removeAll(rows);
        lost.forEach(row -> wrong.add(row + " got an OK, and is not there"));
        long until = System.nanoTime() + ASKED.toNanos(); // for all together: what stays unknown takes all of it
        for (Failed failed : load.failed()) {
            judge(failed, rows.contains(failed.row()), death, until);
        }
        pair.execute(at, "DELETE FROM shop.t");
    }

    /** Returns the port of the primary from now on. */
    private int kill(Death death) throws Exception {
        switch (death) {
            case CUT -> {
                link.cut();
                return pair.primary();
            }
            case RESTART -> {
                pair.kill();
                pair.restart();
                return pair.primary();
            }
            case FAILOVER -> {
                pair.kill();
                StringWriter out = new StringWriter();
                CommandLine line = Understudy.commandLine();
                line.setOut(new PrintWriter(out, true));
                line.setErr(new PrintWriter(out, true));
                int status = line.execute("failover", "--to", "s1", "-c", file().toString());
                count("failover exit " + status);
                if (status != 0) {
                    System.out.println(out);
                }
                return pair.standby();
            }
            default -> {
                proxy.destroyForcibly().onExit().join();
                startProxy();
                return pair.primary();
            }
        }
    }

    private void count(String what) {
        figures.merge(what, 1, Integer::sum);
    }

    private void judge(Failed failed, boolean there, Death death, long until) throws Exception {
        Told known = failed.told();
        String how = "told";
        String why = failed.message();
        if (known == Told.NOTHING && failed.commits()) {
            Map<String, Object> asked = asked(failed, death, until);
            how = "asked";
            why = String.valueOf(asked.getOrDefault("reason", asked));
            known = switch (String.valueOf(asked.get("outcome"))) {
                case "committed" -> Told.COMMITTED;
                case "not_committed" -> Told.NOT_COMMITTED;
                default -> Told.UNKNOWN;
            };
        } else if (known == Told.NOTHING) {
            count("before its commit");
            if (there) {
                wrong.add(failed + " is there, though its commit was not sent");
            }
            return;
        }
        count(how + " " + known);
        if (known == Told.UNKNOWN) {
            unknown.merge(why.replaceAll("\\d+", "N"), 1, Integer::sum);
            System.out.println("UNKNOWN, is there: " + there + ": " + failed + " " + why);
        } else if (there != (known == Told.COMMITTED)) {
            wrong.add(failed + " " + how + " " + known + ", is there: " + there + " " + why);
            System.out.println("WRONG " + wrong.get(wrong.size() - 1));
        }
    }

    /** Asks for what the log has of the connection: no proxy has seen that the statement was lost. */
    private Map<String, Object> inTheLog(Failed failed) throws Exception {
        Map<String, Object> view = logged(failed.thread(), failed.opened());
        List<?> all = (List<?>) view.get("transactions");
        String whole = String.valueOf(view.get("logSince"));
        if (all == null
                || !Boolean.TRUE.equals(view.get("settled"))
                || whole.compareTo(failed.opened().toString()) > 0) {
            return Map.of(
                    "reason", "in the log since " + whole + ", opened " + failed.opened() + ": " + view.get("reason"));
        }
        int more = all.size() - failed.before();
        return Map.of("outcome", more == 1 ? "committed" : more == 0 ? "not_committed" : "unknown");
    }

    /** Asks as a client does that is gone, until it is settled. */
    private Map<String, Object> asked(Failed failed, Death death, long until) {
        AtomicReference<Map<String, Object>> found = new AtomicReference<>(Map.of());
        try {
            long left = Math.max(TimeUnit.MILLISECONDS.toNanos(500), until - System.nanoTime());
            await().atMost(Duration.ofNanos(left))
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> isSettled(failed, death, found));
        } catch (ConditionTimeoutException e) {
            return found.get();
        }
        return found.get();
    }

    private boolean isSettled(Failed failed, Death death, AtomicReference<Map<String, Object>> found) throws Exception {
        Map<String, Object> view = admin.view("outcomes?token=" + failed.token());
        List<?> records = (List<?>) view.get("outcomes");
        if (records != null && !records.isEmpty()) {
            found.set(Views.map(records.get(records.size() - 1)));
            return Boolean.TRUE.equals(view.get("settled"));
        }
        List<?> logged = (List<?>) view.get("transactions");
        if (logged != null) {
            found.set(Map.of("outcome", logged.size() == 1 ? "committed" : "unknown"));
            return true;
        }
        // Unless the proxy died it lost no statement of it: its preparation was in flight. Its thread may be another's.
        found.set(death == Death.PROXY ? inTheLog(failed) : Map.of("outcome", "not_committed"));
        return found.get().containsKey("outcome");
    }
}
