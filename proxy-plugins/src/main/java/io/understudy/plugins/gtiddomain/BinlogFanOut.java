package io.understudy.plugins.gtiddomain;

import io.understudy.plugins.binlog.BinlogListener;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;

/**
 * Passes the binary log's transactions to the parts of this plugin that use them. Called on the dump connection's event
 * loop.
 */
record BinlogFanOut(BinlogGuard guard, AppliedTimes applied, LogPace pace) implements BinlogListener {
    @Override
    public void onStart(PrimaryFacts facts, boolean replaced) {
        guard.onStart(facts, replaced);
    }

    @Override
    public void onGap(BinlogTrouble trouble) {
        guard.onGap(trouble);
    }

    @Override
    public void onTransaction(BinlogTransaction transaction) {
        boolean sampled = pace.counted(transaction.punctual());
        guard.onTransaction(transaction);
        if (sampled) {
            applied.sample(transaction);
        }
    }
}
