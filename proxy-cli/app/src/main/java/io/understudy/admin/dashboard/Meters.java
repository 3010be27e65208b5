package io.understudy.admin.dashboard;

import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import io.understudy.metrics.LatencyHistogram;
import io.understudy.metrics.LatencyHistograms;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The meters of one moment by name. One pass over the registry serves all series and all watches. */
final class Meters {

    private final Map<String, List<Meter>> byName = new HashMap<>();
    private final LatencyHistograms histograms;

    Meters(MeterRegistry registry, LatencyHistograms histograms) {
        this.histograms = histograms;
        registry.forEachMeter(meter -> byName.computeIfAbsent(meter.getId().getName(), name -> new ArrayList<>(2))
                .add(meter));
    }

    /** Returns the meters of a name, none if there are none yet. */
    List<Meter> named(String name) {
        return byName.getOrDefault(name, List.of());
    }

    /** Returns a gauge's value or a counter's count. */
    static double value(Meter meter) {
        for (Measurement measurement : meter.measure()) {
            if (measurement.getStatistic() == Statistic.VALUE || measurement.getStatistic() == Statistic.COUNT) {
                return measurement.getValue();
            }
        }
        return Double.NaN;
    }

    /** Returns what the latency series of a Prometheus name with one of these values of a label have counted. */
    long counted(String name, String label, Set<String> values) {
        return histograms.all().stream()
                .filter(series -> series.name().equals(name)
                        && values.contains(series.tags().getOrDefault(label, "")))
                .mapToLong(series -> series.histogram().count())
                .sum();
    }

    /** Returns the sum of all latency series of a Prometheus name, in the form of {@link LatencyHistogram#addTo}. */
    long[] counts(String name) {
        long[] counts = LatencyHistogram.noCounts();
        for (LatencyHistograms.Series series : histograms.all()) {
            if (series.name().equals(name)) {
                series.histogram().addTo(counts);
            }
        }
        return counts;
    }
}
