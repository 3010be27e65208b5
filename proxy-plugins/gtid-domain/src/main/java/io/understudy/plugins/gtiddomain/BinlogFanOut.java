package io.understudy.plugins.gtiddomain;

import io.understudy.plugins.binlog.BinlogListener;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.gtiddomain.ownership.BinlogGuard;
import io.understudy.plugins.gtiddomain.progress.AppliedTimes;
import io.understudy.plugins.gtiddomain.progress.LogPace;

/**
 * Passes the binary log's transactions to the parts of this plugin that use them. Called on the dump connection's event
 * loop.
 */
record BinlogFanOut(BinlogGuard guard, AppliedTimes applied, LogPace pace) implements BinlogListener {
    @Override
    public void onStart(PrimaryFacts facts) {
        guard.onStart(facts);
    }

    @Override
    public void onGap(BinlogTrouble trouble) {
        guard.onGap(trouble);
    }

    @Override
    public void onTransaction(BinlogTransaction transaction) {
        if (!guard.follows()) {
            return;
        }
        boolean sampled = pace.counted(transaction.punctual());
        guard.onTransaction(transaction);
        if (sampled) {
            applied.sample(transaction);
        }
    }
}
