package io.understudy.admin.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.metrics.LatencyHistogram;
import io.understudy.metrics.LatencyHistograms;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class SamplerTest {

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final LatencyHistograms histograms = new LatencyHistograms();
    private final Sampler sampler = new Sampler();
    private long nanos;

    private float after(int seconds, Series series) {
        nanos += TimeUnit.SECONDS.toNanos(seconds);
        return sampler.sample(new Meters(registry, histograms), nanos)[series.ordinal()];
    }

    private void gauge(String name, double value, String... tags) {
        Gauge.builder(name, new AtomicReference<>(value), AtomicReference::get)
                .tags(tags)
                .strongReference(true)
                .register(registry);
    }

    @Test
    void aRateIsKnownFromTheSecondSampleOn() {
        gauge("understudy.sessions", 1);
        registry.counter("understudy.commands", "command", "query").increment(100);
        assertThat(after(0, Series.COMMANDS)).isNaN();
        registry.counter("understudy.commands", "command", "query").increment(30);
        registry.counter("understudy.commands", "command", "ping").increment(10);
        assertThat(after(10, Series.COMMANDS)).isEqualTo(4);
        assertThat(after(10, Series.COMMANDS)).isZero();
    }

    @Test
    void withoutThePluginARateIsUnknownAndWithItZero() {
        assertThat(after(10, Series.MIRROR_FAILED)).isNaN();
        assertThat(after(10, Series.MIRROR_FAILED)).isNaN();
        gauge("understudy.mirror.queue.statements", 0, "standby", "a");
        after(10, Series.MIRROR_FAILED);
        assertThat(after(10, Series.MIRROR_FAILED)).isZero();
        registry.counter("understudy.mirror.statements", "outcome", "error").increment(5);
        registry.counter("understudy.mirror.statements", "outcome", "ok").increment(5);
        assertThat(after(10, Series.MIRROR_FAILED)).isEqualTo(0.5f);
    }

    @Test
    void ofSeveralStandbysTheWorstCountsAndUnknownOnesDoNot() {
        gauge("understudy.standby.warmth", 0.9, "standby", "a");
        gauge("understudy.standby.warmth", 0.2, "standby", "b");
        gauge("understudy.standby.warmth", Double.NaN, "standby", "c");
        assertThat(after(1, Series.WARMTH)).isEqualTo(0.2f);
        assertThat(after(1, Series.EXCESS)).as("nobody measures it").isNaN();
    }

    @Test
    void aPercentileIsThatOfTheTimeBetweenTwoSamples() {
        LatencyHistogram histogram = histograms.series("understudy_commit_seconds", "", "kind", "commit");
        LatencyHistogram other = histograms.series("understudy_commit_seconds", "", "kind", "ddl");
        for (int i = 0; i < 1000; i++) {
            histogram.record(TimeUnit.SECONDS.toNanos(9));
        }
        assertThat(after(1, Series.COMMIT_P99)).isNaN();
        assertThat(after(1, Series.COMMIT_P99)).as("no commits since").isNaN();
        for (int i = 0; i < 98; i++) {
            histogram.record(TimeUnit.MILLISECONDS.toNanos(20));
        }
        other.record(TimeUnit.MILLISECONDS.toNanos(400));
        other.record(TimeUnit.MILLISECONDS.toNanos(400));
        float[] sample = sampler.sample(new Meters(registry, histograms), nanos += 1_000_000_000L);
        assertThat(sample[Series.COMMIT_P99.ordinal()]).isCloseTo(0.4f, within(0.05f));
        assertThat(sample[Series.COMMIT_P50.ordinal()]).isCloseTo(0.02f, within(0.003f));
    }
}
