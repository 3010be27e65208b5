package io.understudy.plugins.gtiddomain.parallelism;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Simulates in-order parallel apply as MariaDB's {@code slave_parallel_mode=conservative} does it: transactions of one
 * commit group run in parallel, each keeps its worker until it has committed, commits happen in the primary's order,
 * transactions that are ready together share one commit, and the next group begins when the last one has finished.
 */
public final class ParallelApply {

    private ParallelApply() {}

    /**
     * A transaction that others had to wait for.
     *
     * @param name the transaction's
     * @param duration the transaction's
     * @param stalled worker time spent waiting for it to commit
     */
    public record Stall(String name, long duration, long stalled) {}

    /**
     * The result of a simulation.
     *
     * @param workers {@code slave_parallel_threads}
     * @param makespan from the first begin to the last commit
     * @param serial the same with one worker
     * @param commits number of commits, each for one transaction or more
     * @param stalls transactions that others waited for, the worst first
     */
    public record Result(int workers, long makespan, long serial, int commits, List<Stall> stalls) {
        /** Returns the speed relative to one worker. */
        public double speedup() {
            return makespan == 0 ? 1 : serial / (double) makespan;
        }
    }

    /**
     * Simulates one domain.
     *
     * @param groups the primary's commit groups, in its order of commit
     * @param workers 1 or more
     * @param commitCost time that one commit takes, however many transactions share it
     */
    public static Result simulate(List<List<AppliedTransaction>> groups, int workers, long commitCost) {
        if (workers < 1 || commitCost < 0) {
            throw new IllegalArgumentException(
                    "simulate(workers " + workers + ", commitCost " + commitCost + "): expected at least 1 and 0");
        }
        long now = 0;
        long serial = 0;
        int commits = 0;
        List<Stall> stalls = new ArrayList<>();
        for (List<AppliedTransaction> group : groups) {
            Group run = new Group(group, workers, commitCost, now);
            now = run.run(stalls);
            commits += run.commits;
            for (AppliedTransaction transaction : group) {
                serial += transaction.duration() + commitCost;
            }
        }
        stalls.sort(Comparator.comparingLong(Stall::stalled).reversed());
        return new Result(workers, now, serial, commits, List.copyOf(stalls));
    }

    /**
     * Simulates the long transactions in a domain of their own with one of the workers: the best that tagging them
     * could gain, if no other transaction depends on them.
     *
     * @param atLeast duration from which a transaction counts as long
     */
    public static Result simulateApart(
            List<List<AppliedTransaction>> groups, int workers, long commitCost, long atLeast) {
        List<List<AppliedTransaction>> rest = new ArrayList<>();
        List<List<AppliedTransaction>> apart = new ArrayList<>();
        for (List<AppliedTransaction> group : groups) {
            List<AppliedTransaction> small =
                    group.stream().filter(t -> t.duration() < atLeast).toList();
            List<AppliedTransaction> big =
                    group.stream().filter(t -> t.duration() >= atLeast).toList();
            if (!small.isEmpty()) {
                rest.add(small);
            }
            if (!big.isEmpty()) {
                apart.add(big);
            }
        }
        if (workers < 2 || apart.isEmpty()) {
            return simulate(groups, workers, commitCost);
        }
        Result inDefault = simulate(rest, workers - 1, commitCost);
        Result inOwn = simulate(apart, 1, commitCost);
        return new Result(
                workers,
                Math.max(inDefault.makespan(), inOwn.makespan()),
                inDefault.serial() + inOwn.serial(),
                inDefault.commits() + inOwn.commits(),
                inDefault.stalls());
    }

    /** One commit group in progress. */
    private static final class Group {
        private final List<AppliedTransaction> transactions;
        private final long commitCost;
        private final long[] freeAt;
        private final long[] doneAt;
        private final int[] workerOf;
        int commits;

        Group(List<AppliedTransaction> transactions, int workers, long commitCost, long start) {
            this.transactions = transactions;
            this.commitCost = commitCost;
            freeAt = new long[workers];
            java.util.Arrays.fill(freeAt, start);
            doneAt = new long[transactions.size()];
            workerOf = new int[transactions.size()];
        }

        /** Returns the time of the last commit. */
        long run(List<Stall> stalls) {
            long committed = freeAt[0];
            int started = 0;
            int next = 0;
            while (next < transactions.size()) {
                // No worker becomes free before the head commits, except those without a transaction yet.
                while (started < transactions.size() && started - next < freeAt.length) {
                    int worker = freest(started, next);
                    workerOf[started] = worker;
                    doneAt[started] = freeAt[worker] + transactions.get(started).duration();
                    started++;
                }
                int head = next;
                long from = Math.max(doneAt[head], committed);
                long stalled = 0;
                while (next < started && doneAt[next] <= from) {
                    stalled += next == head ? 0 : from - doneAt[next];
                    next++;
                }
                for (int behind = next; behind < started; behind++) {
                    stalled += Math.max(0, from - doneAt[behind]);
                }
                committed = from + commitCost;
                commits++;
                for (int done = head; done < next; done++) {
                    freeAt[workerOf[done]] = committed;
                }
                AppliedTransaction first = transactions.get(head);
                if (stalled > 0 && doneAt[head] == from) {
                    stalls.add(new Stall(first.name(), first.duration(), stalled));
                }
            }
            return committed;
        }

        /** Returns the worker that has been free for longest and holds no transaction that waits for its commit. */
        private int freest(int started, int next) {
            int best = -1;
            for (int worker = 0; worker < freeAt.length; worker++) {
                boolean busy = false;
                for (int held = next; held < started; held++) {
                    busy |= workerOf[held] == worker;
                }
                if (!busy && (best < 0 || freeAt[worker] < freeAt[best])) {
                    best = worker;
                }
            }
            return best;
        }
    }
}
