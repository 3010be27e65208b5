package io.understudy.steering;

import io.understudy.steering.parallelism.Workload;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * Finds standbys that are late because they apply one transaction after the other, or one commit group after the other:
 * no single transaction needs to be long for that, so there may be no stall.
 */
final class SerialApply {
    private static final int WORKERS = 8;
    private static final Predicate<Workload.Entry> ALL = entry -> true;
    /** A standby that is less late loses nothing worth a restart of its applier. */
    private static final long LEAST_MICROS = 1_000_000;

    /** Least share of the lateness that another mode must save to be named. */
    private static final double WORTH = 0.1;

    private final Evidence evidence;
    private final WhatIf whatIf;

    SerialApply(Evidence evidence, WhatIf whatIf) {
        this.evidence = evidence;
        this.whatIf = whatIf;
    }

    List<StallCause> findings() {
        StandbyFacts standby = evidence.standby();
        if (standby == null || standby.lateMicros() < LEAST_MICROS) {
            return List.of();
        }
        if (standby.serial()) {
            return List.of(finding(standby, "one transaction after the other", action(standby, ALL, evidence.scale())));
        }
        long saved = standby.conservative() ? evidence.scaled(whatIf.inOptimisticMode()) : 0;
        if (saved < WORTH * standby.lateMicros()) {
            return List.of();
        }
        return List.of(finding(
                standby,
                "one commit group after the other",
                Action.statement(
                        "slave_parallel_mode",
                        saved,
                        applierStopped("SET GLOBAL slave_parallel_mode = 'optimistic'"),
                        "on standby " + standby.name() + "; retries as far as rows conflict; what larger groups would"
                                + " do instead: report parallelism")));
    }

    private StallCause finding(StandbyFacts standby, String how, Action action) {
        return new StallCause(
                StallCause.Kind.SERIAL_APPLY,
                "standby " + standby.name(),
                standby.lateMicros(),
                true,
                evidence.entries().size(),
                "",
                String.format(
                        Locale.ROOT,
                        "it was up to %.1f s late, and applies %s (%s)",
                        standby.lateMicros() / 1e6,
                        how,
                        standby.settings()),
                List.of(action),
                ALL);
    }

    /** While the receiver runs, nothing that it has received is thrown away (MDEV-4698). */
    private static String applierStopped(String statement) {
        return "STOP SLAVE SQL_THREAD; " + statement + "; START SLAVE SQL_THREAD";
    }

    private Action action(StandbyFacts standby, Predicate<Workload.Entry> own, double scale) {
        String settings = "SET GLOBAL slave_parallel_threads = " + Math.max(standby.workers(), WORKERS)
                + (standby.notParallel() ? ", slave_parallel_mode = 'optimistic'" : "");
        return Action.statement(
                standby.workers() > 1 ? "slave_parallel_mode" : "slave_parallel_threads",
                Math.round(scale * whatIf.withWorkers(WORKERS, own)),
                applierStopped(settings),
                "on standby " + standby.name() + "; without parallel apply no rule has an effect there");
    }

    /** Without parallel apply no action has an effect, so enabling it comes first. */
    StallCause first(StallCause finding) {
        StandbyFacts standby = evidence.standby();
        if (standby == null
                || !standby.serial()
                || finding.actions().isEmpty()
                || finding.kind() == StallCause.Kind.SERIAL_APPLY) {
            return finding;
        }
        // A finding about single transactions, of which it names the worst, has all of them.
        double scale = finding.worst().isEmpty() ? evidence.scale() : 1;
        return finding.with(List.of(action(standby, finding.own(), scale)));
    }
}
