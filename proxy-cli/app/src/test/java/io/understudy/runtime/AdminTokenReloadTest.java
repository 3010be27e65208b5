package io.understudy.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.config.ConfigLoader;
import io.understudy.host.PluginTypes;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code admin.token} changes with the file of a running proxy, in both ways of a reload. */
@Timeout(60)
class AdminTokenReloadTest {
    private static final String FIRST = "the-first-token-of-all";
    private static final String SECOND = "the-second-token-of-all";
    private static final String THIRD = "the-third-token-of-all";

    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    private int adminPort;

    private Path write(String token) throws IOException {
        return Files.writeString(
                folder.resolve("proxy.yaml"), """
                listen: { address: "127.0.0.1:0" }
                primary: { address: "127.0.0.1:1", tls: { mode: disabled } }
                admin: { address: "127.0.0.1:0"%s }
                """.formatted(token.isEmpty() ? "" : ", token: " + token));
    }

    private int reload(String token) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort + "/api/reload"))
                .header("Authorization", "Bearer " + token)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
    }

    @Test
    void theTokenChangesWithTheFile() throws Exception {
        PluginTypes plugins = PluginTypes.installed();
        Path file = write(FIRST);
        RunningProxy.Reloader reloader = () -> ConfigLoader.load(file, plugins.records());
        try (RunningProxy running = RunningProxy.start(reloader.load(), plugins, reloader)) {
            adminPort = Objects.requireNonNull(running.adminAddress()).getPort();
            assertThat(reload(SECOND)).isEqualTo(401);
            assertThat(reload(FIRST)).isEqualTo(200);

            write(SECOND);
            running.reloadSoon("a signal");
            await().until(() -> reload(SECOND) == 200);
            assertThat(reload(FIRST)).as("the old token").isEqualTo(401);

            write(THIRD); // and no signal
            await().atMost(Duration.ofSeconds(20)).until(() -> reload(THIRD) == 200);
            assertThat(reload(SECOND)).isEqualTo(401);

            write("");
            await().atMost(Duration.ofSeconds(20)).until(() -> reload(THIRD) == 403);
        }
    }
}
