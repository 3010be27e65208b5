package io.understudy.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.base.JsonReader;
import io.understudy.config.ConfigLoader;
import io.understudy.host.PluginTypes;
import io.understudy.testkit.session.FakeServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a reload changed and what it could not: in its response, at {@code /api/config}, and in a metric. */
@Timeout(60)
class ReloadDiffTest {
    private static final String TOKEN = "a-token-of-fair-length";

    private String file = "";
    private String base = "";

    private String configure(int primary, String drain, String more) {
        return """
                listen: { address: "127.0.0.1:0"%s }
                primary: { address: "127.0.0.1:%d", tls: { mode: disabled } }
                admin: { address: "127.0.0.1:0", token: %s }
                limits: { drainTimeout: %s }
                """.formatted(more.startsWith(",") ? more : "", primary, TOKEN, drain)
                + (more.startsWith(",") ? "plugins: { query-log: }\n" : more);
    }

    private Map<?, ?> request(String method, String path, @Nullable String token) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(base + path)).method(method, HttpRequest.BodyPublishers.noBody());
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        HttpResponse<String> response =
                HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        return Objects.requireNonNull((Map<?, ?>) JsonReader.read(response.body()));
    }

    private Map<?, ?> reload(String next) throws Exception {
        file = next;
        return request("POST", "/api/reload", TOKEN);
    }

    private Map<?, ?> config() throws Exception {
        return request("GET", "/api/config", TOKEN);
    }

    private static double pending(RunningProxy proxy) {
        return Objects.requireNonNull(proxy.registry()
                        .find("understudy.config.restart.pending")
                        .gauge())
                .value();
    }

    @Test
    void whatTookEffectAndWhatTakesARestartIsSaidUntilItIsTrueNoMore() throws Exception {
        PluginTypes plugins = PluginTypes.installed();
        RunningProxy.Reloader reloader =
                () -> ConfigLoader.load(file, "test.yaml", plugins.records(), name -> "tenant-" + name);
        try (FakeServer primary = FakeServer.responding(new byte[0])) {
            int port = primary.address().getPort();
            String first = configure(port, "1s", "plugins: { query-log: }\n");
            file = first;
            try (RunningProxy proxy = RunningProxy.start(reloader.load(), plugins, reloader)) {
                base = "http://127.0.0.1:"
                        + Objects.requireNonNull(proxy.adminAddress()).getPort();
                assertThat(pending(proxy)).isZero();
                assertThat(config()).isEqualTo(request("GET", "/api/config", null));

                String second = configure(port, "2s", ", proxyProtocol: v1, trustedNetworks: [10.0.0.0/8]");
                Map<?, ?> response = reload(second);
                assertThat(response.get("changes"))
                        .isEqualTo(List.of("limits.drainTimeout changed from 1s to 2s: takes effect now"));
                assertThat(String.valueOf(response.get("notApplied"))).contains("listen.proxyProtocol changed");
                assertThat(pending(proxy)).isEqualTo(1);
                Map<?, ?> config = config();
                assertThat(config.get("restartPending")).isEqualTo(true);
                assertThat(config.get("last")).isEqualTo(response);
                assertThat(List.<Object>copyOf((List<?>) Objects.requireNonNull(config.get("pending"))))
                        .contains(Map.of("path", "listen.proxyProtocol", "running", "disabled", "file", "v1"));
                assertThat(String.valueOf(request("GET", "/api/config", null)))
                        .contains("listen.proxyProtocol")
                        .doesNotContain("v1", "10.0.0.0");

                // Another reload that changes nothing does not make it true.
                Map<?, ?> again = reload(second);
                assertThat(String.valueOf(again.get("notApplied"))).isEqualTo("[]");
                assertThat(String.valueOf(again.get("pending"))).contains("listen.proxyProtocol");
                assertThat(pending(proxy)).isEqualTo(1);

                assertThat(reload("listen: 5").get("applied")).isEqualTo(false);
                assertThat(config().get("restartPending")).isEqualTo(true);

                reload(first);
                assertThat(pending(proxy)).isZero();

                // A plugin comes and goes without a restart.
                response = reload(configure(port, "1s", "plugins: { query-log: , commit-latency: }\n"));
                assertThat(response.get("changes"))
                        .isEqualTo(List.of("plugins.commit-latency changed from off to on: takes effect now"));
                assertThat(response.get("notApplied")).isEqualTo(List.of());
                assertThat(request("GET", "/api/commits", null).containsKey("error"))
                        .isFalse();
                response = reload(configure(port, "1s", "plugins: { commit-latency: }\n"));
                assertThat(response.get("changes"))
                        .isEqualTo(List.of("plugins.query-log changed from on to off: takes effect now"));
                assertThat(request("GET", "/api/digests", null).containsKey("error"))
                        .isTrue();
                assertThat(proxy.registry().find("understudy.digests.evicted").functionCounter())
                        .isNull();
                assertThat(pending(proxy)).isZero();

                // One that cannot start leaves all as they are, until a file with which it can.
                response = reload(configure(port, "1s", "plugins: { query-log: , black-box: }\n"));
                assertThat(String.valueOf(response.get("notApplied")))
                        .contains("plugin black-box cannot start: ", "add primary.monitor with user and password")
                        .contains("query-log is not added, black-box is not added, commit-latency is not removed");
                assertThat(request("GET", "/api/commits", null).containsKey("error"))
                        .isFalse();
                assertThat(request("GET", "/api/digests", null).containsKey("error"))
                        .isTrue();
                assertThat(proxy.registry().find("understudy.digests.evicted").functionCounter())
                        .isNull();
                assertThat(pending(proxy)).isEqualTo(1);
                // A restart with this file would fail.
                assertThat(failed(proxy)).isEqualTo(1);
                reload(first);
                assertThat(pending(proxy)).isZero();
                assertThat(failed(proxy)).isZero();
                assertThat(request("GET", "/api/digests", null).containsKey("error"))
                        .isFalse();

                // What comes from outside is not shown, whether it runs or waits.
                reload(first.replace("proxyProtocol", "x")
                        .replace("listen: { address: \"127.0.0.1:0\"", "listen: { address: \"${env:host}:1\""));
                assertThat(String.valueOf(config())).contains("listen.address").doesNotContain("tenant-host");
            }
        }
    }

    private static double failed(RunningProxy proxy) {
        return Objects.requireNonNull(proxy.registry()
                        .find("understudy.config.last.reload.failed")
                        .gauge())
                .value();
    }

    /** A signal that comes while the process ends. */
    @Test
    void aReloadBehindTheEndDoesNothing() throws Exception {
        PluginTypes plugins = PluginTypes.installed();
        RunningProxy.Reloader reloader = () -> ConfigLoader.load(file, "test.yaml", plugins.records(), name -> name);
        file = configure(1, "1s", "");
        RunningProxy proxy = RunningProxy.start(reloader.load(), plugins, reloader);
        proxy.close();
        file = configure(1, "2s", "");
        proxy.reloadSoon("a signal");
        assertThat(proxy.proxy().configuration().current().config().limits().drainTimeout())
                .isEqualTo(Duration.ofSeconds(1));
    }

    /** As where a class of a plugin is missing. */
    @Test
    void aReloadThatThrowsIsToldAndLaterOnesGoOn() throws Exception {
        PluginTypes plugins = PluginTypes.installed();
        AtomicReference<Throwable> fault = new AtomicReference<>();
        RunningProxy.Reloader reloader = () -> {
            if (fault.get() instanceof Error error) {
                throw error;
            }
            return ConfigLoader.load(file, "test.yaml", plugins.records(), name -> name);
        };
        file = configure(1, "1s", "");
        try (RunningProxy proxy = RunningProxy.start(reloader.load(), plugins, reloader)) {
            base = "http://127.0.0.1:"
                    + Objects.requireNonNull(proxy.adminAddress()).getPort();
            fault.set(new NoClassDefFoundError("some/plugin/Missing"));
            proxy.reloadSoon("a signal");
            await().until(() -> failed(proxy) == 1);
            Map<?, ?> response = reload(file);
            assertThat(response.get("applied")).isEqualTo(false);
            assertThat(String.valueOf(response.get("problems"))).contains("some/plugin/Missing");

            fault.set(null);
            assertThat(reload(configure(1, "2s", "")).get("applied")).isEqualTo(true);
            assertThat(failed(proxy)).isZero();
        }
    }
}
