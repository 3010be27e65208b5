package io.understudy.demo.failover;

import io.understudy.demo.DemoProxy;
import io.understudy.demo.Output;
import io.understudy.demo.Sessions;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import io.understudy.switchover.ChangeOutcome;
import io.understudy.unplanned.Failover;
import io.understudy.unplanned.FailoverOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * What a commit costs without semi-synchronous replication, with a distant standby alone, and with the witness; then a
 * primary that is killed while its standby is cut off, and the failover. Tells whether every claim holds.
 */
public final class WitnessDemo {
    private static final String PASSWORD = "witness-demo";
    private static final String STANDBY = "standby-1";
    private static final String LOAD = "demo.commits";
    private static final String TOLD = "demo.told";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** Time between the standby's disconnection and the death of the primary. */
    private static final Duration CUT_OFF = Duration.ofMillis(400);
    /** The witness is no slower than this share of a primary that waits for nobody; the issue of a busy machine. */
    private static final double LEAST_SHARE = 0.3;

    private static final List<Integer> CONNECTIONS = List.of(1, 8);

    private final Duration rtt;
    private final Duration length;
    private final Output out;

    /** A setting of the measurement: whether the primary waits, and what the proxy's black box does. */
    private enum Setting {
        NOBODY("nobody", false, ""),
        STANDBY_ALONE("the standby", true, ""),
        MEMORY("the witness, from memory", true, "acknowledge: memory"),
        DISK("the witness, from disk", true, "acknowledge: disk");

        private final String label;
        private final boolean semiSync;
        private final String acknowledge;

        Setting(String label, boolean semiSync, String acknowledge) {
            this.label = label;
            this.semiSync = semiSync;
            this.acknowledge = acknowledge;
        }
    }

    /**
     * The demo.
     *
     * @param rtt round trip between primary and standby
     * @param length time for all measurements together
     */
    public WitnessDemo(Duration rtt, Duration length, PrintWriter out) {
        this.rtt = rtt;
        this.length = length;
        this.out = new Output(out);
    }

    /** Runs the demo. Returns true if every claim holds. */
    public boolean run() throws Exception {
        out.say("starting a primary with durable commits and a standby, %d ms apart…", rtt.toMillis());
        PairOptions options = PairOptions.defaults()
                .withSemiSyncTimeout(PATIENCE)
                .withPrimary(
                        ServerOptions.of(1).withArguments("--sync-binlog=1", "--innodb-flush-log-at-trx-commit=1"));
        Path directory = Files.createTempDirectory("understudy-witness");
        boolean claimed;
        try (EmbeddedPair pair = EmbeddedPair.start(options)) {
            prepare(pair);
            pair.link().delay(rtt);
            claimed = measure(pair, directory);
            claimed &= kill(pair, directory.resolve("killed"));
        } finally {
            delete(directory);
        }
        out.say("");
        return out.claimed(claimed, ", see above.");
    }

    private static void prepare(EmbeddedPair pair) {
        pair.primary().execute("CREATE DATABASE demo");
        for (String table : List.of(LOAD, TOLD)) {
            pair.primary()
                    .execute("CREATE TABLE " + table
                            + " (w INT NOT NULL, n INT NOT NULL, filler VARCHAR(60), PRIMARY KEY (w, n))");
        }
        pair.createAccount("app", PASSWORD, "ALL ON demo.*");
        pair.createAccount("understudy", PASSWORD, "REPLICATION SLAVE, SLAVE MONITOR ON *.*");
        pair.createAccount(
                "switcher",
                PASSWORD,
                "SELECT, INSERT, UPDATE, DELETE, BINLOG REPLAY, REPLICATION MASTER ADMIN ON *.*",
                "READ_ONLY ADMIN, REPLICATION SLAVE ADMIN, SLAVE MONITOR, RELOAD, EVENT ON *.*");
        pair.awaitCaughtUp(PATIENCE);
    }

    private boolean measure(EmbeddedPair pair, Path directory) throws Exception {
        Duration each = length.dividedBy((long) Setting.values().length * CONNECTIONS.size());
        out.say("");
        out.say("1. Commits of one row through the proxy, milliseconds");
        out.say("");
        out.say("%-28s %11s %10s %8s %8s", "a commit waits for", "connections", "commits/s", "p50", "p99");
        double[][] perSecond = new double[Setting.values().length][CONNECTIONS.size()];
        for (Setting setting : Setting.values()) {
            pair.primary().execute("SET GLOBAL rpl_semi_sync_master_enabled=" + (setting.semiSync ? 1 : 0));
            if (setting.semiSync) {
                pair.awaitSemiSyncClient();
            }
            try (DemoProxy proxy = proxy(pair, setting, directory.resolve(setting.name()))) {
                for (int i = 0; i < CONNECTIONS.size(); i++) {
                    int connections = CONNECTIONS.get(i);
                    CommitLoad.Result result = CommitLoad.run(proxy.url(""), PASSWORD, LOAD, connections, each);
                    perSecond[setting.ordinal()][i] = result.perSecond();
                    out.say(
                            "%-28s %11d %10.1f %8.2f %8.2f",
                            setting.label, connections, result.perSecond(), result.p50(), result.p99());
                }
            }
        }
        double share = perSecond[Setting.DISK.ordinal()][0] / perSecond[Setting.NOBODY.ordinal()][0];
        out.say("");
        out.say("The witness gives one connection %.2f of the commits of a primary that waits for nobody.", share);
        return share >= LEAST_SHARE;
    }

