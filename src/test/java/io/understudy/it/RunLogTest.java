package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.base.JsonReader;
import io.understudy.testkit.FreePort;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The log of {@code understudy run}: each line is one event, in the format and with the levels of the file. */
@Timeout(240)
class RunLogTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Pattern TEXT =
            Pattern.compile("<[3467]>\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}(Z|[+-]\\d\\d:\\d\\d)"
                    + " (ERROR|WARN |INFO |DEBUG) \\w+ - .+");
    private static final String SECRET = "s3same-of-the-log";

    @TempDir
    private Path folder;

    private Path log() {
        return folder.resolve("run.log");
    }

    private Path config() {
        return folder.resolve("run.yaml");
    }

    private String text() throws IOException {
        return Files.readString(log());
    }

    private List<String> lines() throws IOException {
        return text().lines().toList();
    }

    private void configure(int primary, String section) throws IOException {
        Files.writeString(config(), """
                listen: { address: "127.0.0.1:0" }
                primary:
                  address: "127.0.0.1:%d"
                  tls: { mode: disabled }
                  monitor: { user: understudy, password: %s }
                admin: { enabled: false }
                limits: { handshakeTimeout: 1s, drainTimeout: 0s }
                log: %s
                plugins: { gtid-domain: }
                """.formatted(primary, SECRET, section));
    }

    /** The log goes to a file that the environment names as the journal's stream, as systemd does with its socket. */
    private Process run() throws IOException {
        Files.createFile(log());
        ProcessBuilder program = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        "io.understudy.cli.Understudy",
                        "run",
                        "-c",
                        config().toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(log().toFile());
        program.environment()
                .put(
                        "JOURNAL_STREAM",
                        Files.getAttribute(log(), "unix:dev") + ":" + Files.getAttribute(log(), "unix:ino"));
        return program.start();
    }

    private static Map<?, ?> json(String line) {
        try {
            return Objects.requireNonNull((Map<?, ?>) JsonReader.read(line.substring(3)));
        } catch (IOException e) {
            throw new IllegalStateException(line, e);
        }
    }

    @Test
    void everyLineIsAnEventAndAReloadChangesFormatAndLevel() throws Exception {
        int closed = FreePort.next();
        configure(closed, "{ format: json }");
        Process program = run();
        try {
            Pattern listens = Pattern.compile("listening on \\[/127\\.0\\.0\\.1:(\\d+)]");
            await().atMost(SOON).until(() -> listens.matcher(text()).find());
            Matcher port = listens.matcher(text());
            assertThat(port.find()).isTrue();
            try (Socket client = new Socket("127.0.0.1", Integer.parseInt(port.group(1)))) {
                assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
                        .contains("Understudy");
                await().atMost(SOON).until(() -> text().contains("\"session\""));
                Map<?, ?> event = lines().stream()
                        .map(RunLogTest::json)
                        .filter(one -> one.containsKey("session"))
                        .findFirst()
                        .orElseThrow();
                assertThat(event.get("client")).isEqualTo("/127.0.0.1:" + client.getLocalPort());
                assertThat(event.get("level")).isEqualTo("WARN");
                assertThat(event.get("session")).isInstanceOf(Number.class);
            }
            assertThat(lines()).allSatisfy(line -> {
                Map<?, ?> event = json(line);
                assertThat(event.get("logger")).asString().startsWith("io.understudy.");
                assertThat(event.get("message")).asString().isNotBlank();
                OffsetDateTime.parse(String.valueOf(event.get("time")));
                assertThat(line).startsWith("WARN".equals(event.get("level")) ? "<4>" : "<6>");
            });
            // It tells its mode at the start.
            await().atMost(SOON)
                    .until(() -> lines().stream()
                            .map(RunLogTest::json)
                            .anyMatch(event -> "gtid-domain".equals(event.get("plugin"))));
            int before = lines().size();

            configure(closed, "{ levels: { session: debug, runtime: info, server: off } }");
            new ProcessBuilder("kill", "-HUP", String.valueOf(program.pid()))
                    .start()
                    .waitFor();
            await().atMost(SOON).until(() -> text().contains("configuration reloaded"));
            try (Socket client = new Socket("127.0.0.1", Integer.parseInt(port.group(1)))) {
                client.getInputStream().readAllBytes();
            }
            await().atMost(SOON).until(() -> text().contains("the session ended"));
            List<String> later = lines().subList(before, lines().size());
            assertThat(later)
                    .filteredOn(line -> !line.startsWith("<4>{"))
                    .allMatch(line -> TEXT.matcher(line).matches());
            assertThat(later).anyMatch(line -> line.startsWith("<7>") && line.contains(" reason="));
        } finally {
            program.destroy();
            await().atMost(SOON).until(() -> !program.isAlive());
            program.destroyForcibly();
        }
        assertThat(text()).contains("draining").doesNotContain(SECRET);
    }
}
