package io.understudy.steering;

import io.understudy.steering.parallelism.Workload;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All that the findings about one standby are made from.
 *
 * @param entries the log's last transactions, oldest first: those that are simulated
 * @param standby the standby with settings that are known; null if there is none, and one is assumed
 * @param stalls those measured on it
 * @param scale how many times as many transactions the covered time had
 */
record Evidence(List<Workload.Entry> entries, @Nullable StandbyFacts standby, List<Stall> stalls, double scale) {
    /** Number of workers that is assumed if no standby tells its own. */
    static final int ASSUMED_WORKERS = 8;

    /** Returns whether the standby was asked, so that only what it shows is a finding. */
    boolean measured() {
        return standby != null;
    }

    /** Returns the number of its workers; 0 if it does not apply in parallel. */
    int workers() {
        return standby == null ? ASSUMED_WORKERS : standby.serial() ? 0 : standby.workers();
    }

    /** Returns whether it is simulated in the mode optimistic, the default of servers since 10.5. */
    boolean optimistic() {
        return standby == null || !standby.conservative();
    }

    /** Returns the transactions that it repeated; -1 if unknown. */
    long retries() {
        return standby == null ? -1 : standby.retries();
    }

    /** Returns a simulated time for the whole time that is covered. */
    long scaled(long micros) {
        return Math.round(scale * micros);
    }

    /** Returns the GTIDs of the transactions that are simulated. */
    Set<String> gtids() {
        return entries.stream().map(Workload.Entry::gtid).collect(Collectors.toSet());
    }

    /** Returns the simulation of the log, with transactions as long as their stalls where those were measured. */
    WhatIf whatIf() {
        Map<String, Long> stalled = new HashMap<>();
        stalls.forEach(stall -> stalled.merge(stall.head().gtid(), stall.micros(), Math::max));
        List<Workload.Entry> timed = entries.stream()
                .map(entry -> entry.taking(stalled.getOrDefault(entry.gtid(), entry.micros())))
                .toList();
        return new WhatIf(timed, Math.max(1, workers()), optimistic());
    }
}
