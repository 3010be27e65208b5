package io.understudy.bench;

import io.understudy.embedded.DelayedLink;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures how a faulty standby affects the throughput of mirrored sessions. Each round has three windows per fault, in
 * a rotating order: no mirroring (another proxy with its own sessions), mirroring to a healthy standby, and mirroring
 * to a faulty one.
 *
 * <p>Arguments: the repository's folder (without it nothing is written), the sample, the number of rounds, milliseconds
 * of a window. See also {@link Gate}.
 */
public final class MirrorIsolation {
    private static final int SESSIONS = 8;
    private static final Duration WARM_UP = Duration.ofSeconds(12);
    private static final Duration BETWEEN_CUTS = Duration.ofMillis(100);

    private enum Trouble {
        NONE("well, once more"),
        FROZEN("frozen (SIGSTOP)"),
        REFUSING("refusing connections"),
        RESETTING("resetting connections ten times a second"),
        TRICKLING("responding with a byte a second");

        private final String words;

        Trouble(String words) {
            this.words = words;
        }
    }

    /** The state of the standby during a window. */
    private enum Window {
        OFF,
        HEALTHY,
        FAULTY
    }

    /** The throughputs of the three windows of one fault in one round. */
    private record Triple(double off, double healthy, double faulty, double droppedPerSecond) {}

    private final EmbeddedPair pair;
    private final DelayedLink link;
    private final String sample;
    private final int rounds;
    private final Duration window;
    private final Map<Trouble, List<Triple>> measured = new EnumMap<>(Trouble.class);

    private MirrorIsolation(EmbeddedPair pair, DelayedLink link, String sample, int rounds, Duration window) {
        this.pair = pair;
        this.link = link;
        this.sample = sample;
        this.rounds = rounds;
        this.window = window;
    }

