package io.understudy.plugins.gtiddomain.advice;

import io.understudy.plugins.gtiddomain.parallelism.ApplyCost;
import io.understudy.plugins.gtiddomain.parallelism.Workload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The advice as maps, for JSON and for printing. */
public final class SteeringAdvice {
    private static final int MOST = 50;

    private SteeringAdvice() {}

    /**
     * Returns the findings, the costliest first.
     *
     * @param entries the log's transactions, oldest first
     * @param standbys what is known of them; empty if none was asked
     * @param stalls measured on them
     */
    public static Map<String, Object> of(
            List<Workload.Entry> entries, List<StandbyFacts> standbys, List<Stall> stalls, ApplyCost cost) {
        Evidence evidence = new Evidence(entries, standbys, stalls, cost);
        WhatIf whatIf = evidence.whatIf();
        List<StallCause> findings = new ArrayList<>();
        findings.addAll(new LongWork(evidence, whatIf).findings());
        findings.addAll(new Repetition(evidence, whatIf).findings());
        findings.addAll(new GroupWork(evidence, whatIf).findings());
        SerialApply serial = new SerialApply(evidence, whatIf);
        findings.addAll(serial.findings());
        findings.sort(Comparator.comparingLong(StallCause::lostMicros).reversed());
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("transactions", entries.size());
        view.put("seconds", evidence.seconds());
        view.put("workers", Math.max(1, evidence.workers()));
        view.put("mode", evidence.optimistic() ? "optimistic" : "conservative");
        view.put("assumed", !evidence.measured());
        view.put("standbys", standbys.stream().map(SteeringAdvice::standby).toList());
        view.put(
                "findings",
                findings.stream()
                        .limit(MOST)
                        .map(serial::first)
                        .map(StallCause::view)
                        .toList());
        view.put("notKnown", notKnown(evidence));
        return view;
    }

    private static Map<String, Object> standby(StandbyFacts facts) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("name", facts.name());
        if (facts.workers() >= 0) {
            view.put("slaveParallelThreads", facts.workers());
            view.put("slaveParallelMode", facts.mode());
            view.put("parallel", !facts.serial());
            view.put("lateSeconds", StallCause.seconds(facts.lateMicros()));
        }
        if (facts.retries() >= 0) {
            view.put("retries", facts.retries());
        }
        if (!facts.problem().isEmpty()) {
            view.put("problem", facts.problem());
        }
        return view;
    }

    private static List<String> notKnown(Evidence evidence) {
        List<String> gaps = new ArrayList<>();
        if (!evidence.measured()) {
            gaps.add("how long standbys waited and how often they repeated a transaction: none was asked");
            gaps.add("schema changes and statements below two seconds: the log has whole seconds only");
        }
        long unread = evidence.entries().stream()
                .filter(entry -> !entry.schemaChange() && !entry.hints().rows().complete())
                .count();
        if (unread > 0) {
            gaps.add("which rows " + unread + " of the transactions changed: they are long, compressed, or logged as"
                    + " statements");
        }
        for (StandbyFacts standby : evidence.standbys()) {
            if (!standby.problem().isEmpty()) {
                gaps.add("anything of standby " + standby.name() + ": " + standby.problem());
            }
        }
        return gaps;
    }
}
