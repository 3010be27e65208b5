package io.understudy.demo.pages;

import io.understudy.config.ConfigLoader;
import io.understudy.config.UnderstudyConfig;
import io.understudy.demo.LagMeter;
import io.understudy.demo.Output;
import io.understudy.demo.Sessions;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import io.understudy.pages.PagesAccount;
import io.understudy.pages.PagesQuery;
import io.understudy.pages.PagesReport;
import io.understudy.pages.PoolContents;
import io.understudy.rebuild.Bounds;
import io.understudy.rebuild.Defragmentation;
import io.understudy.rebuild.MirroredReads;
import io.understudy.rebuild.ProgressOutput;
import io.understudy.report.ReportText;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Report, rebuild and report again, under load; tells whether every claim holds. */
public final class PagesDemo {
    private static final String PASSWORD = "pages";
    private static final String TABLE = "demo.orders";
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration READING = Duration.ofSeconds(60);
    private static final int UPDATE_STEP = 7919;
    private static final int LOOK_UPS = 5_000;
    private static final double LEAST_SAVED = 0.25;
    private static final double MOST_LAG_MILLIS = 250;

    private final int rows;
    private final int updates;
    private final Output out;
    private final AtomicLong updated = new AtomicLong();

    /**
     * The demo.
     *
     * @param rows of the table before a third of them is deleted
     * @param updates a second, while it is rebuilt
     */
    public PagesDemo(int rows, int updates, PrintWriter out) {
        this.rows = rows;
        this.updates = updates;
        this.out = new Output(out);
    }

    /**
     * The measurements of a run.
     *
     * @param outcome of the rebuild
     * @param lag while it ran
     * @param errant transactions that the standby logged itself; empty when there are none
     * @param equal whether the table is the same on both servers in the end
     * @param before leaf pages of all indexes
     * @param after the same
     */
    public record Seen(Map<String, ?> outcome, double lag, String errant, boolean equal, long before, long after) {

        /** Returns what does not hold of the claims; the lag is judged by the caller. */
        public List<String> missed() {
            List<String> missed = new ArrayList<>();
            if (!"rebuilt".equals(outcome.get("state"))) {
                missed.add("the table is " + outcome.get("state") + ", not rebuilt");
            }
            if (!errant.isEmpty()) {
                missed.add("errant GTIDs " + errant);
            }
            if (!equal) {
                missed.add("the checksums differ");
            }
            if (after > before * (1 - LEAST_SAVED)) {
                missed.add("leaf pages " + before + " → " + after);
            }
            return missed;
        }
    }

    /** Pages that a look-up of the same rows read from disk on each server. */
    private record Cold(double standby, double primary) {
        static Cold of(ColdReads standby, ColdReads primary) throws SQLException {
            return new Cold(standby.each(LOOK_UPS), primary.each(LOOK_UPS));
        }

        double excess() {
            return standby - primary;
        }
    }

    /** Runs the demo. Returns true if every claim holds. */
    public boolean run() throws Exception {
        Seen seen = experiment();
        List<String> missed = seen.missed();
        if (seen.lag > MOST_LAG_MILLIS) {
            missed.add(Output.format("lag %.0f ms, at most %.0f claimed", seen.lag, MOST_LAG_MILLIS));
        }
        out.say("");
        return out.claimed(missed.isEmpty(), ": " + String.join("; ", missed) + ".");
    }

    /** Runs the experiment and prints its output. */
    public Seen experiment() throws Exception {
        PairOptions options = PairOptions.defaults()
                .withSemiSync(false)
                .withPrimary(ServerOptions.of(1).withBufferPool("96M"))
                .withStandby(ServerOptions.of(2).withBufferPool("48M"));
        try (EmbeddedPair pair = EmbeddedPair.start(options)) {
            prepare(pair);
            try (Sessions load = Sessions.start("demo-updates", 1, (sessions, number) -> update(pair, sessions));
                    LagMeter meter = new LagMeter(
                            pair, pair.primary().jdbcUrl() + "&user=root", "beat.beats", Duration.ofMillis(5))) {
                return measure(pair, load, meter);
            }
        }
    }

