package io.understudy.jmh;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.host.HostContext;
import io.understudy.host.MeterOwners;
import io.understudy.host.PluginHost;
import io.understudy.host.PluginLoader;
import io.understudy.host.Published;
import io.understudy.host.SharedInstances;
import io.understudy.metrics.CoreMetrics;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.session.SessionEnvironment;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.protocol.CommandCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The proxy's own plugins, shared by the sessions of all threads; their threads run, but have no server. */
@State(Scope.Benchmark)
public class RunningPlugins {
    private static final String MIRROR = "mirror: { rules: [ { name: all, sample: 10% } ] }";
    private static final String COMMIT_LATENCY = "commit-latency: {}";
    private static final String GTID_DOMAIN = "gtid-domain: { mode: advise,"
            + " rules: [ { name: schema-changes, match: { kind: ddl }, domain: 10 } ] }";
    private static final String QUERY_LOG = "query-log: {}";
    private static final String BLACK_BOX = "black-box: {}";

    private static final Map<String, List<String>> SECTIONS = Map.of(
            "none", List.of(),
            "mirror", List.of(MIRROR),
            "commit-latency", List.of(COMMIT_LATENCY),
            "gtid-domain", List.of(GTID_DOMAIN),
            "query-log", List.of(QUERY_LOG),
            "black-box", List.of(BLACK_BOX),
            "capture", List.of("capture: { directory: FOLDER, literals: keep, queue: 4GiB, minFree: 16MiB }"),
            "all-three", List.of(MIRROR, COMMIT_LATENCY, GTID_DOMAIN),
            "all-five", List.of(MIRROR, COMMIT_LATENCY, GTID_DOMAIN, QUERY_LOG, BLACK_BOX));

    /** {@code all-three} are those of {@code benchmarks/plugins.yaml}. */
    @Param({
        "none",
        "mirror",
        "commit-latency",
        "gtid-domain",
        "query-log",
        "black-box",
        "capture",
        "all-three",
        "all-five"
    })
    public String plugins = "none";

    private final Published published = new Published();
    private PluginHost host;
    private CoreMetrics metrics;
    private SessionEnvironment environment;
    private Path folder;

    @Setup
    public void start() throws Exception {
        folder = Files.createTempDirectory("understudy-jmh");
        metrics = new CoreMetrics(new SimpleMeterRegistry(), new LatencyHistograms(), CommandCode::name);
        host = new PluginHost(metrics);
        environment = new SessionEnvironment(host, metrics, new SqlAnalyzer(), 64 * 1024);
        Map<String, ProxyPlugin<?>> available = PluginLoader.load(Path.of("no-plugins-folder"));
        Map<String, Class<? extends Record>> types = new HashMap<>();
        available.forEach((id, plugin) -> types.put(id, plugin.configType()));
        HostContext.Shared shared = new HostContext.Shared(
                metrics.registry(),
                metrics.histograms(),
                Clock.systemUTC(),
                new NoServers.ThePrimary(),
                List.of(new NoServers.TheStandby()),
                published,
                new SharedInstances(),
                new MeterOwners(metrics.registry()));
        host.start(available, config(types).plugins(), plugin -> new HostContext(plugin, shared, () -> 0));
        if (captures()) {
            published.actions().get("capture/start").run(Map.of());
        }
    }

    SessionEnvironment environment() {
        return environment;
    }

    private LoadedConfig config(Map<String, Class<? extends Record>> types) throws Exception {
        String sections = String.join("\n  ", SECTIONS.get(plugins)).replace("FOLDER", folder.toString());
        String text = """
                listen: { address: "127.0.0.1:0" }
                primary: { address: "127.0.0.1:1", monitor: { user: a, password: b } }
                standbys: [ { name: standby, address: "127.0.0.1:2", user: a, password: b } ]
                plugins:
                  %s
                """.formatted(sections.isEmpty() ? "{}" : sections);
        return ConfigLoader.load(text, "benchmark.yaml", types, name -> null);
    }

    private boolean captures() {
        return plugins.equals("capture");
    }

    /** Lets the capture write what waits, so that one iteration does not pay for the one before it. */
    @TearDown(Level.Iteration)
    public void drainCapture() {
        if (!captures()) {
            return;
        }
        while (true) {
            Map<?, ?> view = (Map<?, ?>) published.views().get("capture").get();
            if (!Boolean.TRUE.equals(view.get("active"))) {
                throw new IllegalStateException("the capture has ended: " + view);
            }
            if (((Number) view.get("waitingBytes")).longValue() == 0) {
                return;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    @TearDown
    public void stop() throws Exception {
        host.stop();
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}
