package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.ProxyServer;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugins.mirror.MirrorPlugin;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A whole proxy with the plugin {@code mirror} and one standby, and its counters. */
final class MirrorProxy implements AutoCloseable {
    static final String PASSWORD = "s3same-mirror";

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{(\\w+)}");

    private final ProxyServer server;
    private final SimpleMeterRegistry meters;

    private MirrorProxy(ProxyServer server, SimpleMeterRegistry meters) {
        this.server = server;
        this.meters = meters;
    }

    /** @param section what stands under {@code plugins.mirror} */
    static MirrorProxy start(int primaryPort, int standbyPort, String section) throws Exception {
        String text = """
                transport: nio
                listen: { address: "127.0.0.1:0" }
                primary:
                  address: 127.0.0.1:%d
                  tls: { mode: disabled }
                  monitor: { user: understudy, password: %s }
                standbys:
                  - name: s1
                    address: 127.0.0.1:%d
                    tls: { mode: disabled }
                    user: understudy_mirror
                    password: %s
                plugins:
                  mirror:
                %s""".formatted(
                        primaryPort,
                        PASSWORD,
                        standbyPort,
                        PASSWORD,
                        withoutProbes(section).indent(4));
        LoadedConfig loaded = ConfigLoader.load(text, "test.yaml", Map.of("mirror", MirrorConfig.class), name -> null);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Map<String, ProxyPlugin<?>> plugins = Map.of("mirror", new MirrorPlugin());
        ProxyServer server = new ProxyServer(loaded, plugins, meters);
        server.prepare();
        server.listen();
        return new MirrorProxy(server, meters);
    }

    /** Statements arrive as they are unless the section asks for probes. */
    private static String withoutProbes(String section) {
        if (section.contains("probes:")) {
            return section;
        }
        if (section.startsWith("{")) {
            return "{ probes: 0, " + section.substring(1);
        }
        String margin =
                section.substring(0, section.length() - section.stripLeading().length());
        return margin + "probes: 0\n" + section;
    }

    /** The content of {@code /api/standbys}. */
    Object standbys() {
        return server.standbysView();
    }

    /** A gauge of the standby; {@code tags} are keys and values. */
    double gauge(String name, String... tags) {
        Gauge gauge = meters.find(name).tags(tags).gauge();
        return gauge == null ? Double.NaN : gauge.value();
    }

    double probes(String outcome) {
        return count("understudy.mirror.probes", "outcome", outcome);
    }

    /** A session by MariaDB's driver. */
    Connection mariadb(String options) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + port() + "/shop?sslMode=disable&user=app&password=" + PASSWORD + options);
    }

    /** A session by MySQL's driver. */
    Connection mysql(String options) throws SQLException {
        return DriverManager.getConnection("jdbc:mysql://127.0.0.1:" + port()
                + "/shop?sslMode=DISABLED&allowPublicKeyRetrieval=true&user=app&password=" + PASSWORD + options);
    }

    /**
     * Runs an action of the admin endpoint, such as <code>mirror/{standby}/pause</code>.
     *
     * @param values of the names in the path, in their order
     */
    void act(String path, String... values) {
        Map<String, String> parameters = new HashMap<>();
        Matcher names = PLACEHOLDER.matcher(path);
        for (String value : values) {
            assertThat(names.find()).as(path).isTrue();
            parameters.put(names.group(1), value);
        }
        Objects.requireNonNull(server.published().actions().get(path)).run(parameters);
    }

    int port() {
        return ((InetSocketAddress) server.addresses().get(0)).getPort();
    }

    /** Executed on the standby with this outcome. */
    double executed(String outcome) {
        return count("understudy.mirror.statements", "outcome", outcome);
    }

    double ofRule(String rule) {
        return count("understudy.mirror.statements", "rule", rule);
    }

    double dropped(String reason) {
        return count("understudy.mirror.dropped", "reason", reason);
    }

    double dropped() {
        return meters.find("understudy.mirror.dropped").counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    double skipped(String reason) {
        return count("understudy.mirror.skipped", "reason", reason);
    }

    /** {@code statements} or {@code bytes} waiting now. */
    double waiting(String what) {
        Gauge gauge = meters.find("understudy.mirror.queue." + what).gauge();
        if (gauge == null) {
            throw new AssertionError("there is no gauge for waiting " + what);
        }
        return gauge.value();
    }

    /** Pages that the standby has read from disk while it was watched; negative while nothing is known. */
    double coldReads() {
        io.micrometer.core.instrument.FunctionCounter counter =
                meters.find("understudy.standby.cold.reads").functionCounter();
        return counter == null ? -1 : counter.count();
    }

    /** Waits until a probe has found the standby fit. */
    void awaitMirroring() {
        org.awaitility.Awaitility.await().until(() -> String.valueOf(view()).contains("state=mirroring"));
    }

    /** Returns the view {@code /api/mirror}. */
    Object view() {
        return Views.of(server.published(), "mirror");
    }

    double count(String name, String key, String value) {
        return meters.find(name).tag(key, value).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    @Override
    public void close() {
        server.close();
    }
}
