package io.understudy.plugins.commitlatency;

import io.understudy.plugins.binlog.BinlogTransaction;
import java.util.function.LongConsumer;

/**
 * Sizes of commit groups, from the number that the transactions of one group share. Groups come one after another, so a group
 * is over when the number changes. On the worker only.
 */
final class GroupCommits {
    private final LongConsumer size;
    private long group = BinlogTransaction.NO_GROUP;
    private long members;
    private volatile long groups;
    private volatile long transactions;

    /** @param size told the number of transactions of each group */
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

    /** The stream has a gap, so what follows belongs to no group begun before. */
    void gap() {
        members = 0;
        group = BinlogTransaction.NO_GROUP;
    }

    private void over() {
        groups++;
        transactions += members;
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
