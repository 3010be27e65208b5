package io.understudy.demo;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.base.JsonReader;
import io.understudy.base.JsonWriter;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.metrics.LatencyHistogram;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.runtime.RunningProxy;
import io.understudy.terminal.Table;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The demo's live line and its one-page report, from the proxy's metrics. */
final class DemoReport {
    private final RunningProxy proxy;
    private final EmbeddedPair pair;
    private final Duration rtt;
    private final long startNanos = System.nanoTime();
    private final StringBuilder text = new StringBuilder();
    private long statements;
    private long errors;
    private String lastError = "";
    private String prediction = "";

    DemoReport(RunningProxy proxy, EmbeddedPair pair, Duration rtt) {
        this.proxy = proxy;
        this.pair = pair;
        this.rtt = rtt;
    }

    String liveLine(LoadCounters load) {
        long seconds = (System.nanoTime() - startNanos) / 1_000_000_000L;
        return String.format(
                Locale.ROOT,
                "%4d s  statements %d (errors %d)  mirrored %d  waiting %d  dropped %d  commits %d  tagged %d",
                seconds,
                load.statements(),
                load.errors(),
                total("understudy.mirror.statements"),
                total("understudy.mirror.queue.statements"),
                total("understudy.mirror.dropped"),
                commits(),
                tagged());
    }

    /** Keeps the prediction of {@code /api/commits} from the last minute's commits. */
    void predict() {
        Supplier<Object> view = proxy.proxy().published().views().get("commits");
        prediction = view == null ? "" : PredictionText.of(view.get());
    }

    void end(LoadCounters load) {
        statements = load.statements();
        errors = load.errors();
        String error = load.lastError();
        lastError = error == null ? "" : error;
        write();
    }

    boolean everythingHappened() {
        return counted("understudy.mirror.statements", "outcome").getOrDefault("ok", 0L) > 0
                && commits() > 0
                && tagged() > 0;
    }

    String text() {
        return text.toString();
    }

    private void write() {
        line(
                "Understudy demo: %d statements by the application, %d errors%s",
                statements, errors, lastError.isEmpty() ? "" : " (last: " + lastError + ")");
        line("");
        line("Mirrored to the standby");
        counted("understudy.mirror.statements", "rule")
                .forEach((rule, count) -> line("  rule %-24s %10d", rule, count));
        counted("understudy.mirror.statements", "outcome")
                .forEach((outcome, count) -> line("  outcome %-21s %10d", outcome, count));
        counted("understudy.mirror.dropped", "reason").forEach((reason, count) -> {
            if (count > 0) {
                line("  dropped %-21s %10d", reason, count);
            }
        });
        line("  pages the standby read from disk since the start %d", total("understudy.standby.cold.reads"));
        line("Not mirrored");
        counted("understudy.mirror.skipped", "reason").forEach((reason, count) -> line("  %-29s %10d", reason, count));
        line("");
        line("Commits (round trip to the standby %d ms)", rtt.toMillis());
        commitLines();
        acknowledgementLine();
        if (!prediction.isEmpty()) {
            line("%s", prediction);
        }
        line("");
        line("Statements tagged, by GTID domain");
        counted("understudy.gtid.domain.statements", "domain")
                .forEach((domain, count) -> line("  domain %-22s %10d", domain, count));
        line("  primary's position %s", pair.primary().query("SELECT @@GLOBAL.gtid_binlog_pos"));
        line("");
        line(
                "Proxy overhead p50 %s, p99 %s",
                millis(overhead().percentile(0.5)), millis(overhead().percentile(0.99)));
        if (!everythingHappened()) {
            line(
                    "Something did not happen: mirrored %s, commits timed %d, tagged %d",
                    counted("understudy.mirror.statements", "outcome"), commits(), tagged());
        }
    }

