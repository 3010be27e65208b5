package io.understudy.plugins.commitlatency;

import io.understudy.plugins.binlog.BinlogTransaction;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Sizes of commit groups, from the group number that their transactions share. Groups follow one another, so a group is
 * complete when the number changes. Used by the worker only.
 */
final class GroupCommits {
    private static final int SETTINGS = 8;

    /**
     * Groups under one pair of the server's settings.
     *
     * @param waitCount {@code binlog_commit_wait_count}, transactions for which a group waits; -1 if unknown
     * @param waitMicros {@code binlog_commit_wait_usec}, MySQL {@code binlog_group_commit_sync_delay}; -1 if unknown
     * @param commitMillis mean latency of the commits through the proxy in that time
     */
    record Under(
            long waitCount,
            long waitMicros,
            long groups,
            double transactionsPerGroup,
            long commits,
            double commitMillis) {}

    private static final class Tally {
        private final long waitCount;
        private final long waitMicros;
        private long groups;
        private long transactions;
        private long commits;
        private long commitNanos;

        private Tally(long waitCount, long waitMicros) {
            this.waitCount = waitCount;
            this.waitMicros = waitMicros;
        }

        private Under under() {
            return new Under(
                    waitCount,
                    waitMicros,
                    groups,
                    perGroup(transactions, groups),
                    commits,
                    commits == 0 ? 0 : Quantiles.millis(commitNanos / commits));
        }
    }

    private final Deque<Tally> tallies = new ArrayDeque<>();
    private final LongConsumer size;
    private long group = BinlogTransaction.NO_GROUP;
    private long members;
    private volatile long groups;
    private volatile long transactions;

    /** @param size receives the number of transactions of each group */
    GroupCommits(LongConsumer size) {
        this.size = size;
    }

    void transaction(BinlogTransaction transaction) {
        if (members > 0 && (transaction.group() != group || group == BinlogTransaction.NO_GROUP)) {
            over();
        }
        group = transaction.group();
        members++;
        if (group == BinlogTransaction.NO_GROUP) {
            over();
        }
    }

    /** Called when the stream has a gap: no transaction after it belongs to a group begun before. */
    void gap() {
        members = 0;
        group = BinlogTransaction.NO_GROUP;
    }

    /** Sets the server's settings from now on. */
    void settings(long waitCount, long waitMicros) {
        synchronized (tallies) {
            Tally latest = tallies.peekLast();
            if (latest != null && latest.waitCount == waitCount && latest.waitMicros == waitMicros) {
                return;
            }
            if (tallies.size() == SETTINGS) {
                tallies.removeFirst();
            }
            tallies.addLast(new Tally(waitCount, waitMicros));
        }
    }

    /** Records a commit through the proxy. */
    void commit(long latencyNanos) {
        synchronized (tallies) {
            Tally latest = tallies.peekLast();
            if (latest != null) {
                latest.commits++;
                latest.commitNanos += latencyNanos;
            }
        }
    }

    /** Returns the last few settings, newest last. Thread-safe. */
    List<Under> under() {
        synchronized (tallies) {
            return tallies.stream().map(Tally::under).toList();
        }
    }

    private static double perGroup(long transactions, long groups) {
        return groups == 0 ? 0 : Math.round(100.0 * transactions / groups) / 100.0;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes, others read
    private void over() {
        groups++;
        transactions += members;
        synchronized (tallies) {
            Tally latest = tallies.peekLast();
            if (latest != null) {
                latest.groups++;
                latest.transactions += members;
            }
        }
        size.accept(members);
        members = 0;
    }

    long groups() {
        return groups;
    }

    long transactions() {
        return transactions;
    }
}
