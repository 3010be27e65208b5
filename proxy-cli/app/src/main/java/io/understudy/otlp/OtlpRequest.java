package io.understudy.otlp;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Label;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/**
 * A scrape as an {@code ExportMetricsServiceRequest} of OTLP, in protobuf. Names, labels and values are those of
 * {@code /metrics}; sums are cumulative since the start of the process. The numbers of fields are those of
 * opentelemetry/proto/metrics/v1/metrics.proto.
 */
final class OtlpRequest {
    private static final String SCOPE = "io.understudy";
    private static final int CUMULATIVE = 2;
    private static final long NANOS = 1_000_000;

    private final long startNanos;
    private final long nowNanos;

    private OtlpRequest(long startMillis, long nowMillis) {
        startNanos = startMillis * NANOS;
        nowNanos = nowMillis * NANOS;
    }

    /**
     * Returns the request's body.
     *
     * @param resource attributes of the process
     * @param startMillis when the process began to count
     */
    static byte[] of(MetricSnapshots metrics, Map<String, String> resource, long startMillis, long nowMillis) {
        OtlpRequest request = new OtlpRequest(startMillis, nowMillis);
        Protobuf attributes = new Protobuf();
        resource.forEach((name, value) -> attributes.message(1, keyValue(name, value)));
        Protobuf scope = new Protobuf().message(1, new Protobuf().text(1, SCOPE));
        for (MetricSnapshot metric : metrics) {
            request.add(scope, metric);
        }
        return new Protobuf()
                .message(1, new Protobuf().message(1, attributes).message(2, scope))
                .toBytes();
    }

    private static Protobuf keyValue(String key, String value) {
        return new Protobuf().text(1, key).message(2, new Protobuf().text(1, value));
    }

    private void add(Protobuf scope, MetricSnapshot metric) {
        String name = metric.getMetadata().getPrometheusName();
        if (metric instanceof CounterSnapshot counters) {
            Protobuf sum = new Protobuf();
            counters.getDataPoints().forEach(point -> sum.message(1, number(point, point.getValue())));
            named(scope, withSuffix(name, "_total"), metric)
                    .accept(7, sum.uint(2, CUMULATIVE).uint(3, 1));
        } else if (metric instanceof HistogramSnapshot histograms) {
            Protobuf histogram = new Protobuf();
            histograms.getDataPoints().forEach(point -> histogram.message(1, histogram(point)));
            named(scope, name, metric).accept(9, histogram.uint(2, CUMULATIVE));
        } else if (metric instanceof SummarySnapshot summaries) {
            Protobuf summary = new Protobuf();
            summaries.getDataPoints().forEach(point -> summary.message(1, summary(point)));
            named(scope, name, metric).accept(11, summary);
        } else if (metric instanceof GaugeSnapshot gauges) {
            Protobuf gauge = new Protobuf();
            gauges.getDataPoints().forEach(point -> gauge.message(1, number(point, point.getValue())));
            named(scope, name, metric).accept(5, gauge);
        } else if (metric instanceof InfoSnapshot infos) {
            Protobuf gauge = new Protobuf();
            infos.getDataPoints().forEach(point -> gauge.message(1, number(point, 1)));
            named(scope, withSuffix(name, "_info"), metric).accept(5, gauge);
        } else if (metric instanceof UnknownSnapshot unknown) {
            Protobuf gauge = new Protobuf();
            unknown.getDataPoints().forEach(point -> gauge.message(1, number(point, point.getValue())));
            named(scope, name, metric).accept(5, gauge);
        }
    }

    private static String withSuffix(String name, String suffix) {
        return name.endsWith(suffix) ? name : name + suffix;
    }

    /** Adds the data of a metric, in the field of its type. */
    private interface Typed {
        void accept(int field, Protobuf data);
    }

    private static Typed named(Protobuf scope, String name, MetricSnapshot metric) {
        Protobuf message = new Protobuf().text(1, name);
        String help = metric.getMetadata().getHelp();
        if (help != null) {
            message.text(2, help);
        }
        return (field, data) -> scope.message(2, message.message(field, data));
    }

    private Protobuf point(DataPointSnapshot point, int attributes) {
        long began = point.hasCreatedTimestamp() ? point.getCreatedTimestampMillis() * NANOS : startNanos;
        Protobuf message = new Protobuf().fixed64(2, began).fixed64(3, nowNanos);
        for (Label label : point.getLabels()) {
            message.message(attributes, keyValue(label.getName(), label.getValue()));
        }
        return message;
    }

    private Protobuf number(DataPointSnapshot point, double value) {
        return point(point, 7).number(4, value);
    }

    private Protobuf histogram(HistogramSnapshot.HistogramDataPointSnapshot point) {
        ClassicHistogramBuckets buckets = point.getClassicBuckets();
        long[] counts = new long[buckets.size()];
        // The last bound is infinity, which OTLP leaves out.
        long[] bounds = new long[Math.max(0, buckets.size() - 1)];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = buckets.getCount(i);
            if (i < bounds.length) {
                bounds[i] = Double.doubleToLongBits(buckets.getUpperBound(i));
            }
        }
        return point(point, 9)
                .fixed64(4, Arrays.stream(counts).sum())
                .number(5, point.getSum())
                .packed(6, counts)
                .packed(7, bounds);
    }

    private Protobuf summary(SummarySnapshot.SummaryDataPointSnapshot point) {
        Protobuf message = point(point, 7).fixed64(4, point.getCount()).number(5, point.getSum());
        for (Quantile quantile : point.getQuantiles()) {
            message.message(6, new Protobuf().number(1, quantile.getQuantile()).number(2, quantile.getValue()));
        }
        return message;
    }

    /** One message in protobuf's wire format, see protobuf.dev/programming-guides/encoding. */
    static final class Protobuf {
        private static final int VARINT = 0;
        private static final int FIXED64 = 1;
        private static final int LENGTH = 2;

        private final ByteArrayOutputStream out = new ByteArrayOutputStream(64);

        Protobuf uint(int field, long value) {
            tag(field, VARINT);
            varint(value);
            return this;
        }

        Protobuf fixed64(int field, long value) {
            tag(field, FIXED64);
            raw(value);
            return this;
        }

        Protobuf number(int field, double value) {
            return fixed64(field, Double.doubleToLongBits(value));
        }

        Protobuf text(int field, String value) {
            return bytes(field, value.getBytes(StandardCharsets.UTF_8));
        }

        Protobuf message(int field, Protobuf value) {
            return bytes(field, value.toBytes());
        }

        /** Adds a repeated field of fixed64 or double, packed. */
        Protobuf packed(int field, long[] values) {
            tag(field, LENGTH);
            varint((long) values.length * Long.BYTES);
            for (long value : values) {
                raw(value);
            }
            return this;
        }

        byte[] toBytes() {
            return out.toByteArray();
        }

        private Protobuf bytes(int field, byte[] value) {
            tag(field, LENGTH);
            varint(value.length);
            out.writeBytes(value);
            return this;
        }

        private void tag(int field, int type) {
            varint((long) field << 3 | type);
        }

        private void varint(long value) {
            long rest = value;
            while ((rest & ~0x7FL) != 0) {
                out.write((int) rest & 0x7F | 0x80);
                rest >>>= 7;
            }
            out.write((int) rest);
        }

        private void raw(long value) {
            for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
                out.write((int) (value >>> shift));
            }
        }
    }
}
