package io.understudy.steering;

import io.understudy.steering.parallelism.Dials;
import io.understudy.steering.parallelism.ParallelismReport;
import io.understudy.steering.parallelism.Regrouped;
import io.understudy.steering.parallelism.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finds what keeps a standby serial that applies commit group by commit group: a schema that is written by one session,
 * and groups that are too small. Only under load: a standby that is mostly idle loses nothing by it.
 */
final class GroupWork {
    private static final double BUSY = 0.5;
    private static final int FEWEST = 50;
    private static final double ALONE = 0.9;
    /** Least share of the apply time that an action must save to be named. */
    private static final double WORTH = 0.1;

    /** Values of {@code binlog_commit_wait_usec} that are tried; the last one is the server's default. */
    private static final long[] WAITS = {1_000, 10_000, 100_000};
    /** A longer wait must save so much more than a shorter one. */
    private static final double MORE = 1.2;

    private final Evidence evidence;
    private final WhatIf whatIf;
    private final Rules rules;

    GroupWork(Evidence evidence, WhatIf whatIf, Rules rules) {
        this.evidence = evidence;
        this.whatIf = whatIf;
        this.rules = rules;
    }

    List<StallCause> findings() {
        List<StallCause> findings = new ArrayList<>();
        if (!evidence.optimistic() && evidence.load(whatIf) >= BUSY) {
            schemas(findings);
            smallGroups(findings);
        }
        return findings;
    }

    private void schemas(List<StallCause> findings) {
        Map<String, Integer> writes = new HashMap<>();
        Map<String, Integer> alone = new HashMap<>();
        Map<String, Integer> shared = new HashMap<>();
        for (List<Workload.Entry> group : ParallelismReport.groups(evidence.entries())) {
            for (Workload.Entry entry : group) {
                Set<String> schemas = schemas(entry);
                for (String schema : schemas) {
                    writes.merge(schema, 1, Integer::sum);
                    alone.merge(schema, group.size() == 1 ? 1 : 0, Integer::sum);
                    shared.merge(schema, schemas.size() > 1 ? 1 : 0, Integer::sum);
                }
            }
        }
        writes.forEach((schema, count) -> {
            Predicate<Workload.Entry> own = entry -> schemas(entry).contains(schema);
            if (count >= FEWEST
                    && evidence.entries().size() - count >= FEWEST
                    && alone.getOrDefault(schema, 0) >= ALONE * count) {
                long saved = whatIf.apart(own);
                if (saved >= WORTH * whatIf.base().makespan()) {
                    findings.add(schema(schema, count, shared.getOrDefault(schema, 0), evidence.scaled(saved)));
                }
            }
        });
    }

    private static Set<String> schemas(Workload.Entry entry) {
        Set<String> schemas = new HashSet<>();
        for (String table : entry.tables()) {
            schemas.add(table.substring(0, Math.max(0, table.indexOf('.'))));
        }
        return schemas;
    }

    private StallCause schema(String schema, int count, int shared, long saved) {
        List<Action> actions = new ArrayList<>();
        if (shared == 0 && Rules.nameable(schema)) {
            actions.add(Action.rule(
                    "domain: N",
                    saved,
                    rules.schema(schema),
                    "only if nothing depends on it (foreign keys and readers are not in the log); the riskiest action:"
                            + " read docs/gtid-domains.md first"));
        }
        return new StallCause(
                StallCause.Kind.SINGLE_THREADED,
                schema,
                saved,
                false,
                count,
                "",
                "its transactions are alone in their commit groups"
                        + (shared == 0 ? "" : "; " + shared + " write other schemas too, so it is not independent"),
                actions,
                entry -> schemas(entry).contains(schema));
    }

    private void smallGroups(List<StallCause> findings) {
        int workers = evidence.workers();
        // Where each commit was alone, as those of a single session are, a wait makes no group.
        if (workers < 2 || Dials.sessions(evidence.entries()) < 2) {
            return;
        }
        long saved = 0;
        long wait = 0;
        Regrouped best = new Regrouped(List.of(), 0);
        for (long tried : WAITS) {
            Regrouped groups = Dials.regrouped(evidence.entries(), workers, tried);
            long saves = whatIf.with(groups);
            if (saves > MORE * saved) {
                saved = saves;
                wait = tried;
                best = groups;
            }
        }
        if (saved < WORTH * whatIf.base().makespan()) {
            return;
        }
        List<Action> actions = new ArrayList<>();
        actions.add(Action.statement(
                "slave_parallel_mode",
                evidence.scaled(whatIf.inOptimisticMode()),
                "STOP SLAVE; SET GLOBAL slave_parallel_mode = 'optimistic'; START SLAVE",
                "on the standby; retries as far as rows conflict"));
        actions.add(Action.statement(
                "binlog_commit_wait",
                evidence.scaled(saved),
                "SET GLOBAL binlog_commit_wait_count = " + workers + ", binlog_commit_wait_usec = " + wait,
                String.format(
                        Locale.ROOT,
                        "on the primary; groups of %.1f; delays a commit by %.2f ms on average, %.0f ms at most",
                        best.perGroup(),
                        best.waitMicros() / 1e3,
                        wait / 1e3)));
        int groups = ParallelismReport.groups(evidence.entries()).size();
        findings.add(new StallCause(
                StallCause.Kind.SMALL_GROUPS,
                "all schemas",
                evidence.scaled(saved),
                false,
                evidence.entries().size(),
                "",
                evidence.entries().size() + " transactions came in " + groups
                        + " commit groups, which a standby in the mode conservative applies one after the other",
                actions,
                entry -> true));
    }
}
