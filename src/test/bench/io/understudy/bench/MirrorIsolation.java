package io.understudy.bench;

import io.understudy.cli.embedded.DelayedLink;
import io.understudy.cli.embedded.EmbeddedPair;
import io.understudy.cli.embedded.PairOptions;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What a sick standby does to the throughput of the sessions whose statements are mirrored to it: each window with trouble is
 * compared to the window without just before it, in one run, over the same connections.
 *
 * <p>Arguments: the repository's folder (without it nothing is written), then the number of rounds.
 */
public final class MirrorIsolation {
    private static final int SESSIONS = 8;
    private static final Duration WINDOW = Duration.ofMillis(2000);
    private static final Duration WARM_UP = Duration.ofSeconds(6);
    private static final Duration BETWEEN_CUTS = Duration.ofMillis(100);

    private enum Trouble {
        NONE("none: a second window without"),
        FROZEN("frozen (SIGSTOP)"),
        REFUSING("refusing connections"),
        RESETTING("resetting connections ten times a second"),
        TRICKLING("answering with a byte a second");

        private final String words;

        Trouble(String words) {
            this.words = words;
        }
    }

    private final EmbeddedPair pair;
    private final DelayedLink link;
    private final AtomicLong statements = new AtomicLong();
    private final AtomicReference<@Nullable SQLException> error = new AtomicReference<>();
    private final AtomicBoolean over = new AtomicBoolean();

    private MirrorIsolation(EmbeddedPair pair, DelayedLink link) {
        this.pair = pair;
        this.link = link;
    }

