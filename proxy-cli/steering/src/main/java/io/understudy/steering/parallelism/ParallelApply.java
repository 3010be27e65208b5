package io.understudy.steering.parallelism;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Simulates in-order parallel apply as MariaDB's {@code slave_parallel_mode=conservative} does it: transactions of one
 * commit group run in parallel, each keeps its worker until it has committed, commits happen in the primary's order,
 * transactions that are ready together share one commit, and the next group begins when each transaction of the last
 * one has reached its commit, so that also small groups share commits that take long. The mode {@code optimistic} is
 * one group of everything between two schema changes: a transaction that changes the same row as one in progress is
 * rolled back, waits for those before it, and runs again. Domains share the workers and nothing else: each has its own
 * groups and its own order of commits.
 */
public final class ParallelApply {

    private ParallelApply() {}

    /**
     * A transaction that others had to wait for.
     *
     * @param name the transaction's
     * @param stalled worker time spent waiting for it to commit
     */
    public record Stall(String name, long stalled) {}

    /**
     * The result of a simulation.
     *
     * @param serial the time with one worker
     * @param commits their number, each for one transaction or more
     * @param retries transactions that ran twice; a replica may have fewer, since the first of two may get the row
     *     first
     * @param stalls the transactions that others waited for, the worst first
     * @param committedAt when each transaction had committed, by its place in the log
     */
    @SuppressWarnings("ArrayRecordComponent") // not compared
    public record Result(long serial, int commits, int retries, List<Stall> stalls, long[] committedAt) {
        /** Returns the time from the first begin to the last commit. */
        public long makespan() {
            return makespan(index -> true);
        }

        /** Returns the time from the first begin to the last commit of some transactions, by their place in the log. */
        public long makespan(IntPredicate which) {
            long last = 0;
            for (int i = 0; i < committedAt.length; i++) {
                if (which.test(i)) {
                    last = Math.max(last, committedAt[i]);
                }
            }
            return last;
        }

        /** Returns the speed relative to one worker. */
        public double speedup() {
            long makespan = makespan();
            return makespan == 0 ? 1 : serial / (double) makespan;
        }
    }

    /**
     * Simulates a log.
     *
     * @param log all domains' transactions in the order of the log
     * @param workers 1 or more
     * @param cost of commits and retries
     */
    public static Result simulate(List<AppliedTransaction> log, int workers, ApplyCost cost) {
        if (workers < 1) {
            throw new IllegalArgumentException("workers: expected at least 1 but found " + workers);
        }
        Replica replica = new Replica(log, workers, cost);
        long serial = 0;
        for (int i = 0; i < log.size(); i++) {
            replica.apply(i);
            serial += log.get(i).duration() + cost.commit();
        }
        List<Stall> stalls = replica.commits.stream()
                .filter(commit -> commit.stalled > 0)
                .map(commit -> new Stall(commit.head.name(), commit.stalled))
                .sorted(Comparator.comparingLong(Stall::stalled).reversed())
                .toList();
        return new Result(serial, replica.commits.size(), replica.retries, stalls, replica.committedAt);
    }

    /** One commit, of one transaction or more. */
    private static final class Commit {
        final AppliedTransaction head;
        final long from;
        /** Whether others can blame its head: it did not wait itself for the commit before. */
        final boolean blamed;

        final @Nullable Commit before;
        long stalled;

        Commit(AppliedTransaction head, long from, boolean blamed, @Nullable Commit before) {
            this.head = head;
            this.from = from;
            this.blamed = blamed;
            this.before = before;
        }
    }

    /** One domain. */
    private static final class Stream {
        long group = Long.MIN_VALUE;
        /** When the present group may begin. */
        long start;
        /** When every transaction so far has reached its commit. */
        long reached;
        /** When the last commit ends. */
        long committed;

        @Nullable
        Commit last;
    }

    /** A replica that applies transaction after transaction of the log. */
    private static final class Replica {
        private final List<AppliedTransaction> log;
        private final ApplyCost cost;
        /** When each worker has committed its last transaction. */
        private final long[] freeAt;

        private final long[] committedAt;
        private final Map<Long, Stream> streams = new HashMap<>();
        private final List<Commit> commits = new ArrayList<>();
        private int retries;

        Replica(List<AppliedTransaction> log, int workers, ApplyCost cost) {
            this.log = log;
            this.cost = cost;
            freeAt = new long[workers];
            committedAt = new long[log.size()];
        }

        void apply(int index) {
            AppliedTransaction transaction = log.get(index);
            Stream stream = streams.computeIfAbsent(transaction.domain(), domain -> new Stream());
            if (stream.group != transaction.group()) {
                stream.group = transaction.group();
                stream.start = stream.reached;
            }
            int worker = freest();
            long start = Math.max(freeAt[worker], stream.start);
            long done = start + transaction.duration();
            boolean conflicts = conflicts(index, start);
            retries += conflicts ? 1 : 0;
            if (stream.committed > start && (transaction.waits() || conflicts)) {
                done = conflicts
                        ? stream.committed + transaction.duration() + cost.retry()
                        : Math.max(done, stream.committed + transaction.duration());
            }
            stream.reached = Math.max(stream.reached, done);
            commit(transaction, stream, start, done);
            committedAt[index] = stream.committed;
            freeAt[worker] = stream.committed;
        }

        /** Returns whether a transaction of its domain that changed the same row has not committed when it begins. */
        private boolean conflicts(int index, long start) {
            AppliedTransaction transaction = log.get(index);
            int other = index - transaction.distance();
            return !transaction.waits()
                    && transaction.distance() > 0
                    && other >= 0
                    && log.get(other).domain() == transaction.domain()
                    && committedAt[other] > start;
        }

        private void commit(AppliedTransaction transaction, Stream stream, long start, long done) {
            Commit last = stream.last;
            boolean shares = last != null && start < last.from && done <= last.from;
            if (last == null || !shares) {
                long from = Math.max(done, stream.committed);
                last = new Commit(transaction, from, done == from, last);
                stream.last = last;
                stream.committed = from + cost.commit();
                commits.add(last);
            }
            // It waited for each commit from then on, its own included.
            long until = last.from;
            for (Commit waited = last; waited != null && until > done; waited = waited.before) {
                long since = waited.before == null ? done : Math.max(done, waited.before.from);
                waited.stalled += waited.blamed ? until - since : 0;
                until = since;
            }
        }

        /** Returns the worker that is free first. */
        private int freest() {
            int best = 0;
            for (int each = 1; each < freeAt.length; each++) {
                best = freeAt[each] < freeAt[best] ? each : best;
            }
            return best;
        }
    }
}
