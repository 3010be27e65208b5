package io.understudy.steering.parallelism;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * When the sessions of a log wanted to commit, and how many of them did so at once: as far as the log tells. It has
 * whole seconds; within one, commits are spread evenly, and those of one commit group came together.
 */
public final class Arrivals {
    private static final long SECOND_MICROS = 1_000_000;

    /**
     * Commit groups as other settings would make them.
     *
     * @param groups in the order of the log
     * @param waitMicros for how long a transaction waits for the others of its group, the mean of all
     */
    public record Regrouped(List<List<Workload.Entry>> groups, double waitMicros) {
        /** Returns the mean size of a group. */
        public double perGroup() {
            int transactions = groups.stream().mapToInt(List::size).sum();
            return groups.isEmpty() ? 0 : transactions / (double) groups.size();
        }
    }

    private final long[] micros;
    private final int sessions;

    private Arrivals(long[] micros, int sessions) {
        this.micros = micros;
        this.sessions = sessions;
    }

    public static Arrivals of(List<Workload.Entry> entries) {
        List<List<Workload.Entry>> groups = ParallelismReport.groups(entries);
        Map<Long, Integer> groupsOfSecond = new HashMap<>();
        groups.forEach(group -> groupsOfSecond.merge(second(group), 1, Integer::sum));
        long[] micros = new long[entries.size()];
        Map<Long, Integer> before = new HashMap<>();
        int index = 0;
        int sessions = 1;
        long latest = 0;
        for (List<Workload.Entry> group : groups) {
            long second = second(group);
            int place = before.merge(second, 1, Integer::sum) - 1;
            long at = SECOND_MICROS * second + SECOND_MICROS * place / groupsOfSecond.getOrDefault(second, 1);
            // A transaction is logged with the time at which it began, so a later one may have an earlier time.
            latest = Math.max(latest, at);
            for (int i = 0; i < group.size(); i++) {
                micros[index++] = latest;
            }
            sessions = Math.max(sessions, group.size());
        }
        return new Arrivals(micros, Math.max(sessions, threads(entries)));
    }

    private static long second(List<Workload.Entry> group) {
        return group.get(0).hints().second();
    }

    /** Returns the largest number of connections that wrote in one second; 0 if connections are not logged. */
    private static int threads(List<Workload.Entry> entries) {
        Map<Long, Set<Long>> ofSecond = new HashMap<>();
        for (Workload.Entry entry : entries) {
            if (entry.thread() != 0) {
                ofSecond.computeIfAbsent(entry.hints().second(), none -> new HashSet<>())
                        .add(entry.thread());
            }
        }
        return ofSecond.values().stream().mapToInt(Set::size).max().orElse(0);
    }

    /** Returns the greatest number of sessions that were seen to commit at once, at least one. */
    public int sessions() {
        return sessions;
    }

    /**
     * Returns the groups that the primary would make with other settings. A group ends with its {@code waitCount}th
     * transaction, {@code waitMicros} after its first, or when a row is needed that one of it has locked. Until then
     * its sessions commit nothing else, so it has one transaction of each connection and no more than there are
     * sessions.
     */
    public Regrouped regrouped(List<Workload.Entry> entries, int waitCount, long waitMicros) {
        List<List<Workload.Entry>> groups = new ArrayList<>();
        double waited = 0;
        for (int begin = 0; begin < entries.size(); ) {
            int end = end(entries, begin, waitCount, waitMicros);
            boolean full = end - begin >= waitCount || entries.get(begin).schemaChange();
            boolean needed = end < entries.size()
                    && depends(entries.get(end), end - begin)
                    && micros[end] - micros[begin] <= waitMicros;
            long over = full ? micros[end - 1] : needed ? micros[end] : micros[begin] + waitMicros;
            for (int i = begin; i < end; i++) {
                waited += over - micros[i];
            }
            groups.add(entries.subList(begin, end));
            begin = end;
        }
        return new Regrouped(groups, entries.isEmpty() ? 0 : waited / entries.size());
    }

    /** Returns the end of the group that begins there. */
    private int end(List<Workload.Entry> entries, int begin, int waitCount, long waitMicros) {
        Set<Long> threads = new HashSet<>();
        int most = Math.min(waitCount, sessions);
        int end = begin;
        for (; end < entries.size() && end - begin < most; end++) {
            Workload.Entry entry = entries.get(end);
            long thread = entry.thread();
            boolean apart = entry.schemaChange() || depends(entry, end - begin);
            boolean late = micros[end] - micros[begin] > waitMicros;
            boolean again = thread != 0 && !threads.add(thread);
            if (end > begin && (apart || late || again)) {
                return end;
            }
            if (entry.schemaChange()) {
                return end + 1;
            }
        }
        return end;
    }

    private static boolean depends(Workload.Entry entry, int behind) {
        return entry.distance() > 0 && entry.distance() <= behind;
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
