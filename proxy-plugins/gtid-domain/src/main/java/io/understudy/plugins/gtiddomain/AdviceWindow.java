package io.understudy.plugins.gtiddomain;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.tagging.DomainMeters;
import io.understudy.plugins.gtiddomain.tagging.Policy;
import io.understudy.plugins.gtiddomain.tagging.WriteOutcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Earlier values of the counters, so that the view covers the last minutes instead of the time since the start. Sampled
 * by the poller, read by any thread.
 */
final class AdviceWindow {
    private static final long STEP_NANOS = 10_000_000_000L;
    private static final int STEPS = 60;

    private record Sample(long nanos, int period, Policy policy, long writes, long independent, List<long[][]> rules) {}

    private final DomainIndexes indexes;
    private final DomainMeters meters;
    private final Deque<Sample> samples = new ArrayDeque<>();

    AdviceWindow(DomainIndexes indexes, DomainMeters meters) {
        this.indexes = indexes;
        this.meters = meters;
    }

    /** Called often; keeps a sample at intervals. */
    synchronized void sample(long nanos, Policy policy) {
        Sample last = samples.peekLast();
        if (last != null && last.policy() != policy) {
            // The rules have changed, so the counts for the old ones no longer apply.
            samples.clear();
            last = null;
        }
        if (last == null || nanos - last.nanos() >= STEP_NANOS) {
            samples.addLast(take(nanos, policy));
            if (samples.size() > STEPS) {
                samples.removeFirst();
            }
        }
    }

    private Sample take(long nanos, Policy policy) {
        List<long[][]> rules = new ArrayList<>();
        for (int rule = -1; rule < policy.rules.size(); rule++) {
            rules.add(policy.meters(rule).totals());
        }
        return new Sample(
                nanos,
                policy.ownership.report.beginPeriod(),
                policy,
                meters.writes.sum(),
                meters.independent.sum(),
                rules);
    }

    /** Returns the outcomes of the writes that a rule matched, from the oldest sample until now; empty for none. */
    synchronized Map<WriteOutcome, Long> outcomes() {
        Map<WriteOutcome, Long> outcomes = new EnumMap<>(WriteOutcome.class);
        Sample from = samples.peekFirst();
        if (from == null) {
            return outcomes;
        }
        for (int rule = 0; rule < from.policy().rules.size(); rule++) {
            long[][] before = from.rules().get(rule + 1);
            for (WriteOutcome outcome : WriteOutcome.values()) {
                long count = from.policy().meters(rule).total(outcome)
                        - Arrays.stream(before[outcome.ordinal()]).sum();
                if (count > 0) {
                    outcomes.merge(outcome, count, Long::sum);
                }
            }
        }
        return outcomes;
    }

    /** Returns the counts from the oldest sample until now. */
    synchronized Map<String, Object> view(long nanos, int maxTables) {
        Map<String, Object> view = new LinkedHashMap<>();
        Sample from = samples.peekFirst();
        if (from == null) {
            return view;
        }
        Policy policy = from.policy();
        Sample to = take(nanos, policy);
        long writes = to.writes() - from.writes();
        view.put("seconds", Math.round((to.nanos() - from.nanos()) / 1e9));
        view.put("writes", writes);
        view.put("independentShare", writes == 0 ? 0.0 : (to.independent() - from.independent()) / (double) writes);
        List<Object> rules = new ArrayList<>();
        for (int rule = -1; rule < policy.rules.size(); rule++) {
            Map<String, Object> row =
                    rule(policy, rule, from.rules().get(rule + 1), to.rules().get(rule + 1));
            if (row != null) {
                rules.add(row);
            }
        }
        view.put("rules", rules);
        List<Object> tables = new ArrayList<>();
        policy.ownership.report.wantedSince(from.period(), maxTables).forEach((table, bits) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("table", table);
            row.put("domains", indexes.labels(bits));
            tables.add(row);
        });
        view.put("tablesWrittenFromTwoDomains", tables);
        return view;
    }

    private @Nullable Map<String, Object> rule(Policy policy, int rule, long[][] before, long[][] now) {
        List<Object> domains = new ArrayList<>();
        for (int index = 0; index < DomainIndexes.LENGTH; index++) {
            Map<String, Object> row = new LinkedHashMap<>();
            for (WriteOutcome outcome : WriteOutcome.values()) {
                long count = now[outcome.ordinal()][index] - before[outcome.ordinal()][index];
                if (count > 0) {
                    row.put(outcome.label(), count);
                }
            }
            if (!row.isEmpty()) {
                Map<String, Object> named = new LinkedHashMap<>();
                named.put("domain", indexes.label(index));
                named.putAll(row);
                domains.add(named);
            }
        }
        if (rule < 0 && domains.isEmpty()) {
            return null;
        }
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("name", rule < 0 ? "none" : policy.rules.name(rule));
        row.put(
                "wants",
                rule < 0
                        ? indexes.domain(DomainIndexes.DEFAULT)
                        : Objects.requireNonNull(policy.rules.rule(rule).domain()));
        row.put("domains", domains);
        return row;
    }
}
