package io.understudy.demo.semisync;

import io.understudy.demo.DemoProxy;
import io.understudy.demo.Output;
import io.understudy.demo.semisync.InsertRun.Attributed;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.PairOptions.WaitPoint;
import io.understudy.embedded.ServerOptions;
import io.understudy.terminal.SignalledStop;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
    private final Output out;
    private final List<Row> rows = new ArrayList<>();
    private volatile boolean interrupted;

    public SemiSyncExperiment(Options options, PrintWriter out) {
        this.options = options;
        this.out = new Output(out);
    }

    /** Returns the rows measured so far. */
    public List<Row> rows() {
        return List.copyOf(rows);
    }

    /** Ends after the current commit. Thread-safe. */
    public void interrupt() {
        interrupted = true;
    }

    /** Runs it to the end, or until a signal ends the program, which then waits for the servers' end. */
    public boolean runUntilSignal() throws Exception {
        try (SignalledStop stop = SignalledStop.begin(reason -> interrupt())) {
            return run();
        }
    }

    /**
     * Runs it to the end.
     *
     * @return true when every setting was what it should be and every commit was attributed
     * @throws Exception when a part cannot start; the message says which and why
     */
    public boolean run() throws Exception {
        out.say("starting a primary and a standby…");
        PairOptions pairOptions = PairOptions.defaults()
                .withSemiSyncTimeout(TIMEOUT)
                // Durable commits, as a primary has; otherwise the flush would cost nothing.
                .withPrimary(
                        ServerOptions.of(1).withArguments("--sync-binlog=1", "--innodb-flush-log-at-trx-commit=1"));
        try (EmbeddedPair pair = EmbeddedPair.start(pairOptions)) {
            prepare(pair);
            List<Setting> settings = Setting.of(options.rtts());
            Duration each = options.length().dividedBy(settings.size());
            out.say("warming up…");
            measure(pair, settings.get(0), shorter(each, LONGEST_WARM_UP));
            out.say("");
            out.print(head());
            for (Setting setting : settings) {
                if (interrupted) {
                    break;
                }
                Row row = measure(pair, setting, each);
                rows.add(row);
                out.print(line(row));
            }
            out.print(foot(rows));
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
        replicate(pair, setting);
        Map<String, String> environment =
                Map.of("DEMO_PRIMARY", "127.0.0.1:" + pair.primary().port(), "DEMO_PASSWORD", PASSWORD);
        try (DemoProxy proxy = DemoProxy.startExample(CONFIG, environment)) {
            String url = proxy.url("shop") + "&useServerPrepStmts=true";
            try (Connection application = DriverManager.getConnection(url, "app", PASSWORD);
                    Connection primary = pair.primary().connect()) {
                Attributed attributed = new Attributed(proxy.running().proxy().histograms());
                return new InsertRun(setting, application, primary, attributed, () -> interrupted).measure(length);
            }
        }
    }

    /** Sets up the replication for a setting. */
    private static void replicate(EmbeddedPair pair, Setting setting) {
        // First without delay and without semi-sync, so that the standby catches up with the previous setting.
        pair.primary().execute("SET GLOBAL rpl_semi_sync_master_enabled = OFF");
        pair.link().delay(Duration.ZERO);
        pair.standby().execute("START SLAVE");
        pair.awaitCaughtUp(TIMEOUT);
        if (setting.replica() == Setting.Replica.NONE) {
            pair.standby().execute("STOP SLAVE");
            return;
        }
        if (setting.waitPoint() != null) {
            pair.primary()
                    .execute(
                            "SET GLOBAL rpl_semi_sync_master_wait_point = '" + setting.waitPoint() + "'",
                            "SET GLOBAL rpl_semi_sync_master_enabled = ON");
            pair.awaitSemiSyncClient();
        }
        pair.link().delay(setting.rtt());
    }

    private static String head() {
        return """
                One connection, one INSERT per transaction, through the proxy. Milliseconds; each time in the columns \
                from "execute" to
                "server" is a mean per commit; "error" is the median difference between "own ack" and "server" \
                commit by commit.

                """
                + String.format(
                        Locale.ROOT,
                        "%-13s %-13s %6s %8s %10s %8s %8s %9s %9s %9s %7s %10s%n",
                        "replica",
                        "wait point",
                        "rtt",
                        "commits",
                        "commits/s",
                        "p50",
                        "p99",
                        "execute",
                        "own ack",
                        "server",
                        "error",
                        "ceiling/s");
    }

    private static String line(Row row) {
        Setting setting = row.setting();
        WaitPoint waitPoint = setting.waitPoint();
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%-13s %-13s %6s %8d %10.1f %8.2f %8.2f %9.2f %9.2f %9.2f %7.2f %10.1f%n",
                setting.replica().label(),
                waitPoint == null ? "-" : waitPoint.name(),
                setting.replica() == Setting.Replica.NONE ? "-" : millis(setting),
                row.commits(),
                row.perSecond(),
                row.p50(),
                row.p99(),
                row.executeMean(),
                row.ackMean(),
                row.serverMean(),
                row.medianError(),
                row.ceiling()));
        row.problems()
                .forEach(problem ->
                        text.append("  NOT AS IT SHOULD BE: ").append(problem).append('\n'));
        return text.toString();
    }

    private static String millis(Setting setting) {
        double value = setting.rtt().toNanos() / 1e6;
        return value == Math.rint(value)
                ? String.format(Locale.ROOT, "%.0f", value)
                : String.format(Locale.ROOT, "%.1f", value);
    }

    /** Empty when there is nothing to compare. */
    private static String foot(List<Row> rows) {
        Row slowest = slowest(rows);
        if (slowest == null || rows.get(0).perSecond() <= 0) {
            return "";
        }
        double without = rows.get(0).perSecond();
        return String.format(
                Locale.ROOT,
                "%nA replica %s ms away, waited for %s: %.1f commits a second on one connection instead of %.0f, as"
                        + " one commit takes"
                        + " %.1f ms.%nTo commit %.0f a second, about %.0f connections must commit at the same time.%n",
                millis(slowest.setting()),
                slowest.setting().waitPoint(),
                slowest.perSecond(),
                without,
                slowest.p50(),
                without,
                Math.ceil(without / slowest.perSecond()));
    }

    private static @Nullable Row slowest(List<Row> rows) {
        Row found = null;
        for (Row row : rows) {
            if (row.setting().semiSync() && row.commits() > 0 && (found == null || row.p50() > found.p50())) {
                found = row;
            }
        }
        return found;
    }
}
