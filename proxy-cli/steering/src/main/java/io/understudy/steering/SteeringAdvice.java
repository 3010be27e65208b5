package io.understudy.steering;

import io.understudy.plugins.gtiddomain.GtidDomainConfig;
import io.understudy.steering.parallelism.Arrivals;
import io.understudy.steering.parallelism.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The advice as maps, for JSON and for printing. */
public final class SteeringAdvice {
    /** Why there is no advice about a MySQL server's log. */
    static final String MYSQL = "the primary is a MySQL server: its replicas apply by writesets"
            + " (replica_parallel_workers), and no rule of gtid-domain has an effect there";

    private static final int MOST = 50;

    private final List<Workload.Entry> entries;
    private final List<StandbyFacts> standbys;
    private final Rules rules;
    private final long covered;

    private SteeringAdvice(
            List<Workload.Entry> entries,
            List<StandbyFacts> standbys,
            @Nullable GtidDomainConfig inForce,
            long covered) {
        this.entries = entries;
        this.standbys = standbys;
        this.covered = Math.max(covered, entries.size());
        rules = new Rules(inForce, entries);
    }

    /**
     * Returns the findings, the costliest first. Each standby is judged by its own settings.
     *
     * @param entries the log's last transactions, oldest first
     * @param standbys what is known of them; empty if none was asked
     * @param stalls measured on them
     * @param inForce the rules that there are
     * @param covered number of transactions in the time of the stalls
     */
    static Map<String, Object> of(
            List<Workload.Entry> entries,
            List<StandbyFacts> standbys,
            List<Stall> stalls,
            @Nullable GtidDomainConfig inForce,
            long covered) {
        return new SteeringAdvice(entries, standbys, inForce, covered).view(stalls);
    }

    /** Returns the same of the transactions that a workload retains; of a MySQL server's log, why there is none. */
    public static Map<String, Object> of(
            Workload workload,
            List<StandbyFacts> standbys,
            List<Stall> stalls,
            @Nullable GtidDomainConfig inForce,
            long covered) {
        return workload.ofMySql()
                ? Map.of("problem", MYSQL, "findings", List.of())
                : of(workload.entries(), standbys, stalls, inForce, covered);
    }

    private Map<String, Object> view(List<Stall> all) {
        List<Stall> stalls = all.stream().filter(stall -> !stall.brief()).toList();
        boolean assumed = standbys.stream().noneMatch(StandbyFacts::judged);
        Ranking ranking = new Ranking();
        if (assumed) {
            ranking.add("", findings(null, stalls));
        }
        for (StandbyFacts standby : standbys) {
            if (standby.judged()) {
                List<Stall> own = stalls.stream()
                        .filter(stall -> stall.standby().equals(standby.name()))
                        .toList();
                ranking.add(standby.name(), findings(standby, own));
            }
        }
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("transactions", covered);
        view.put("simulatedTransactions", entries.size());
        view.put("simulatedSeconds", Arrivals.seconds(entries));
        view.put("assumed", assumed);
        view.put("leastStallSeconds", StallCause.seconds(Stalls.LEAST_MICROS));
        view.put(
                "longestBriefStallSeconds",
                StallCause.seconds(all.stream()
                        .filter(Stall::brief)
                        .mapToLong(Stall::micros)
                        .max()
                        .orElse(0)));
        view.put("standbys", standbys.stream().map(SteeringAdvice::standby).toList());
        view.put("findings", ranking.view(MOST));
        view.put("notKnown", notKnown(assumed));
        return view;
    }

    private List<StallCause> findings(@Nullable StandbyFacts standby, List<Stall> stalls) {
        double scale = entries.isEmpty() ? 1 : covered / (double) entries.size();
        Evidence evidence = new Evidence(entries, standby, stalls, scale);
        WhatIf whatIf = evidence.whatIf();
        List<StallCause> findings = new ArrayList<>();
        findings.addAll(new LongWork(evidence, whatIf, rules).findings());
        findings.addAll(new Repetition(evidence, whatIf, rules).findings());
        SerialApply serial = new SerialApply(evidence, whatIf);
        findings.addAll(serial.findings());
        return findings.stream().map(serial::first).toList();
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
        if (facts.delaySeconds() > 0) {
            view.put("delaySeconds", facts.delaySeconds());
        }
        if (facts.retries() >= 0) {
            view.put("retries", facts.retries());
        }
        if (!facts.problem().isEmpty()) {
            view.put("problem", facts.problem());
        }
        return view;
    }

    private List<String> notKnown(boolean assumed) {
        List<String> gaps = new ArrayList<>();
        if (assumed) {
            gaps.add("how long standbys waited and how often they repeated a transaction: none was asked");
            gaps.add("schema changes and statements below two seconds: the log has whole seconds only");
        }
        long unread = entries.stream()
                .filter(entry -> !entry.schemaChange() && !entry.hints().rows().complete())
                .count();
        if (unread > 0) {
            gaps.add("which rows " + unread + " of the transactions changed: they are long, compressed, or logged as"
                    + " statements");
        }
        for (StandbyFacts standby : standbys) {
            if (!standby.problem().isEmpty()) {
                gaps.add("anything of standby " + standby.name() + ": " + standby.problem());
            }
            if (standby.delaySeconds() > 0) {
                gaps.add("what holds up standby " + standby.name() + ": it is late on purpose (MASTER_DELAY = "
                        + standby.delaySeconds() + ")");
            }
        }
        return gaps;
    }

    /** The findings about all standbys, each cause once. */
    private static final class Ranking {
        private record Ranked(StallCause cause, List<String> standbys) {}

        private final Map<String, Ranked> causes = new LinkedHashMap<>();

        /** Adds those about one standby. Of one that others share, that of the standby stays which lost most. */
        void add(String standby, List<StallCause> findings) {
            for (StallCause finding : findings) {
                Ranked before = causes.get(finding.identity());
                List<String> names = new ArrayList<>(before == null ? List.of() : before.standbys());
                if (!standby.isEmpty()) {
                    names.add(standby);
                }
                StallCause worst =
                        before == null || finding.lostMicros() > before.cause().lostMicros() ? finding : before.cause();
                causes.put(finding.identity(), new Ranked(worst, names));
            }
        }

        /** Returns the findings, the costliest first. A rule that an earlier finding has is not repeated. */
        List<Map<String, Object>> view(int most) {
            List<Ranked> ranked = new ArrayList<>(causes.values());
            ranked.sort((one, other) ->
                    Long.compare(other.cause().lostMicros(), one.cause().lostMicros()));
            Map<String, Integer> given = new HashMap<>();
            List<Map<String, Object>> rows = new ArrayList<>();
            for (Ranked finding : ranked.subList(0, Math.min(most, ranked.size()))) {
                int number = rows.size() + 1;
                Map<String, Object> row = finding.cause().view();
                row.put("standbys", finding.standbys());
                List<Map<String, Object>> actions = new ArrayList<>();
                for (Action action : finding.cause().actions()) {
                    Integer earlier = action.kind().equals("rule") ? given.putIfAbsent(action.text(), number) : null;
                    actions.add(action.view(earlier == null ? 0 : earlier));
                }
                row.put("actions", actions);
                rows.add(row);
            }
            return rows;
        }
    }
}
