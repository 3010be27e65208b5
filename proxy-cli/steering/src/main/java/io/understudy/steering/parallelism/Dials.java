package io.understudy.steering.parallelism;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The dials of group commit in one view: for each {@code binlog_commit_wait_count} and {@code binlog_commit_wait_usec}
 * the size of the commit groups, what the wait costs a commit, and the speed of a replica in the mode conservative by
 * its workers.
 */
public final class Dials {
    /** Numbers of workers that are compared. */
    public static final List<Integer> WORKERS = List.of(1, 2, 4, 8);

    private static final int[] COUNTS = {4, 8, 16, 32};
    /** The last one is the server's default. */
    private static final long[] WAITS = {1_000, 10_000, 100_000};

    private Dials() {}

    /** Returns a row for the groups as they are, with count 0, and one for each count and time. */
    public static List<Map<String, Object>> of(Workload workload) {
        List<Workload.Entry> entries = workload.entries();
        Arrivals arrivals = Arrivals.of(entries);
        List<Map<String, Object>> rows = new ArrayList<>();
        rows.add(row(0, 0, new Regrouped(ParallelismReport.groups(entries), 0), workload.cost()));
        for (int count : COUNTS) {
            for (long wait : WAITS) {
                rows.add(row(count, wait, arrivals.regrouped(entries, count, wait), workload.cost()));
            }
        }
        return rows;
    }

    /** Returns the greatest number of sessions that the log shows to have committed at once. */
    public static int sessions(List<Workload.Entry> entries) {
        return Arrivals.of(entries).sessions();
    }

    /** Returns the groups that the primary would make with these settings. */
    public static Regrouped regrouped(List<Workload.Entry> entries, int waitCount, long waitMicros) {
        return Arrivals.of(entries).regrouped(entries, waitCount, waitMicros);
    }

    private static Map<String, Object> row(int count, long waitMicros, Regrouped groups, ApplyCost cost) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("waitCount", count);
        row.put("waitMicros", waitMicros);
        row.put("transactionsPerGroup", groups.perGroup());
        row.put("meanWaitSeconds", groups.waitMicros() / 1e6);
        row.put("speedups", speedups(groups.groups(), cost));
        return row;
    }

    /** Returns the speed by number of workers, relative to one worker. */
    private static Map<String, Object> speedups(List<List<Workload.Entry>> groups, ApplyCost cost) {
        List<AppliedTransaction> timed = ParallelismReport.timed(groups);
        Map<String, Object> speedups = new LinkedHashMap<>();
        for (int workers : WORKERS) {
            speedups.put(
                    Integer.toString(workers),
                    ParallelApply.simulate(timed, workers, cost).speedup());
        }
        return speedups;
    }

    /** Returns the seconds from the first transaction to the last, as logged. */
    public static long seconds(List<Workload.Entry> entries) {
        long first = Long.MAX_VALUE;
        long last = 0;
        for (Workload.Entry entry : entries) {
            if (entry.hints().second() > 0) {
                first = Math.min(first, entry.hints().second());
                last = Math.max(last, entry.hints().second());
            }
        }
        return last == 0 ? 0 : last - first + 1;
    }
}
