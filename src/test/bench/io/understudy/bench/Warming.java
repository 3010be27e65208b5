package io.understudy.bench;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Measures how many pages a standby reads from disk during its first queries after a promotion: without warming, after
 * mirrored reads, or after loading a dump of a buffer pool's page numbers. Both servers have the same size, and the
 * standby is a physical copy of the primary. Each case starts with the standby restarted, its pool empty, and
 * replicating. All cases of a round get the same statements; each round has different ones.
 *
 * <p>Arguments: the repository's folder; without it nothing is written.
 */
public final class Warming {
    private static final String POOL = "32M";
    private static final int SESSIONS = 4;
    private static final int LOAD = 60_000;
    private static final int AFTER = 10_000;
    private static final int POINTS = 50;
    private static final int ROUNDS = 3;

    private enum Dump {
        NONE,
        OWN,
        PRIMARY_QUARTER,
        PRIMARY_WHOLE
    }

    private record Case(String name, String sample, Dump dump) {}

    private static final List<Case> CASES = List.of(
            new Case("nothing mirrored", "0%", Dump.NONE),
            new Case("1 % mirrored", "1%", Dump.NONE),
            new Case("10 % mirrored", "10%", Dump.NONE),
            new Case("100 % mirrored", "100%", Dump.NONE),
            new Case("the standby's own dump", "0%", Dump.OWN),
            new Case("primary's dump, 25 %", "0%", Dump.PRIMARY_QUARTER),
            new Case("primary's dump, 100 %", "0%", Dump.PRIMARY_WHOLE));

    private final EmbeddedServer primary;
    private final EmbeddedServer standby;

    private Warming(EmbeddedServer primary, EmbeddedServer standby) {
        this.primary = primary;
        this.standby = standby;
    }

    public static void main(String[] arguments) throws Exception {
        Path root = arguments.length == 0 ? null : Path.of(arguments[0]);
        ServerOptions options = ServerOptions.of(1)
                .withBufferPool(POOL)
                .withArguments(
                        "--innodb-buffer-pool-load-at-startup=0",
                        "--innodb-buffer-pool-dump-at-shutdown=0",
                        "--innodb-flush-method=O_DIRECT",
                        // The default would keep three quarters of such a small pool free.
                        "--innodb-lru-scan-depth=100",
                        // An experiment lasts seconds: with the default of 1 s no page would ever move to the new
                        // sublist.
                        "--innodb-old-blocks-time=0");
        try (EmbeddedServer primary = EmbeddedServer.start(options)) {
            say("filling");
            ShopReads.fill(primary);
            ProxyProgram.createAccounts(primary);
            say("copying");
            ServerOptions second = new ServerOptions(2, POOL, options.arguments()).withArguments("--read-only=1");
            try (EmbeddedServer standby = Clones.of(primary, second)) {
                Map<String, List<WarmingRun>> runs = new Warming(primary, standby).run();
                WarmingReport report = new WarmingReport(runs, POOL, size(primary), LOAD, SESSIONS, AFTER);
                System.out.println(report.table());
                if (root != null) {
                    Files.writeString(root.resolve("docs/warming.svg"), report.plot());
                    ResultPage.replace(root.resolve("docs/benchmarks.md"), "warming", report.table());
                }
            }
        }
    }

    private static void say(String what) {
        System.out.println(java.time.LocalTime.now().withNano(0) + " " + what);
    }

    private static long size(EmbeddedServer server) throws IOException {
        return Files.size(Clones.data(server).resolve("shop/orders.ibd")) >> 20;
    }

    private Map<String, List<WarmingRun>> run() throws Exception {
        say("warming the primary");
        // Warms the primary, so that it is as warm in the first case as in the last.
        try (ProxyProgram proxy = new ProxyProgram(primary.port(), standby.port(), "")) {
            load(proxy, 1);
        }
        Map<String, List<WarmingRun>> runs = new LinkedHashMap<>();
        for (int round = 1; round <= ROUNDS; round++) {
            say("round " + round);
            for (Case what : CASES) {
                WarmingRun run = run(what, round);
                System.out.printf(
                        Locale.ROOT,
                        "%-26s mirrored %6.0f dropped %4.0f, read before %5.0f, first 1,000: %5.0f, 5,000: %5.0f,"
                                + " %,d: %5.0f in %.1f s%n",
                        what.name(),
                        run.mirrored(),
                        run.dropped(),
                        run.before(),
                        run.after(1_000),
                        run.after(5_000),
                        AFTER,
                        run.after(AFTER),
                        run.seconds());
                runs.computeIfAbsent(what.name(), name -> new ArrayList<>()).add(run);
            }
        }
        return runs;
    }

