package io.understudy.plugins.gtiddomain;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The plugin's counters. Any thread; resolved at their first use and kept, so that a count is an addition. */
final class DomainMeters {
    private static final String STATEMENTS = "understudy.gtid.domain.statements";
    private static final String CONFLICTS = "understudy.gtid.domain.conflicts";
    /** Label of a write that no rule matched but that was steered all the same. */
    private static final String NO_RULE = "none";

    private final MeterRegistry registry;
    private final DomainSlots slots;
    private final Counter[] conflicts = new Counter[Conflict.values().length];
    private final Counter clientSets;
    final LongAdder writes = new LongAdder();
    final LongAdder independent = new LongAdder();

    DomainMeters(MeterRegistry registry, DomainSlots slots) {
        this.registry = registry;
        this.slots = slots;
        for (Conflict kind : Conflict.values()) {
            conflicts[kind.ordinal()] = Counter.builder(CONFLICTS)
                    .description("The same table written from two domains")
                    .tag("kind", kind.label())
                    .register(registry);
        }
        clientSets = Counter.builder("understudy.gtid.domain.client.sets")
                .description("Clients that set gtid_domain_id themselves and are left alone since")
                .register(registry);
    }

    /** Shows what others count. */
    void follow(WaitingTables waiting, HandoverProbes handoverProbes) {
        FunctionCounter.builder("understudy.gtid.domain.handovers", waiting, WaitingTables::handovers)
                .description(
                        "Writes that took their tables from one domain to another, when nothing of them was unapplied")
                .register(registry);
        FunctionCounter.builder("understudy.gtid.domain.quick.look.bursts", handoverProbes, HandoverProbes::bursts)
                .description("Times that positions were looked at back to back for tables that wait to pass")
                .register(registry);
        FunctionCounter.builder("understudy.gtid.domain.quick.looks", handoverProbes, HandoverProbes::looks)
                .description("Looks at positions in these bursts")
                .register(registry);
    }

    void conflict(Conflict kind) {
        conflicts[kind.ordinal()].increment();
    }

    long conflicts(Conflict kind) {
        return (long) conflicts[kind.ordinal()].count();
    }

    void clientSets() {
        clientSets.increment();
    }

    /** The server refused to set a domain. */
    void refused(int slot, int errorCode) {
        // The codes that are known, and one for all others: a label must be bounded.
        String reason = switch (errorCode) {
            case 1227, 1953, 1954, 4209, 1370, 1305 -> Integer.toString(errorCode);
            default -> "other";
        };
        statements(slots.label(slot), NO_RULE, "refused_" + reason).increment();
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
    final class OfRule {
        private final String rule;
        private final AtomicReferenceArray<@Nullable Counter> counters =
                new AtomicReferenceArray<>(DomainSlots.LENGTH * Outcome.values().length);

        OfRule(@Nullable String rule) {
            this.rule = rule == null ? NO_RULE : rule;
        }

        void count(int slot, Outcome outcome) {
            int at = outcome.ordinal() * DomainSlots.LENGTH + slot;
            Counter counter = counters.get(at);
            if (counter == null) {
                counter = statements(slots.label(slot), rule, outcome.label());
                counters.set(at, counter);
            }
            counter.increment();
        }

        /** By outcome and slot. */
        long[][] totals() {
            long[][] totals = new long[Outcome.values().length][DomainSlots.LENGTH];
            for (int outcome = 0; outcome < totals.length; outcome++) {
                for (int slot = 0; slot < DomainSlots.LENGTH; slot++) {
                    Counter counter = counters.get(outcome * DomainSlots.LENGTH + slot);
                    totals[outcome][slot] = counter == null ? 0 : (long) counter.count();
                }
            }
            return totals;
        }

        long total(Outcome outcome) {
            double sum = 0;
            for (int slot = 0; slot < DomainSlots.LENGTH; slot++) {
                Counter counter = counters.get(outcome.ordinal() * DomainSlots.LENGTH + slot);
                sum += counter == null ? 0 : counter.count();
            }
            return (long) sum;
        }
    }
}
