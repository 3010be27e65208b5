package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.base.JsonReader;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.host.PluginTypes;
import io.understudy.runtime.RunningProxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Prometheus that scrapes a proxy under load evaluates each query of docs/monitoring/grafana.json and each alert
 * rule. The property {@code understudy.it.prometheus} names its program; Debian's package {@code prometheus} has it.
 */
@EnabledIfSystemProperty(named = PrometheusTest.PROPERTY, matches = ".+")
@Timeout(300)
class PrometheusTest {
    static final String PROPERTY = "understudy.it.prometheus";

    private static final String PASSWORD = "s3same-scrape";
    private static final Path FOLDER = DocsTest.ROOT.resolve("docs/monitoring");
    private static final Pattern METRIC = Pattern.compile("understudy_[a-z_]+");
    /** These appear only with what this test does not configure: candidates, and the mirror's comparison of results. */
    private static final Set<String> NOT_CONFIGURED =
            Set.of("understudy_primary_candidates_writable", "understudy_mirror_verified_total");

    private static EmbeddedPair pair;
    private static RunningProxy proxy;
    private static Process prometheus;
    private static int port;

    @TempDir
    private static Path folder;

    @BeforeAll
    static void start() throws Exception {
        pair = EmbeddedPair.start(PairOptions.defaults().withRtt(Duration.ZERO));
        pair.primary().execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT AUTO_INCREMENT PRIMARY KEY)");
        pair.createAccount("understudy", PASSWORD, "ALL ON *.*");
        pair.awaitCaughtUp(Duration.ofSeconds(30));
        PluginTypes plugins = PluginTypes.installed();
        String yaml =
                """
                listen: { address: "127.0.0.1:0" }
                primary:
                  address: "127.0.0.1:%d"
                  tls: { mode: disabled }
                  monitor: { user: understudy, password: %s }
                standbys:
                  - name: s1
                    address: "127.0.0.1:%d"
                    tls: { mode: disabled }
                    user: understudy
                    password: %s
                admin: { address: "127.0.0.1:0" }
                plugins:
                  mirror: { rules: [ { name: all, sample: 100%% } ] }
                  commit-latency:
                  gtid-domain: { mode: tag, rules: [ { name: shop, match: { table: [ shop.t ] }, domain: 7 } ] }
                  black-box:
                  query-log:
                """.formatted(pair.primary().port(), PASSWORD, pair.standby().port(), PASSWORD);
        LoadedConfig loaded = ConfigLoader.load(yaml, "test.yaml", plugins.records(), name -> null);
        proxy = RunningProxy.start(loaded, plugins, () -> loaded);
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Files.writeString(folder.resolve("prometheus.yml"), """
                global: { scrape_interval: 1s, evaluation_interval: 1s }
                rule_files: [ "%s" ]
                scrape_configs:
                  - job_name: understudy
                    static_configs: [ { targets: [ "127.0.0.1:%d" ] } ]
                """.formatted(
                        FOLDER.resolve("alerts.yaml").toAbsolutePath(),
                        Objects.requireNonNull(proxy.adminAddress()).getPort()));
        prometheus = new ProcessBuilder(
                        Objects.requireNonNull(System.getProperty(PROPERTY)),
                        "--config.file=" + folder.resolve("prometheus.yml"),
                        "--storage.tsdb.path=" + folder.resolve("data"),
                        "--web.listen-address=127.0.0.1:" + port)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
    }

    @AfterAll
    static void stop() throws InterruptedException {
        if (prometheus != null) {
            prometheus.destroy();
            prometheus.waitFor();
        }
        proxy.close();
        pair.close();
    }

    /** Returns {@code data} of a response of Prometheus' API. */
    private static Map<?, ?> ask(String path) throws IOException, InterruptedException {
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as("%s: %s", path, response.body()).isEqualTo(200);
        return (Map<?, ?>) Objects.requireNonNull(
                ((Map<?, ?>) Objects.requireNonNull(JsonReader.read(response.body()))).get("data"));
    }

    private static List<?> query(String expression) throws IOException, InterruptedException {
        return (List<?>) Objects.requireNonNull(
                ask("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8))
                        .get("result"));
    }

    private static List<Map<?, ?>> rules() throws IOException, InterruptedException {
        List<Map<?, ?>> rules = new ArrayList<>();
        for (Object group :
                (List<?>) Objects.requireNonNull(ask("/api/v1/rules").get("groups"))) {
            for (Object rule : (List<?>) Objects.requireNonNull(((Map<?, ?>) group).get("rules"))) {
                rules.add((Map<?, ?>) rule);
            }
        }
        return rules;
    }

    private static boolean scrapes() throws InterruptedException {
        try {
            return !query("up == 1").isEmpty();
        } catch (IOException notYet) {
            return false;
        }
    }

    private static void statements() throws SQLException {
        InetSocketAddress address =
                (InetSocketAddress) proxy.proxy().addresses().get(0);
        try (Connection application = DriverManager.getConnection("jdbc:mariadb://127.0.0.1:" + address.getPort()
                        + "/shop?sslMode=disable&user=understudy&password=" + PASSWORD);
                Statement statement = application.createStatement()) {
            statement.execute("SELECT * FROM t");
            statement.execute("INSERT INTO t VALUES ()");
        }
    }

    private static List<String> panelQueries() throws IOException {
        Map<?, ?> dashboard =
                (Map<?, ?>) Objects.requireNonNull(JsonReader.read(Files.readString(FOLDER.resolve("grafana.json"))));
        List<String> expressions = new ArrayList<>();
        for (Object panel : (List<?>) Objects.requireNonNull(dashboard.get("panels"))) {
            if (((Map<?, ?>) panel).get("targets") instanceof List<?> targets) {
                for (Object target : targets) {
                    expressions.add(String.valueOf(((Map<?, ?>) target).get("expr"))
                            .replace("$instance", ".*")
                            .replace("$__rate_interval", "20s"));
                }
            }
        }
        return expressions;
    }

    @Test
    void everyQueryOfTheDashboardAndEveryAlertFindsItsMetrics() throws Exception {
        await().atMost(Duration.ofSeconds(60)).until(PrometheusTest::scrapes);
        List<String> queries = panelQueries();
        assertThat(queries).hasSizeGreaterThan(20);
        Map<String, Integer> results = new TreeMap<>();
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofSeconds(1))
                .untilAsserted(() -> {
                    statements();
                    results.clear();
                    for (String expression : queries) {
                        results.put(expression, query(expression).size());
                    }
                    assertThat(results).doesNotContainValue(0);
                });

        List<Map<?, ?>> rules = rules();
        assertThat(rules).hasSizeGreaterThan(10);
        Set<String> wanted = new TreeSet<>();
        for (Map<?, ?> rule : rules) {
            assertThat(rule.get("health")).as("%s", rule).isEqualTo("ok");
            // A healthy pair under a small load wakes nobody.
            assertThat(rule.get("state")).as("%s", rule).isEqualTo("inactive");
            Matcher metric = METRIC.matcher(String.valueOf(rule.get("query")));
            while (metric.find()) {
                wanted.add(metric.group());
            }
        }
        wanted.removeAll(NOT_CONFIGURED);
        for (String metric : wanted) {
            assertThat(query("count(" + metric + ")")).as(metric).isNotEmpty();
        }

        pair.standby().close();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> !query("ALERTS{alertname=\"UnderstudyStandbyUnreachable\",standby=\"s1\"}")
                        .isEmpty());
    }
}
