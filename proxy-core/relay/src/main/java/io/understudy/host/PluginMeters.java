package io.understudy.host;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one plugin within the registry of the process: those that are registered here are registered there, and
 * removed from there with the plugin. A meter is the process's own object, so that counting costs no more than without
 * this class. A meter that another plugin or the proxy itself has is refused. Thread-safe.
 */
final class PluginMeters extends MeterRegistry {
    private final String owner;
    private final MeterOwners owners;
    private final Object registering = new Object();
    private volatile MeterRegistry process;
    /** Guarded by {@link #registering}, as is the change of {@link #process}. */
    private boolean removed;

    PluginMeters(MeterRegistry process, String owner, MeterOwners owners) {
        super(process.config().clock());
        this.process = process;
        this.owner = owner;
        this.owners = owners;
        config().onMeterRemoved(meter -> {
            this.process.remove(meter.getId());
            owners.release(meter.getId(), this);
        });
    }

    /** Registers a new meter with the process; of a plugin that was removed, where nobody reads it. */
    private <M extends Meter> M registered(Meter.Id id, Function<MeterRegistry, M> meter) {
        // Held until the process has the meter: a removal must not come between the claim and that.
        synchronized (registering) {
            if (!removed && owners.claim(id, this, owner) && owners.isShown(id)) {
                owners.release(id, this);
                throw MeterOwners.taken(id, owner, "the proxy itself");
            }
            return meter.apply(process);
        }
    }

    /** Removes all meters. Those that a task of the plugin registers later are in no registry that is read. */
    void removeAll() {
        synchronized (registering) {
            MeterRegistry shown = process;
            process = new SimpleMeterRegistry();
            removed = true;
            // Not by getMeters(), which lacks one that a task has just registered with the process.
            owners.release(this).forEach(meter -> shown.remove((Meter.Id) meter));
        }
    }

    @Override
    protected <T> Gauge newGauge(Meter.Id id, @Nullable T source, ToDoubleFunction<T> value) {
        return registered(
                id,
                Gauge.builder(id.getName(), source, value)
                        .tags(id.getTags())
                        .description(id.getDescription())
                        .baseUnit(id.getBaseUnit())::register);
    }

    @Override
    protected Counter newCounter(Meter.Id id) {
        return registered(
                id,
                Counter.builder(id.getName())
                        .tags(id.getTags())
                        .description(id.getDescription())
                        .baseUnit(id.getBaseUnit())::register);
    }

    @Override
    protected Timer newTimer(Meter.Id id, DistributionStatisticConfig wanted, PauseDetector pauses) {
        return registered(
                id,
                Timer.builder(id.getName())
                        .tags(id.getTags())
                        .description(id.getDescription())
                        .publishPercentiles(wanted.getPercentiles())
                        .publishPercentileHistogram(wanted.isPercentileHistogram())
                        .percentilePrecision(wanted.getPercentilePrecision())
                        .serviceLevelObjectives(durations(wanted.getServiceLevelObjectiveBoundaries()))
                        .minimumExpectedValue(duration(wanted.getMinimumExpectedValueAsDouble()))
                        .maximumExpectedValue(duration(wanted.getMaximumExpectedValueAsDouble()))
                        .distributionStatisticExpiry(wanted.getExpiry())
                        .distributionStatisticBufferLength(wanted.getBufferLength())
                        .pauseDetector(pauses)::register);
    }

    @Override
    protected LongTaskTimer newLongTaskTimer(Meter.Id id, DistributionStatisticConfig wanted) {
        return registered(
                id,
                LongTaskTimer.builder(id.getName())
                        .tags(id.getTags())
                        .description(id.getDescription())
                        .publishPercentiles(wanted.getPercentiles())
                        .publishPercentileHistogram(wanted.isPercentileHistogram())
                        .serviceLevelObjectives(durations(wanted.getServiceLevelObjectiveBoundaries()))::register);
    }

    private static Duration[] durations(double @Nullable [] nanos) {
        return nanos == null
                ? new Duration[0]
                : Arrays.stream(nanos)
                        .mapToObj(boundary -> Duration.ofNanos((long) boundary))
                        .toArray(Duration[]::new);
    }

    private static @Nullable Duration duration(@Nullable Double nanos) {
        return nanos == null || nanos <= 0 || nanos.isInfinite() ? null : Duration.ofNanos(nanos.longValue());
    }

    @Override
    protected DistributionSummary newDistributionSummary(
            Meter.Id id, DistributionStatisticConfig wanted, double scale) {
        return registered(
                id,
                DistributionSummary.builder(id.getName())
                        .tags(id.getTags())
                        .description(id.getDescription())
                        .baseUnit(id.getBaseUnit())
                        .scale(scale)
                        .publishPercentiles(wanted.getPercentiles())
                        .publishPercentileHistogram(wanted.isPercentileHistogram())
                        .percentilePrecision(wanted.getPercentilePrecision())
                        .serviceLevelObjectives(wanted.getServiceLevelObjectiveBoundaries())
                        .minimumExpectedValue(wanted.getMinimumExpectedValueAsDouble())
                        .maximumExpectedValue(wanted.getMaximumExpectedValueAsDouble())
                        .distributionStatisticExpiry(wanted.getExpiry())
                        .distributionStatisticBufferLength(wanted.getBufferLength())::register);
    }

    @Override
    protected Meter newMeter(Meter.Id id, Meter.Type type, Iterable<Measurement> measurements) {
        return registered(
                id,
                Meter.builder(id.getName(), type, measurements)
                        .tags(id.getTags())
                        .description(id.getDescription())
                        .baseUnit(id.getBaseUnit())::register);
    }

    @Override
    protected <T> FunctionTimer newFunctionTimer(
            Meter.Id id, T source, ToLongFunction<T> count, ToDoubleFunction<T> total, TimeUnit unit) {
        return registered(
                id,
                FunctionTimer.builder(id.getName(), source, count, total, unit)
                        .tags(id.getTags())
                        .description(id.getDescription())::register);
    }

    @Override
    protected <T> FunctionCounter newFunctionCounter(Meter.Id id, T source, ToDoubleFunction<T> count) {
        return registered(
                id,
                FunctionCounter.builder(id.getName(), source, count)
                        .tags(id.getTags())
                        .description(id.getDescription())
                        .baseUnit(id.getBaseUnit())::register);
    }

    @Override
    protected TimeUnit getBaseTimeUnit() {
        return TimeUnit.SECONDS;
    }

    @Override
    protected DistributionStatisticConfig defaultHistogramConfig() {
        return DistributionStatisticConfig.DEFAULT;
    }
}