    private static DemoProxy proxy(EmbeddedPair pair, Setting setting, Path directory) throws Exception {
        String plugin = setting.acknowledge.isEmpty()
                ? ""
                : "plugins: { black-box: { poll: 100ms, " + setting.acknowledge
                        + (setting == Setting.DISK ? ", directory: " + directory : "") + " } }\n";
        String switchover = "switchover: { user: switcher, password: " + PASSWORD + " }\n";
        DemoProxy proxy = DemoProxy.start("demo witness", pair, "understudy", PASSWORD, switchover + plugin);
        if (!plugin.isEmpty()) {
            proxy.await("witness", view -> "present".equals(view.get("state")), "the witness is not present");
        }
        return proxy;
    }

    private boolean kill(EmbeddedPair pair, Path directory) throws Exception {
        out.say("");
        out.say("2. The standby is cut off, %d ms later the primary is killed (kill -9)", CUT_OFF.toMillis());
        try (DemoProxy proxy = proxy(pair, Setting.DISK, directory)) {
            Set<String> told;
            try (WriteSessions load = WriteSessions.start(
                    proxy.url("") + "&connectTimeout=5000&socketTimeout=20000", PASSWORD, TOLD, 8)) {
                if (!load.awaitMore(200, PATIENCE)) {
                    throw new IOException("the load does not proceed");
                }
                pair.link().refuse();
                pair.link().cut();
                // A time, not a condition: the standby is to lag.
                Thread.sleep(CUT_OFF.toMillis());
                pair.primary().kill();
                load.close();
                told = load.answered();
            }
            out.say("   Transactions answered with an OK   %,d", told.size());
            out.say("");
            out.say("3. understudy failover --to %s", STANDBY);
            out.say("");
            long begun = System.nanoTime();
            ChangeOutcome outcome;
            try (Failover failover = Failover.to(
                    STANDBY, proxy.config(), new FailoverOptions(false, PATIENCE, Set.of(), null), out.out())) {
                outcome = failover.run();
            }
            boolean written;
            try (WriteSessions load = WriteSessions.start(proxy.url(""), PASSWORD, LOAD, 1)) {
                written = load.awaitMore(1, PATIENCE);
            }
            out.say("");
            out.say("   First write through the proxy      after %.2f s", (System.nanoTime() - begun) / 1e9);
            return written && outcome == ChangeOutcome.DONE && proven(pair, told);
        }
    }

    private boolean proven(EmbeddedPair pair, Set<String> told) {
        Set<String> missing = new HashSet<>(told);
        missing.removeAll(rows(pair, true));
        out.say("   Of these the new primary lacks     %,d", missing.size());
        pair.primary().restart();
        Set<String> old = rows(pair, false);
        old.removeAll(rows(pair, true));
        String checksum = checksum(pair, true);
        boolean equal = checksum.equals(checksum(pair, false));
        out.say("");
        out.say("4. The killed server is started again, to compare");
        out.say(
                "   CHECKSUM TABLE                     %s",
                equal
                        ? "equal on both servers (" + checksum + ")"
                        : old.size() + " rows are on the killed server only, of which a client was told: "
                                + old.stream().filter(told::contains).count());
        // A transaction that the primary wrote and nobody acknowledged is on it alone; no client was told of it.
        return missing.isEmpty() && (equal || old.stream().noneMatch(told::contains));
    }

    private static Set<String> rows(EmbeddedPair pair, boolean survivor) {
        Set<String> all = new HashSet<>();
        (survivor ? pair.standby() : pair.primary())
                .rows("SELECT CONCAT(w, '-', n) AS row FROM " + TOLD)
                .forEach(row -> all.add(row.getOrDefault("row", "")));
        return all;
    }

    private static String checksum(EmbeddedPair pair, boolean survivor) {
        return (survivor ? pair.standby() : pair.primary())
                .rows("CHECKSUM TABLE " + TOLD)
                .get(0)
                .getOrDefault("checksum", "");
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /** Commits of one row each, one after the other on each of some connections, and what they took. */
    static final class CommitLoad {
        /** Numbers of rows are used once, whichever setting a run has. */
        private static final AtomicInteger ROWS = new AtomicInteger();

        private static final int LEAST = 3;

        /**
         * What a run measured.
         *
         * @param perSecond commits a second of all connections together
         * @param p50 milliseconds, as {@code p99}
         */
        record Result(double perSecond, double p50, double p99) {}

        private CommitLoad() {}

        /** Commits for a time, at least a few times on each connection. */
        static Result run(String url, String password, String table, int connections, Duration length)
                throws Exception {
            List<LongStream> latencies = new CopyOnWriteArrayList<>();
            long begun = System.nanoTime();
            long end = begun + length.toNanos();
            Sessions.start(
                            "demo-commit",
                            connections,
                            (load, number) -> latencies.add(session(url, password, table, end, number)))
                    .join();
            double seconds = (System.nanoTime() - begun) / 1e9;
            long[] all =
                    latencies.stream().flatMapToLong(stream -> stream).sorted().toArray();
            return new Result(all.length / seconds, at(all, 0.5), at(all, 0.99));
        }

        private static LongStream session(String url, String password, String table, long end, int number)
                throws SQLException {
            LongStream.Builder latencies = LongStream.builder();
            try (Connection connection = DriverManager.getConnection(url, "app", password);
                    PreparedStatement insert =
                            connection.prepareStatement("INSERT INTO " + table + " VALUES (?, ?, 'a row')")) {
                for (int count = 0; count < LEAST || System.nanoTime() - end < 0; count++) {
                    insert.setInt(1, 1000 + number);
                    insert.setInt(2, ROWS.incrementAndGet());
                    long begun = System.nanoTime();
                    insert.executeUpdate();
                    latencies.accept(System.nanoTime() - begun);
                }
            }
            return latencies.build();
        }

        private static double at(long[] sorted, double share) {
            return sorted[Math.min(sorted.length - 1, (int) (share * sorted.length))] / 1e6;
        }
    }
}
