package io.understudy.bench;

import io.understudy.bench.ThreadTimes.Group;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/**
 * Measures the proxy's CPU per query at several samples, relative to a proxy without mirroring, for the whole process
 * and for the threads of the primary path. It also measures the rate of statements that reach the standby. Each sample
 * has its own warm proxy. The proxies are measured in turn, in short windows whose order rotates from round to round.
 * Each window is compared with the window without mirroring of the same round. A second proxy without mirroring shows
 * the error of the comparison. The warm-up mirrors all statements: at 1 % the JIT would take minutes to compile the
 * mirror, and the measurement would include the JIT.
 *
 * <p>Arguments: the repository's folder (without it nothing is written), {@code text}, {@code prepared} or {@code
 * both}, milliseconds of a window, number of rounds, seconds of warm-up of each proxy (with both kinds of statements),
 * and the samples. See also {@link Gate}.
 */
public final class MirrorCpu {
    private static final String OFF = "off";
    private static final String CONTROL = "off, another process";
    private static final List<String> SAMPLES = List.of("0%", "1%", "10%", "100%");
    private static final Map<String, String> GOALS = Map.of("0%", "1.02", "1%", "1.03", "10%", "1.10", "100%", "1.80");
    /** Run after the rules to measure are in force, before the first window. */
    private static final Duration RUN_IN = Duration.ofSeconds(2);

    private static final String WARM = "100%";
    /** Time for queued statements to reach the standby; part of the measured window. */
    private static final Duration SETTLING = Duration.ofMillis(100);

    private record Subject(ProxyProgram proxy, Map<PointSelects.Mode, PointSelects> loads, ThreadTimes times) {}

    private record Measured(double queries, Map<Group, Double> micros, double mirrored, double dropped) {
        double whole() {
            return micros.values().stream().mapToDouble(Double::doubleValue).sum() / queries;
        }

        double perQuery(Group group) {
            return micros.get(group) / queries;
        }
    }

    private final EmbeddedPair pair;
    private final List<PointSelects.Mode> modes;
    private final Duration window;
    private final int rounds;
    private final int warmUp;
    private final List<String> samples;
    private final Map<String, Subject> subjects = new LinkedHashMap<>();
    private final Map<String, List<Measured>> measured = new LinkedHashMap<>();

    private MirrorCpu(
            EmbeddedPair pair,
            List<PointSelects.Mode> modes,
            Duration window,
            int rounds,
            int warmUp,
            List<String> samples) {
        this.pair = pair;
        this.modes = modes;
        this.window = window;
        this.rounds = rounds;
        this.warmUp = warmUp;
        this.samples = samples;
    }

