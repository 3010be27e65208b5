package io.understudy.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.host.PluginTypes;
import io.understudy.testkit.CapturedLog;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A running proxy has the plugins that it started with, whatever happens to their folder. */
@Timeout(60)
class ReplacedPluginJarTest {
    private static final String HOME = "understudy.home";
    private static final String YAML = """
            listen: { address: "127.0.0.1:0" }
            primary: { address: "127.0.0.1:1", tls: { mode: disabled } }
            standbys: [ { name: s, address: "127.0.0.1:2", user: u, password: p } ]
            admin: { address: "127.0.0.1:0" }
            """;

    @TempDir
    private Path home;

    @AfterEach
    void noHome() {
        System.clearProperty(HOME);
    }

    /** Adds a jar that names a plugin which is not in it: an error in the log of whoever loads it. */
    private void addJar() throws Exception {
        Path jar = Files.createDirectory(home.resolve("plugins")).resolve("replaced.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            zip.putNextEntry(new ZipEntry("META-INF/services/io.understudy.plugin.ProxyPlugin"));
            zip.write("absent.Plugin".getBytes(StandardCharsets.US_ASCII));
        }
        System.setProperty(HOME, home.toString());
    }

    @Test
    void aReadinessReportLoadsNoPlugins() throws Exception {
        PluginTypes plugins = PluginTypes.installed();
        LoadedConfig loaded = ConfigLoader.load(YAML, "test.yaml", plugins.records(), name -> null);
        addJar();
        try (CapturedLog log = new CapturedLog();
                RunningProxy running = RunningProxy.start(loaded, plugins, () -> loaded)) {
            int port = Objects.requireNonNull(running.adminAddress()).getPort();
            URI readiness = URI.create("http://127.0.0.1:" + port + "/api/standbys/s/readiness");
            HttpResponse<String> response = HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(readiness).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            assertThat(log.text()).doesNotContain("replaced.jar");
        }
    }
}
