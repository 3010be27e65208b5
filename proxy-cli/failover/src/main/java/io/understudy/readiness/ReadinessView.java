package io.understudy.readiness;

import io.understudy.config.Address;
import io.understudy.config.LoadedConfig;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Serves {@code /api/standbys/{name}/readiness}. Anybody who reaches the port may call it, and each call queries two
 * servers. So one gate runs at a time, and its report is served for two seconds. Thread-safe.
 */
public final class ReadinessView {
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** A caller that waits for another one's gate gets a response before the admin endpoint gives up. */
    private static final long PATIENCE_SECONDS = 7;

    /** @param primary the one that the standby was compared with */
    private record Kept(ReadinessReport report, Address primary, long at) {}

    private final Supplier<LoadedConfig> config;
    private final Supplier<Address> primary;
    private final ProxyFigures.Source proxy;
    private final LongSupplier nanos;
    private final ReentrantLock gate = new ReentrantLock();
    private final Map<String, Kept> kept = new HashMap<>();

    /**
     * Creates a view of the standbys in the active configuration.
     *
     * @param primary the present primary
     * @param proxy what the plugins know of a standby
     * @param nanos a monotonic clock
     */
    public ReadinessView(
            Supplier<LoadedConfig> config, Supplier<Address> primary, ProxyFigures.Source proxy, LongSupplier nanos) {
        this.config = config;
        this.primary = primary;
        this.proxy = proxy;
        this.nanos = nanos;
    }

    /** Returns the report with all names. */
    public Map<String, Object> full(String standby) {
        return report(standby).view();
    }

    /** Returns the verdict and the checks that found something. */
    public Map<String, Object> redacted(String standby) {
        return report(standby).redacted();
    }

    private ReadinessReport report(String standby) {
        Address present = primary.get();
        ReadinessGate asked =
                ReadinessGate.of(config.get(), standby, present, ReadinessGate.LIMITS, ReadinessGate.TIME);
        try {
            if (!gate.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("other standbys are being asked; ask again in some seconds");
            }
            try {
                Kept last = kept.get(standby);
                if (last != null && last.primary.equals(present) && nanos.getAsLong() - last.at < FRESH_NANOS) {
                    return last.report;
                }
                ReadinessReport report = asked.report(ProxyFigures.of(
                        proxy, standby, ReadinessGate.mirrors(config.get()), ReadinessGate.keeps(config.get())));
                kept.put(standby, new Kept(report, present, nanos.getAsLong()));
                return report;
            } finally {
                gate.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the servers were being asked", e);
        }
    }
}
