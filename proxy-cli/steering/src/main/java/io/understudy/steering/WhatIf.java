package io.understudy.steering;

import io.understudy.steering.parallelism.AppliedTransaction;
import io.understudy.steering.parallelism.ApplyCost;
import io.understudy.steering.parallelism.ParallelApply;
import io.understudy.steering.parallelism.ParallelismReport;
import io.understudy.steering.parallelism.Workload;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Simulates the same transactions as they are and with one thing changed. All times are microseconds. */
final class WhatIf {
    /** Into pieces of this duration a long transaction is split. */
    static final long PIECE = 500_000;

    private final List<Workload.Entry> entries;
    private final int workers;
    private final boolean optimistic;
    private final List<AppliedTransaction> log;
    private final ParallelApply.Result base;

    WhatIf(List<Workload.Entry> entries, int workers, boolean optimistic) {
        this.entries = entries;
        this.workers = workers;
        this.optimistic = optimistic;
        log = ParallelismReport.timed(entries, optimistic);
        base = simulate(log);
    }

    private ParallelApply.Result simulate(List<AppliedTransaction> changed) {
        return ParallelApply.simulate(changed, workers, ApplyCost.DEFAULT);
    }

    private long saved(List<AppliedTransaction> changed) {
        return Math.max(0, base.makespan() - simulate(changed).makespan());
    }

    private long savedAs(List<Workload.Entry> changed) {
        return saved(ParallelismReport.timed(changed, optimistic));
    }

    private List<Workload.Entry> changed(Predicate<Workload.Entry> which, UnaryOperator<Workload.Entry> change) {
        return entries.stream()
                .map(entry -> which.test(entry) ? change.apply(entry) : entry)
                .toList();
    }

    /** Returns what is saved if schema changes are logged in two phases. */
    long twoPhase(Predicate<Workload.Entry> which) {
        return savedAs(changed(
                which,
                entry -> entry.besideOthers().taking(Math.min(ApplyCost.DEFAULT.perTransaction(), entry.micros()))));
    }

    /** Returns what is saved if transactions wait for those before them. */
    long skip(Predicate<Workload.Entry> which) {
        List<AppliedTransaction> waiting = new ArrayList<>(log);
        for (int i = 0; i < log.size(); i++) {
            if (which.test(entries.get(i))) {
                waiting.set(i, log.get(i).waiting());
            }
        }
        return saved(waiting);
    }

    /** Returns what the others save if transactions have a domain of their own; 0 if they have one already. */
    long apart(Predicate<Workload.Entry> which) {
        Set<Long> shared = new HashSet<>();
        entries.stream().filter(which.negate()).forEach(entry -> shared.add(entry.domain()));
        Set<AppliedTransaction> own = new HashSet<>();
        for (int i = 0; i < log.size(); i++) {
            if (which.test(entries.get(i)) && shared.contains(log.get(i).domain())) {
                own.add(log.get(i));
            }
        }
        if (own.isEmpty()) {
            return 0;
        }
        ParallelApply.Result apart = simulate(ParallelismReport.apart(log, own::contains));
        long before = base.makespan(index -> !which.test(entries.get(index)));
        return Math.max(0, before - apart.makespan(index -> !which.test(entries.get(index))));
    }

    /** Returns what is saved if transactions are split into pieces of at most {@link #PIECE}. */
    long split(Predicate<Workload.Entry> which) {
        return savedAs(ParallelismReport.split(entries, which, PIECE));
    }

    /** Returns what is saved in the mode optimistic. */
    long inOptimisticMode() {
        return saved(ParallelismReport.timed(entries, true));
    }

    /**
     * Returns what some transactions save with another number of workers: the time that they add to all the others now,
     * less what they add then.
     */
    long withWorkers(int count, Predicate<Workload.Entry> which) {
        List<Workload.Entry> others = entries.stream().filter(which.negate()).toList();
        return Math.max(0, withWorkers(count) - new WhatIf(others, workers, optimistic).withWorkers(count));
    }

    private long withWorkers(int count) {
        return Math.max(
                0,
                base.makespan()
                        - ParallelApply.simulate(log, count, ApplyCost.DEFAULT).makespan());
    }
}
