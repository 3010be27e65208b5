package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.remote.AdminClient;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A drain that was asked for over HTTP goes on when the first SIGTERM comes, and ends with the second. */
@Timeout(120)
class DrainSignalsTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String TOKEN = "a-token-of-fair-length";
    private static final Pattern PORTS = Pattern.compile(
            "(?s)listening on \\[/127\\.0\\.0\\.1:(\\d+)].*admin endpoint on http://127\\.0\\.0\\.1:(\\d+)/");

    @TempDir
    private Path folder;

    @Test
    void theFirstSignalBehindARequestToDrainCutsNothing() throws Exception {
        ServerUnderTest server = ServerUnderTest.shared();
        Path config = Files.writeString(
                folder.resolve("run.yaml"), """
                listen: { address: "127.0.0.1:0" }
                primary: { address: "127.0.0.1:%d", tls: { mode: disabled } }
                admin: { address: "127.0.0.1:0", token: %s }
                """.formatted(server.address().getPort(), TOKEN));
        Path log = folder.resolve("run.log");
        Process program = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        "io.understudy.cli.Understudy",
                        "run",
                        "-c",
                        config.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            await().atMost(SOON)
                    .until(() -> PORTS.matcher(Files.readString(log)).find());
            Matcher ports = PORTS.matcher(Files.readString(log));
            assertThat(ports.find()).isTrue();
            InetSocketAddress proxy = new InetSocketAddress("127.0.0.1", Integer.parseInt(ports.group(1)));
            try (RawClient committing = open(proxy, server);
                    RawClient cut = open(proxy, server)) {
                committing.execute("START TRANSACTION");
                cut.execute("START TRANSACTION");
                new AdminClient("127.0.0.1:" + ports.group(2), TOKEN).act("drain");
                program.destroy();
                await().atMost(SOON).until(() -> Files.readString(log).contains("SIGTERM"));
                committing.execute("COMMIT");

                program.destroy();
                assertThat(cut.readAll()).isEmpty();
            }
            assertThat(program.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(program.exitValue()).as(Files.readString(log)).isZero();
        } finally {
            program.destroyForcibly();
        }
    }

    private static RawClient open(InetSocketAddress proxy, ServerUnderTest server) throws Exception {
        RawClient client = RawClient.open(proxy);
        client.login(server.user(), server.password(), ServerUnderTest.SCHEMA, RawClient.PLAIN);
        return client;
    }
}
