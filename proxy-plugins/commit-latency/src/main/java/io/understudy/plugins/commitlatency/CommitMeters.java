package io.understudy.plugins.commitlatency;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.understudy.plugin.LatencyRecorder;
import io.understudy.plugin.PluginContext;
import io.understudy.plugins.binlog.BinlogTrouble;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The plugin's meters, resolved once. Thread-safe. */
final class CommitMeters {
    /** Reasons why a commit was not attributed. */
    static final String[] REASONS = {
        "no_gtid", "no_binlog", "gap", "expired", "superseded", "overflow", "late", "inside"
    };

    private static final double[] GROUP_SIZES = {1, 2, 4, 8, 16, 32, 64, 128, 256};

    private final LatencyRecorder[][] commits;
    private final LatencyRecorder waitByBinlog;
    private final LatencyRecorder waitByCounters;
    private final LatencyRecorder execute;
    private final LatencyRecorder queued;
    private final Counter unacknowledged;
    private final Counter unclaimed;
    private final Map<String, Counter> unattributed = new TreeMap<>();
    private final Map<String, Counter> gaps = new TreeMap<>();
    private final DistributionSummary groups;

    CommitMeters(PluginContext context) {
        CommitKind[] kinds = CommitKind.values();
        SemiSync[] states = SemiSync.values();
        commits = new LatencyRecorder[kinds.length][states.length];
        for (CommitKind kind : kinds) {
            for (SemiSync state : states) {
                commits[kind.ordinal()][state.ordinal()] = context.latency(
                        "understudy_commit_seconds",
                        "From a commit's arrival at the proxy to the server's OK. Counted up to"
                                + " plugins.commit-latency.poll (1 s)"
                                + " after the OK, and what a CALL committed before its last commit up to expire (30 s)",
                        "kind",
                        kind.label(),
                        "semisync",
                        state.label());
            }
        }
        waitByBinlog = wait(context, "binlog");
        waitByCounters = wait(context, "counters");
        execute = context.latency(
                "understudy_commit_execute_seconds",
                "Part of a commit spent on execution and on the flush to the binary log");
        queued = context.latency(
                "understudy_commit_queued_seconds",
                "Part of a commit spent, before it was written to the binary log, behind other commits'"
                        + " acknowledgements");
        unacknowledged = counter(
                context,
                "understudy.commits.unacknowledged",
                "Commits that got an OK while semi-synchronous replication was off or timed out");
        unclaimed = counter(
                context,
                "understudy.commits.unclaimed",
                "Transactions in the binary log during a CALL that may be its commits or another writer's;"
                        + " not counted as commits");
        for (String reason : REASONS) {
            String description = "Commits whose time could not be split";
            unattributed.put(
                    reason, counter(context, "understudy.commits.unattributed", description, "reason", reason));
        }
        for (BinlogTrouble.Reason reason : BinlogTrouble.Reason.values()) {
            String description = "Times the primary's binary log could not be read on";
            gaps.put(reason.label(), counter(context, "understudy.binlog.gaps", description, "reason", reason.label()));
        }
        groups = DistributionSummary.builder("understudy.group.commit.transactions")
                .description("Transactions per commit group of the binary log (MySQL: with the same last_committed)")
                .serviceLevelObjectives(GROUP_SIZES)
                .register(context.meters());
    }

    private static Counter counter(PluginContext context, String name, String description, String... tags) {
        return Counter.builder(name).description(description).tags(tags).register(context.meters());
    }

    private static LatencyRecorder wait(PluginContext context, String source) {
        return context.latency(
                "understudy_commit_semisync_wait_seconds",
                "Part of a commit spent waiting for its own acknowledgement by a replica",
                "source",
                source);
    }

    void commit(Commit commit, SemiSync state) {
        commits[commit.kind().ordinal()][state.ordinal()].record(commit.latencyNanos());
        if (state.unacknowledged()) {
            unacknowledged.increment();
        }
    }

    void attributed(Breakdown parts) {
        waitByBinlog.record(parts.ackNanos());
        execute.record(parts.executeNanos());
        queued.record(parts.queuedNanos());
    }

    /** Records an average of the server's counters over {@code waits} waits. */
    void counted(long averageNanos, long waits) {
        for (long i = 0; i < waits; i++) {
            waitByCounters.record(averageNanos);
        }
    }

    void unattributed(String reason) {
        increment(unattributed.get(reason));
    }

    void unclaimed() {
        unclaimed.increment();
    }

    void gap(BinlogTrouble.Reason reason) {
        increment(gaps.get(reason.label()));
    }

    private static void increment(@Nullable Counter counter) {
        if (counter != null) {
            counter.increment();
        }
    }

    void group(long transactions) {
        groups.record((double) transactions);
    }

    /** Returns the number of commits not attributed, by reason, without reasons that never occurred. */
    Map<String, Long> unattributed() {
        return counts(unattributed);
    }

    /** Returns the interruptions of the stream by reason, without reasons that never occurred. */
    Map<String, Long> gaps() {
        return counts(gaps);
    }

    private static Map<String, Long> counts(Map<String, Counter> counters) {
        Map<String, Long> counts = new TreeMap<>();
        counters.forEach((reason, counter) -> {
            if (counter.count() > 0) {
                counts.put(reason, (long) counter.count());
            }
        });
        return counts;
    }
}
