package io.understudy.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The result of {@link Warming} as a table and a plot: medians of the rounds.
 *
 * @param runs the runs of each case by name, in the order of rounds; the other cases are compared with the first
 */
record WarmingReport(
        Map<String, List<WarmingRun>> runs, String pool, long megabytes, int load, int sessions, int after) {
    private static final int EARLY = 1_000;
    private static final int MIDDLE = 5_000;

    String table() {
        List<WarmingRun> cold = runs.values().iterator().next();
        StringBuilder table = new StringBuilder(String.format(
                Locale.ROOT,
                "MariaDB 11.4 twice, buffer pool %s each, table of %d MiB, `O_DIRECT`, `innodb_old_blocks_time=0`"
                        + " (an hour is squeezed into seconds),"
                        + " `innodb_lru_scan_depth=100`; %,d statements by %d sessions through the proxy before the"
                                + " promotion,%nthen %,d reads on one"
                        + " connection. \"Before\" are the pages that the standby has read since its restart until"
                                + " the promotion. %d rounds with"
                        + " different statements: medians (lowest–highest); relative to nothing mirrored in the same"
                                + " round.%n%n"
                        + "| warmed by | statements mirrored | pages read before | first %,d queries | relative |"
                                + " first %,d | first %,d |"
                        + " relative | seconds for all |%n|---|--:|--:|--:|--:|--:|--:|--:|--:|%n",
                pool,
                megabytes,
                load,
                sessions,
                after,
                cold.size(),
                EARLY,
                MIDDLE,
                after));
        runs.forEach((name, found) -> table.append(String.format(
                Locale.ROOT,
                "| %s | %,.0f | %,.0f | %,.0f | %s | %,.0f | %,.0f | %s | %.2f |%n",
                name,
                median(found, WarmingRun::mirrored),
                median(found, WarmingRun::before),
                median(found, run -> run.after(EARLY)),
                relative(found, cold, EARLY),
                median(found, run -> run.after(MIDDLE)),
                median(found, run -> run.after(after)),
                relative(found, cold, after),
                median(found, WarmingRun::seconds))));
        return table.toString();
    }

    private static double median(List<WarmingRun> runs, ToDoubleFunction<WarmingRun> figure) {
        return Figures.median(runs.stream().map(figure::applyAsDouble).toList());
    }

    private static String relative(List<WarmingRun> runs, List<WarmingRun> cold, int queries) {
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < runs.size(); round++) {
            ratios.add(runs.get(round).after(queries) / cold.get(round).after(queries));
        }
        return Figures.medianAndRange(ratios);
    }

    /** Returns the plot as SVG. */
    String plot() {
        LinePlot plot = new LinePlot(
                "Pages read from disk by the standby after its promotion", "queries since the promotion", "pages read");
        runs.forEach((name, found) -> {
            double[] queries = found.get(0).queries();
            double[] reads = new double[queries.length];
            for (int i = 0; i < reads.length; i++) {
                int point = i;
                reads[i] = median(found, run -> run.reads()[point]);
            }
            plot.add(name, queries, reads);
        });
        return plot.svg();
    }
}
