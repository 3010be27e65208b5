package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.PluginContext;
import io.understudy.plugins.binlog.BinlogFeed;
import io.understudy.plugins.binlog.BinlogListener;
import io.understudy.plugins.binlog.BinlogNeeds;
import io.understudy.plugins.binlog.BinlogSubscription;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.gtiddomain.ownership.BinlogGuard;
import io.understudy.plugins.gtiddomain.progress.AppliedTimes;
import io.understudy.plugins.gtiddomain.progress.LogPace;
import org.jspecify.annotations.Nullable;

/**
 * Reads the primary's binary log while the configuration wants it, and passes its transactions to those that use them.
 * Used by the proxy's management thread; the listener's methods are called on the dump connection's event loop.
 */
final class LogReading implements BinlogListener {
    private final @Nullable BinlogFeed feed;
    private final BinlogGuard guard;
    private final AppliedTimes applied;
    private final LogPace pace;
    private @Nullable BinlogSubscription reading;

    /** Reads nothing yet. */
    LogReading(PluginContext context, BinlogGuard guard, AppliedTimes applied, LogPace pace) {
        feed = context.primary().dataSource() == null ? null : BinlogFeed.of(context);
        this.guard = guard;
        this.applied = applied;
        this.pace = pace;
    }

    /** Called at the start and after a reload. */
    void reads(boolean wanted) {
        BinlogFeed from = feed;
        if (from == null) {
            guard.off("primary.monitor is not configured, so the binary log cannot be read");
        } else if (!wanted) {
            stop();
            guard.off("switched off by plugins.gtid-domain.binlog");
        } else if (reading == null) {
            reading = from.subscribe(new BinlogNeeds("gtid-domain", true, 0, pace::restNanos), this);
        }
    }

    void stop() {
        BinlogSubscription left = reading;
        reading = null;
        if (left != null) {
            left.close();
        }
    }

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
