package io.understudy.demo.warming;

import io.understudy.demo.DemoProxy;
import io.understudy.demo.Output;
import io.understudy.demo.Sessions;
import io.understudy.demo.Zipfian;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import io.understudy.plugins.mirror.selection.SampleRate;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Restarts a standby, warms it by mirrored reads and promotes it; tells whether the forecast came true. */
public final class WarmingDemo {
    private static final String PASSWORD = "warming";
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    /** Rows for which a table has four times the size of a pool of one MiB. */
    private static final int ROWS_A_MIB = 10_500;

    private static final int MOST_WARMING_STATEMENTS = 100_000;
    /** Statements that fill a pool of one MiB many times over: it has 64 pages. */
    private static final int WARMING_STATEMENTS_A_MIB = 2_500;

    private static final int SESSIONS = 2;
    private static final int STEP_SECONDS = 2;
    /** Seconds of mirroring before the restart, so that the primary's reads are known by then. */
    private static final int BEFORE_SECONDS = 20;

    private static final double TARGET = 0.1;
    private static final double SHARE = 0.25;
    /** Statements after the promotion that are counted. */
    private static final int FIRST = 1_000;

    private static final long SECOND = 1_000_000_000L;

    private final int poolMib;
    private final int rows;
    private final int seconds;
    private final long seed;
    private final Output out;

    /**
     * The demo.
     *
     * @param poolMib size of a buffer pool; the table has four times as much
     * @param seconds most time for warming the standby
     * @param seed of the loads
     */
    public WarmingDemo(int poolMib, int seconds, long seed, PrintWriter out) {
        this.poolMib = poolMib;
        this.rows = poolMib * ROWS_A_MIB;
        this.seconds = seconds;
        this.seed = seed;
        this.out = new Output(out);
    }

    /**
     * The measurements of a run, in page reads of each of the first 1,000 statements after the promotion.
     *
     * @param cold above the primary's, of a standby that nobody mirrored to
     * @param warmed the same after mirroring
     * @param forecast the proxy's forecast of that
     * @param mirrored statements mirrored
     */
    public record Seen(double cold, double warmed, double forecast, long mirrored) {
        /** Returns the share of the cold standby's excess that the mirroring left. */
        public double left() {
            return Math.max(0, warmed) / cold;
        }

        /** Returns whether the forecast was right: within 0.1 pages, or a quarter. */
        public boolean asForecast() {
            return Math.abs(forecast - warmed) <= Math.max(TARGET, SHARE * warmed);
        }
    }

    /** Runs the demo. Returns true if the forecast came true. */
    public boolean run() throws Exception {
        Seen seen = experiment();
        out.say("");
        out.say(
                seen.asForecast()
                        ? "The forecast came true."
                        : "The forecast was wrong by more than 0.1 pages and 25 %.");
        return seen.asForecast();
    }

    /** Runs the experiment and prints its output. */
    public Seen experiment() throws Exception {
        PairOptions options = PairOptions.defaults()
                .withSemiSync(false)
                .withPrimary(server(1))
                .withStandby(server(2));
        try (EmbeddedPair pair = EmbeddedPair.start(options)) {
            Zipfian keys = Zipfian.of(rows, seed);
            prepare(pair, keys);
            return measure(pair, keys);
        }
    }

    /** Without a dump of its pool, and with nothing left to purge, a server is cold after its restart. */
    private ServerOptions server(int id) {
        return ServerOptions.of(id)
                .withBufferPool(poolMib + "M")
                .withArguments(
                        "--innodb-buffer-pool-load-at-startup=0",
                        "--innodb-buffer-pool-dump-at-shutdown=0",
                        "--innodb-fast-shutdown=0");
    }

