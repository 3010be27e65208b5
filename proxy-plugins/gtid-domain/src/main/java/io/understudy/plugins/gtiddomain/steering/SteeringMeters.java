package io.understudy.plugins.gtiddomain.steering;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The counters of steering, resolved at their first use, so that a count is one addition. Thread-safe. */
public final class SteeringMeters {
    /** Label of the action {@code domain}. */
    public static final String DOMAIN = "domain";

    private static final String STATEMENTS = "understudy.steered.statements";

    /** Outcomes of a statement that a rule with a lever matched. */
    enum Outcome {
        /** The lever was on when it ran. */
        STEERED,
        /** It would have been, in mode advise. */
        ADVISED,
        /** The client has set the variable itself. */
        RESPECTED,
        /** It ran inside a transaction, whose beginning did not show that a rule matches. */
        IN_TRANSACTION,
        /** Nothing could be injected ahead of it: it was pipelined, or reads diagnostics. */
        NO_BOUNDARY,
        /** {@code alter: two-phase} has no effect on this kind of schema change. */
        NOT_COVERED,
        /** The server has no such variable. */
        UNSUPPORTED,
        /** The server has refused too often; the session is no longer steered. */
        LEFT_ALONE
    }

    final MeterRegistry registry;
    private final Counter clientSets;

    public SteeringMeters(MeterRegistry registry) {
        this.registry = registry;
        clientSets = Counter.builder("understudy.steering.client.sets")
                .description("Clients that set binlog_alter_two_phase or skip_parallel_replication themselves")
                .register(registry);
    }

    void clientSets() {
        clientSets.increment();
    }

    /** Counts a SET that the server refused. */
    void refused(Lever lever, int errorCode) {
        // The expected code, and one label for all others: labels must be bounded.
        String reason = errorCode == 1193 || errorCode == 1227 ? Integer.toString(errorCode) : "other";
        counter(registry, lever.label(), "none", "refused_" + reason).increment();
    }

    /** Returns the label of an outcome in metrics and views. */
    static String label(Enum<?> outcome) {
        return outcome.name().toLowerCase(Locale.ROOT);
    }

    private static Counter counter(MeterRegistry registry, String action, String rule, String outcome) {
        return Counter.builder(STATEMENTS)
                .description("Statements that a rule steers, or would steer, by action")
                .tag("action", action)
                .tag("rule", rule)
                .tag("outcome", outcome)
                .register(registry);
    }

    /** The counters of one rule's action by outcome. */
    public static final class OfRule {
        private final MeterRegistry registry;
        private final String action;
        private final String rule;
        private final AtomicReferenceArray<@Nullable Counter> counters;

        /** @param outcomes their number */
        public OfRule(MeterRegistry registry, String action, String rule, int outcomes) {
            this.registry = registry;
            this.action = action;
            this.rule = rule;
            counters = new AtomicReferenceArray<>(outcomes);
        }

        public void count(Enum<?> outcome) {
            Counter counter = counters.get(outcome.ordinal());
            if (counter == null) {
                counter = counter(registry, action, rule, label(outcome));
                counters.set(outcome.ordinal(), counter);
            }
            counter.increment();
        }

        long total(Enum<?> outcome) {
            Counter counter = counters.get(outcome.ordinal());
            return counter == null ? 0 : (long) counter.count();
        }
    }
}
