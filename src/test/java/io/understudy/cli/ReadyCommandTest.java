package io.understudy.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.understudy.base.JsonReader;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.host.PluginTypes;
import io.understudy.remote.AdminClient;
import io.understudy.runtime.RunningProxy;
import io.understudy.testkit.FreePort;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code understudy ready} and {@code /api/standbys/{name}/readiness}, with and without a running proxy. */
@Timeout(180)
@Tag("long")
class ReadyCommandTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String TOKEN = "a-token-of-fair-length";

    @TempDir
    private static Path folder;

    private static EmbeddedPair pair;

    private @Nullable RunningProxy proxy;
    private int admin;
    private Path file;
    private String plugins = "";

    private record Said(int status, String out, String err) {}

    @BeforeAll
    static void startServers() {
        pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false));
        pair.createAccount(
                "monitor", "secret", "SELECT, REPLICATION SLAVE, SLAVE MONITOR, PROCESS, SHOW VIEW, TRIGGER ON *.*");
        pair.awaitCaughtUp(PATIENCE);
    }

    @AfterAll
    static void stopServers() {
        pair.close();
    }

    @BeforeEach
    void startProxy() throws Exception {
        start(
                "address: \"127.0.0.1:" + pair.primary().port() + "\"",
                "127.0.0.1:" + pair.standby().port());
    }

    private void start(String primary, String standby) throws Exception {
        admin = FreePort.next();
        file = Files.writeString(folder.resolve("ready.yaml"), """
                listen: { address: "127.0.0.1:0" }
                primary:
                  %s
                  tls: { mode: disabled }
                  monitor: { user: monitor, password: secret }
                standbys:
                  - { name: standby-1, address: "%s", tls: { mode: disabled }, user: monitor, password: secret }
                admin: { address: "127.0.0.1:%d", token: %s }
                %s
                """.formatted(primary, standby, admin, TOKEN, plugins));
        PluginTypes plugins = PluginTypes.installed();
        LoadedConfig loaded = ConfigLoader.load(file, plugins.records());
        proxy = RunningProxy.start(loaded, plugins, () -> loaded);
    }

    @Test
    void whatTheBlackBoxKnowsIsAsked() throws Exception {
        stopProxy();
        plugins = "plugins: { black-box: { poll: 100ms } }";
        start(
                "address: \"127.0.0.1:" + pair.primary().port() + "\"",
                "127.0.0.1:" + pair.standby().port());
        await().atMost(PATIENCE).untilAsserted(() -> {
            Said known = run("standby-1", "-c", file.toString());
            assertThat(known.status()).as(known.toString()).isZero();
        });
        Said byProxy = run("standby-1", "--admin", endpoint(), "-c", file.toString());
        assertThat(byProxy.status()).as(byProxy.toString()).isZero();
        stopProxy();
        Said unknown = run("standby-1", "-c", file.toString());
        assertThat(unknown.status()).as(unknown.toString()).isEqualTo(8);
        assertThat(unknown.out())
                .contains("unknown  missing: what the black box knows of missing commits is not known");
    }

    @AfterEach
    void stopProxy() {
        RunningProxy running = proxy;
        proxy = null;
        if (running != null) {
            running.close();
        }
    }

    private static Said run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = Understudy.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        List<String> all = new ArrayList<>(List.of("ready"));
        all.addAll(List.of(arguments));
        return new Said(line.execute(all.toArray(String[]::new)), out.toString(), err.toString());
    }

    private String endpoint() {
        return "127.0.0.1:" + admin;
    }

    @Test
    void theExitCodeIsTheVerdict() {
        Said well = run("standby-1", "-c", file.toString());
        assertThat(well.status()).as(well.toString()).isZero();
        assertThat(well.out()).startsWith("standby-1: yes, it may be promoted; lag 0 s (0 transactions)");

        pair.standby().execute("SET GLOBAL max_connections = 100");
        try {
            Said findings = run("standby-1", "-c", file.toString());
            assertThat(findings.status()).isEqualTo(4);
            assertThat(findings.out())
                    .contains("yes, with 1 finding;", "max_connections is '100' on the standby", "why:", "SET GLOBAL");
        } finally {
            pair.standby().execute("SET GLOBAL max_connections = 151");
        }

        pair.standby().execute("STOP SLAVE SQL_THREAD");
        try {
            Said no = run("standby-1", "-c", file.toString(), "--json");
            assertThat(no.status()).isEqualTo(8);
            assertThat(no.out()).contains("\"verdict\":\"no\"", "\"exitCode\":8", "START SLAVE SQL_THREAD");
        } finally {
            pair.standby().execute("START SLAVE");
        }
    }

    @Test
    void waitsUntilNothingStandsAgainstIt() throws Exception {
        pair.standby().execute("SET GLOBAL max_connections = 100");
        Thread mender = new Thread(() -> {
            await().atMost(PATIENCE)
                    .until(() -> run("standby-1", "-c", file.toString()).status() == 4);
            pair.standby().execute("SET GLOBAL max_connections = 151");
        });
        mender.start();
        Said said = run("standby-1", "-c", file.toString(), "--wait", "30s");
        mender.join();
        assertThat(said.status()).as(said.toString()).isZero();
    }

    /** The proxy is being restarted, for instance. */
    @Test
    void waitsBeyondAFailedRequest() throws Exception {
        byte[] body = "{\"standby\":\"standby-1\",\"verdict\":\"yes\",\"exitCode\":0,\"findings\":[]}"
                .getBytes(StandardCharsets.UTF_8);
        AtomicInteger requests = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(requests.getAndIncrement() == 0 ? 503 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            String address = "127.0.0.1:" + server.getAddress().getPort();
            Said said = run("standby-1", "--admin", address, "--wait", "30s");
            assertThat(said.status()).as(said.toString()).isZero();
            assertThat(said.err()).isEmpty();
            assertThat(requests).hasValue(2);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void wrongUsageSaysSo() {
        assertThat(run("standby-2", "-c", file.toString()).err())
                .contains("there is no standby 'standby-2'; known: [standby-1]");
        assertThat(run("standby-2", "-c", file.toString()).status()).isEqualTo(2);
        assertThat(run("standby-1").status()).isEqualTo(2);
        assertThat(run("standby-1", "-c", file.toString(), "--timeout", "10ms").status())
                .isEqualTo(2);
        Said odd = run("standby 2", "--admin", endpoint(), "-c", file.toString());
        assertThat(odd.status()).isEqualTo(8);
        assertThat(odd.err()).contains("there is no standby 'standby 2'");
        Said unknown = run("standby-2", "--admin", endpoint(), "-c", file.toString());
        assertThat(unknown.status()).isEqualTo(8);
        assertThat(unknown.err()).contains("there is no standby 'standby-2'");
    }

    @Test
    void theProxyReturnsTheSame() {
        Said byToken = run("standby-1", "--admin", endpoint(), "-c", file.toString());
        assertThat(byToken.status()).as(byToken.toString()).isZero();

        pair.standby().execute("SET SESSION sql_log_bin = 0", "CREATE DATABASE private_name");
        try {
            pair.standby().execute("SET SESSION sql_log_bin = 0", "CREATE TABLE private_name.t (id INT)");
            await().atMost(PATIENCE)
                    .until(() -> run("standby-1", "--admin", endpoint(), "-c", file.toString())
                                    .status()
                            == 4);
            Said redacted = run("standby-1", "--admin", endpoint());
            assertThat(redacted.out())
                    .contains("yes, with 2 findings", "warns    definitions", "The admin token shows", " s ago")
                    .doesNotContain("private_name");
            assertThat(run("standby-1", "--admin", endpoint(), "-c", file.toString())
                            .out())
                    .contains("only the standby has the table private_name.t");
        } finally {
            pair.standby().execute("SET SESSION sql_log_bin = 0", "DROP DATABASE private_name");
        }
        stopProxy();
        Said gone = run("standby-1", "--admin", endpoint());
        assertThat(gone.status()).isEqualTo(8);
        assertThat(gone.err()).contains("check that the proxy runs");
    }

    private HttpResponse<String> get(String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://" + endpoint() + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void theEndpointIsJson() throws Exception {
        HttpResponse<String> response = get("/api/standbys/standby-1/readiness");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat((Map<?, ?>) JsonReader.read(response.body()))
                .extracting("verdict", "exitCode", "redacted")
                .containsExactly("yes", 0L, true);
        HttpResponse<String> unknown = get("/api/standbys/standby-2/readiness");
        assertThat(unknown.statusCode()).isEqualTo(400);
        assertThat(unknown.body()).contains("known: [standby-1]");
    }

    /** The file names a server that is gone; the proxy was told of the present primary. */
    @Test
    void comparesWithThePrimaryThatTheProxyFollows() throws Exception {
        stopProxy();
        start(
                "address: \"127.0.0.1:" + FreePort.next() + "\"",
                "127.0.0.1:" + pair.standby().port());
        Said before = run("standby-1", "-c", file.toString());
        assertThat(before.status()).isEqualTo(4);
        assertThat(before.out()).contains("does not respond");

        new AdminClient(endpoint(), TOKEN)
                .act("primary?address=127.0.0.1:" + pair.primary().port());
        Said followed = run("standby-1", "-c", file.toString());
        assertThat(followed.status()).as(followed.toString()).isZero();
        Said byProxy = run("standby-1", "--admin", endpoint(), "-c", file.toString());
        assertThat(byProxy.status()).as(byProxy.toString()).isZero();
    }

    @Test
    void findsThePrimaryAmongCandidatesWithoutAProxy() throws Exception {
        stopProxy();
        start(
                "candidates: [\"127.0.0.1:%d\", \"127.0.0.1:%d\"]"
                        .formatted(pair.standby().port(), pair.primary().port()),
                "127.0.0.1:" + pair.standby().port());
        stopProxy();
        Said said = run("standby-1", "-c", file.toString());
        assertThat(said.status()).as(said.toString()).isZero();
    }
}