    private WarmingRun run(Case what, int round) throws Exception {
        coldStart();
        double mirrored;
        double dropped;
        String section = "{ concurrency: 8, rules: [ { name: all, sample: " + what.sample() + " } ] }";
        try (ProxyProgram proxy = new ProxyProgram(primary.port(), standby.port(), section)) {
            load(proxy, round);
            ProxyProgram.await("the mirror's queue to be empty", () -> proxy.waiting() == 0);
            mirrored = proxy.metric("understudy_mirror_statements_total", "");
            dropped = proxy.dropped();
        }
        Clones.awaitCaughtUp(primary, standby);
        switch (what.dump()) {
            case NONE -> {}
            case OWN -> {
                standby.execute("SET GLOBAL innodb_buffer_pool_dump_pct = 100");
                awaitDump(standby);
                coldStart();
                loadDump();
            }
            case PRIMARY_QUARTER -> copyDump(25);
            case PRIMARY_WHOLE -> copyDump(100);
        }
        long before = coldReads();
        standby.execute("STOP SLAVE", "SET GLOBAL read_only = 0");
        WarmingRun run = afterPromotion(round, mirrored, dropped, before);
        standby.execute("SET GLOBAL read_only = 1", "START SLAVE");
        return run;
    }

    private void coldStart() {
        if (standby.isRunning()) {
            standby.stop();
        }
        standby.restart();
        standby.execute("START SLAVE");
        Clones.awaitCaughtUp(primary, standby);
    }

    private void copyDump(int percent) throws IOException {
        primary.execute("SET GLOBAL innodb_buffer_pool_dump_pct = " + percent);
        awaitDump(primary);
        Files.copy(
                Clones.data(primary).resolve("ib_buffer_pool"),
                Clones.data(standby).resolve("ib_buffer_pool"),
                StandardCopyOption.REPLACE_EXISTING);
        loadDump();
    }

    private static void awaitDump(EmbeddedServer server) {
        // The status of the previous dump also says "completed", with its time.
        String before = status(server, "Innodb_buffer_pool_dump_status");
        server.execute("SET GLOBAL innodb_buffer_pool_dump_now = 1");
        ProxyProgram.await("the dump", () -> {
            String now = status(server, "Innodb_buffer_pool_dump_status");
            return !now.equals(before) && now.contains("completed");
        });
    }

    private void loadDump() {
        standby.execute("SET GLOBAL innodb_buffer_pool_load_now = 1");
        ProxyProgram.await(
                "the dump to be loaded",
                () -> status(standby, "Innodb_buffer_pool_load_status").contains("completed"));
    }

    /** Runs the same statements in every case. */
    private static void load(ProxyProgram proxy, long seed) throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(SESSIONS);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < SESSIONS; i++) {
                long ofSession = seed * 100 + i;
                running.add(threads.submit(() -> {
                    try (ShopReads session = new ShopReads(proxy.jdbcUrl(""), ofSession, true)) {
                        for (int n = 0; n < LOAD / SESSIONS; n++) {
                            session.next();
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private WarmingRun afterPromotion(int round, double mirrored, double dropped, long before) throws SQLException {
        double[] queries = new double[POINTS + 1];
        double[] reads = new double[POINTS + 1];
        long nanos = 0;
        String url = "jdbc:mariadb://127.0.0.1:" + standby.port() + "/shop?sslMode=disable&user=" + ProxyProgram.USER
                + "&password=" + ProxyProgram.PASSWORD;
        try (ShopReads session = new ShopReads(url, 77_000 + round, false)) {
            for (int i = 1; i <= POINTS; i++) {
                long start = System.nanoTime();
                for (int n = 0; n < AFTER / POINTS; n++) {
                    session.next();
                }
                nanos += System.nanoTime() - start;
                queries[i] = (double) AFTER / POINTS * i;
                reads[i] = coldReads() - before;
            }
        }
        return new WarmingRun(mirrored, dropped, before, queries, reads, nanos / 1e9);
    }

    private long coldReads() {
        return Long.parseLong(status(standby, "Innodb_buffer_pool_reads"));
    }

    private static String status(EmbeddedServer server, String name) {
        return server.ask(
                "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = '" + name + "'");
    }
}
