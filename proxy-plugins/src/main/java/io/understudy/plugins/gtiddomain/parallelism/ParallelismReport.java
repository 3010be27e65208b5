package io.understudy.plugins.gtiddomain.parallelism;

import io.understudy.plugins.binlog.BinlogTransaction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reports the potential of parallel apply for a workload: group sizes, simulated times, and the transactions that limit
 * it.
 */
public final class ParallelismReport {
    /** Transactions from this many microseconds on keep their names. */
    static final long ALWAYS_NAMED = 20_000;

    private static final int[] THREADS = {1, 5, 10, 20, 40};
    private static final int MOST_LONG = 20;

    private ParallelismReport() {}

    /**
     * Returns the report as maps, for JSON and for printing. Takes some tenths of a second for some thousand
     * transactions.
     *
     * @param longMicros duration from which a transaction counts as long
     */
    public static Map<String, Object> of(Workload workload, long longMicros) {
        List<Workload.Entry> entries = workload.entries();
        List<List<Workload.Entry>> groups = groups(entries);
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("transactions", entries.size());
        report.put("groups", groups.size());
        report.put("transactionsPerGroup", groups.isEmpty() ? 0.0 : entries.size() / (double) groups.size());
        report.put("groupSizes", sizes(groups));
        report.put("longAboveSeconds", longMicros / 1e6);
        report.put("long", longOnes(entries, longMicros));
        report.put("conservative", simulations(groups, false, workload.cost(), longMicros));
        report.put("optimistic", simulations(withoutGroups(entries), true, workload.cost(), longMicros));
        report.put("dials", Dials.of(workload));
        return report;
    }

    /** Returns the commit groups in the log's order: adjacent entries with the same commit id. */
    public static List<List<Workload.Entry>> groups(List<Workload.Entry> entries) {
        List<List<Workload.Entry>> groups = new ArrayList<>();
        long last = BinlogTransaction.NO_GROUP;
        for (Workload.Entry entry : entries) {
            if (groups.isEmpty() || entry.group() == BinlogTransaction.NO_GROUP || entry.group() != last) {
                groups.add(new ArrayList<>());
            }
            last = entry.group();
            groups.get(groups.size() - 1).add(entry);
        }
        return groups;
    }

    /** Returns groups as slave_parallel_mode=optimistic runs them: everything in parallel, except schema changes. */
    public static List<List<Workload.Entry>> withoutGroups(List<Workload.Entry> entries) {
        List<List<Workload.Entry>> groups = new ArrayList<>();
        boolean alone = true;
        for (Workload.Entry entry : entries) {
            if (alone || entry.schemaChange()) {
                groups.add(new ArrayList<>());
            }
            alone = entry.schemaChange();
            groups.get(groups.size() - 1).add(entry);
        }
        return groups;
    }

    /** Returns the groups as the simulation takes them. */
    public static List<List<AppliedTransaction>> timed(List<List<Workload.Entry>> groups, boolean optimistic) {
        List<List<AppliedTransaction>> timed = new ArrayList<>();
        for (List<Workload.Entry> group : groups) {
            timed.add(group.stream().map(entry -> entry.applied(optimistic)).toList());
        }
        return timed;
    }

    private static List<Object> simulations(
            List<List<Workload.Entry>> groups, boolean optimistic, ApplyCost cost, long longMicros) {
        List<List<AppliedTransaction>> timed = timed(groups, optimistic);
        List<List<AppliedTransaction>> split = split(groups, optimistic, longMicros);
        List<Object> rows = new ArrayList<>();
        for (int threads : THREADS) {
            ParallelApply.Result asIs = ParallelApply.simulate(timed, threads, cost);
            ParallelApply.Result apart = ParallelApply.simulateApart(
                    timed, threads, cost.commit(), cost.retry(), each -> each.duration() >= longMicros);
            ParallelApply.Result cut = ParallelApply.simulate(split, threads, cost);
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("threads", threads);
            row.put("makespanSeconds", asIs.makespan() / 1e6);
            row.put("speedup", asIs.speedup());
            row.put("speedupLongInOwnDomain", speedup(asIs.serial(), apart.makespan()));
            row.put("speedupLongSplit", speedup(asIs.serial(), cut.makespan()));
            row.put("commits", asIs.commits());
            row.put("retries", asIs.retries());
            row.put(
                    "stalledSeconds",
                    asIs.stalls().stream()
                                    .mapToLong(ParallelApply.Stall::stalled)
                                    .sum()
                            / 1e6);
            row.put(
                    "worstStalls",
                    asIs.stalls().stream()
                            .limit(3)
                            .map(ParallelApply.Stall::name)
                            .toList());
            rows.add(row);
        }
        return rows;
    }

    private static double speedup(long serial, long makespan) {
        return makespan == 0 ? 1 : serial / (double) makespan;
    }

    /** Returns the groups with long writes split into pieces below the limit; a schema change cannot be split. */
    public static List<List<AppliedTransaction>> split(
            List<List<Workload.Entry>> groups, boolean optimistic, long longMicros) {
        List<List<AppliedTransaction>> all = new ArrayList<>();
        for (List<Workload.Entry> group : groups) {
            List<AppliedTransaction> pieces = new ArrayList<>();
            for (Workload.Entry entry : group) {
                long count = entry.schemaChange() || entry.micros() < longMicros ? 1 : entry.micros() / longMicros + 1;
                for (long piece = 0; piece < count; piece++) {
                    pieces.add(
                            count == 1
                                    ? entry.applied(optimistic)
                                    : new AppliedTransaction(entry.gtid(), entry.micros() / count));
                }
            }
            all.add(pieces);
        }
        return all;
    }

    private static Map<String, Object> sizes(List<List<Workload.Entry>> groups) {
        TreeMap<Integer, Integer> counts = new TreeMap<>();
        for (List<Workload.Entry> group : groups) {
            counts.merge(Integer.highestOneBit(group.size()), 1, Integer::sum);
        }
        Map<String, Object> named = new LinkedHashMap<>();
        counts.forEach((from, count) -> named.put(from == 1 ? "1" : from + "-" + (2 * from - 1), count));
        return named;
    }

    private static List<Object> longOnes(List<Workload.Entry> entries, long longMicros) {
        List<Object> rows = new ArrayList<>();
        entries.stream()
                .filter(entry -> entry.micros() >= longMicros)
                .sorted(Comparator.comparingLong(Workload.Entry::micros).reversed())
                .limit(MOST_LONG)
                .forEach(entry -> {
                    Map<String, Object> row = new LinkedHashMap<>();
                    row.put("gtid", entry.gtid());
                    row.put("domain", entry.domain());
                    row.put("seconds", entry.micros() / 1e6);
                    row.put("bytes", entry.bytes());
                    row.put("schemaChange", entry.schemaChange());
                    row.put("what", entry.what());
                    rows.add(row);
                });
        return rows;
    }
}
