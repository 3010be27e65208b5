package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Meter;
import io.understudy.base.JsonReader;
import io.understudy.config.ConfigLoader;
import io.understudy.host.PluginTypes;
import io.understudy.runtime.RunningProxy;
import java.io.File;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Plugins that reloads add and remove while sessions work. */
@Timeout(300)
@Tag("long")
class LivePluginsTest extends MirroredPair {
    private static final String TOKEN = "a-token-of-fair-length";
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int TIMES = 20;

    /** Sections by id. */
    private static final Map<String, String> SECTIONS = new LinkedHashMap<>();
    /** A view of each. */
    private static final Map<String, String> VIEWS = Map.of(
            "mirror", "mirror",
            "commit-latency", "commits",
            "gtid-domain", "domains",
            "query-log", "digests",
            "capture", "capture",
            "black-box", "lost");

    @TempDir
    private static Path captures;

    private static void sections() {
        SECTIONS.put("mirror", "{ " + ALL + ", verify: 1% }");
        SECTIONS.put("commit-latency", "{ poll: 100ms }");
        SECTIONS.put(
                "gtid-domain",
                "{ mode: tag, learn: 0s, poll: 50ms,"
                        + " rules: [ { name: customers, match: { table: customers }, domain: 11 } ] }");
        SECTIONS.put("query-log", "");
        SECTIONS.put("capture", "{ directory: " + captures + " }");
        SECTIONS.put("black-box", "");
    }

    private final PluginTypes types = PluginTypes.installed();
    private volatile Set<String> wanted = Set.of();

    private RunningProxy start() throws Exception {
        sections();
        pair.primary()
                .execute(
                        "CREATE USER IF NOT EXISTS every IDENTIFIED BY '" + MirrorProxy.PASSWORD + "'",
                        "GRANT ALL ON *.* TO every");
        RunningProxy.Reloader reloader = () -> ConfigLoader.load(yaml(), "test.yaml", types.records(), name -> null);
        return RunningProxy.start(reloader.load(), types, reloader);
    }

    private String yaml() {
        String account = "user: every, password: " + MirrorProxy.PASSWORD;
        StringBuilder text = new StringBuilder(
                """
                listen: { address: "127.0.0.1:0" }
                primary: { address: "127.0.0.1:%d", tls: { mode: disabled }, monitor: { %s } }
                standbys: [ { name: s1, address: "127.0.0.1:%d", tls: { mode: disabled }, %s } ]
                admin: { address: "127.0.0.1:0", token: %s }
                plugins:
                """.formatted(pair.primary().port(), account, pair.standby().port(), account, TOKEN));
        SECTIONS.forEach((id, section) -> {
            if (wanted.contains(id)) {
                text.append("  ").append(id).append(": ").append(section).append('\n');
            }
        });
        return text.toString();
    }

    private static HttpResponse<String> request(RunningProxy proxy, String method, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:"
                + Objects.requireNonNull(proxy.adminAddress()).getPort() + path);
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .method(method, HttpRequest.BodyPublishers.noBody())
                                .header("Authorization", "Bearer " + TOKEN)
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private Map<?, ?> reload(RunningProxy proxy, Set<String> plugins) throws Exception {
        wanted = plugins;
        return Objects.requireNonNull((Map<?, ?>)
                JsonReader.read(request(proxy, "POST", "/api/reload").body()));
    }

    private static Connection connect(RunningProxy proxy) throws SQLException {
        int port = ((InetSocketAddress) proxy.proxy().addresses().get(0)).getPort();
        return DriverManager.getConnection("jdbc:mariadb://127.0.0.1:" + port
                + "/shop?sslMode=disable&user=every&password=" + MirrorProxy.PASSWORD);
    }

    private static Set<String> meters(RunningProxy proxy) {
        return proxy.registry().getMeters().stream()
                .map(Meter::getId)
                .map(Meter.Id::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static int descriptors() {
        return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
    }

    private static List<String> threadsOfPlugins() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.matches("(plugin-|shared-|mirror-|capture).*"))
                .toList();
    }

    private static void awaitNothingLeft(RunningProxy proxy, Set<String> metersBefore) {
        await().atMost(LONG).untilAsserted(() -> assertThat(threadsOfPlugins()).isEmpty());
        // The standby's own.
        await().atMost(LONG)
                .until(() -> pair.primary()
                        .query("SELECT COUNT(*) FROM information_schema.processlist"
                                + " WHERE command LIKE 'Binlog Dump%'")
                        .equals("1"));
        Set<String> left = meters(proxy);
        left.removeAll(metersBefore);
        left.remove("understudy.config.reloads"); // the proxy's own
        left.remove("understudy.injected.statements");
        left.remove("understudy.sessions.closed");
        left.removeIf(name -> name.startsWith("jvm.")); // a first collection of garbage
        assertThat(left).isEmpty();
        assertThat(proxy.proxy().histograms().all())
                .extracting(series -> series.name())
                .doesNotContain("understudy_commit_seconds", "understudy_mirror_seconds");
    }

