package io.understudy.plugins.gtiddomain.advice;

import io.understudy.plugins.gtiddomain.parallelism.AppliedTransaction;
import io.understudy.plugins.gtiddomain.parallelism.ApplyCost;
import io.understudy.plugins.gtiddomain.parallelism.Dials;
import io.understudy.plugins.gtiddomain.parallelism.ParallelApply;
import io.understudy.plugins.gtiddomain.parallelism.ParallelismReport;
import io.understudy.plugins.gtiddomain.parallelism.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Simulates the same transactions as they are and with one thing changed. All times are microseconds. */
final class WhatIf {
    /** Into pieces of this duration a long transaction is split. */
    static final long PIECE = 500_000;

    private final List<Workload.Entry> entries;
    private final ApplyCost cost;
    private final int workers;
    private final boolean optimistic;
    private final ParallelApply.Result base;

    WhatIf(List<Workload.Entry> entries, ApplyCost cost, int workers, boolean optimistic) {
        this.entries = entries;
        this.cost = cost;
        this.workers = workers;
        this.optimistic = optimistic;
        base = simulate(entries, optimistic, entry -> entry.applied(optimistic));
    }

    ParallelApply.Result base() {
        return base;
    }

    private ParallelApply.Result simulate(
            List<Workload.Entry> changed, boolean mode, Function<Workload.Entry, AppliedTransaction> applied) {
        List<List<AppliedTransaction>> timed = new ArrayList<>();
        for (List<Workload.Entry> group :
                mode ? ParallelismReport.withoutGroups(changed) : ParallelismReport.groups(changed)) {
            timed.add(group.stream().map(applied).toList());
        }
        return ParallelApply.simulate(timed, workers, cost);
    }

    private long saved(ParallelApply.Result changed) {
        return Math.max(0, base.makespan() - changed.makespan());
    }

    /** Returns what is saved if each transaction is as {@code change} makes it. */
    long changed(UnaryOperator<Workload.Entry> change) {
        return saved(simulate(entries.stream().map(change).toList(), optimistic, each -> each.applied(optimistic)));
    }

    /** Returns what is saved if schema changes are logged in two phases. */
    long twoPhase(Predicate<Workload.Entry> which) {
        return changed(entry -> which.test(entry) ? entry.taking(cost.perTransaction(), false) : entry);
    }

    /** Returns what is saved if transactions wait for those before them. */
    long skip(Predicate<Workload.Entry> which) {
        return saved(simulate(entries, optimistic, entry -> {
            AppliedTransaction as = entry.applied(optimistic);
            return which.test(entry) ? new AppliedTransaction(as.name(), as.duration(), true, 0) : as;
        }));
    }

    /** Returns what the others save if transactions have a domain of their own with one worker. */
    long apart(Predicate<Workload.Entry> which) {
        List<Workload.Entry> others = entries.stream().filter(which.negate()).toList();
        return workers < 2
                ? 0
                : Math.max(0, base.makespan() - new WhatIf(others, cost, workers - 1, optimistic).base.makespan());
    }

    /** Returns what is saved if transactions are split into pieces of at most {@link #PIECE}. */
    long split(Predicate<Workload.Entry> which) {
        List<Workload.Entry> pieces = new ArrayList<>();
        for (Workload.Entry entry : entries) {
            long count = which.test(entry) ? entry.micros() / PIECE + 1 : 1;
            for (long piece = 0; piece < count; piece++) {
                pieces.add(count == 1 ? entry : entry.taking(entry.micros() / count, false));
            }
        }
        return saved(simulate(pieces, optimistic, each -> each.applied(optimistic)));
    }

    /** Returns what is saved in the mode optimistic. */
    long inOptimisticMode() {
        return saved(simulate(entries, true, each -> each.applied(true)));
    }

    /** Returns what is saved with as many transactions in a commit group as possible, up to {@code size}. */
    long grouped(int size) {
        List<List<AppliedTransaction>> groups = ParallelismReport.timed(Dials.regrouped(entries, size), false);
        return saved(ParallelApply.simulate(groups, workers, cost));
    }

    /**
     * Returns what some transactions save with another number of workers: the time that they add to all the others now,
     * less what they add then.
     */
    long withWorkers(int count, Predicate<Workload.Entry> which) {
        List<Workload.Entry> others = entries.stream().filter(which.negate()).toList();
        return Math.max(0, withWorkers(count) - new WhatIf(others, cost, workers, optimistic).withWorkers(count));
    }

    private long withWorkers(int count) {
        return saved(new WhatIf(entries, cost, count, optimistic).base);
    }
}
