package io.understudy.plugins.blackbox.witness;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.plugins.blackbox.kept.Keeping;

/** The metrics of the witness. */
public final class WitnessMeters {
    private WitnessMeters() {}

    public static void register(Witness witness, Keeping keeping, MeterRegistry meters) {
        Gauge.builder("understudy.witness.present", witness, each -> each.isPresent() ? 1 : 0)
                .description("1 while the primary counts the proxy among its semi-synchronous replicas")
                .register(meters);
        FunctionCounter.builder("understudy.witness.acknowledged", keeping, Keeping::acknowledged)
                .description("Transactions for which the primary waited and that the witness acknowledged")
                .register(meters);
        for (Withdrawal reason : Withdrawal.values()) {
            FunctionCounter.builder("understudy.witness.withdrawn", witness, each -> each.withdrawn(reason))
                    .tag("reason", reason.label())
                    .description("Times that the witness stopped acknowledging")
                    .register(meters);
        }
    }
}
