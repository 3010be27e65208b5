package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
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
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program goes on when nobody reads its log any more, and says afterwards how much of it is missing. */
@Timeout(180)
@Tag("long")
class StoppedLogReaderTest {
    private static final Pattern LISTENS = Pattern.compile("listening on \\[/127\\.0\\.0\\.1:(\\d+)]");
    private static final Pattern ADMIN = Pattern.compile("admin endpoint on http://127\\.0\\.0\\.1:(\\d+)/");
    private static final Pattern LOST = Pattern.compile("understudy_log_lost_lines_total ([1-9][0-9.E]*)");

    @TempDir
    private Path folder;

    private Process run(String yaml) throws IOException {
        Path config = Files.writeString(folder.resolve("run.yaml"), yaml);
        return new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        "io.understudy.cli.Understudy",
                        "run",
                        "-c",
                        config.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static int port(BufferedReader log, Pattern pattern) throws IOException {
        while (true) {
            Matcher found = pattern.matcher(Objects.requireNonNull(log.readLine(), "the program has ended"));
            if (found.find()) {
                return Integer.parseInt(found.group(1));
            }
        }
    }

    /** Returns the error that a client gets, as the primary is down. */
    private static String greeting(int port) throws IOException {
        try (Socket client = new Socket()) {
            client.connect(new InetSocketAddress("127.0.0.1", port), 5000);
            client.setSoTimeout(20_000);
            return new String(client.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    private static boolean someLost(int admin) throws IOException, InterruptedException {
        HttpResponse<String> metrics = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + admin + "/metrics"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        return LOST.matcher(metrics.body()).find();
    }

    @Test
    void clientsAreServedWhileTheLogIsNotReadAndLostLinesAreCounted() throws Exception {
        int closed;
        try (ServerSocket socket = new ServerSocket(0)) {
            closed = socket.getLocalPort();
        }
        Process program = run("""
                listen: { address: "127.0.0.1:0" }
                primary: { address: "127.0.0.1:%d", tls: { mode: disabled } }
                admin: { address: "127.0.0.1:0" }
                limits: { drainTimeout: 0s }
                log: { levels: { session: debug, io.netty: trace } }
                """.formatted(closed));
        try (BufferedReader log =
                new BufferedReader(new InputStreamReader(program.getErrorStream(), StandardCharsets.UTF_8))) {
            int port = port(log, LISTENS);
            int admin = port(log, ADMIN);
            // From here on nobody reads. Each session is a line at least.
            int sessions = 0;
            while (sessions % 500 != 0 || !someLost(admin)) {
                assertThat(greeting(port)).contains("Understudy");
                sessions++;
            }
            List<String> lines = new ArrayList<>();
            Thread reader = new Thread(() -> log.lines().forEach(line -> {
                synchronized (lines) {
                    lines.add(line);
                }
            }));
            reader.start();
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                synchronized (lines) {
                    return lines.stream().anyMatch(line -> line.contains("lines of the log were lost here"));
                }
            });
            // Process.destroy closes the stream as well, at times before its last lines were read.
            program.toHandle().destroy();
            assertThat(program.waitFor(30, TimeUnit.SECONDS)).isTrue();
            reader.join();
            assertThat(lines.get(lines.size() - 1)).contains("stopped");
            assertThat(lines.stream().map(line -> line.substring(0, line.indexOf(' '))))
                    .isSorted();
        } finally {
            program.destroyForcibly();
        }
    }

    @Test
    void theReasonWhyAStartFailsIsTheLastLine() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
            Process program = run("""
                    listen: { address: "127.0.0.1:%d" }
                    primary: { address: "127.0.0.1:1", tls: { mode: disabled } }
                    admin: { enabled: false }
                    plugins: { query-log: }
                    """.formatted(taken.getLocalPort()));
            String log = new String(program.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(program.waitFor()).isEqualTo(1);
            List<String> lines = log.lines().toList();
            assertThat(lines).anyMatch(line -> line.contains("plugin query-log started"));
            assertThat(lines.get(lines.size() - 1)).startsWith("understudy: ").contains("in use");
        }
    }
}