    private void prepare(EmbeddedPair pair, Zipfian keys) throws Exception {
        out.say(
                "A table of %,d rows on two servers with buffer pools of %d MiB;"
                        + " point reads, zipfian %.2f over the rows.",
                rows, poolMib, Zipfian.CONSTANT);
        pair.primary()
                .execute(
                        "CREATE DATABASE demo",
                        "CREATE TABLE demo.items (id INT PRIMARY KEY, v VARCHAR(400) NOT NULL)",
                        "INSERT INTO demo.items SELECT seq, REPEAT('x', 340) FROM demo.seq_1_to_" + rows,
                        "ANALYZE TABLE demo.items");
        pair.createAccount("understudy", PASSWORD, "REPLICA MONITOR, BINLOG MONITOR, PROCESS ON *.*");
        pair.createAccount("mirror", PASSWORD, "SELECT ON demo.*", "REPLICA MONITOR, BINLOG MONITOR ON *.*");
        pair.createAccount("app", PASSWORD, "SELECT ON demo.*");
        pair.awaitCaughtUp(PATIENCE);
        long bytes = Long.parseLong(
                pair.primary().query("SELECT data_length FROM information_schema.TABLES WHERE table_schema = 'demo'"));
        out.say("The table has %.1f times the size of a pool.", bytes / 1048576.0 / poolMib);
        try (Connection connection = pair.primary().connect()) {
            int statements = Math.min(poolMib * WARMING_STATEMENTS_A_MIB, MOST_WARMING_STATEMENTS);
            read(connection, keys.with(seed + 1), statements);
        }
    }

    private static void restart(EmbeddedServer standby) {
        standby.stop();
        standby.restart();
        standby.execute("SET GLOBAL read_only = 1");
    }

    private Seen measure(EmbeddedPair pair, Zipfian keys) throws Exception {
        long after = seed + 1_000;
        restart(pair.standby());
        double cold = pages(pair.standby(), keys.with(after));

        out.say("");
        out.say("A standby that is mirrored to with sample: adaptive, and restarts."
                + " Pages are reads of a statement above the primary's.");
        out.say("");
        out.say("  time  mirrored  sample   excess  95 % interval    score");
        Score last;
        try (DemoProxy proxy = DemoProxy.start(
                "demo warming",
                pair,
                "mirror",
                PASSWORD,
                "plugins: { mirror: { rules: [ { name: all, sample: adaptive } ] } }")) {
            last = warm(proxy, keys, pair.standby());
        }
        pair.standby().execute("STOP SLAVE", "SET GLOBAL read_only = 0");
        double warmed = pages(pair.standby(), keys.with(after));
        double floor = pages(pair.primary(), keys.with(after));
        Seen seen = new Seen(cold - floor, warmed - floor, last.forecast(), last.mirrored());
        table(seen, floor);
        return seen;
    }

    private Score warm(DemoProxy proxy, Zipfian keys, EmbeddedServer standby) throws Exception {
        String url = proxy.url("demo") + "&useServerPrepStmts=false&user=app&password=" + PASSWORD;
        long begun = System.nanoTime();
        try (Sessions load = Sessions.start(
                "warming-load", SESSIONS, (all, number) -> reads(all, url, keys.with(seed + 10 + number)))) {
            int before = Math.min(BEFORE_SECONDS, seconds);
            for (int passed = STEP_SECONDS; passed <= before; passed += STEP_SECONDS) {
                line(begun, passed, proxy, load);
            }
            restart(standby);
            int restarted = (int) ((System.nanoTime() - begun) / SECOND);
            out.say("%5ds the standby has restarted", restarted);
            for (int passed = restarted + STEP_SECONDS; ; passed += STEP_SECONDS) {
                Score score = line(begun, passed, proxy, load);
                // Not at the first excess below the target: a promotion comes when the sample has long come down.
                boolean enough = score.settled() || passed >= restarted + seconds;
                if (score.sinceRestart() && !Double.isNaN(score.forecast()) && enough
                        || passed >= restarted + 4 * seconds) {
                    return score;
                }
            }
        }
    }

