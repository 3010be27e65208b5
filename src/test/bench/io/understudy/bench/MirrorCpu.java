package io.understudy.bench;

import io.understudy.cli.embedded.EmbeddedPair;
import io.understudy.cli.embedded.PairOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * CPU that the proxy's process uses for a query, by the operating system, at several samples relative to no mirroring at all;
 * and how many statements a second reach the standby at 100 %. sysbench's point selects; one proxy for each sample, which take
 * turns. The mirror's own connections are the same process, so their work is in the figures.
 *
 * <p>Arguments: the repository's folder (without it nothing is written), then seconds of a window and number of rounds.
 */
public final class MirrorCpu {
    private static final int THREADS = 8;
    private static final int ROWS = 20_000;
    private static final List<String> SAMPLES = List.of("off", "0%", "1%", "10%", "100%");
    private static final Pattern TOTAL = Pattern.compile("total:\\s+(\\d+)");

    private record Measured(double queries, double cpuMicros, double seconds, double mirrored, double dropped) {
        double perQuery() {
            return cpuMicros / queries;
        }
    }

    private final EmbeddedPair pair;
    private final int seconds;
    private final int rounds;

    private MirrorCpu(EmbeddedPair pair, int seconds, int rounds) {
        this.pair = pair;
        this.seconds = seconds;
        this.rounds = rounds;
    }

    public static void main(String[] arguments) throws Exception {
        Path root = arguments.length == 0 || arguments[0].isEmpty() ? null : Path.of(arguments[0]);
        int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 3;
        int rounds = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 4;
        try (EmbeddedPair pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false))) {
            ProxyProgram.createAccounts(pair.primary());
            pair.primary().execute("CREATE DATABASE shop");
            sysbench(pair.primary().port(), "prepare", "--db-ps-mode=disable", 1);
            pair.awaitCaughtUp(Duration.ofSeconds(60));
            String table = new MirrorCpu(pair, seconds, rounds).run();
            System.out.println(table);
            if (root != null) {
                ResultPage.replace(root.resolve("docs/benchmarks.md"), "mirror-cpu", table);
            }
        }
    }

    private String run() throws Exception {
        Map<String, ProxyProgram> proxies = new LinkedHashMap<>();
        try {
            for (String sample : SAMPLES) {
                String section = sample.equals("off")
                        ? ""
                        : "{ concurrency: 8, rules: [ { name: all, sample: " + sample + " } ] }";
                proxies.put(sample, new ProxyProgram(pair.primary().port(), pair.standby().port(), section));
            }
            StringBuilder table = new StringBuilder(String.format(
                    Locale.ROOT,
                    "Point selects of sysbench, %d threads, windows of %d s, %d rounds; CPU per query relative to the proxy without the plugin in the"
                            + " same round: median (lowest–highest).%n%n",
                    THREADS,
                    seconds,
                    rounds));
            table.append(
                    "| statements | 0 % | 1 % | 10 % | 100 % | µs at off | mirrored a second at 100 % | queries a second then | dropped |\n"
                            + "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
            table.append(row("text", "--db-ps-mode=disable", proxies));
            table.append(row("prepared", "--db-ps-mode=auto", proxies));
            return table.append("| goal | 1.02 | 1.03 | 1.10 | 1.80 | | | | |\n").toString();
        } finally {
            for (ProxyProgram proxy : proxies.values()) {
                proxy.close();
            }
        }
    }

    private String row(String name, String mode, Map<String, ProxyProgram> proxies) throws Exception {
        // The JIT's work is not what is measured.
        for (ProxyProgram proxy : proxies.values()) {
            measure(proxy, mode, seconds + 2);
        }
        Map<String, List<Double>> ratios = new LinkedHashMap<>();
        List<Double> micros = new ArrayList<>();
        List<Double> mirrored = new ArrayList<>();
        List<Double> queries = new ArrayList<>();
        double dropped = 0;
        for (int round = 0; round < rounds; round++) {
            double off = 0;
            for (Map.Entry<String, ProxyProgram> one : proxies.entrySet()) {
                Measured measured = measure(one.getValue(), mode, seconds);
                if (one.getKey().equals("off")) {
                    off = measured.perQuery();
                    micros.add(off);
                } else {
                    ratios.computeIfAbsent(one.getKey(), key -> new ArrayList<>()).add(measured.perQuery() / off);
                }
                if (one.getKey().equals("100%")) {
                    mirrored.add(measured.mirrored() / measured.seconds());
                    queries.add(measured.queries() / measured.seconds());
                    dropped += measured.dropped();
                }
                System.out.printf(
                        Locale.ROOT,
                        "%-8s %-4s %7.0f queries/s, %5.1f us each (%.2f), mirrored %7.0f/s, dropped %.0f%n",
                        name,
                        one.getKey(),
                        measured.queries() / measured.seconds(),
                        measured.perQuery(),
                        measured.perQuery() / off,
                        measured.mirrored() / measured.seconds(),
                        measured.dropped());
            }
        }
        StringBuilder row = new StringBuilder("| " + name);
        ratios.values().forEach(values -> row.append(" | ").append(Figures.medianAndRange(values)));
        return row.append(String.format(
                        Locale.ROOT,
                        " | %.1f | %,.0f | %,.0f | %,.0f |%n",
                        Figures.median(micros),
                        Figures.median(mirrored),
                        Figures.median(queries),
                        dropped))
                .toString();
    }

    private Measured measure(ProxyProgram proxy, String mode, int forSeconds) throws Exception {
        double mirrored = proxy.mirrored("ok");
        double dropped = proxy.dropped();
        Duration cpu = proxy.cpu();
        long start = System.nanoTime();
        String said = sysbench(proxy.port(), "run", mode, forSeconds);
        double elapsed = (System.nanoTime() - start) / 1e9;
        ProxyProgram.await("the mirror's queue to be empty", () -> proxy.waiting() == 0);
        double micros = proxy.cpu().minus(cpu).toNanos() / 1e3;
        Matcher total = TOTAL.matcher(said);
        if (!total.find()) {
            throw new IllegalStateException("sysbench said nothing of queries:\n" + said);
        }
        return new Measured(
                Double.parseDouble(total.group(1)),
                micros,
                elapsed,
                proxy.mirrored("ok") - mirrored,
                proxy.dropped() - dropped);
    }

    private static String sysbench(int port, String command, String mode, int forSeconds)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        "sysbench",
                        "oltp_point_select",
                        "--mysql-host=127.0.0.1",
                        "--mysql-port=" + port,
                        "--mysql-user=" + ProxyProgram.USER,
                        "--mysql-password=" + ProxyProgram.PASSWORD,
                        "--mysql-db=shop",
                        "--tables=1",
                        "--table-size=" + ROWS,
                        "--threads=" + (command.equals("run") ? THREADS : 1),
                        "--time=" + forSeconds,
                        "--rand-type=uniform",
                        mode,
                        command)
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("sysbench " + command + " failed:\n" + said);
        }
        return said;
    }
}
