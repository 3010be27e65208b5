package io.understudy.steering;

import io.understudy.steering.parallelism.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds tables with rows that transactions in progress at the same time change, so that standbys repeat them. */
final class Repetition {
    /** Fewer retries are no news. */
    private static final int FEWEST = 20;
    /** Share of all conflicts from which a table is named. */
    private static final double SHARE = 0.1;

    private final Evidence evidence;
    private final WhatIf whatIf;
    private final Rules rules;

    Repetition(Evidence evidence, WhatIf whatIf, Rules rules) {
        this.evidence = evidence;
        this.whatIf = whatIf;
        this.rules = rules;
    }

    List<StallCause> findings() {
        List<StallCause> findings = new ArrayList<>();
        long retries = evidence.retries();
        if (!evidence.optimistic() || evidence.measured() && retries < FEWEST) {
            return findings;
        }
        Map<String, Integer> conflicts = new HashMap<>();
        Map<String, Integer> wider = new HashMap<>();
        int all = 0;
        for (Workload.Entry entry : evidence.entries()) {
            if (entry.distance() > 0
                    && entry.distance() < evidence.workers()
                    && entry.hints().parallel()) {
                all++;
                for (String table : entry.tables()) {
                    conflicts.merge(table, 1, Integer::sum);
                    wider.merge(table, entry.tables().size() > 1 ? 1 : 0, Integer::sum);
                }
            }
        }
        // The log has the last transactions only, the standby's counter ten minutes.
        double scale = evidence.measured() && all > 0 ? Math.max(1, retries / (double) all) : evidence.scale();
        for (Map.Entry<String, Integer> table : conflicts.entrySet()) {
            if (table.getValue() >= FEWEST && table.getValue() >= SHARE * all) {
                int several = wider.getOrDefault(table.getKey(), 0);
                findings.add(finding(table.getKey(), table.getValue(), several, scale));
            }
        }
        return findings;
    }

    private StallCause finding(String table, int conflicts, int wider, double scale) {
        long saved = (long) (scale * whatIf.skip(entry -> entry.tables().contains(table)));
        List<Action> actions = new ArrayList<>();
        if (Rules.nameable(table)) {
            actions.add(Action.rule(
                    "parallel: skip",
                    saved,
                    rules.skip(table),
                    rules.skipNote(
                            wider == 0
                                    ? "for writers in explicit transactions match by user or schema"
                                    : wider + " of the conflicts are in transactions over several tables: if they"
                                            + " begin with BEGIN, match their writers by user or schema instead")));
        }
        return new StallCause(
                StallCause.Kind.HOT_ROWS,
                table,
                saved,
                false,
                conflicts,
                "",
                conflicts + " transactions changed a row that one of the " + (evidence.workers() - 1)
                        + " before them had changed; "
                        + (evidence.measured()
                                ? "the standby repeated " + evidence.retries() + " transactions (of all tables)"
                                : "no standby was asked, so whether one repeats them is not known"),
                actions,
                entry -> entry.tables().contains(table));
    }
}