    public static void main(String[] arguments) throws Exception {
        Path root = arguments.length == 0 || arguments[0].isEmpty() ? null : Path.of(arguments[0]);
        String wanted = arguments.length > 1 ? arguments[1].toUpperCase(Locale.ROOT) : "BOTH";
        List<PointSelects.Mode> modes = wanted.equals("BOTH")
                ? List.of(PointSelects.Mode.values())
                : List.of(PointSelects.Mode.valueOf(wanted));
        int millis = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 400;
        int rounds = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 40;
        int warmUp = arguments.length > 4 ? Integer.parseInt(arguments[4]) : 20;
        List<String> samples = arguments.length > 5 ? List.of(arguments).subList(5, arguments.length) : SAMPLES;
        try (EmbeddedPair pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false))) {
            ProxyProgram.createAccounts(pair.primary());
            pair.primary().execute("CREATE DATABASE shop");
            PointSelects.prepare(pair.primary().port());
            pair.awaitCaughtUp(Duration.ofSeconds(60));
            Map<PointSelects.Mode, String> tables =
                    new MirrorCpu(pair, modes, Duration.ofMillis(millis), rounds, warmUp, samples).run();
            for (Map.Entry<PointSelects.Mode, String> each : tables.entrySet()) {
                System.out.println(each.getValue());
                if (root != null) {
                    String part = "mirror-cpu-" + each.getKey().name().toLowerCase(Locale.ROOT);
                    ResultPage.replace(root.resolve("benchmarks/results.md"), part, each.getValue());
                }
            }
        }
    }

    private Map<PointSelects.Mode, String> run() throws Exception {
        try {
            Gate.pass("warm-up");
            start(OFF, "");
            start(CONTROL, "");
            for (String sample : samples) {
                start(sample, mirror(WARM));
            }
            for (Subject subject : subjects.values()) {
                letRun(subject, Duration.ofSeconds(warmUp));
            }
            for (String sample : samples) {
                Subject subject = subjects.get(sample);
                subject.proxy().reload(mirror(sample), sample);
                letRun(subject, RUN_IN);
            }
            Map<PointSelects.Mode, String> tables = new EnumMap<>(PointSelects.Mode.class);
            for (PointSelects.Mode mode : modes) {
                Gate.pass("measurement of " + mode);
                measured.clear();
                measure(mode);
                tables.put(mode, table(mode));
            }
            return tables;
        } finally {
            for (Subject subject : subjects.values()) {
                for (PointSelects load : subject.loads().values()) {
                    load.close();
                }
                subject.proxy().close();
            }
        }
    }

    private void measure(PointSelects.Mode mode) throws IOException, InterruptedException {
        List<String> order = new ArrayList<>(subjects.keySet());
        for (int round = 0; round < rounds; round++) {
            for (String name : order) {
                measured.computeIfAbsent(name, key -> new ArrayList<>()).add(measure(subjects.get(name), mode));
            }
            printRound(round);
            Collections.rotate(order, 1);
        }
    }

    private static String mirror(String sample) {
        return "{ concurrency: 8, rules: [ { name: all, sample: " + sample + " } ] }";
    }

    private static void letRun(Subject subject, Duration time) throws IOException, InterruptedException {
        for (PointSelects load : subject.loads().values()) {
            load.letGo();
        }
        ProxyProgram.pause(time);
        for (PointSelects load : subject.loads().values()) {
            load.hold();
        }
    }

    private void start(String name, String section) throws IOException, InterruptedException {
        ProxyProgram proxy =
                new ProxyProgram(pair.primary().port(), pair.standby().port(), section);
        Map<PointSelects.Mode, PointSelects> loads = new EnumMap<>(PointSelects.Mode.class);
        for (PointSelects.Mode mode : PointSelects.Mode.values()) {
            loads.put(mode, new PointSelects(proxy.port(), mode.option));
        }
        subjects.put(name, new Subject(proxy, loads, new ThreadTimes(proxy.pid())));
    }

    private Measured measure(Subject subject, PointSelects.Mode mode) throws IOException, InterruptedException {
        ProxyProgram proxy = subject.proxy();
        PointSelects load = Objects.requireNonNull(subject.loads().get(mode));
        double mirrored = proxy.mirrored("ok");
        double dropped = proxy.dropped();
        double queries = proxy.commands();
        Map<Group, Long> before = subject.times().sample();
        load.letGo();
        ProxyProgram.pause(window);
        load.hold();
        ProxyProgram.pause(SETTLING);
        Map<Group, Long> after = subject.times().sample();
        if (proxy.waiting() > 0) {
            System.out.println("not all was mirrored within the window");
        }
        Map<Group, Double> micros = new EnumMap<>(Group.class);
        after.forEach((group, nanos) -> micros.put(group, (nanos - before.get(group)) / 1e3));
        return new Measured(
                proxy.commands() - queries, micros, proxy.mirrored("ok") - mirrored, proxy.dropped() - dropped);
    }

    private void printRound(int round) {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%2d", round));
        Measured off = measured.get(OFF).get(round);
        measured.forEach((name, values) -> {
            Measured one = values.get(round);
            line.append(String.format(
                    Locale.ROOT,
                    " | %s: %.0f/s %.1f us (%.2f), relay %.1f (%.2f)",
                    name,
                    one.queries() / seconds(),
                    one.whole(),
                    one.whole() / off.whole(),
                    one.perQuery(Group.RELAY),
                    one.perQuery(Group.RELAY) / off.perQuery(Group.RELAY)));
        });
        System.out.println(line);
    }

    private double seconds() {
        return window.toMillis() / 1000.0;
    }

    private String table(PointSelects.Mode mode) {
        StringBuilder table = new StringBuilder(String.format(
                Locale.ROOT,
                "Point selects of sysbench, %s statements, %d threads, windows of %d ms, %d rounds, %d s of warm-up"
                        + " of each process before; CPU per query"
                        + " relative to the proxy without the plugin, in the same round: median (quartiles); in all"
                                + " rounds together. µs a query: medians.%n%n",
                mode.name().toLowerCase(Locale.ROOT),
                PointSelects.THREADS,
                window.toMillis(),
                rounds,
                warmUp));
        table.append(
                        "| mirrored | whole process | together | goal | relay's threads | together | µs: whole |"
                                + " relay | server connections | plugin's executor"
                                + " | JIT | GC | other | queries a second | mirrored a second | dropped |\n")
                .append("|---|" + "--:|".repeat(15) + "\n");
        measured.forEach((name, values) -> table.append(row(name, values)));
        return table.toString();
    }

    private String row(String name, List<Measured> values) {
        List<Double> whole = new ArrayList<>();
        List<Double> relay = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            Measured reference = measured.get(OFF).get(i);
            whole.add(values.get(i).whole() / reference.whole());
            relay.add(values.get(i).perQuery(Group.RELAY) / reference.perQuery(Group.RELAY));
        }
        List<Measured> off = measured.get(OFF);
        StringBuilder row = new StringBuilder(String.format(
                Locale.ROOT,
                "| %s | %s | %.2f | %s | %s | %.2f | %.1f",
                name.replace("%", " %"),
                name.equals(OFF) ? "1" : MedianText.medianAndQuartiles(whole),
                together(values, Measured::whole) / together(off, Measured::whole),
                GOALS.getOrDefault(name, ""),
                name.equals(OFF) ? "1" : MedianText.medianAndQuartiles(relay),
                together(values, one -> one.perQuery(Group.RELAY)) / together(off, one -> one.perQuery(Group.RELAY)),
                MedianText.median(values.stream().map(Measured::whole).toList())));
        for (Group group : Group.values()) {
            row.append(String.format(
                    Locale.ROOT,
                    " | %.2f",
                    MedianText.median(
                            values.stream().map(one -> one.perQuery(group)).toList())));
        }
        return row.append(String.format(
                        Locale.ROOT,
                        " | %,.0f | %,.0f | %,.0f |%n",
                        MedianText.median(values.stream()
                                .map(one -> one.queries() / seconds())
                                .toList()),
                        MedianText.median(values.stream()
                                .map(one -> one.mirrored() / seconds())
                                .toList()),
                        values.stream().mapToDouble(Measured::dropped).sum()))
                .toString();
    }

    /** Returns the value per query over all windows. */
    private static double together(List<Measured> values, ToDoubleFunction<Measured> perQuery) {
        double queries = values.stream().mapToDouble(Measured::queries).sum();
        return values.stream()
                        .mapToDouble(one -> perQuery.applyAsDouble(one) * one.queries())
                        .sum()
                / queries;
    }
}
