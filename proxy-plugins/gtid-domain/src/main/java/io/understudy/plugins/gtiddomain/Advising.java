package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.PluginContext;
import io.understudy.plugins.binlog.BinlogDump;
import io.understudy.plugins.gtiddomain.advice.Advisor;
import io.understudy.plugins.gtiddomain.advice.RulesInForce;
import io.understudy.plugins.gtiddomain.parallelism.ApplyCost;
import io.understudy.plugins.gtiddomain.parallelism.Workload;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** The advice between start and stop, whatever the rules: reads the binary log and probes the standbys. */
final class Advising {
    /** Number of transactions that the advice and the view of parallel apply cover. */
    private static final int WORKLOAD = 5_000;

    private final Workload workload = new Workload(WORKLOAD, ApplyCost.DEFAULT);
    private final Advisor advisor;
    private final LogReading log;
    private final ScheduledFuture<?> probing;
    private volatile RulesInForce rules;

    Advising(PluginContext context, GtidDomainConfig config) {
        rules = config.inForce();
        advisor = new Advisor(context, workload, () -> rules, System::nanoTime);
        log = new LogReading(context, BinlogDump.REST::toNanos, advisor, advisor::off);
        log.reads(config.binlog());
        long poll = config.poll().toMillis();
        probing = context.executor().scheduleWithFixedDelay(advisor, poll, poll, TimeUnit.MILLISECONDS);
    }

    /** Called after a reload. */
    void reload(GtidDomainConfig config) {
        rules = config.inForce();
        log.reads(config.binlog());
    }

    Workload workload() {
        return workload;
    }

    Map<String, Object> view() {
        return advisor.view();
    }

    void stop() {
        probing.cancel(true);
        log.stop();
    }
}