    private void commitLines() {
        line("  %-12s %-10s %10s %10s %10s %10s", "kind", "semi-sync", "count", "p50", "p95", "p99");
        for (LatencyHistograms.Series series : proxy.proxy().histograms().all()) {
            if (series.name().equals("understudy_commit_seconds")
                    && series.histogram().count() > 0) {
                line(
                        "  %-12s %-10s %10d %10s %10s %10s",
                        series.tags().getOrDefault("kind", ""),
                        series.tags().getOrDefault("semisync", ""),
                        series.histogram().count(),
                        millis(series.histogram().percentile(0.5)),
                        millis(series.histogram().percentile(0.95)),
                        millis(series.histogram().percentile(0.99)));
            }
        }
    }

    /**
     * Prints the share of the standby's acknowledgement in the time of the commits that were joined with the binary
     * log.
     */
    private void acknowledgementLine() {
        for (LatencyHistograms.Series series : proxy.proxy().histograms().all()) {
            if (series.name().equals("understudy_commit_semisync_wait_seconds")
                    && series.histogram().count() > 0) {
                line(
                        "  of which waiting for the standby (%s): %d commits, p50 %s, p95 %s",
                        series.tags().getOrDefault("source", ""),
                        series.histogram().count(),
                        millis(series.histogram().percentile(0.5)),
                        millis(series.histogram().percentile(0.95)));
            }
        }
    }

    private LatencyHistogram overhead() {
        return proxy.proxy().histograms().series("understudy_proxy_overhead_seconds", "");
    }

    private long commits() {
        return proxy.proxy().histograms().all().stream()
                .filter(series -> series.name().equals("understudy_commit_seconds"))
                .mapToLong(series -> series.histogram().count())
                .sum();
    }

    private long tagged() {
        return counted("understudy.gtid.domain.statements", "outcome").getOrDefault("tagged", 0L);
    }

    private Map<String, Long> counted(String meter, String tag) {
        Map<String, Long> counts = new TreeMap<>();
        for (Meter found : registry().find(meter).meters()) {
            String value = found.getId().getTag(tag);
            counts.merge(value == null ? "" : value, value(found), Long::sum);
        }
        return counts;
    }

    private long total(String meter) {
        return registry().find(meter).meters().stream()
                .mapToLong(DemoReport::value)
                .sum();
    }

    private MeterRegistry registry() {
        return proxy.registry();
    }

    private static long value(Meter meter) {
        double sum = 0;
        for (var measurement : meter.measure()) {
            sum += measurement.getValue();
        }
        return (long) sum;
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.2f ms", nanos / 1e6);
    }

    private void line(String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments)).append(System.lineSeparator());
    }

    /** The part {@code prediction} of {@code /api/commits}, in words. */
    static final class PredictionText {
        private PredictionText() {}

        /** Returns lines, the last one without a line end; empty without commits. */
        static String of(Object commitsView) {
            Object view;
            try {
                view = JsonReader.read(JsonWriter.write(commitsView));
            } catch (IOException e) {
                throw new UncheckedIOException("what commit-latency publishes is no JSON", e);
            }
            if (!(view instanceof Map<?, ?> map)
                    || !(map.get("prediction") instanceof Map<?, ?> figures)
                    || Table.number(figures, "commits") == 0) {
                return "";
            }
            return String.format(
                    Locale.ROOT,
                    "  prediction, from %.0f commits with semi-sync as it was at first:%n"
                            + "    round trip to the acknowledging replica %.2f ms (median own acknowledgement)%n"
                            + "    ceiling of one connection %.1f commits/s (one after another, %.2f ms each)%n"
                            + "    connections that commit at the same time for the observed %.1f commits/s: %.1f",
                    Table.number(figures, "commits"),
                    Table.number(figures, "roundTripMillis"),
                    Table.number(figures, "ceilingPerConnection"),
                    Table.number(figures, "commitMillis"),
                    Table.number(figures, "commitsPerSecond"),
                    Table.number(figures, "connectionsNeeded"));
        }
    }
}
