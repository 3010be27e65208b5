package io.understudy.it.legs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import io.understudy.base.JsonReader;
import io.understudy.config.ConfigLoader;
import io.understudy.host.PluginTypes;
import io.understudy.it.legs.OtlpCollectorServer.Push;
import io.understudy.runtime.RunningProxy;
import io.understudy.testkit.session.FakeServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Metrics pushed to a collector: the same as at {@code /metrics}, by HTTP and HTTPS, begun and ended by reloads. */
@Timeout(120)
@Tag("long")
class OtlpTest {
    private static final String TOKEN = "a-token-of-fair-length";
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][\\w:]*)(\\{.*})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    @TempDir
    private Path folder;

    private FakeServer primary;
    private String metrics = "";

    @BeforeEach
    @SuppressWarnings("NullAway") // set before each test
    void startPrimary() throws Exception {
        primary = FakeServer.responding(new byte[0]);
    }

    @AfterEach
    void stopPrimary() throws Exception {
        primary.close();
    }

    private RunningProxy start(String section) throws Exception {
        metrics = section;
        PluginTypes plugins = PluginTypes.installed();
        RunningProxy.Reloader reloader = () -> ConfigLoader.load(
                """
                listen: { address: "127.0.0.1:0" }
                primary: { address: "127.0.0.1:%d", tls: { mode: disabled } }
                standbys: [ { name: s1, address: "127.0.0.1:1", user: u } ]
                admin: { address: "127.0.0.1:0", token: %s }
                """.formatted(primary.address().getPort(), TOKEN) + metrics,
                "test.yaml",
                plugins.records(),
                name -> null);
        return RunningProxy.start(reloader.load(), plugins, reloader);
    }

    private static String request(RunningProxy proxy, String method, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:"
                + Objects.requireNonNull(proxy.adminAddress()).getPort() + path);
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .method(method, HttpRequest.BodyPublishers.noBody())
                                .header("Authorization", "Bearer " + TOKEN)
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private Map<?, ?> reload(RunningProxy proxy, String section) throws Exception {
        metrics = section;
        return Objects.requireNonNull((Map<?, ?>) JsonReader.read(request(proxy, "POST", "/api/reload")));
    }

    private static String push(int port, String more) {
        return "metrics: { otlp: { url: \"http://127.0.0.1:" + port + "/v1/metrics\", interval: 1s" + more + " } }\n";
    }

    /** Returns the samples of a scrape by name and labels. */
    private static Map<String, Double> scraped(RunningProxy proxy) throws Exception {
        Map<String, Double> samples = new TreeMap<>();
        for (String line : request(proxy, "GET", "/metrics").lines().toList()) {
            Matcher sample = SAMPLE.matcher(line);
            if (!line.startsWith("#") && sample.matches()) {
                Map<String, String> labels = new TreeMap<>();
                Matcher label = LABEL.matcher(sample.group(2) == null ? "" : sample.group(2));
                while (label.find()) {
                    String value = label.group(2);
                    labels.put(
                            label.group(1),
                            label.group(1).equals("le") ? le(number(value)) : value.replace("\\\"", "\""));
                }
                samples.put(sample.group(1) + labels, number(sample.group(3)));
            }
        }
        return samples;
    }

    private static double number(String text) {
        return Double.parseDouble(text.replace("Inf", "Infinity"));
    }

    private static String le(double bound) {
        return String.valueOf(bound);
    }

    private static Map<String, String> labels(List<KeyValue> attributes) {
        Map<String, String> labels = new TreeMap<>();
        attributes.forEach(one -> labels.put(one.getKey(), one.getValue().getStringValue()));
        return labels;
    }

    private static String bucket(String name, List<KeyValue> attributes, double bound) {
        Map<String, String> labels = labels(attributes);
        labels.put("le", le(bound));
        return name + "_bucket" + labels;
    }

    /** Returns what was pushed as the samples that a scrape would have. */
    private static Map<String, Double> samples(Push push) {
        Map<String, Double> samples = new TreeMap<>();
        ResourceMetrics resource = push.metrics().getResourceMetrics(0);
        for (Metric metric : resource.getScopeMetrics(0).getMetricsList()) {
            String name = metric.getName();
            for (NumberDataPoint point : metric.getGauge().getDataPointsList()) {
                samples.put(name + labels(point.getAttributesList()), point.getAsDouble());
            }
            for (NumberDataPoint point : metric.getSum().getDataPointsList()) {
                assertThat(metric.getSum().getIsMonotonic()).isTrue();
                assertThat(metric.getSum().getAggregationTemporality())
                        .isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
                assertThat(point.getStartTimeUnixNano()).isPositive().isLessThan(point.getTimeUnixNano());
                samples.put(name + labels(point.getAttributesList()), point.getAsDouble());
            }
            for (HistogramDataPoint point : metric.getHistogram().getDataPointsList()) {
                long total = 0;
                for (int i = 0; i < point.getBucketCountsCount(); i++) {
                    total += point.getBucketCounts(i);
                    double bound =
                            i < point.getExplicitBoundsCount() ? point.getExplicitBounds(i) : Double.POSITIVE_INFINITY;
                    samples.put(bucket(name, point.getAttributesList(), bound), (double) total);
                }
                samples.put(name + "_count" + labels(point.getAttributesList()), (double) point.getCount());
                samples.put(name + "_sum" + labels(point.getAttributesList()), point.getSum());
            }
            for (SummaryDataPoint point : metric.getSummary().getDataPointsList()) {
                samples.put(name + "_count" + labels(point.getAttributesList()), (double) point.getCount());
                samples.put(name + "_sum" + labels(point.getAttributesList()), point.getSum());
            }
        }
        return samples;
    }

    private static Push next(OtlpCollectorServer collector) throws InterruptedException {
        Push push = collector.next();
        assertThat((Object) push).as("a push").isNotNull();
        return Objects.requireNonNull(push);
    }

    /** Returns our samples that are the same in both scrapes; a busy machine's CPU may be, by chance. */
    private static Map<String, Double> steady(Map<String, Double> before, Map<String, Double> after) {
        Map<String, Double> steady = new TreeMap<>(before);
        steady.entrySet()
                .removeIf(sample -> !sample.getKey().startsWith("understudy_")
                        || !sample.getValue().equals(after.get(sample.getKey())));
        return steady;
    }

    private static Set<String> ours(Map<String, Double> samples) {
        return samples.keySet().stream()
                .filter(name -> name.startsWith("understudy_"))
                .collect(Collectors.toSet());
    }

    @Test
    void theCollectorGetsWhatAScrapeShows() throws Exception {
        try (OtlpCollectorServer collector = new OtlpCollectorServer(null);
                RunningProxy proxy = start(push(
                        collector.port(),
                        ", headers: { Authorization: Bearer key, X-Tenant: 7 }, attributes: { service.name: shop-proxy,"
                                + " deployment.environment: test }"))) {
            proxy.proxy()
                    .histograms()
                    .series("understudy_command_seconds", "x", "kind", "sel\"ect")
                    .record(3_000_000);
            next(collector);
            Map<String, Double> before = scraped(proxy);
            next(collector);
            Push push = next(collector);
            Map<String, Double> pushed = samples(push);
            Map<String, Double> after = scraped(proxy);
            assertThat(ours(pushed)).isEqualTo(ours(after));
            // One that appears in between, as with a first collection of garbage, is in the scrape alone.
            assertThat(after.keySet()).containsAll(pushed.keySet());
            Map<String, Double> steady = steady(before, after);
            assertThat(steady)
                    .containsEntry("understudy_command_seconds_bucket{kind=sel\"ect, le=0.002}", 0.0)
                    .containsEntry("understudy_command_seconds_bucket{kind=sel\"ect, le=0.005}", 1.0)
                    .containsEntry("understudy_standby_lag_seconds{standby=s1}", Double.NaN)
                    .hasSizeGreaterThan(100);
            Map<String, Double> ofThem = new HashMap<>(pushed);
            ofThem.keySet().retainAll(steady.keySet());
            assertThat(ofThem).isEqualTo(steady);

            assertThat(push.headers().getFirst("Authorization")).isEqualTo("Bearer key");
            assertThat(push.headers().getFirst("X-Tenant")).isEqualTo("7");
            assertThat(push.headers().getFirst("Content-Type")).isEqualTo("application/x-protobuf");
            assertThat(labels(push.metrics().getResourceMetrics(0).getResource().getAttributesList()))
                    .containsEntry("service.name", "shop-proxy")
                    .containsEntry("deployment.environment", "test")
                    .containsKeys("service.instance.id", "service.version");
        }
    }

    @Test
    void reloadsBeginChangeAndEndThePush() throws Exception {
        try (OtlpCollectorServer first = new OtlpCollectorServer(null);
                OtlpCollectorServer second = new OtlpCollectorServer(null);
                RunningProxy proxy = start("")) {
            assertThat(reload(proxy, push(first.port(), "")).get("changes"))
                    .isEqualTo(List.of("metrics.otlp changed from nothing to a section: takes effect now"));
            next(first);
            assertThat(scraped(proxy)).containsKey("understudy_otlp_pushes_total{outcome=failed}");
            double pushes = awaitPushes(proxy, 3);
            assertThat(reload(proxy, push(second.port(), ", headers: { K: secret }"))
                            .toString())
                    .contains("metrics.otlp.headers changed from 0 entries to 1 entry: takes effect now")
                    .doesNotContain("secret");
            assertThat(awaitPushes(proxy, 1))
                    .as("counted on: a sum that falls is one of a new process")
                    .isGreaterThanOrEqualTo(pushes);
            assertThat(next(second).headers().getFirst("K")).isEqualTo("secret");
            int ended = first.waiting();
            next(second);
            assertThat(first.waiting()).isEqualTo(ended);
            reload(proxy, "");
            int last = second.waiting();
            assertThat(scraped(proxy).keySet()).noneMatch(name -> name.startsWith("understudy_otlp_pushes"));
            assertThat(second.waiting()).isBetween(last, last + 1);
        }
    }

    /** Waits until as many pushes have been taken, and returns their number. */
    private static double awaitPushes(RunningProxy proxy, double least) throws Exception {
        double[] taken = new double[1];
        await().until(() -> {
            taken[0] = scraped(proxy).getOrDefault("understudy_otlp_pushes_total{outcome=ok}", 0.0);
            return taken[0] >= least;
        });
        return taken[0];
    }

    /** What was counted since the last push. */
    @Test
    void anEndPushesOnceMore() throws Exception {
        try (OtlpCollectorServer collector = new OtlpCollectorServer(null)) {
            RunningProxy proxy = start(push(collector.port(), "").replace("1s", "1h"));
            next(collector);
            assertThat(collector.waiting()).isZero();
            proxy.close();
            next(collector);
        }
    }

    @Test
    void aCollectorWithTlsIsTrustedByItsAuthority() throws Exception {
        TestCertificates own = new TestCertificates(Files.createDirectory(folder.resolve("own")));
        try (OtlpCollectorServer collector = new OtlpCollectorServer(own);
                RunningProxy proxy = start(encrypted(collector, own.strangerCa))) {
            while (scraped(proxy).getOrDefault("understudy_otlp_pushes_total{outcome=failed}", 0.0) == 0) {
                Thread.onSpinWait();
            }
            reload(proxy, encrypted(collector, own.ca));
            next(collector);
        }
    }

    private static String encrypted(OtlpCollectorServer collector, Path ca) {
        return push(collector.port(), ", tls: { ca: " + ca + " }").replace("http:", "https:");
    }
}
