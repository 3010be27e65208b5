package io.understudy.steering.parallelism;

import io.understudy.plugins.binlog.BinlogTransaction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Reports the potential of parallel apply for a workload: group sizes, simulated times, and the transactions that limit
 * it.
 */
public final class ParallelismReport {
    /** Transactions from this many microseconds on keep their names. */
    static final long ALWAYS_NAMED = 20_000;

    private static final int[] THREADS = {1, 5, 10, 20, 40};
    private static final int MOST_LONG = 20;
    /** Values of {@code binlog_commit_wait_count} and {@code binlog_commit_wait_usec}; the last is the default. */
    private static final int[] WAIT_COUNTS = {4, 8, 16, 32};

    private static final long[] WAIT_MICROS = {1_000, 10_000, 100_000};
    /** Numbers of workers that are compared for them. */
    private static final int[] WORKERS = {1, 2, 4, 8};

    private static final String MYSQL =
            "a MySQL server's log has no commit groups: with writesets, last_committed is the"
                    + " last transaction that changed one of the same rows, and replicas apply by that"
                    + " (replica_parallel_workers); nothing is simulated";

    private ParallelismReport() {}

    /**
     * Returns the report as maps, for JSON and for printing. Takes some tenths of a second for some thousand
     * transactions.
     *
     * @param longMicros duration from which a transaction counts as long
     */
    public static Map<String, Object> of(Workload workload, long longMicros) {
        List<Workload.Entry> entries = workload.entries();
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("transactions", entries.size());
        if (workload.ofMySql()) {
            report.put("problem", MYSQL);
            report.put("longAboveSeconds", longMicros / 1e6);
            report.put("long", longOnes(entries, longMicros));
            return report;
        }
        List<List<Workload.Entry>> groups = groups(entries);
        report.put("groups", groups.size());
        report.put("transactionsPerGroup", groups.isEmpty() ? 0.0 : entries.size() / (double) groups.size());
        report.put("groupSizes", sizes(groups));
        report.put("longAboveSeconds", longMicros / 1e6);
        report.put("long", longOnes(entries, longMicros));
        report.put("conservative", simulations(entries, false, workload.cost(), longMicros));
        report.put("optimistic", simulations(entries, true, workload.cost(), longMicros));
        report.put("sessions", Arrivals.of(entries).sessions());
        report.put("dials", dials(entries, workload.cost()));
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

    /**
     * Returns the log as the simulation takes it.
     *
     * @param optimistic whether all transactions between two schema changes of a domain are one group, as with
     *     {@code slave_parallel_mode=optimistic}; otherwise the groups are the primary's
     */
    public static List<AppliedTransaction> timed(List<Workload.Entry> entries, boolean optimistic) {
        Map<Long, Workload.Entry> lastOf = new HashMap<>();
        Map<Long, Long> groupOf = new HashMap<>();
        List<AppliedTransaction> timed = new ArrayList<>();
        for (Workload.Entry entry : entries) {
            Workload.Entry last = lastOf.put(entry.domain(), entry);
            boolean apart = last == null
                    || (optimistic
                            ? last.schemaChange() || entry.schemaChange()
                            : entry.group() == BinlogTransaction.NO_GROUP || entry.group() != last.group());
            long group = groupOf.merge(entry.domain(), apart ? 1L : 0L, Long::sum);
            timed.add(entry.applied(group, optimistic));
        }
        return timed;
    }

    /** Returns groups as a simulation of the mode conservative takes them. */
    public static List<AppliedTransaction> timed(List<List<Workload.Entry>> groups) {
        List<AppliedTransaction> timed = new ArrayList<>();
        long number = 0;
        for (List<Workload.Entry> group : groups) {
            number++;
            for (Workload.Entry entry : group) {
                timed.add(entry.applied(number, false));
            }
        }
        return timed;
    }

    /** Returns some transactions of a log in a domain that it does not use. */
    public static List<AppliedTransaction> apart(List<AppliedTransaction> log, Predicate<AppliedTransaction> which) {
        long free = 1 + log.stream().mapToLong(AppliedTransaction::domain).max().orElse(0);
        return log.stream().map(each -> which.test(each) ? each.in(free) : each).toList();
    }

    private static List<Object> simulations(
            List<Workload.Entry> entries, boolean optimistic, ApplyCost cost, long longMicros) {
        List<AppliedTransaction> timed = timed(entries, optimistic);
        // A schema change cannot be split.
        Predicate<Workload.Entry> divisible = entry -> !entry.schemaChange() && entry.micros() >= longMicros;
        List<AppliedTransaction> split = timed(split(entries, divisible, longMicros), optimistic);
        Set<Long> own = onlyLong(entries, longMicros);
        List<AppliedTransaction> longApart =
                apart(timed, each -> each.duration() >= longMicros && !own.contains(each.domain()));
        List<Object> rows = new ArrayList<>();
        for (int threads : THREADS) {
            ParallelApply.Result asIs = ParallelApply.simulate(timed, threads, cost);
            ParallelApply.Result apart = ParallelApply.simulate(longApart, threads, cost);
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

    /** Returns the domains that have long transactions alone: those need no other domain. */
    private static Set<Long> onlyLong(List<Workload.Entry> entries, long longMicros) {
        Set<Long> domains = entries.stream().map(Workload.Entry::domain).collect(Collectors.toSet());
        entries.stream().filter(entry -> entry.micros() < longMicros).forEach(entry -> domains.remove(entry.domain()));
        return domains;
    }

    /** Returns the log with some transactions split into pieces of less than a duration. */
    public static List<Workload.Entry> split(
            List<Workload.Entry> entries, Predicate<Workload.Entry> which, long micros) {
        List<Workload.Entry> all = new ArrayList<>();
        for (Workload.Entry entry : entries) {
            long count = which.test(entry) ? entry.micros() / micros + 1 : 1;
            for (long piece = 0; piece < count; piece++) {
                all.add(count == 1 ? entry : entry.piece(entry.micros() / count));
            }
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

    /**
     * Returns the dials of group commit: the size of the commit groups, what the wait costs a commit, and the speed of
     * a replica in the mode conservative by its workers. The first row is of the groups as they are.
     */
    private static List<Map<String, Object>> dials(List<Workload.Entry> entries, ApplyCost cost) {
        Arrivals arrivals = Arrivals.of(entries);
        List<Map<String, Object>> rows = new ArrayList<>();
        rows.add(dial(0, 0, new Arrivals.Regrouped(groups(entries), 0), cost));
        for (int count : WAIT_COUNTS) {
            for (long wait : WAIT_MICROS) {
                rows.add(dial(count, wait, arrivals.regrouped(entries, count, wait), cost));
            }
        }
        return rows;
    }

    private static Map<String, Object> dial(int count, long waitMicros, Arrivals.Regrouped groups, ApplyCost cost) {
        List<AppliedTransaction> timed = timed(groups.groups());
        Map<String, Object> speedups = new LinkedHashMap<>();
        for (int workers : WORKERS) {
            speedups.put(
                    Integer.toString(workers),
                    ParallelApply.simulate(timed, workers, cost).speedup());
        }
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("waitCount", count);
        row.put("waitMicros", waitMicros);
        row.put("transactionsPerGroup", groups.perGroup());
        row.put("meanWaitSeconds", groups.waitMicros() / 1e6);
        row.put("speedups", speedups);
        return row;
    }
}
