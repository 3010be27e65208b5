package io.understudy.admin.dashboard;

import io.micrometer.core.instrument.Meter;
import io.understudy.metrics.LatencyHistogram;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Makes one value of each {@link Series} from two readings of the meters: the rates and percentiles of the time between
 * them. What is not known is NaN, never 0. Not thread-safe.
 */
final class Sampler {

    private static final double NANOS = 1e9;

    private Map<Series, Double> counters = new HashMap<>();
    private Map<String, long[]> histograms = new HashMap<>();
    private long lastNanos;

    /**
     * Returns the values by {@link Series#ordinal}. The first call knows no rates.
     *
     * @param nanos as of {@link System#nanoTime}
     */
    float[] sample(Meters meters, long nanos) {
        Map<Series, Double> nextCounters = new HashMap<>();
        Map<String, long[]> nextHistograms = new HashMap<>();
        double seconds = (nanos - lastNanos) / NANOS;
        float[] values = new float[Series.values().length];
        for (Series series : Series.values()) {
            Series.Source source = series.source();
            double value;
            if (source instanceof Series.Gauge gauge) {
                value = gauge(meters, gauge);
            } else if (source instanceof Series.Rate rate) {
                double now = sum(meters.named(rate.meter()), rate.which());
                value = rate(series, now, seconds, meters, rate.presence(), nextCounters);
            } else if (source instanceof Series.HistogramRate rate) {
                double now = 0;
                for (long count : counts(meters, rate.histogram(), nextHistograms)) {
                    now += count;
                }
                value = rate(series, now, seconds, meters, rate.presence(), nextCounters);
            } else {
                value = percentile(meters, (Series.Percentile) source, nextHistograms);
            }
            values[series.ordinal()] = (float) value;
        }
        counters = nextCounters;
        histograms = nextHistograms;
        lastNanos = nanos;
        return values;
    }

    private static double gauge(Meters meters, Series.Gauge gauge) {
        double result = Double.NaN;
        for (Meter meter : meters.named(gauge.meter())) {
            double value = Meters.value(meter);
            if (!gauge.which().test(meter) || Double.isNaN(value)) {
                continue;
            }
            if (Double.isNaN(result)) {
                result = value;
            } else {
                result = switch (gauge.pick()) {
                    case SUM -> result + value;
                    case MIN -> Math.min(result, value);
                    case MAX -> Math.max(result, value);
                };
            }
        }
        return result;
    }

    private static double sum(List<Meter> meters, Predicate<Meter> which) {
        double sum = 0;
        for (Meter meter : meters) {
            if (which.test(meter)) {
                sum += Meters.value(meter);
            }
        }
        return sum;
    }

    private double rate(
            Series series, double now, double seconds, Meters meters, String presence, Map<Series, Double> next) {
        if (meters.named(presence).isEmpty()) {
            return Double.NaN;
        }
        next.put(series, now);
        Double before = counters.get(series);
        // A counter that went back belongs to a plugin that was started anew.
        return before == null || seconds <= 0 || now < before ? Double.NaN : (now - before) / seconds;
    }

    private static long[] counts(Meters meters, String name, Map<String, long[]> next) {
        return next.computeIfAbsent(name, meters::counts);
    }

    private double percentile(Meters meters, Series.Percentile percentile, Map<String, long[]> next) {
        long[] now = counts(meters, percentile.histogram(), next);
        long[] before = histograms.get(percentile.histogram());
        if (before == null) {
            return Double.NaN;
        }
        long[] since = new long[now.length];
        boolean any = false;
        for (int i = 0; i < now.length; i++) {
            since[i] = Math.max(0, now[i] - before[i]);
            any |= since[i] > 0;
        }
        return any ? LatencyHistogram.percentile(since, percentile.share()) / NANOS : Double.NaN;
    }
}