    private void prepare(EmbeddedPair pair) {
        out.say("A table of %,d rows with two secondary indexes; a third of the rows is deleted at random", rows);
        EmbeddedServer primary = pair.primary();
        primary.execute(
                "CREATE DATABASE demo",
                "CREATE DATABASE beat",
                "CREATE TABLE beat.beats (id INT PRIMARY KEY)",
                "CREATE TABLE " + TABLE + " (id INT PRIMARY KEY, customer INT NOT NULL, code VARCHAR(80) NOT NULL,"
                        + " note CHAR(120) NOT NULL, KEY customer(customer), KEY code(code))",
                "INSERT INTO " + TABLE
                        + " SELECT seq, CRC32(seq) % 1000000, CONCAT(MD5(seq), REPEAT('c', CRC32(seq * 3) % 40)), 'new'"
                        + " FROM demo.seq_1_to_" + rows,
                "DELETE FROM " + TABLE + " WHERE CRC32(id * 7 + 13) % 3 = 0");
        // A redo log that the copy fills would hold up all writes, and so the applier (docs/pages.md).
        pair.standby().execute("SET GLOBAL innodb_log_file_size = 268435456");
        pair.createAccount(
                "pages",
                PASSWORD,
                "PROCESS, BINLOG ADMIN, READ_ONLY ADMIN, REPLICA MONITOR ON *.*",
                "SELECT ON mysql.innodb_index_stats",
                "SELECT, INSERT, ALTER, CREATE ON demo.*");
        pair.awaitCaughtUp(PATIENCE);
    }

    /** Updates single rows at a fixed rate, each in a transaction of its own. */
    private void update(EmbeddedPair pair, Sessions load) throws SQLException {
        try (Connection connection = pair.primary().connect();
                PreparedStatement update =
                        connection.prepareStatement("UPDATE demo.orders SET note = ? WHERE id = ?")) {
            long next = System.nanoTime();
            for (long i = 0; !load.ended(); i++) {
                update.setString(1, "note " + i);
                update.setLong(2, 1 + i * UPDATE_STEP % rows);
                update.executeUpdate();
                updated.incrementAndGet();
                next += TimeUnit.SECONDS.toNanos(1) / updates;
                LockSupport.parkNanos(next - System.nanoTime());
            }
        }
    }

