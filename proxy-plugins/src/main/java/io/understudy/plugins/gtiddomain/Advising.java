package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.PluginContext;
import io.understudy.plugins.binlog.BinlogDump;
import io.understudy.plugins.binlog.BinlogFeed;
import io.understudy.plugins.binlog.BinlogNeeds;
import io.understudy.plugins.binlog.BinlogSubscription;
import io.understudy.plugins.gtiddomain.advice.Advisor;
import io.understudy.plugins.gtiddomain.ownership.BinlogGuard;
import io.understudy.plugins.gtiddomain.parallelism.ApplyCost;
import io.understudy.plugins.gtiddomain.parallelism.Workload;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The advice between start and stop, whatever the rules: reads the binary log and probes the standbys. */
final class Advising {
    /** Number of transactions that the advice and the view of parallel apply cover. */
    private static final int WORKLOAD = 5_000;

    private final Workload workload = new Workload(WORKLOAD, ApplyCost.DEFAULT);
    private final Advisor advisor;
    private final @Nullable BinlogFeed feed;
    private final ScheduledFuture<?> probing;
    private @Nullable BinlogSubscription reading;

    Advising(PluginContext context, GtidDomainConfig config, LongSupplier nanos) {
        advisor = new Advisor(context, workload, nanos);
        feed = context.primary().dataSource() == null ? null : BinlogFeed.of(context);
        reads(config.binlog());
        long poll = config.poll().toMillis();
        probing = context.executor().scheduleWithFixedDelay(advisor, poll, poll, TimeUnit.MILLISECONDS);
    }

    /** Called at the start and after a reload. */
    void reads(boolean wanted) {
        BinlogFeed from = feed;
        if (from == null) {
            advisor.off("primary.monitor is not configured, so the binary log cannot be read");
        } else if (!wanted) {
            leave();
            advisor.off(BinlogGuard.OFF);
        } else if (reading == null) {
            reading = from.subscribe(new BinlogNeeds("gtid-domain", true, 0, BinlogDump.REST::toNanos), advisor);
        }
    }

    Workload workload() {
        return workload;
    }

    Map<String, Object> view() {
        return advisor.view();
    }

    private void leave() {
        BinlogSubscription left = reading;
        reading = null;
        if (left != null) {
            left.close();
        }
    }

    void stop() {
        probing.cancel(true);
        leave();
    }
}