    public static void main(String[] arguments) throws Exception {
        Path root = arguments.length == 0 || arguments[0].isEmpty() ? null : Path.of(arguments[0]);
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 4;
        StringBuilder table = new StringBuilder();
        table.append(String.format(
                Locale.ROOT,
                "%d sessions of prepared and text reads, windows of %.0f s, %d rounds; throughput relative to the window before, in which the"
                        + " standby was well: median (lowest–highest).%nGoal: at least 0.97. No session saw an error.%n%n",
                SESSIONS,
                WINDOW.toMillis() / 1000.0,
                rounds));
        table.append("| the standby is | 10 % mirrored | dropped a second | 100 % mirrored | dropped a second |\n|---|--:|--:|--:|--:|\n");
        try (EmbeddedPair pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false))) {
            ProxyProgram.createAccounts(pair.primary());
            pair.primary()
                    .execute(
                            "CREATE DATABASE shop",
                            "CREATE TABLE shop.orders (id INT PRIMARY KEY, customer INT NOT NULL, amount INT NOT NULL, note VARCHAR(1000)"
                                    + " NOT NULL, KEY customer (customer)) ENGINE=InnoDB",
                            "CREATE TABLE shop.events (id INT PRIMARY KEY AUTO_INCREMENT, customer INT NOT NULL, what VARCHAR(20) NOT NULL)",
                            "INSERT INTO shop.orders SELECT seq, seq DIV 16, seq % 1000, 'x' FROM shop.seq_0_to_159999");
            pair.awaitCaughtUp(Duration.ofSeconds(60));
            try (DelayedLink link = DelayedLink.to(pair.standby().address(), Duration.ZERO)) {
                Map<Trouble, String> tenth = new MirrorIsolation(pair, link).run("10%", rounds);
                Map<Trouble, String> all = new MirrorIsolation(pair, link).run("100%", rounds);
                for (Trouble trouble : Trouble.values()) {
                    table.append("| " + trouble.words + " | " + tenth.get(trouble) + " | " + all.get(trouble) + " |\n");
                }
            }
        }
        System.out.println(table);
        if (root != null) {
            ResultPage.replace(root.resolve("docs/benchmarks.md"), "mirror-isolation", table.toString());
        }
    }

    private Map<Trouble, String> run(String sample, int rounds) throws Exception {
        Map<Trouble, List<Double>> ratios = new EnumMap<>(Trouble.class);
        Map<Trouble, List<Double>> drops = new EnumMap<>(Trouble.class);
        String section = "{ concurrency: 4, timeout: 1s, queue: { statements: 1000, age: 1s }, rules: [ { name: all, sample: "
                + sample + " } ] }";
        try (ProxyProgram proxy = new ProxyProgram(pair.primary().port(), link.port(), section)) {
            List<Thread> sessions = new ArrayList<>();
            for (int i = 0; i < SESSIONS; i++) {
                long seed = i;
                Thread session = new Thread(() -> session(proxy, seed), "session-" + i);
                session.start();
                sessions.add(session);
            }
            ProxyProgram.pause(WARM_UP);
            for (int round = 0; round < rounds; round++) {
                for (Trouble trouble : Trouble.values()) {
                    awaitMirroring(proxy);
                    double well = throughput(WINDOW);
                    double dropped = proxy.dropped();
                    double sick = during(trouble);
                    double droppedPerSecond = (proxy.dropped() - dropped) / (WINDOW.toNanos() / 1e9);
                    ratios.computeIfAbsent(trouble, key -> new ArrayList<>()).add(sick / well);
                    drops.computeIfAbsent(trouble, key -> new ArrayList<>()).add(droppedPerSecond);
                    System.out.printf(
                            Locale.ROOT,
                            "%s %-10s well %6.0f/s, in trouble %6.0f/s, ratio %.2f, dropped %6.0f/s%n",
                            sample,
                            trouble,
                            well,
                            sick,
                            sick / well,
                            droppedPerSecond);
                    check();
                }
            }
            over.set(true);
            for (Thread session : sessions) {
                session.join();
            }
        }
        check();
        Map<Trouble, String> cells = new EnumMap<>(Trouble.class);
        ratios.forEach((trouble, values) -> cells.put(
                trouble,
                Figures.medianAndRange(values)
                        + String.format(Locale.ROOT, " | %,.0f", Figures.median(drops.get(trouble)))));
        return cells;
    }

    private void check() throws SQLException {
        SQLException problem = error.get();
        if (problem != null) {
            throw problem;
        }
    }

    private void session(ProxyProgram proxy, long seed) {
        try (ShopReads reads = new ShopReads(proxy.jdbcUrl(""), seed, false)) {
            while (!over.get()) {
                reads.next();
                statements.incrementAndGet();
            }
        } catch (SQLException e) {
            error.set(e);
        }
    }

    private void awaitMirroring(ProxyProgram proxy) {
        double before = proxy.mirrored("ok");
        ProxyProgram.await("mirroring to go on", () -> proxy.mirrored("ok") > before + 100);
    }

    /** The trouble lasts exactly as long as what is measured in it. */
    private double during(Trouble trouble) {
        try {
            switch (trouble) {
                case NONE -> {}
                case FROZEN -> pair.standby().freeze();
                case REFUSING -> {
                    link.refuse();
                    link.cut();
                }
                case RESETTING -> {
                    return whileCutting();
                }
                case TRICKLING -> link.throttle(1);
            }
            return throughput(WINDOW);
        } finally {
            switch (trouble) {
                case FROZEN -> pair.standby().thaw();
                case TRICKLING -> {
                    link.throttle(0);
                    link.cut();
                }
                default -> link.resume();
            }
        }
    }

    private double whileCutting() {
        long from = statements.get();
        long start = System.nanoTime();
        while (System.nanoTime() - start < WINDOW.toNanos()) {
            link.cut();
            ProxyProgram.pause(BETWEEN_CUTS);
        }
        return (statements.get() - from) / ((System.nanoTime() - start) / 1e9);
    }

    private double throughput(Duration window) {
        long from = statements.get();
        long start = System.nanoTime();
        ProxyProgram.pause(window);
        return (statements.get() - from) / ((System.nanoTime() - start) / 1e9);
    }
}