    private Seen measure(EmbeddedPair pair, Sessions load, LagMeter meter) throws Exception {
        UnderstudyConfig config = config(pair.standby());
        PagesQuery query = PagesQuery.of(config, "standby-1");
        ColdReads reads = new ColdReads(pair.standby(), rows, 1);
        ColdReads primaryReads = new ColdReads(pair.primary(), rows, 1);
        reads.each(4 * LOOK_UPS);
        primaryReads.each(4 * LOOK_UPS);
        Cold coldBefore = Cold.of(reads, primaryReads);
        out.say("");
        report(query);

        out.say("");
        out.say("Rebuilding it on the standby under %d updates a second:", updates);
        int quietFrom = Math.max(0, meter.mark() - 200);
        int from = meter.mark();
        long updatesFrom = updated.get();
        long start = System.nanoTime();
        Defragmentation.Result result = new Defragmentation(
                        PagesAccount.of(config, "standby-1"),
                        options(),
                        new ProgressOutput(out.out(), false),
                        MirroredReads.NONE)
                .run(List.of(TABLE));
        double seconds = (System.nanoTime() - start) / 1e9;
        long done = updated.get() - updatesFrom;
        LagMeter.Lag lag = meter.between(from, meter.mark());
        LagMeter.Lag quiet = meter.between(quietFrom, from);
        Cold coldAfter = Cold.of(reads, primaryReads);
        reads.each(4 * LOOK_UPS);
        primaryReads.each(4 * LOOK_UPS);
        Cold coldWarmed = Cold.of(reads, primaryReads);

        out.say("");
        report(query);
        load.close();
        meter.close();
        pair.awaitCaughtUp(PATIENCE);
        boolean equal = checksum(pair.primary()).equals(checksum(pair.standby()));
        Map<String, ?> outcome = result.tables().get(0);
        long before = sum(outcome, "leafPagesBefore");
        long after = sum(outcome, "leafPagesAfter");
        out.say("");
        out.say(
                "Leaf pages                    %,d -> %,d (%+.1f %%)",
                before, after, 100.0 * (after - before) / before);
        out.say("Updates replicated meanwhile  %,d in %.1f s", done, seconds);
        out.say(
                "Lag of a small write, ms      p50 %.1f, p95 %.1f, max %.1f (just before: max %.1f)",
                lag.p50(), lag.p95(), lag.max(), quiet.max());
        out.say(
                "Cold pages a random look-up   %.3f before, %.3f right after, %.3f warmed again",
                coldBefore.standby(), coldAfter.standby(), coldWarmed.standby());
        out.say(
                "Excess over the primary       %+.3f before, %+.3f right after, %+.3f warmed again",
                coldBefore.excess(), coldAfter.excess(), coldWarmed.excess());
        String errant = String.valueOf(result.errant());
        out.say("Logged by the standby itself  %s", errant.isEmpty() ? "nothing" : errant);
        out.say("CHECKSUM TABLE                %s", equal ? "equal on both servers" : "DIFFERENT");
        return new Seen(outcome, lag.max(), errant, equal, before, after);
    }

    private static Defragmentation.Options options() {
        return new Defragmentation.Options(
                new Bounds(Duration.ofSeconds(1), Duration.ofSeconds(10), 32, 128, Duration.ofMinutes(1)),
                null,
                false,
                false,
                false);
    }

    private void report(PagesQuery query) throws Exception {
        PoolContents contents = query.contents("demo", false, READING);
        out.print(ReportText.PAGES.of(PagesReport.of("standby-1", contents, 1)));
    }

    private static UnderstudyConfig config(EmbeddedServer standby) throws Exception {
        String text = """
                primary: { address: "localhost:1" }
                standbys: [ { name: standby-1, address: "127.0.0.1:%d", user: pages, tls: { mode: disabled } } ]
                pages: { user: pages, password: %s }
                """.formatted(standby.port(), PASSWORD);
        return ConfigLoader.load(text, "demo pages", Map.of(), name -> null).config();
    }

    private static String checksum(EmbeddedServer server) {
        return server.rows("CHECKSUM TABLE " + TABLE).get(0).getOrDefault("checksum", "");
    }

    private static long sum(Map<String, ?> outcome, String key) {
        return outcome.get(key) instanceof Map<?, ?> map
                ? map.values().stream()
                        .mapToLong(value -> ((Number) value).longValue())
                        .sum()
                : 0;
    }

    /** Looks up random rows on a server and counts the pages that it read from disk. */
    static final class ColdReads {
        private final EmbeddedServer server;
        private final int rows;
        private final Random random;

        ColdReads(EmbeddedServer server, int rows, long seed) {
            this.server = server;
            this.rows = rows;
            this.random = new Random(seed);
        }

        /** Runs look-ups. Returns the pages read from disk per look-up, including those of replication meanwhile. */
        double each(int count) throws SQLException {
            long before = server.status("Innodb_buffer_pool_reads");
            try (Connection connection = server.connect();
                    PreparedStatement select =
                            connection.prepareStatement("SELECT note FROM demo.orders WHERE id = ?")) {
                for (int i = 0; i < count; i++) {
                    select.setInt(1, 1 + random.nextInt(rows));
                    try (ResultSet row = select.executeQuery()) {
                        row.next();
                    }
                }
            }
            return (double) (server.status("Innodb_buffer_pool_reads") - before) / count;
        }
    }
}
