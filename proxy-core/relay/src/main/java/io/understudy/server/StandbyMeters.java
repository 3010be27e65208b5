package io.understudy.server;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** One standby's meters. Written by one thread at a time, read by any. */
final class StandbyMeters {
    private final LongAdder coldReads = new LongAdder();
    private volatile double missRatio = Double.NaN;
    private volatile double lag = Double.NaN;
    private volatile double readOnly = Double.NaN;
    private volatile double up;
    private volatile double isPrimary;
    private volatile double stopped = Double.NaN;

    private @Nullable StandbyProbeResult last;

    StandbyMeters(MeterRegistry registry, String standby) {
        FunctionCounter.builder("understudy.standby.cold.reads", coldReads, LongAdder::doubleValue)
                .description("InnoDB pages that the standby had to read from disk while it was watched")
                .tag("standby", standby)
                .register(registry);
        gauge(registry, standby, "miss.ratio", "Cold reads per logical read over the last interval", m -> m.missRatio);
        gauge(registry, standby, "lag.seconds", "Replication lag", m -> m.lag);
        gauge(registry, standby, "up", "1 when the standby responds", m -> m.up);
        gauge(registry, standby, "read.only", "1 when the standby is read-only", m -> m.readOnly);
        gauge(registry, standby, "replication.stopped", "1 while a channel is stopped", m -> m.stopped);
        gauge(registry, standby, "is.primary", "1 while the server is the present primary", m -> m.isPrimary);
    }

    private void gauge(
            MeterRegistry registry, String standby, String name, String text, ToDoubleFunction<StandbyMeters> value) {
        Gauge.builder("understudy.standby." + name, this, value)
                .description(text)
                .tag("standby", standby)
                .register(registry);
    }

    /** @param primary whether the server is the present primary: its figures are none of a standby then */
    void saw(StandbyProbeResult result, boolean primary) {
        up = 1;
        isPrimary = primary ? 1 : 0;
        readOnly = primary ? Double.NaN : result.readOnly() ? 1 : 0;
        stopped = primary ? Double.NaN : result.applierStopped() ? 1 : 0;
        Double seconds = result.lagSeconds();
        lag = primary || seconds == null ? Double.NaN : seconds;
        StandbyProbeResult before = primary ? null : last;
        last = result;
        if (before == null || before.coldReads() < 0 || result.coldReads() < 0) {
            missRatio = Double.NaN;
            return;
        }
        // A restarted server counts from zero: all its reads since then are new.
        boolean restarted = result.readRequests() < before.readRequests();
        long reads = Math.max(0, restarted ? result.coldReads() : result.coldReads() - before.coldReads());
        long requests = restarted ? result.readRequests() : result.readRequests() - before.readRequests();
        coldReads.add(reads);
        // MySQL does not count read-ahead pages as requests, so the ratio may exceed 1.
        missRatio = requests <= 0 ? Double.NaN : Math.min(1, (double) reads / requests);
    }

    void sawNothing(boolean primary) {
        up = 0;
        isPrimary = primary ? 1 : 0;
        missRatio = Double.NaN;
        lag = Double.NaN;
        readOnly = Double.NaN;
        stopped = Double.NaN;
    }
}
