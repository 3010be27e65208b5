package io.understudy.it.querylog;

import io.understudy.base.JsonReader;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.host.PluginTypes;
import io.understudy.runtime.RunningProxy;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A proxy with the plugin query-log before an embedded server that the tests of this package share. */
final class QueryLogProxy implements AutoCloseable {
    static final String TOKEN = "a-token-of-fair-length";
    private static final String PASSWORD = "s3same-digests";

    /** Started once per JVM. */
    private static final class Holder {
        static final EmbeddedServer SERVER = open();

        private static EmbeddedServer open() {
            EmbeddedServer server =
                    EmbeddedServer.start(ServerOptions.of(72).withArguments("--max-allowed-packet=64M"));
            server.execute(
                    "CREATE DATABASE shop",
                    "USE shop",
                    "CREATE TABLE shop.items (id INT PRIMARY KEY, name VARCHAR(200), price DECIMAL(10,2),"
                            + " at DATETIME(6))",
                    "INSERT INTO shop.items SELECT seq, CONCAT('item ', seq), seq, NOW(6) FROM seq_1_to_100",
                    "CREATE USER app@'%' IDENTIFIED BY '" + PASSWORD + "'",
                    "GRANT ALL ON *.* TO app@'%'");
            return server;
        }
    }

    private final RunningProxy proxy;
    private boolean closed;

    private QueryLogProxy(RunningProxy proxy) {
        this.proxy = proxy;
    }

    static EmbeddedServer server() {
        return Holder.SERVER;
    }

    /** @param section of the plugin, such as {@code { literals: keep }} */
    static QueryLogProxy start(String section) throws Exception {
        return start("127.0.0.1:" + server().port(), section);
    }

    static QueryLogProxy start(String primary, String section) throws Exception {
        return with(primary, "query-log: " + section);
    }

    /** @param sections of the plugins, in YAML's flow style */
    static QueryLogProxy with(String primary, String sections) throws Exception {
        PluginTypes plugins = PluginTypes.installed();
        String yaml = """
                listen: { address: "127.0.0.1:0" }
                primary: { address: "%s", tls: { mode: disabled } }
                admin: { address: "127.0.0.1:0", token: %s }
                plugins: { %s }
                """.formatted(primary, TOKEN, sections);
        LoadedConfig loaded = ConfigLoader.load(yaml, "test.yaml", plugins.records(), name -> null);
        return new QueryLogProxy(RunningProxy.start(loaded, plugins, () -> loaded));
    }

    int port() {
        return ((InetSocketAddress) proxy.proxy().addresses().get(0)).getPort();
    }

    int adminPort() {
        return Objects.requireNonNull(proxy.adminAddress()).getPort();
    }

    Connection connect(String options) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + port() + "/shop?sslMode=disable&user=app&password=" + PASSWORD + options);
    }

    static String password() {
        return PASSWORD;
    }

    HttpResponse<InputStream> get(String path, @Nullable String token) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort() + path));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    }

    String text(String path, @Nullable String token) throws IOException, InterruptedException {
        try (InputStream in = get(path, token).body()) {
            return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        }
    }

    @SuppressWarnings("unchecked")
    List<Map<String, Object>> digests(@Nullable String token) throws IOException, InterruptedException {
        Map<?, ?> view = Objects.requireNonNull((Map<?, ?>) JsonReader.read(text("/api/digests", token)));
        return Objects.requireNonNull((List<Map<String, Object>>) view.get("digests"));
    }

    double metric(String name, String... tags) {
        var meters = proxy.registry().find(name).tags(tags).meters();
        return meters.stream()
                .flatMap(meter ->
                        java.util.stream.StreamSupport.stream(meter.measure().spliterator(), false))
                .mapToDouble(io.micrometer.core.instrument.Measurement::getValue)
                .sum();
    }

    /** Idempotent. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            proxy.close();
        }
    }
}
