package io.understudy.demo;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import io.understudy.terminal.SignalledStop;
import java.io.PrintWriter;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The whole system on one machine: two embedded servers with semi-synchronous replication over a delayed link, the
 * proxy with {@code docs/examples/demo.yaml}, and a sample application. Its last quarter runs without semi-sync, for
 * comparison.
 */
public final class Demo {
    private static final String CONFIG = "demo.yaml";
    private static final String PASSWORD = "demo";
    private static final Duration WITHOUT_LIMIT = Duration.ofDays(365);
    private static final int SUMMARY_SECONDS_PLAIN = 5;

    /**
     * The settings of a run.
     *
     * @param length how long the application runs, or null for until interrupted
     * @param rtt round trip between primary and standby
     * @param port of the proxy, 0 for a free one
     * @param adminPort of the admin endpoint, 0 for a free one
     * @param terminal whether the live summary may rewrite its line
     */
    public record Options(@Nullable Duration length, Duration rtt, int port, int adminPort, boolean terminal) {}

    private final Options options;
    private final Output out;
    private final CountDownLatch interrupted = new CountDownLatch(1);

    public Demo(Options options, PrintWriter out) {
        this.options = options;
        this.out = new Output(out);
    }

    /**
     * Runs the demo to its end.
     *
     * @return true when statements were mirrored, commits timed and statements tagged
     * @throws Exception when a part cannot start; the message says which and why
     */
    public boolean run() throws Exception {
        // Not until this thread ends: at the demo's own end that waits for the hook.
        try (SignalledStop stop = SignalledStop.begin(reason -> interrupted.countDown())) {
            return runServers();
        }
    }

    private boolean runServers() throws Exception {
        out.say("starting a primary and a standby, " + options.rtt().toMillis() + " ms apart…");
        // The pair starts without delay and gets it once there is data: loading 100 MB is not part of the demo.
        PairOptions pairOptions = PairOptions.defaults()
                .withPrimary(ServerOptions.of(1).withBufferPool("256M"))
                .withStandby(ServerOptions.of(2).withBufferPool("32M"));
        try (EmbeddedPair pair = EmbeddedPair.start(pairOptions)) {
            out.say("creating the shop: orders, items, customers…");
            prepare(pair);
            pair.link().delay(options.rtt());
            try (DemoProxy proxy = startProxy(pair)) {
                return run(pair, proxy);
            }
        }
    }

    private static void prepare(EmbeddedPair pair) throws Exception {
        try (Connection connection = pair.primary().connect()) {
            DemoSchema.create(connection, DemoSchema.DEFAULT_ORDERS);
        }
        // SELECT and TRIGGER let the gtid-domain guard see the tables that it guards, and their triggers.
        pair.createAccount(
                "understudy",
                PASSWORD,
                "REPLICATION SLAVE, REPLICA MONITOR, BINLOG MONITOR, PROCESS ON *.*",
                "SELECT, TRIGGER ON shop.*");
        pair.createAccount("understudy_mirror", PASSWORD, "SELECT ON shop.*", "REPLICA MONITOR, BINLOG MONITOR ON *.*");
        // The privilege that gtid-domain in mode tag needs for the application's accounts.
        pair.primary().execute("GRANT BINLOG REPLAY ON *.* TO app@'%'", "GRANT BINLOG REPLAY ON *.* TO archiver@'%'");
        pair.awaitCaughtUp(Duration.ofMinutes(1));
    }

    private DemoProxy startProxy(EmbeddedPair pair) throws Exception {
        return DemoProxy.startExample(
                CONFIG,
                Map.of(
                        "DEMO_PORT",
                        Integer.toString(options.port()),
                        "DEMO_ADMIN_PORT",
                        Integer.toString(options.adminPort()),
                        "DEMO_PRIMARY",
                        "127.0.0.1:" + pair.primary().port(),
                        "DEMO_STANDBY",
                        "127.0.0.1:" + pair.standby().port(),
                        "DEMO_PASSWORD",
                        PASSWORD));
    }

    private boolean run(EmbeddedPair pair, DemoProxy proxy) throws Exception {
        out.say("proxy      mariadb -h127.0.0.1 -P" + proxy.port() + " -uapp -papp shop");
        out.say("dashboard  http://127.0.0.1:" + proxy.adminPort() + "/");
        out.say("metrics    http://127.0.0.1:" + proxy.adminPort() + "/metrics");
        DemoReport report = new DemoReport(proxy.running(), pair, options.rtt());
        String url = proxy.url("shop") + "&useServerPrepStmts=false";
        try (DemoLoad load = DemoLoad.start(DemoLoad.Options.to(url))) {
            Duration length = options.length() == null ? WITHOUT_LIMIT : options.length();
            boolean toTheEnd = watch(report, load, length.multipliedBy(3).dividedBy(4));
            report.predict(); // while semi-sync is on: the prediction is about it
            if (toTheEnd && options.length() != null) {
                pair.primary().execute("SET GLOBAL rpl_semi_sync_master_enabled = OFF");
                out.say("semi-sync switched off on the primary, for comparison");
                watch(report, load, length.dividedBy(4));
            }
            load.close();
            report.end(load.counters());
        }
        out.say("");
        out.print(report.text());
        return report.everythingHappened();
    }

    /** Prints the live summary; returns false when interrupted before {@code length} was over. */
    private boolean watch(DemoReport report, DemoLoad load, Duration length) throws InterruptedException {
        long end = System.nanoTime() + length.toNanos();
        int interval = options.terminal() ? 1 : SUMMARY_SECONDS_PLAIN;
        while (true) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                break;
            }
            if (interrupted.await(Math.min(left, TimeUnit.SECONDS.toNanos(interval)), TimeUnit.NANOSECONDS)) {
                return false;
            }
            String line = report.liveLine(load.counters());
            if (options.terminal()) {
                out.print("\r\033[K" + line);
            } else {
                out.say(line);
            }
        }
        if (options.terminal()) {
            out.say("");
        }
        return true;
    }
}
