package io.understudy.plugins.gtiddomain.advice;

import io.understudy.plugins.gtiddomain.parallelism.ApplyCost;
import io.understudy.plugins.gtiddomain.parallelism.Dials;
import io.understudy.plugins.gtiddomain.parallelism.Workload;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All that the findings are made from.
 *
 * @param entries the log's transactions, oldest first
 * @param standbys what is known of them; empty if none was asked
 * @param stalls those measured
 * @param cost of the simulation
 */
record Evidence(List<Workload.Entry> entries, List<StandbyFacts> standbys, List<Stall> stalls, ApplyCost cost) {
    /** Number of workers that is assumed if no standby tells its own. */
    static final int ASSUMED_WORKERS = 8;

    private static final int MICROS = 1_000_000;

    /** Returns whether standbys were asked, so that only what they show is a finding. */
    boolean measured() {
        return standbys.stream().anyMatch(standby -> standby.workers() >= 0);
    }

    /** Returns the fewest workers that a standby has; 0 if one does not apply in parallel. */
    int workers() {
        return standbys.stream()
                .mapToInt(standby -> standby.serial() ? 0 : standby.workers())
                .filter(count -> count >= 0)
                .min()
                .orElse(ASSUMED_WORKERS);
    }

    /** Returns whether the simulation is of the mode optimistic, the default of servers since 10.5. */
    boolean optimistic() {
        return standbys.stream().noneMatch(StandbyFacts::conservative);
    }

    /** Returns the seconds of the log. */
    long seconds() {
        return Dials.seconds(entries);
    }

    /** Returns the share of the time in which a standby is busy with the log, as simulated. */
    double load(WhatIf whatIf) {
        return seconds() == 0 ? 0 : whatIf.base().makespan() / (double) (seconds() * MICROS);
    }

    /** Returns a domain that the log does not use. */
    long freeDomain() {
        long domain = 10;
        for (boolean used = true; used; ) {
            long tried = domain;
            used = entries.stream().anyMatch(entry -> entry.domain() == tried);
            domain += used ? 1 : 0;
        }
        return domain;
    }

    /** Returns the simulation of the log, with transactions as long as their stalls where those were measured. */
    WhatIf whatIf() {
        Map<String, Long> stalled = new HashMap<>();
        stalls.forEach(stall -> stalled.merge(stall.head().gtid(), stall.micros(), Math::max));
        List<Workload.Entry> timed = entries.stream()
                .map(entry -> entry.taking(stalled.getOrDefault(entry.gtid(), entry.micros()), entry.schemaChange()))
                .toList();
        return new WhatIf(timed, cost, Math.max(1, workers()), optimistic());
    }
}
