package io.understudy.demo.semisync;

import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.demo.Examples;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import io.understudy.host.PluginTypes;
import io.understudy.runtime.RunningProxy;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs the experiment: an embedded primary with durable commits and a standby behind a delayed link, the proxy with
 * {@code docs/examples/semi-sync.yaml} anew for each setting, so that its metrics are that setting's.
 */
public final class SemiSyncExperiment {
    /** Longer round trips are not realistic. */
    public static final Duration LONGEST_RTT = Duration.ofSeconds(2);

    private static final String CONFIG = "semi-sync.yaml";
    private static final String PASSWORD = "demo";
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(3);

    /**
     * The settings of a run.
     *
     * @param rtts round trips between primary and standby
     * @param length of all measurements together; starting the servers comes on top
     */
    public record Options(List<Duration> rtts, Duration length) {
        public Options {
            rtts = List.copyOf(rtts);
            if (rtts.isEmpty()) {
                throw new IllegalArgumentException("no round trip is given, for example 0ms,10ms,85ms");
            }
            for (Duration rtt : rtts) {
                if (rtt.isNegative() || rtt.compareTo(LONGEST_RTT) > 0) {
                    throw new IllegalArgumentException("a round trip must be 0ms to " + LONGEST_RTT.toSeconds()
                            + "s but one is " + rtt.toMillis() + "ms");
                }
            }
            if (length.isNegative() || length.isZero()) {
                throw new IllegalArgumentException("the time to measure must be more than nothing, for example 60s");
            }
        }
    }

    private final Options options;
    private final PrintWriter out;
    private final List<Row> rows = new ArrayList<>();
    private volatile boolean interrupted;

    public SemiSyncExperiment(Options options, PrintWriter out) {
        this.options = options;
        this.out = out;
    }

    /** Returns the rows measured so far. */
    public List<Row> rows() {
        return List.copyOf(rows);
    }

    /** Ends after the current commit. Thread-safe. */
    public void interrupt() {
        interrupted = true;
    }

    /**
     * Runs it to the end.
     *
     * @return true when every setting was what it should be and every commit was attributed
     * @throws Exception when a part cannot start; the message says which and why
     */
    public boolean run() throws Exception {
        say("starting a primary and a standby…");
        PairOptions pairOptions = PairOptions.defaults()
                .withSemiSyncTimeout(TIMEOUT)
                // Durable commits, as a primary has; otherwise the flush would cost nothing.
                .withPrimary(
                        ServerOptions.of(1).withArguments("--sync-binlog=1", "--innodb-flush-log-at-trx-commit=1"));
        try (EmbeddedPair pair = EmbeddedPair.start(pairOptions)) {
            prepare(pair);
            List<Setting> settings = Setting.of(options.rtts());
            Duration each = options.length().dividedBy(settings.size());
            say("warming up…");
            measure(pair, settings.get(0), shorter(each, LONGEST_WARM_UP));
            out.println();
            out.print(SemiSyncTable.head());
            out.flush();
            for (Setting setting : settings) {
                if (interrupted) {
                    break;
                }
                Row row = measure(pair, setting, each);
                rows.add(row);
                out.print(SemiSyncTable.line(row));
                out.flush();
            }
            out.print(SemiSyncTable.foot(rows));
            out.flush();
            return !interrupted && rows.stream().allMatch(row -> row.problems().isEmpty());
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static void prepare(EmbeddedPair pair) {
        pair.primary()
                .execute(
                        "CREATE DATABASE shop",
                        "CREATE TABLE shop.payments (id BIGINT AUTO_INCREMENT PRIMARY KEY, amount INT, note"
                                + " VARCHAR(100))");
        pair.createAccount("understudy", PASSWORD, "REPLICATION SLAVE ON *.*");
        pair.createAccount("app", PASSWORD, "SELECT, INSERT ON shop.*");
        pair.awaitCaughtUp(TIMEOUT);
    }

    private Row measure(EmbeddedPair pair, Setting setting, Duration length) throws Exception {
        new SemiSyncSetup(pair).set(setting);
        try (RunningProxy proxy = startProxy(pair)) {
            int port = ((InetSocketAddress) proxy.proxy().addresses().get(0)).getPort();
            String url = "jdbc:mariadb://127.0.0.1:" + port + "/shop?useServerPrepStmts=true&sslMode=disable";
            try (Connection application = DriverManager.getConnection(url, "app", PASSWORD);
                    Connection primary = pair.primary().connect()) {
                Attributed attributed = new Attributed(proxy.proxy().histograms());
                return new InsertRun(setting, application, primary, attributed, () -> interrupted).measure(length);
            }
        }
    }

    private static RunningProxy startProxy(EmbeddedPair pair) throws Exception {
        Map<String, String> environment =
                Map.of("DEMO_PRIMARY", "127.0.0.1:" + pair.primary().port(), "DEMO_PASSWORD", PASSWORD);
        PluginTypes plugins = PluginTypes.installed();
        LoadedConfig loaded = ConfigLoader.load(Examples.read(CONFIG), CONFIG, plugins.records(), environment::get);
        return RunningProxy.start(loaded, plugins, () -> loaded);
    }

    private void say(String line) {
        out.println(line);
        out.flush();
    }
}