    public static void main(String[] arguments) throws Exception {
        Path root = arguments.length == 0 || arguments[0].isEmpty() ? null : Path.of(arguments[0]);
        String sample = arguments.length > 1 ? arguments[1] : "10%";
        int rounds = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 8;
        Duration window = Duration.ofMillis(arguments.length > 3 ? Integer.parseInt(arguments[3]) : 1000);
        try (EmbeddedPair pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false))) {
            ProxyProgram.createAccounts(pair.primary());
            pair.primary()
                    .execute(
                            "CREATE DATABASE shop",
                            "CREATE TABLE shop.orders (id INT PRIMARY KEY, customer INT NOT NULL, amount INT NOT"
                                    + " NULL, note VARCHAR(1000)"
                                    + " NOT NULL, KEY customer (customer)) ENGINE=InnoDB",
                            "CREATE TABLE shop.events (id INT PRIMARY KEY AUTO_INCREMENT, customer INT NOT NULL,"
                                    + " what VARCHAR(20) NOT NULL)",
                            "INSERT INTO shop.orders SELECT seq, seq DIV 16, seq % 1000, 'x' FROM"
                                    + " shop.seq_0_to_159999");
            pair.awaitCaughtUp(Duration.ofSeconds(60));
            try (DelayedLink link = DelayedLink.to(pair.standby().address(), Duration.ZERO)) {
                String table = new MirrorIsolation(pair, link, sample, rounds, window).run();
                System.out.println(table);
                if (root != null) {
                    ResultPage.replace(
                            root.resolve("benchmarks/results.md"),
                            "mirror-isolation-" + sample.replace("%", ""),
                            table);
                }
            }
        }
    }

    private String run() throws Exception {
        String section =
                "{ concurrency: 4, timeout: 1s, queue: { statements: 1000, age: 1s }, rules: [ { name: all, sample: "
                        + sample + " } ] }";
        try (ProxyProgram off = new ProxyProgram(pair.primary().port(), link.port(), "");
                ProxyProgram on = new ProxyProgram(pair.primary().port(), link.port(), section);
                ShopSessions unmirrored = new ShopSessions(off, SESSIONS);
                ShopSessions mirrored = new ShopSessions(on, SESSIONS)) {
            Gate.pass("warm-up");
            for (ShopSessions each : List.of(unmirrored, mirrored)) {
                each.throughput(WARM_UP);
            }
            Gate.pass("measurement");
            List<Window> order = new ArrayList<>(List.of(Window.values()));
            for (int round = 0; round < rounds; round++) {
                for (Trouble trouble : Trouble.values()) {
                    Triple triple = triple(trouble, order, on, unmirrored, mirrored);
                    measured.computeIfAbsent(trouble, key -> new ArrayList<>()).add(triple);
                    System.out.printf(
                            Locale.ROOT,
                            "%s %-10s off %6.0f/s, well %6.0f/s, in trouble %6.0f/s: %.2f of well, %.2f of off,"
                                    + " dropped %6.0f/s%n",
                            sample,
                            trouble,
                            triple.off(),
                            triple.healthy(),
                            triple.faulty(),
                            triple.faulty() / triple.healthy(),
                            triple.faulty() / triple.off(),
                            triple.droppedPerSecond());
                    Collections.rotate(order, 1);
                }
            }
        }
        return table();
    }

    private Triple triple(
            Trouble trouble, List<Window> order, ProxyProgram on, ShopSessions unmirrored, ShopSessions mirrored)
            throws Exception {
        Map<Window, Double> throughput = new EnumMap<>(Window.class);
        double dropped = 0;
        for (Window each : order) {
            if (each == Window.OFF) {
                throughput.put(each, unmirrored.throughput(window));
                continue;
            }
            awaitMirroring(on, mirrored);
            double before = on.dropped();
            if (each == Window.HEALTHY) {
                throughput.put(each, mirrored.throughput(window));
            } else {
                throughput.put(each, during(trouble, mirrored));
                dropped = (on.dropped() - before) / (window.toMillis() / 1000.0);
            }
        }
        return new Triple(
                throughput.get(Window.OFF), throughput.get(Window.HEALTHY), throughput.get(Window.FAULTY), dropped);
    }

    private static void awaitMirroring(ProxyProgram proxy, ShopSessions sessions) throws SQLException {
        double before = proxy.mirrored("ok");
        sessions.letGo();
        ProxyProgram.await("mirroring to go on", () -> proxy.mirrored("ok") > before + 100);
        sessions.hold();
    }

    /** Measures the throughput; the fault lasts exactly as long as the measurement. */
    private double during(Trouble trouble, ShopSessions sessions) throws SQLException {
        try {
            switch (trouble) {
                case NONE -> {}
                case FROZEN -> pair.standby().freeze();
                case REFUSING -> {
                    link.refuse();
                    link.cut();
                }
                case RESETTING -> {
                    return sessions.throughput(window, BETWEEN_CUTS, link::cut);
                }
                case TRICKLING -> link.throttle(1);
            }
            return sessions.throughput(window);
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

    private String table() {
        StringBuilder table = new StringBuilder(String.format(
                Locale.ROOT,
                "%s mirrored, %d sessions of prepared and text reads, %d rounds of windows of %d ms; throughput"
                        + " relative to the windows of the same round: median"
                        + " (lowest–highest). Goal: at least 0.97 of mirroring to a standby that is well. No session"
                                + " saw an error.%n%n",
                sample.replace("%", " %"),
                SESSIONS,
                rounds,
                window.toMillis()));
        table.append(
                "| the standby is | of mirroring to one that is well | of no mirroring | statements a second |"
                        + " dropped a second |\n|---|--:|--:|--:|--:|\n");
        measured.forEach((trouble, triples) -> table.append(String.format(
                Locale.ROOT,
                "| %s | %s | %s | %,.0f | %,.0f |%n",
                trouble.words,
                MedianText.medianAndRange(
                        triples.stream().map(one -> one.faulty() / one.healthy()).toList()),
                MedianText.medianAndRange(
                        triples.stream().map(one -> one.faulty() / one.off()).toList()),
                MedianText.median(triples.stream().map(Triple::faulty).toList()),
                MedianText.median(triples.stream().map(Triple::droppedPerSecond).toList()))));
        List<Triple> all = measured.values().stream().flatMap(List::stream).toList();
        table.append(String.format(
                Locale.ROOT,
                "| well, all rounds | 1 | %s | %,.0f | |%n",
                MedianText.medianAndRange(
                        all.stream().map(one -> one.healthy() / one.off()).toList()),
                MedianText.median(all.stream().map(Triple::healthy).toList())));
        return table.append(String.format(
                        Locale.ROOT,
                        "| no mirroring | | 1 | %,.0f | |%n",
                        MedianText.median(all.stream().map(Triple::off).toList())))
                .toString();
    }
}
