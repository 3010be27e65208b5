package io.understudy.plugins.gtiddomain.tagging;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.plugins.gtiddomain.ownership.Conflict;
import io.understudy.plugins.gtiddomain.ownership.Handovers;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.steering.SteeringMeters;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The plugin's counters, resolved at their first use, so that a count is one addition. Thread-safe. */
public final class DomainMeters {
    private static final String STATEMENTS = "understudy.gtid.domain.statements";
    private static final String CONFLICTS = "understudy.gtid.domain.conflicts";
    /** Label of a write that no rule matched but that was steered. */
    private static final String NO_RULE = "none";

    private final MeterRegistry registry;
    private final DomainIndexes indexes;
    private final Counter[] conflicts = new Counter[Conflict.values().length];
    /** Counts conflicts between domains that are only simulated: none of them happens. */
    private final LongAdder[] simulated = new LongAdder[Conflict.values().length];

    private final Counter clientSets;
    public final LongAdder writes = new LongAdder();
    public final LongAdder independent = new LongAdder();

    public DomainMeters(MeterRegistry registry, DomainIndexes indexes) {
        this.registry = registry;
        this.indexes = indexes;
        for (Conflict kind : Conflict.values()) {
            simulated[kind.ordinal()] = new LongAdder();
            conflicts[kind.ordinal()] = Counter.builder(CONFLICTS)
                    .description("The same table written from two domains")
                    .tag("kind", kind.label())
                    .register(registry);
        }
        clientSets = Counter.builder("understudy.gtid.domain.client.sets")
                .description("Clients that set gtid_domain_id themselves and are left alone since")
                .register(registry);
    }

    /** Registers the count that another class keeps. */
    public void follow(Handovers handovers) {
        FunctionCounter.builder("understudy.gtid.domain.handovers", handovers, Handovers::count)
                .description(
                        "Writes that took their tables from one domain to another, when nothing of them was unapplied")
                .register(registry);
    }

    public void conflict(Conflict kind) {
        conflicts[kind.ordinal()].increment();
    }

    /** Counts a conflict that would have been, in mode advise: no alert may come of it. */
    void simulatedConflict(Conflict kind) {
        simulated[kind.ordinal()].increment();
    }

    /** Returns the conflicts, also those that would have been. */
    public long conflicts(Conflict kind) {
        return (long) conflicts[kind.ordinal()].count() + simulated[kind.ordinal()].sum();
    }

    public void clientSets() {
        clientSets.increment();
    }

    /** Counts a session that continues without being observed, by its domain. */
    void unfollowed(int index) {
        Counter.builder("understudy.gtid.domain.unfollowed.sessions")
                .description("Sessions that go on without being followed, by the domain in which they stay")
                .tag("domain", indexes.label(index))
                .register(registry)
                .increment();
    }

    /** Counts a domain that the server refused to set. */
    public void refused(int index, int errorCode) {
        // The expected codes, and one label for all others: labels must be bounded.
        String reason = switch (errorCode) {
            case 1227, 1953, 1954, 4209, 1370, 1305 -> Integer.toString(errorCode);
            default -> "other";
        };
        statements(indexes.label(index), NO_RULE, "refused_" + reason).increment();
    }

    private Counter statements(String domain, String rule, String outcome) {
        return Counter.builder(STATEMENTS)
                .description("Statements by the domain they were given, or would have been")
                .tag("domain", domain)
                .tag("rule", rule)
                .tag("outcome", outcome)
                .register(registry);
    }

    /** The counters of one rule, or of writes without one. */
    public final class OfRule {
        private final String rule;
        private final AtomicReferenceArray<@Nullable Counter> counters =
                new AtomicReferenceArray<>(DomainIndexes.LENGTH * WriteOutcome.values().length);
        /** The same over all domains, by outcome, beside the other actions. */
        private final SteeringMeters.OfRule steered;

        public OfRule(@Nullable String rule) {
            this.rule = rule == null ? NO_RULE : rule;
            steered =
                    new SteeringMeters.OfRule(registry, SteeringMeters.DOMAIN, this.rule, WriteOutcome.values().length);
        }

        public void count(int index, WriteOutcome outcome) {
            int at = outcome.ordinal() * DomainIndexes.LENGTH + index;
            Counter counter = counters.get(at);
            if (counter == null) {
                counter = statements(indexes.label(index), rule, outcome.label());
                counters.set(at, counter);
            }
            counter.increment();
            steered.count(outcome);
        }

        /** Returns the counts by outcome and domain index. */
        public long[][] totals() {
            long[][] totals = new long[WriteOutcome.values().length][DomainIndexes.LENGTH];
            for (int outcome = 0; outcome < totals.length; outcome++) {
                for (int index = 0; index < DomainIndexes.LENGTH; index++) {
                    Counter counter = counters.get(outcome * DomainIndexes.LENGTH + index);
                    totals[outcome][index] = counter == null ? 0 : (long) counter.count();
                }
            }
            return totals;
        }

        public long total(WriteOutcome outcome) {
            return Arrays.stream(totals()[outcome.ordinal()]).sum();
        }
    }
}
