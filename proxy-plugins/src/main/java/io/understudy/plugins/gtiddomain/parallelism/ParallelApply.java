package io.understudy.plugins.gtiddomain.parallelism;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * Simulates in-order parallel apply as MariaDB's {@code slave_parallel_mode=conservative} does it: transactions of one
 * commit group run in parallel, each keeps its worker until it has committed, commits happen in the primary's order,
 * transactions that are ready together share one commit, and the next group begins when each transaction of the last
 * one has reached its commit. The mode {@code optimistic} is one group of everything between two schema changes: a
 * transaction that changes the same row as one in progress is rolled back, waits for those before it, and runs again.
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
     * @param retries transactions that ran twice; a replica may have fewer, since the first of two may get the row
     *     first
     */
    public record Result(int workers, long makespan, long serial, int commits, List<Stall> stalls, int retries) {
        /** Returns the speed relative to one worker. */
        public double speedup() {
            return makespan == 0 ? 1 : serial / (double) makespan;
        }
    }

    /**
     * Simulates one domain without the cost of retries.
     *
     * @param groups the primary's commit groups, in its order of commit
     * @param workers 1 or more
     * @param commitCost time that one commit takes, however many transactions share it
     */
    public static Result simulate(List<List<AppliedTransaction>> groups, int workers, long commitCost) {
        return simulate(groups, workers, commitCost, 0);
    }

    /**
     * Simulates one domain, without a limit of processors.
     *
     * @param groups the primary's commit groups, in its order of commit
     * @param workers 1 or more
     * @param commitCost time that one commit takes, however many transactions share it
     * @param retryCost time that a retry takes beside the second run
     */
    public static Result simulate(List<List<AppliedTransaction>> groups, int workers, long commitCost, long retryCost) {
        return simulate(groups, workers, new ApplyCost(0, 1, commitCost, retryCost));
    }

    /**
     * Simulates one domain.
     *
     * @param groups the primary's commit groups, in its order of commit
     * @param workers 1 or more
     * @param cost of commits, retries and hand-overs, and the processors
     */
    public static Result simulate(List<List<AppliedTransaction>> groups, int workers, ApplyCost cost) {
        if (workers < 1) {
            throw new IllegalArgumentException("workers: expected at least 1 but found " + workers);
        }
        Replica replica = new Replica(workers, cost);
        long serial = 0;
        for (List<AppliedTransaction> group : groups) {
            replica.apply(group);
            for (AppliedTransaction transaction : group) {
                serial += transaction.duration() + cost.commit();
            }
        }
        replica.stalls.sort(Comparator.comparingLong(Stall::stalled).reversed());
        return new Result(
                workers, replica.committed, serial, replica.commits, List.copyOf(replica.stalls), replica.retries);
    }

    /**
     * Simulates some transactions in a domain of their own with one of the workers: the best that tagging them could
     * gain, if no other transaction depends on them.
     *
     * @param tagged which ones
     */
    public static Result simulateApart(
            List<List<AppliedTransaction>> groups,
            int workers,
            long commitCost,
            long retryCost,
            Predicate<AppliedTransaction> tagged) {
        List<List<AppliedTransaction>> rest = new ArrayList<>();
        List<List<AppliedTransaction>> apart = new ArrayList<>();
        for (List<AppliedTransaction> group : groups) {
            List<AppliedTransaction> others =
                    group.stream().filter(tagged.negate()).toList();
            List<AppliedTransaction> own = group.stream().filter(tagged).toList();
            if (!others.isEmpty()) {
                rest.add(others);
            }
            if (!own.isEmpty()) {
                apart.add(own);
            }
        }
        if (workers < 2 || apart.isEmpty()) {
            return simulate(groups, workers, commitCost, retryCost);
        }
        Result inDefault = simulate(rest, workers - 1, commitCost, retryCost);
        Result inOwn = simulate(apart, 1, commitCost, retryCost);
        return new Result(
                workers,
                Math.max(inDefault.makespan(), inOwn.makespan()),
                inDefault.serial() + inOwn.serial(),
                inDefault.commits() + inOwn.commits(),
                inDefault.stalls(),
                inDefault.retries());
    }

    /** Simulates the transactions from this duration on in a domain of their own. */
    public static Result simulateApart(
            List<List<AppliedTransaction>> groups, int workers, long commitCost, long atLeast) {
        return simulateApart(groups, workers, commitCost, 0, transaction -> transaction.duration() >= atLeast);
    }

    /** A replica that applies commit group after commit group. */
    private static final class Replica {
        private final ApplyCost cost;
        private final long handOver;
        /** When each worker has committed its last transaction. */
        private final long[] freeAt;

        private final List<Stall> stalls = new ArrayList<>();
        /** When every transaction so far has reached its commit. */
        private long reached;
        /** Time of the last commit. */
        private long committed;
        /** Time that processors worked. */
        private long worked;

        private int commits;
        private int retries;

        Replica(int workers, ApplyCost cost) {
            this.cost = cost;
            handOver = (workers - 1) * cost.handOver();
            freeAt = new long[workers];
        }

        void apply(List<AppliedTransaction> group) {
            long start = reached;
            long[] doneAt = new long[group.size()];
            int[] workerOf = new int[group.size()];
            // Transactions that run, or run again, when all before them have committed.
            boolean[] last = new boolean[group.size()];
            int started = 0;
            int next = 0;
            while (next < group.size()) {
                // No worker becomes free before the head commits, except those without a transaction yet.
                while (started < group.size() && started - next < freeAt.length) {
                    int worker = freest(workerOf, started, next);
                    workerOf[started] = worker;
                    AppliedTransaction begun = group.get(started);
                    doneAt[started] = Math.max(freeAt[worker], start) + handOver + begun.duration();
                    worked += handOver + begun.duration();
                    boolean conflict = !begun.waits() && begun.distance() > 0 && started - begun.distance() >= next;
                    retries += conflict ? 1 : 0;
                    last[started] = started > next && (begun.waits() || conflict);
                    started++;
                }
                int head = next;
                if (last[head]) {
                    AppliedTransaction again = group.get(head);
                    long begin = Math.max(committed, freeAt[workerOf[head]]);
                    long took = again.duration() + (again.waits() ? 0 : cost.retry());
                    doneAt[head] = begin + took;
                    worked += again.waits() ? 0 : took;
                }
                long from = Math.max(doneAt[head], committed);
                long stalled = 0;
                while (next < started && doneAt[next] <= from && (next == head || !last[next])) {
                    stalled += next == head ? 0 : from - doneAt[next];
                    next++;
                }
                for (int behind = next; behind < started; behind++) {
                    stalled += last[behind] ? 0 : Math.max(0, from - doneAt[behind]);
                }
                committed = from + cost.commit();
                commits++;
                for (int done = head; done < next; done++) {
                    freeAt[workerOf[done]] = committed;
                }
                AppliedTransaction first = group.get(head);
                if (stalled > 0 && doneAt[head] == from) {
                    stalls.add(new Stall(first.name(), first.duration(), stalled));
                }
            }
            for (long done : doneAt) {
                reached = Math.max(reached, done);
            }
            awaitProcessors();
        }

        /** What the processors have to do takes its time, however many workers there are. */
        private void awaitProcessors() {
            long late = (long) (worked / cost.processors()) - reached;
            if (late > 0) {
                reached += late;
                committed += late;
                for (int worker = 0; worker < freeAt.length; worker++) {
                    freeAt[worker] += late;
                }
            }
        }

        /** Returns the worker that has been free for longest and holds no transaction that waits for its commit. */
        private int freest(int[] workerOf, int started, int next) {
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