    @Test
    void eachPluginComesAndGoesUnderLoad() throws Exception {
        try (RunningProxy proxy = start();
                ApplicationLoad load = new ApplicationLoad(3, () -> connect(proxy))) {
            Set<String> metersBefore = meters(proxy);
            reload(proxy, SECTIONS.keySet());
            reload(proxy, Set.of());
            awaitNothingLeft(proxy, metersBefore);
            int descriptors = descriptors();

            Random random = new Random(7);
            Map<String, Integer> times = new TreeMap<>();
            Set<String> running = Set.of();
            List<Connection> kept = new ArrayList<>();
            while (times.size() < SECTIONS.size() || times.values().stream().anyMatch(count -> count < TIMES)) {
                Set<String> next = new TreeSet<>();
                SECTIONS.keySet().forEach(id -> {
                    if (random.nextBoolean()) {
                        next.add(id);
                    }
                });
                Map<?, ?> response = reload(proxy, next);
                assertThat(String.valueOf(response.get("notApplied")))
                        .as("%s", response)
                        .isEqualTo("[]");
                for (String id : SECTIONS.keySet()) {
                    if (running.contains(id) && !next.contains(id)) {
                        times.merge(id, 1, Integer::sum);
                    }
                }
                running = next;
                Connection session = connect(proxy);
                kept.add(session);
                for (Connection open : kept) {
                    run(open, "SELECT note FROM orders WHERE id = 5", "UPDATE customers SET note = 'x' WHERE id = -1");
                }
                if (kept.size() > 3) {
                    kept.remove(random.nextInt(kept.size())).close();
                }
                for (Map.Entry<String, String> view : VIEWS.entrySet()) {
                    assertThat(request(proxy, "GET", "/api/" + view.getValue()).statusCode())
                            .as("%s with %s", view, next)
                            .isEqualTo(next.contains(view.getKey()) ? 200 : 404);
                }
            }
            reload(proxy, Set.of());
            for (Connection open : kept) {
                open.close();
            }
            awaitNothingLeft(proxy, metersBefore);
            await().atMost(LONG).untilAsserted(() -> assertThat(descriptors()).isLessThanOrEqualTo(descriptors + 4));
            assertThat((Throwable) load.error()).isNull();
            assertThat(load.statements()).isGreaterThan(100);
        }
    }

    private static String domain(Connection connection) throws SQLException {
        run(connection, "UPDATE customers SET note = UUID() WHERE id = 7");
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT @@last_gtid")) {
            rows.next();
            return rows.getString(1).replaceFirst("-.*", "");
        }
    }

    /** A session that began before the guard would write unguarded. */
    @Test
    void domainsAreSetOnlyWhenEverySessionIsObserved() throws Exception {
        pair.primary().execute("REPLACE INTO shop.customers VALUES (7, 'seven')");
        try (RunningProxy proxy = start();
                Connection older = connect(proxy)) {
            run(older, "DO 1");
            assertThat(String.valueOf(reload(proxy, Set.of("gtid-domain")).get("changes")))
                    .contains("plugins.gtid-domain changed from off to on: takes effect now for sessions that begin"
                            + " from now on; 1 goes on without it until they end");
            try (Connection younger = connect(proxy)) {
                assertThat(domain(younger)).isEqualTo("0");
                assertThat(config(proxy)).contains("\"plugin\":\"gtid-domain\",\"sessions\":1");
                older.close();
                await().atMost(LONG)
                        .untilAsserted(() -> assertThat(domain(younger)).isEqualTo("11"));
                assertThat(config(proxy)).contains("\"sessionsWithout\":[]");

                // Whatever the session was set to is undone before its next statement.
                reload(proxy, Set.of());
                assertThat(domain(younger)).isEqualTo("0");
            }
        }
    }

    /** Sessions are observed before there are rules, so that rules need not wait for their end. */
    @Test
    void rulesHoldForTheSessionsThatBeganWithoutAny() throws Exception {
        pair.primary().execute("REPLACE INTO shop.customers VALUES (7, 'seven')");
        try (RunningProxy proxy = start()) {
            String rules = SECTIONS.put("gtid-domain", "{ learn: 0s, poll: 50ms }");
            reload(proxy, Set.of("gtid-domain"));
            try (Connection older = connect(proxy)) {
                assertThat(domain(older)).isEqualTo("0");
                assertThat(request(proxy, "GET", "/api/domains").body().replaceAll("\\s", ""))
                        .contains("\"writes\":1");
                SECTIONS.put("gtid-domain", rules);
                reload(proxy, Set.of("gtid-domain"));
                try (Connection younger = connect(proxy)) {
                    await().atMost(LONG)
                            .untilAsserted(() -> assertThat(domain(younger)).isEqualTo("11"));
                    await().atMost(LONG)
                            .untilAsserted(() -> assertThat(domain(older)).isEqualTo("11"));
                }
            }
            reload(proxy, Set.of());
        }
    }

    private static String config(RunningProxy proxy) throws Exception {
        return request(proxy, "GET", "/api/config").body().replaceAll("\\s", "");
    }
}
