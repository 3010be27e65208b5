package io.understudy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that ask a running proxy, at an address that has not what they need. */
@Timeout(60)
class WrongEndpointTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    /** As AdminRoutes responds to an unknown path. */
    private static final String UNKNOWN = "{\"error\": \"there is nothing there\", \"endpoints\": [\"GET /\"]}";

    private final StringWriter err = new StringWriter();

    private int run(String command, String address, String... more) {
        List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
        arguments.addAll(List.of("--admin", address));
        arguments.addAll(List.of(more));
        return Understudy.commandLine().setErr(new PrintWriter(err)).execute(arguments.toArray(String[]::new));
    }

    private static HttpServer http(int status, String body) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(LOOPBACK, 0), 0);
        server.createContext("/", exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        return server;
    }

    private static String address(HttpServer server) {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    /** One line: no body of a response, no name of a Java class. */
    private void assertSentence() {
        assertThat(err.toString().strip())
                .doesNotContain("\n")
                .doesNotContain("{")
                .doesNotContain("java.")
                .doesNotContain("Exception");
    }

    @ParameterizedTest
    @CsvSource({
        "report steering, gtid-domain",
        "report domains, gtid-domain",
        "report mirror, mirror",
        "report commits, commit-latency",
        "report digest 0123456789abcdef, query-log",
        "report lost, black-box",
        "top --once, query-log",
        "slowlog, query-log",
        "capture show, capture"
    })
    void thePluginThatIsMissingIsNamed(String command, String plugin) throws Exception {
        HttpServer proxy = http(404, UNKNOWN);
        try {
            assertThat(run(command, address(proxy))).isEqualTo(1);
        } finally {
            proxy.stop(0);
        }
        assertThat(err.toString())
                .contains("the plugin " + plugin + " is not configured there; add a section '" + plugin
                        + ":' below 'plugins:'");
        assertSentence();
    }

    /** It has no view of domains, and takes its first one over after a restart only. */
    @Test
    void aPluginThatRunsWithoutDomainsIsNotCalledMissing() throws Exception {
        HttpServer proxy = http(404, UNKNOWN.replace("GET /", "GET /api/steering"));
        try {
            assertThat(run("report domains", address(proxy))).isEqualTo(1);
        } finally {
            proxy.stop(0);
        }
        assertThat(err.toString())
                .contains("runs there without a rule that has 'domain'", "after a restart")
                .doesNotContain("not configured");
        assertSentence();
    }

    @ParameterizedTest
    @ValueSource(strings = {"report commits", "report sessions", "top --once", "slowlog"})
    void anotherHttpServerIsNotTakenForAProxy(String command) throws Exception {
        for (int status : List.of(200, 404, 502)) {
            HttpServer other = http(status, "<html><body>Welcome</body></html>");
            try {
                err.getBuffer().setLength(0);
                if (run(command, address(other)) == 0) {
                    assertThat(command).isEqualTo("slowlog"); // whose text may be any
                    continue;
                }
            } finally {
                other.stop(0);
            }
            assertThat(err.toString()).contains("check that this is the proxy's admin.address");
            assertSentence();
        }
    }

    @Test
    void aWrongTokenIsSaidWithTheOptionsThatGiveOne(@TempDir Path folder) throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "wrong");
        HttpServer proxy = http(401, "{\"error\": \"/api/digests needs the token, and the one sent is not the one\"}");
        try {
            assertThat(run("top --once", address(proxy), "--token-file", token.toString()))
                    .isEqualTo(1);
        } finally {
            proxy.stop(0);
        }
        assertThat(err.toString()).contains("401: /api/digests needs the token").contains("--token-file");
        assertSentence();
    }

    @ParameterizedTest
    @ValueSource(strings = {"report mirror", "slowlog"})
    void nobodyListens(String command) throws Exception {
        String address;
        try (ServerSocket free = new ServerSocket(0, 1, LOOPBACK)) {
            address = "127.0.0.1:" + free.getLocalPort();
        }
        assertThat(run(command, address)).isEqualTo(1);
        assertThat(err.toString()).contains("check that the proxy runs").contains("admin.address");
        assertSentence();
    }

    @ParameterizedTest
    @ValueSource(strings = {"report domains", "slowlog"})
    void anUnknownHostIsNotCalledAProxyThatRefuses(String command) {
        assertThat(run(command, "nosuch.invalid:9307")).isEqualTo(1);
        assertThat(err.toString()).contains("its host name is not known").doesNotContain("refused");
        assertSentence();
    }

    /** The port for clients, say, where a MySQL handshake comes at once. */
    @ParameterizedTest
    @ValueSource(strings = {"report mirror", "slowlog"})
    void theListenerSpeaksNoHttp(String command) throws Exception {
        try (ServerSocket clients = new ServerSocket(0, 10, LOOPBACK)) {
            Thread greeting = new Thread(() -> {
                while (!clients.isClosed()) {
                    try (Socket client = clients.accept()) {
                        client.getOutputStream().write("J\0\0\0\n11.4.2-MariaDB\0".getBytes(StandardCharsets.UTF_8));
                        client.getOutputStream().flush();
                        client.shutdownOutput();
                        client.getInputStream().readAllBytes();
                    } catch (IOException e) {
                        return;
                    }
                }
            });
            greeting.setDaemon(true);
            greeting.start();
            run(command, "127.0.0.1:" + clients.getLocalPort());
        }
        assertThat(err.toString()).contains("check that this is the proxy's admin.address");
        assertSentence();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:port", "a b:1"})
    void anAddressIsNone(String address) {
        assertThat(run("report sessions", address)).isEqualTo(1);
        assertThat(err.toString()).contains("expected HOST:PORT");
        assertSentence();
    }
}
