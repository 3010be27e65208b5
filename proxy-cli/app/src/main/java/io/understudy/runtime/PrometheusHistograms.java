package io.understudy.runtime;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.understudy.metrics.LatencyHistogram;
import io.understudy.metrics.LatencyHistograms;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Adds the proxy's own latency histograms to the scrapes of the Prometheus registry. */
final class PrometheusHistograms implements MultiCollector {
    private static final double NANOS = 1e9;

    private final LatencyHistograms histograms;

    private PrometheusHistograms(LatencyHistograms histograms) {
        this.histograms = histograms;
    }

    static void export(LatencyHistograms histograms, PrometheusMeterRegistry registry) {
        registry.getPrometheusRegistry().register(new PrometheusHistograms(histograms));
    }

    @Override
    public MetricSnapshots collect() {
        Map<String, List<LatencyHistograms.Series>> byName = new TreeMap<>();
        for (LatencyHistograms.Series series : histograms.all()) {
            byName.computeIfAbsent(series.name(), name -> new ArrayList<>()).add(series);
        }
        List<MetricSnapshot> snapshots = new ArrayList<>();
        byName.forEach((name, all) -> {
            all.sort(Comparator.comparing(series -> series.tags().toString()));
            HistogramSnapshot.Builder builder =
                    HistogramSnapshot.builder().name(name).help(all.get(0).description());
            all.forEach(series -> builder.dataPoint(point(series)));
            snapshots.add(builder.build());
        });
        return new MetricSnapshots(snapshots);
    }

    private static HistogramSnapshot.HistogramDataPointSnapshot point(LatencyHistograms.Series series) {
        long[] edges = LatencyHistogram.edges();
        long[] cumulative = series.histogram().cumulative();
        double[] bounds = new double[edges.length + 1];
        Number[] counts = new Number[edges.length + 1];
        long before = 0;
        for (int i = 0; i < cumulative.length; i++) {
            bounds[i] = i < edges.length ? edges[i] / NANOS : Double.POSITIVE_INFINITY;
            counts[i] = cumulative[i] - before;
            before = cumulative[i];
        }
        return HistogramSnapshot.HistogramDataPointSnapshot.builder()
                .classicHistogramBuckets(ClassicHistogramBuckets.of(bounds, counts))
                .sum(series.histogram().sumNanos() / NANOS)
                .labels(Labels.of(
                        List.copyOf(series.tags().keySet()),
                        List.copyOf(series.tags().values())))
                .build();
    }
}
