package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.arch.Checkout;
import io.understudy.base.JsonReader;
import io.understudy.cli.Understudy;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.host.PluginTypes;
import io.understudy.runtime.RunningProxy;
import io.understudy.testkit.CapturedLog;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that docs/admin-api.md, docs/metrics.md and /openapi.yaml name exactly the paths and metrics of a running
 * proxy with all plugins, and that it responds as specified.
 */
@Timeout(180)
class ReferencePagesTest {
    private static final String TOKEN = "a-token-of-fair-length";
    private static final String PASSWORD = "s3same-pages";

    private static EmbeddedPair pair;
    private static RunningProxy proxy;

    @TempDir
    private static Path captures;

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
                admin: { address: "127.0.0.1:0", token: %s }
                plugins:
                  { mirror: , commit-latency: { slow: 1us }, gtid-domain: , black-box: { acknowledge: memory },
                    query-log: ,
                    capture: { directory: %s } }
                """.formatted(pair.primary().port(), PASSWORD, pair.standby().port(), PASSWORD, TOKEN, captures);
        LoadedConfig loaded = ConfigLoader.load(yaml, "test.yaml", plugins.records(), name -> null);
        proxy = RunningProxy.start(loaded, plugins, () -> loaded);
        InetSocketAddress address =
                (InetSocketAddress) proxy.proxy().addresses().get(0);
        try (Connection application = DriverManager.getConnection("jdbc:mariadb://127.0.0.1:" + address.getPort()
                        + "/shop?sslMode=disable&user=understudy&password=" + PASSWORD);
                Statement statement = application.createStatement()) {
            statement.execute("SELECT * FROM t");
            statement.execute("INSERT INTO t VALUES ()");
        }
        HttpRequest reload = HttpRequest.newBuilder(uri("/api/reload"))
                .header("Authorization", "Bearer " + TOKEN)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        assertThat(send(reload)).contains("applied");
    }

    private static String report(String name, String... more) {
        StringWriter out = new StringWriter();
        StringWriter errors = new StringWriter();
        List<String> arguments = new ArrayList<>(List.of(
                "report",
                name,
                "--admin",
                "127.0.0.1:" + Objects.requireNonNull(proxy.adminAddress()).getPort()));
        arguments.addAll(List.of(more));
        int code = Understudy.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(errors))
                .execute(arguments.toArray(String[]::new));
        assertThat(code).as("%s%s", out, errors).isZero();
        return out.toString();
    }

    @Test
    void theReportsOfARunningProxyAreForPeopleAndForPrograms() throws Exception {
        int port = ((InetSocketAddress) proxy.proxy().addresses().get(0)).getPort();
        try (Connection application = DriverManager.getConnection("jdbc:mariadb://127.0.0.1:" + port
                        + "/shop?sslMode=disable&user=understudy&password=" + PASSWORD);
                Statement statement = application.createStatement()) {
            application.setAutoCommit(false);
            statement.execute("INSERT INTO t VALUES ()");
            assertThat(report("sessions"))
                    .contains("1 sessions of at most 10000, 1 in a transaction")
                    .containsPattern("(?m)^ +1  understudy +shop +127.0.0.1$")
                    .containsPattern(
                            "(?m)^ +\\d+ +\\d+  understudy +shop +127.0.0.1:\\d+ +\\d+  relaying, in a transaction$");
            application.commit();
        }
        assertThat(report("mirror"))
                .contains("rule  ", "s1: ", "  executed: ", "  dropped: ", "Not mirrored, by reason: ");
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(report("commits"))
                        .contains("Semi-sync is on", "commits a second", "by user", "understudy")
                        .doesNotContain("null"));
        for (String name : List.of("sessions", "mirror", "commits")) {
            Object json = JsonReader.read(report(name, "--json"));
            assertThat(json).isInstanceOf(Map.class);
            assertThat(((Map<?, ?>) json).keySet())
                    .isEqualTo(((Map<?, ?>) Objects.requireNonNull(JsonReader.read(send(
                                    HttpRequest.newBuilder(uri("/api/" + name)).build()))))
                            .keySet());
        }
    }

    @Test
    void theDigestOfASlowCommitLeadsToItsText() throws Exception {
        int port = ((InetSocketAddress) proxy.proxy().addresses().get(0)).getPort();
        Pattern line = Pattern.compile("slow commit: .* kind commit, .* digest=([0-9a-f]{16})");
        try (CapturedLog log = new CapturedLog();
                Connection application = DriverManager.getConnection("jdbc:mariadb://127.0.0.1:" + port
                        + "/shop?sslMode=disable&user=understudy&password=" + PASSWORD);
                Statement statement = application.createStatement()) {
            application.setAutoCommit(false);
            statement.execute("SELECT COUNT(*) FROM t");
            statement.execute("INSERT INTO t (id) VALUES (4711)");
            statement.execute("DELETE FROM t WHERE id = 4711");
            application.commit();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> line.matcher(log.text()).find());
            Matcher slow = line.matcher(log.text());
            assertThat(slow.find()).isTrue();
            Path token = Files.writeString(captures.resolve("token"), TOKEN);
            assertThat(report("digest", slow.group(1).toUpperCase(Locale.ROOT), "--token-file", token.toString()))
                    .startsWith(slow.group(1) + "  insert\nINSERT INTO")
                    .contains("writes t", "users understudy; schemas shop", "mirror: not mirrored")
                    .doesNotContain("4711", "null");
            assertThat(report("digest", slow.group(1))).contains("its text needs the token");
        }
    }

    @Test
    void digestsSayWhatTheMirrorDoes() throws Exception {
        assertThat(send(HttpRequest.newBuilder(uri("/api/digests")).build()))
                .contains("\"mirror\":{\"rules\":[],\"mirrored\":false,\"reasons\":[\"no_rule\"]}")
                .contains("\"mirror\":{\"rules\":[],\"mirrored\":false,\"reasons\":[\"writes\"]}");
    }

    @AfterAll
    static void stop() {
        proxy.close();
        pair.close();
    }

    private static URI uri(String path) {
        return URI.create("http://127.0.0.1:"
                + Objects.requireNonNull(proxy.adminAddress()).getPort() + path);
    }

    private static String send(HttpRequest request) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static Set<String> found(String text, String pattern) {
        Set<String> all = new TreeSet<>();
        Matcher matcher = Pattern.compile(pattern, Pattern.MULTILINE).matcher(text);
        while (matcher.find()) {
            all.add(matcher.group(1));
        }
        return all;
    }

    private static String page(String name) throws IOException {
        return Files.readString(DocsTest.ROOT.resolve("docs").resolve(name));
    }

    @Test
    void thePageListsExactlyThePaths() throws Exception {
        String offered = send(HttpRequest.newBuilder(uri("/nowhere")).build());
        assertThat(found(page("admin-api.md"), "^\\| `((?:GET|POST) [^`]+)`"))
                .isEqualTo(found(offered, "\"((?:GET|POST) [^\"]+)\""));
    }

    private static OpenApiSchemas specification() throws Exception {
        return new OpenApiSchemas(
                send(HttpRequest.newBuilder(uri("/openapi.yaml")).build()));
    }

    @Test
    void theSpecificationListsExactlyThePaths() throws Exception {
        String offered = send(HttpRequest.newBuilder(uri("/nowhere")).build());
        Set<String> specified = new TreeSet<>();
        specification()
                .paths()
                .forEach((path, operations) -> operations.keySet().stream()
                        .filter(key -> !key.equals("parameters"))
                        .forEach(method -> specified.add(method.toUpperCase(Locale.ROOT) + " " + path)));
        assertThat(specified).isEqualTo(found(offered, "\"((?:GET|POST) [^\"]+)\""));
    }

    /** Every path responds as specified: status, type, content, and 401 where the token is needed and missing. */
    @Test
    void theResponsesAreAsSpecified() throws Exception {
        OpenApiSchemas specification = specification();
        List<String> wrong = new ArrayList<>();
        Set<String> endless = Set.of("GET /events", "GET /slowlog");
        // The first ends the process; the others take more than a moment.
        Set<String> onlyRefused = Set.of(
                "POST /api/drain",
                "POST /api/lost/applied",
                "POST /api/lost/compared",
                "POST /api/lost/rescue",
                "POST /api/lost/rescue/{number}",
                "GET /slowlog");
        for (Map.Entry<String, Map<String, Object>> one : specification.paths().entrySet()) {
            String path = one.getKey();
            for (String method : List.of("get", "post")) {
                String operation = method.toUpperCase(Locale.ROOT) + " " + path;
                boolean token = specification.needsToken(path, method);
                if (!one.getValue().containsKey(method) || endless.contains(operation) && !token) {
                    continue;
                }
                HttpResponse<String> anonymous = respond(method, path, false);
                assertThat(anonymous.statusCode() == 401)
                        .as("%s without the token: %s", operation, anonymous.body())
                        .isEqualTo(token);
                wrong.addAll(problems(specification, path, method, anonymous));
                if (!onlyRefused.contains(operation)) {
                    wrong.addAll(problems(specification, path, method, respond(method, path, true)));
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static HttpResponse<String> respond(String method, String path, boolean token) throws Exception {
        String concrete = path.replace("{name}", "s1")
                .replace("{standby}", "s1")
                .replace("{table}", "shop.t")
                .replace("{range}", "15m")
                .replace("{file}", "main.js")
                .replace("{number}", "1");
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(concrete))
                .method(method.toUpperCase(Locale.ROOT), HttpRequest.BodyPublishers.noBody());
        if (token) {
            request.header("Authorization", "Bearer " + TOKEN);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static List<String> problems(
            OpenApiSchemas specification, String path, String method, HttpResponse<String> response) {
        String type = response.headers().firstValue("Content-Type").orElse("").replaceAll(";.*", "");
        return specification.problems(path, method, response.statusCode(), type, response.body()).stream()
                .map(problem -> method + " " + path + ", " + response.statusCode() + ": " + problem + " in "
                        + response.body().lines().findFirst().orElse(""))
                .toList();
    }

    @Test
    void thePageListsExactlyTheMetrics() throws Exception {
        String page = page("metrics.md");
        Set<String> named = found(page, "^\\| `(understudy_[a-z_]+)`");
        Set<String> later = found(page, "^\\| `(understudy_[a-z_]+)` †");
        assertThat(found(page, "`(understudy_[a-z_]+)`")).isEqualTo(named);
        Set<String> present = new TreeSet<>();
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            present.addAll(
                    found(send(HttpRequest.newBuilder(uri("/metrics")).build()), "^# TYPE (understudy_[a-z_]+) "));
            Set<String> missing = new TreeSet<>(named);
            missing.removeAll(later);
            missing.removeAll(present);
            assertThat(missing).as("named, and not there from the start").isEmpty();
        });
        assertThat(named).as("every metric of the running proxy").containsAll(present);
        later.removeAll(present);
        String sources = Checkout.program();
        for (String name : later) {
            String meter = name.replaceFirst("_(total|max)$", "").replace('_', '.');
            assertThat(sources.contains('"' + meter + '"') || sources.contains('"' + name + '"'))
                    .as("%s is a meter of the program", name)
                    .isTrue();
        }
    }
}
