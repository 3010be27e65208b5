package io.understudy.plugins.gtiddomain.parallelism;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The dials of group commit in one view: for each {@code binlog_commit_wait_count} the size of the commit groups, what
 * the wait costs a commit, and the speed of a replica in the mode conservative by its workers.
 */
public final class Dials {
    /** Numbers of workers that are compared. */
    public static final List<Integer> WORKERS = List.of(1, 2, 4, 8);

    private static final int[] COUNTS = {2, 4, 8, 16, 32};

    private Dials() {}

    /** Returns a row for the groups as they are, with count 0, and one for each count. */
    public static List<Map<String, Object>> of(Workload workload) {
        List<Workload.Entry> entries = workload.entries();
        List<Map<String, Object>> rows = new ArrayList<>();
        rows.add(row(0, ParallelismReport.groups(entries), workload.cost(), 0));
        double rate = entries.size() / (double) Math.max(1, seconds(entries));
        for (int count : COUNTS) {
            // The first of a group waits for the others, the last one not at all.
            double mean = rate == 0 ? 0 : (count - 1) / rate / 2;
            rows.add(row(count, regrouped(entries, count), workload.cost(), mean));
        }
        return rows;
    }

    private static Map<String, Object> row(
            int count, List<List<Workload.Entry>> groups, ApplyCost cost, double waitSeconds) {
        Map<String, Object> row = new LinkedHashMap<>();
        int transactions = groups.stream().mapToInt(List::size).sum();
        row.put("waitCount", count);
        row.put("transactionsPerGroup", groups.isEmpty() ? 0.0 : transactions / (double) groups.size());
        row.put("meanWaitSeconds", waitSeconds);
        row.put("speedups", speedups(groups, cost));
        return row;
    }

    /** Returns the speed by number of workers, relative to one worker. */
    public static Map<String, Object> speedups(List<List<Workload.Entry>> groups, ApplyCost cost) {
        List<List<AppliedTransaction>> timed = ParallelismReport.timed(groups, false);
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

    /** Returns groups of up to {@code size} transactions that do not change the same row. */
    public static List<List<Workload.Entry>> regrouped(List<Workload.Entry> entries, int size) {
        List<List<Workload.Entry>> groups = new ArrayList<>();
        boolean open = false;
        for (Workload.Entry entry : entries) {
            List<Workload.Entry> last = groups.isEmpty() ? List.of() : groups.get(groups.size() - 1);
            boolean depends = entry.distance() > 0 && entry.distance() <= last.size();
            if (!open || entry.schemaChange() || depends || last.size() >= size) {
                groups.add(new ArrayList<>());
            }
            groups.get(groups.size() - 1).add(entry);
            open = !entry.schemaChange();
        }
        return groups;
    }
}
