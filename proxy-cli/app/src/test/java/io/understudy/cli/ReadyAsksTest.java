package io.understudy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.understudy.testkit.FreePort;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code understudy ready -c FILE} and a proxy that responds late, not, or with a refusal; both servers are away. */
@Timeout(60)
class ReadyAsksTest {
    @TempDir
    private Path folder;

    private final Queue<String> asked = new ConcurrentLinkedQueue<>();

    private String run(int admin, String timeout) throws Exception {
        Path file =
                Files.writeString(folder.resolve("ready.yaml"), """
                listen: { address: "127.0.0.1:0" }
                primary:
                  address: "127.0.0.1:%d"
                  monitor: { user: monitor, password: secret }
                standbys:
                  - { name: standby-1, address: "127.0.0.1:%d", user: monitor, password: secret }
                admin: { address: "127.0.0.1:%d", token: a-token-of-fair-length }
                plugins: { black-box: {} }
                """.formatted(FreePort.next(), FreePort.next(), admin));
        StringWriter out = new StringWriter();
        Understudy.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(out))
                .execute("ready", "standby-1", "-c", file.toString(), "--timeout", timeout);
        return out.toString().replaceAll("\\s+", " ");
    }

    private String runWith(int status, long millis, String timeout) throws Exception {
        HttpServer proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        proxy.setExecutor(Executors.newCachedThreadPool());
        proxy.createContext("/", exchange -> {
            asked.add(exchange.getRequestURI().getPath());
            try {
                Thread.sleep(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            boolean lost = exchange.getRequestURI().getPath().startsWith("/api/lost");
            byte[] body = (lost && status != 200
                            ? "{\"error\":\"it needs the token; see there\"}"
                            : "{\"address\":\"127.0.0.1:1\"}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(lost ? status : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        proxy.start();
        try {
            return run(proxy.getAddress().getPort(), timeout);
        } finally {
            proxy.stop(0);
        }
    }

    /** As the first request of a process is on a busy machine. */
    @Test
    void aProxyThatTakesLongerThanASecondIsAskedWhatIsMissing() throws Exception {
        String report = runWith(200, 1300, "60s");
        assertThat(asked).as(report).contains("/api/lost/look");
        assertThat(report).doesNotContain("the black box knows of missing commits is not known");
    }

    @Test
    void eachReasonForNoResponseHasItsRemedy() throws Exception {
        assertThat(runWith(200, 3000, "2s"))
                .contains("did not respond within its share of --timeout", "with a longer --timeout");
        assertThat(runWith(401, 0, "60s"))
                .contains("the proxy refused the question", "responded 401: it needs the token", "admin.token")
                .doesNotContain("see there");
        assertThat(runWith(503, 0, "60s")).contains("the proxy did not tell", "responded 503");
        assertThat(run(FreePort.next(), "60s"))
                .contains("the proxy was not asked: no response from", "start the proxy with this file");
    }
}