    private static void reads(Sessions load, String url, Zipfian keys) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            while (!load.ended()) {
                read(connection, keys, 10);
            }
        }
    }

    private Score line(long begun, int passed, DemoProxy proxy, Sessions load) throws Exception {
        Thread.sleep(Math.max(1, (begun + passed * SECOND - System.nanoTime()) / 1_000_000));
        load.check();
        Score score = Score.of(proxy);
        boolean known = !Double.isNaN(score.excess("estimate"));
        String line = Output.format(
                "%5ds %9d %7s %8s  %-14s %s",
                passed,
                score.mirrored(),
                score.sample(),
                known ? Output.format("%.2f", score.excess("estimate")) : "unknown",
                known ? Output.format("%.2f to %.2f", score.excess("low"), score.excess("high")) : "",
                Double.isNaN(score.score()) ? "" : bar(score.score()));
        out.say("%s", line.stripTrailing());
        return score;
    }

    private static String bar(double score) {
        int full = (int) Math.round(20 * Math.max(0, Math.min(1, score)));
        return Output.format("%.2f %s%s", score, "#".repeat(full), ".".repeat(20 - full));
    }

    private void table(Seen seen, double floor) {
        out.say("");
        out.say("Each of the first 1,000 statements after the promotion, in pages above the primary's %.2f:", floor);
        out.say("  not mirrored                %.2f", seen.cold());
        out.say("  after %,7d mirrored      %.2f", seen.mirrored(), seen.warmed());
        out.say("  forecast of that            %.2f", seen.forecast());
        out.say("  left by the mirroring       %.0f %%", 100 * seen.left());
    }

    /** Returns the pages that a server reads from disk for each of the first statements of {@code own}. */
    private static double pages(EmbeddedServer server, Zipfian own) throws SQLException {
        try (Connection connection = server.connect()) {
            long before = reads(server);
            read(connection, own, FIRST);
            return (double) (reads(server) - before) / FIRST;
        }
    }

    /** Runs {@code count} point reads on one connection. */
    private static void read(Connection connection, Zipfian keys, int count) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (int i = 0; i < count; i++) {
                statement
                        .executeQuery("SELECT v FROM demo.items WHERE id = " + keys.next())
                        .close();
            }
        }
    }

    /** MariaDB's counter of reads includes read-ahead, which the proxy's figures leave out. */
    private static long reads(EmbeddedServer server) {
        return server.status("Innodb_buffer_pool_reads") - server.status("Innodb_buffer_pool_read_ahead");
    }

    /**
     * The standby's warmth as the proxy reports it.
     *
     * @param warmth the view of {@code /api/standbys}
     * @param adaptive the sample of adaptive rules, with the reason of its last change
     */
    record Score(Map<?, ?> warmth, Map<?, ?> adaptive) {
        private static final double NEARLY = 1.6;

        static Score of(DemoProxy proxy) {
            Map<?, ?> standby = (Map<?, ?>) ((List<?>) proxy.running().proxy().standbysView()).get(0);
            List<?> mirrored =
                    (List<?>) Objects.requireNonNull(proxy.view("mirror").get("standbys"), "standbys");
            return new Score(map(standby, "warmth"), map((Map<?, ?>) mirrored.get(0), "adaptive"));
        }

        private static Map<?, ?> map(Map<?, ?> of, String key) {
            return (Map<?, ?>) Objects.requireNonNull(of.get(key), key);
        }

        String sample() {
            return String.valueOf(adaptive.get("sample"));
        }

        /** Returns whether the sample is down to what the probes need. */
        boolean settled() {
            return percent(adaptive.get("sample")) <= NEARLY * percent(adaptive.get("least"));
        }

        private static double percent(@Nullable Object value) {
            return SampleRate.parse(String.valueOf(value)).millionths();
        }

        private static double number(@Nullable Object value) {
            return value instanceof Number number ? number.doubleValue() : Double.NaN;
        }

        /** Returns {@code estimate}, {@code low} or {@code high} of the excess, or NaN. */
        double excess(String bound) {
            return number(map(warmth, "excessPages").get(bound));
        }

        double score() {
            return number(warmth.get("warmth"));
        }

        long mirrored() {
            return (long) number(warmth.get("mirroredSinceRestart"));
        }

        /** Returns whether the figures are those since a restart that the proxy has seen. */
        boolean sinceRestart() {
            return "restart".equals(warmth.get("referenceFrom"));
        }

        /** Returns the forecast of the excess of the first 1,000 statements, or NaN. */
        double forecast() {
            return number(map(warmth, "forecast").get("excessFirst1000"));
        }
    }
}
