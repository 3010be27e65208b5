package io.understudy.demo.warming;

import io.understudy.demo.DemoProxy;
import io.understudy.demo.Output;
import io.understudy.demo.Sessions;
import io.understudy.demo.Zipfian;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

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
    private static final int BAR = 40;
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
            Promoted.read(connection, keys.with(seed + 1), statements);
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
        Promoted cold = Promoted.measure(pair.standby(), keys, after);

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
        Promoted warmed = Promoted.measure(pair.standby(), keys, after);
        Promoted floor = Promoted.measure(pair.primary(), keys, after);
        plot(cold, warmed, floor);
        Seen seen = new Seen(cold.excessOver(floor), warmed.excessOver(floor), last.forecast(), last.mirrored());
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
                Promoted.read(connection, keys, 10);
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

    private void plot(Promoted cold, Promoted warmed, Promoted floor) {
        double most = 0;
        for (double value : cold.pages()) {
            most = Math.max(most, value);
        }
        out.say("");
        out.say("Pages that a statement reads from disk after the promotion, by thousands of statements:");
        out.say("  not mirrored (o), mirrored (*), the primary (|), and the same in figures");
        for (int i = 0; i < Promoted.WINDOWS; i++) {
            char[] line = " ".repeat(BAR + 1).toCharArray();
            line[at(floor.pages().get(i), most)] = '|';
            line[at(warmed.pages().get(i), most)] = '*';
            line[at(cold.pages().get(i), most)] = 'o';
            out.say(
                    "%4d  %s  %.2f  %.2f  %.2f",
                    i + 1,
                    new String(line),
                    cold.pages().get(i),
                    warmed.pages().get(i),
                    floor.pages().get(i));
        }
    }

    private static int at(double value, double most) {
        return (int) Math.round(BAR * Math.min(1, most <= 0 ? 0 : value / most));
    }

    private static String bar(double score) {
        int full = (int) Math.round(20 * Math.max(0, Math.min(1, score)));
        return Output.format("%.2f %s%s", score, "#".repeat(full), ".".repeat(20 - full));
    }

    private void table(Seen seen, Promoted floor) {
        out.say("");
        out.say(
                "Each of the first 1,000 statements after the promotion, in pages above the primary's %.2f:",
                floor.first());
        out.say("  not mirrored                %.2f", seen.cold());
        out.say("  after %,7d mirrored      %.2f", seen.mirrored(), seen.warmed());
        out.say("  forecast of that            %.2f", seen.forecast());
        out.say("  left by the mirroring       %.0f %%", 100 * seen.left());
    }
}
