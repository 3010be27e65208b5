package io.understudy.demo.replay;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.demo.DemoLoad;
import io.understudy.demo.DemoProxy;
import io.understudy.demo.DemoSchema;
import io.understudy.demo.Output;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.plugins.capture.CaptureInput;
import io.understudy.remote.AdminClient;
import io.understudy.replay.LogFilter;
import io.understudy.replay.Replay;
import io.understudy.replay.ReplayOptions;
import io.understudy.replay.compare.CompareOptions;
import io.understudy.replay.compare.CompareReport;
import io.understudy.replay.compare.ComparedTarget;
import io.understudy.replay.compare.Comparison;
import io.understudy.replay.log.LogEvent;
import io.understudy.replay.log.StatementLog;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Captures the sample application, plays the capture on a restarted standby at its pace and as fast as possible, and
 * compares the standby, with an index dropped and a row changed, with the primary: both must be found.
 */
public final class ReplayDemo {
    private static final int ORDERS = 20_000;
    private static final String TOKEN = "token-of-the-replay-demo";
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Pattern POINT_SELECT =
            Pattern.compile("SELECT id, status, total, note FROM shop\\.orders WHERE id = ([0-9]+)");

    private final Duration length;
    private final Output out;

    /** @param length of the capture */
    public ReplayDemo(Duration length, PrintWriter out) {
        this.length = length;
        this.out = new Output(out);
    }

    /** Runs the demo. Returns true if the replays were without errors and the comparison found both, and only both. */
    public boolean run() throws Exception {
        Path folder = Files.createTempDirectory("understudy-capture-");
        out.say("starting a primary and a standby with the shop's data…");
        try (EmbeddedPair pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false))) {
            try (Connection connection = pair.primary().connect()) {
                DemoSchema.create(connection, ORDERS);
            }
            pair.createAccount("player", "", "SELECT ON shop.*");
            capture(pair, folder);
            pair.awaitCaughtUp(PATIENCE);
            out.say("restarting the standby: its buffer pool is empty now");
            EmbeddedServer standby = pair.standby();
            standby.stop();
            standby.restart();
            standby.execute("STOP SLAVE", "SET GLOBAL read_only = 1");
            boolean played = play(standby, folder, 1) & play(standby, folder, 0);
            return played & compare(pair, folder);
        } finally {
            delete(folder);
        }
    }

    private void capture(EmbeddedPair pair, Path folder) throws Exception {
        String yaml = """
                listen: { address: "127.0.0.1:0" }
                primary: { address: "127.0.0.1:%d", tls: { mode: disabled } }
                admin: { address: "127.0.0.1:0", token: %s }
                plugins: { capture: { directory: %s, literals: keep, minFree: 1MiB } }
                """.formatted(pair.primary().port(), TOKEN, folder);
        try (DemoProxy proxy = DemoProxy.start("replay.yaml", yaml)) {
            AdminClient client = new AdminClient("127.0.0.1:" + proxy.adminPort(), TOKEN);
            client.act("capture/start");
            out.say("capturing the shop for " + length.toSeconds() + " s…");
            String url = proxy.url("shop") + "&useServerPrepStmts=false";
            DemoLoad.Options options =
                    DemoLoad.Options.to(url).withOrders(ORDERS).withAlterEvery(0);
            try (DemoLoad load = DemoLoad.start(options)) {
                TimeUnit.MILLISECONDS.sleep(length.toMillis());
                load.close();
            }
            Map<String, Object> view = client.act("capture/stop");
            out.say("captured " + view.get("statements") + " statements in " + view.get("bytes") + " bytes");
        }
    }

    private static ReplayOptions options(EmbeddedServer target, double speed) {
        return new ReplayOptions(address(target), "player", Secret.parse(""), plain(), speed, LogFilter.READS, 64);
    }

    private static Address address(EmbeddedServer server) {
        return Address.parse("127.0.0.1:" + server.port());
    }

    private static ServerTlsConfig plain() {
        return new ServerTlsConfig(ServerTlsMode.DISABLED, null, null, null);
    }

    private StatementLog open(Path folder) throws IOException {
        return StatementLog.open(CaptureInput.open(folder, null, out::say), ZoneOffset.UTC);
    }

    private boolean play(EmbeddedServer standby, Path folder, double speed) throws Exception {
        long start = System.nanoTime();
        try (StatementLog log = open(folder);
                Replay replay = new Replay(options(standby, speed))) {
            replay.run(log);
            double seconds = (System.nanoTime() - start) / 1e9;
            long sent = replay.figures().sentCount();
            out.say(
                    "played %s: %,d reads in %.1f s, %,.0f a second, %d failed",
                    speed == 0 ? "as fast as possible" : "at the capture's pace",
                    sent,
                    seconds,
                    sent / seconds,
                    replay.figures().failures());
            return sent > 0 && replay.figures().failures() == 0 && replay.stopped() == null;
        }
    }

    private boolean compare(EmbeddedPair pair, Path folder) throws Exception {
        String order = readOrder(folder);
        out.say("the standby becomes a candidate: index by_product of items dropped, status of order " + order
                + " changed");
        pair.standby()
                .execute(
                        "ALTER TABLE shop.items DROP INDEX by_product",
                        "UPDATE shop.orders SET status = 'changed' WHERE id = " + order);
        CompareOptions options = CompareOptions.of(
                new ComparedTarget(address(pair.primary()), "player", Secret.parse(""), plain()),
                new ComparedTarget(address(pair.standby()), "player", Secret.parse(""), plain()));
        try (StatementLog log = open(folder);
                Comparison comparison = new Comparison(options)) {
            comparison.run(log);
            Map<String, Object> view = CompareReport.of(comparison, log.counts(), false);
            boolean slower = false;
            boolean different = false;
            boolean others = false;
            for (Object row : (List<?>) Objects.requireNonNull(view.get("digests"))) {
                Map<?, ?> digest = (Map<?, ?>) row;
                String text = String.valueOf(digest.get("text"));
                String finding = String.valueOf(digest.get("finding"));
                if (!finding.equals("alike")) {
                    out.say("  " + finding + ": " + text);
                }
                slower |= finding.equals("slower") && text.contains("product =");
                different |= finding.equals("different") && text.contains("status");
                others |= finding.equals("different") && !text.contains("shop.orders")
                        || finding.equals("slower") && !text.contains("shop.items");
            }
            out.say("");
            out.say((slower ? "The dropped index was found" : "The dropped index was missed")
                    + (different ? ", the changed row was found" : ", the changed row was missed")
                    + (others ? ", and something else." : ", and nothing else."));
            return slower && different && !others;
        }
    }

    /** Returns an order that the application has read by its number. */
    private String readOrder(Path folder) throws IOException {
        try (StatementLog log = open(folder)) {
            for (LogEvent event = log.next(); event != null; event = log.next()) {
                Matcher read = POINT_SELECT.matcher(event.sql());
                if (read.matches()) {
                    return read.group(1);
                }
            }
        }
        throw new IOException("the capture has no point select; was the application running?");
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}
