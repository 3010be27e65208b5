package io.understudy.runtime;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.handler.ssl.SslContext;
import io.understudy.LiveConfig;
import io.understudy.ProxyServer;
import io.understudy.admin.AdminEndpoints;
import io.understudy.admin.AdminServer;
import io.understudy.admin.Readiness;
import io.understudy.admin.dashboard.Dashboard;
import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.AdminConfig;
import io.understudy.config.AdminTls;
import io.understudy.config.ConfigDiff;
import io.understudy.config.ConfigException;
import io.understudy.config.ConfigWatcher;
import io.understudy.config.LoadedConfig;
import io.understudy.config.NotApplied;
import io.understudy.config.UnderstudyConfig;
import io.understudy.config.bind.problem.Problem;
import io.understudy.connection.DescriptorShortage;
import io.understudy.connection.SectionTls;
import io.understudy.handshake.tls.ReloadableTls;
import io.understudy.handshake.tls.TlsFilesException;
import io.understudy.host.PluginTypes;
import io.understudy.host.Published;
import io.understudy.lost.WitnessWarning;
import io.understudy.pages.PagesView;
import io.understudy.readiness.ReadinessView;
import io.understudy.rehearsal.RehearsalRecorder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The proxy with its admin endpoint and configuration reload. Used by {@code run} and {@code demo}. */
public final class RunningProxy implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RunningProxy.class);

    /** Reads the configuration again. */
    public interface Reloader {
        LoadedConfig load() throws ConfigException;
    }

    private final PrometheusMeterRegistry registry;
    private final ProxyServer proxy;
    private volatile @Nullable AdminPort admin;
    private @Nullable Dashboard dashboard;
    private @Nullable PluginEndpoints ofPlugins;
    private volatile @Nullable ReloadableTls adminTls;
    private final ScheduledExecutorService management;
    private final ConfigWatcher watcher;
    private final ConfigView configuration;
    private final ProcessMeters process;
    private final MetricsPush push;
    private final Reloader reloader;
    private final AtomicInteger lastReloadFailed = new AtomicInteger();
    /** What the file that was refused depends on: one of these may make it usable. */
    private volatile Set<Path> refused = Set.of();

    private volatile Runnable drainRequest = () -> {};

    private RunningProxy(LoadedConfig loaded, PluginTypes plugins, Reloader reloader) throws Exception {
        this.reloader = reloader;
        registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        management = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "management");
            thread.setDaemon(true);
            return thread;
        });
        proxy = new ProxyServer(loaded, plugins.plugins(), registry);
        PrometheusHistograms.export(proxy.histograms(), registry);
        BuildInfo.current().register(registry);
        process = new ProcessMeters(registry);
        push = new MetricsPush(registry);
        Gauge.builder("understudy.config.last.reload.failed", lastReloadFailed, AtomicInteger::get)
                .description("1 while the newest configuration file could not be applied, or not in full")
                .register(registry);
        configuration = new ConfigView(proxy.configuration(), registry, Clock.systemUTC());
        watcher = new ConfigWatcher(
                this::watched,
                management,
                Clock.systemUTC(),
                ConfigWatcher.DEFAULT_INTERVAL,
                file -> reload(file + " has changed"));
        proxy.whenPasswordRefused(() -> onManagement(watcher::check));
        // Before the admin endpoint begins, which may be asked for a reload at once.
        proxy.configuration()
                .follow("admin.tls", (next, diff) -> reloadTls(next.config().admin()));
        proxy.configuration().follow("admin", next -> apply(next.config().admin()));
        proxy.configuration().follow("metrics", next -> push.apply(next.config()));
        proxy.configuration().follow("plugins' endpoints", next -> {
            PluginEndpoints endpoints = ofPlugins;
            if (endpoints != null) {
                endpoints.follow();
            }
        });
        try {
            proxy.prepare();
            startAdmin(loaded.config(), plugins);
            push.apply(current().config());
            // Last: a start that fails has accepted nobody whom it would cut, and has taken none from a predecessor.
            proxy.listen();
        } catch (Exception e) {
            management.shutdownNow();
            proxy.close();
            closeAdmin();
            push.close();
            process.close();
            throw e;
        }
        AdminPort started = admin;
        if (started != null) {
            started.announce();
        }
        watcher.start();
    }

    /**
     * Starts the proxy and the admin endpoint.
     *
     * @throws Exception if an address cannot be bound or a plugin does not start; the message says which and why
     */
    public static RunningProxy start(LoadedConfig loaded, PluginTypes plugins, Reloader reloader) throws Exception {
        return new RunningProxy(loaded, plugins, reloader);
    }

    private void startAdmin(UnderstudyConfig first, PluginTypes plugins) throws IOException, TlsFilesException {
        AdminConfig config = first.admin();
        if (!config.enabled()) {
            return;
        }
        AdminEndpoints endpoints = new AdminEndpoints();
        endpoints.view("build", BuildInfo.current()::view);
        endpoints.sensitiveView("config", configuration::full, configuration::redacted);
        endpoints.view("sessions", proxy::sessionsView);
        endpoints.view("standbys", proxy::standbysView);
        endpoints.view("primary", proxy::primaryView);
        endpoints.action("primary", this::choosePrimary);
        endpoints.view("hold", proxy::holdView);
        endpoints.action("hold", new HoldAction(proxy));
        endpoints.action("release", parameters -> proxy.release());
        endpoints.control("primary", "hold", "release");
        PagesView pages = new PagesView(() -> current().config(), System::nanoTime);
        endpoints.viewOf("standbys/{name}/pages", parameters -> pages.of(parameters.getOrDefault("name", "")));
        ReadinessView standbys = new ReadinessView(
                plugins,
                this::current,
                () -> Address.parse(String.valueOf(proxy.primaryView().get("address"))),
                new PluginFigures(proxy),
                System::nanoTime);
        endpoints.sensitiveViewOf(
                "standbys/{name}/readiness",
                parameters -> standbys.full(parameters.getOrDefault("name", "")),
                parameters -> standbys.redacted(parameters.getOrDefault("name", "")));
        endpoints.sensitiveViewOf(
                "standbys/{name}/readiness/recent",
                parameters -> standbys.recent(parameters.getOrDefault("name", "")),
                parameters -> standbys.redacted(parameters.getOrDefault("name", "")));
        RehearsalRecorder rehearsal = new RehearsalRecorder(
                proxy::primaryView, proxy.histograms(), registry, this::digests, Clock.systemUTC());
        rehearsal.start(management);
        endpoints.sensitiveView("failover", () -> rehearsal.view(true), () -> rehearsal.view(false));
        ofPlugins = new PluginEndpoints(proxy.published(), endpoints);
        ofPlugins.follow();
        endpoints.action("reload", parameters -> reloadAndWait());
        endpoints.action("drain", parameters -> {
            drainRequest.run();
            return Map.of("draining", true);
        });
        Readiness readiness = readiness();
        AdminTls files = config.tls();
        ReloadableTls tls = files == null ? null : ReloadableTls.accepting(SectionTls.accepting(files));
        adminTls = tls;
        Dashboard samples = Dashboard.start(endpoints, registry, proxy.histograms(), readiness);
        dashboard = samples;
        AdminPort port = new AdminPort(
                config.address().toString(),
                () -> AdminServer.start(
                        new InetSocketAddress(
                                config.address().host(), config.address().port()),
                        token(current().config().admin()),
                        current().config().admin().names(),
                        tls,
                        registry,
                        readiness,
                        endpoints),
                server -> log.info(
                        "admin endpoint on {}://{}:{}/",
                        tls == null ? "http" : "https",
                        config.address().host(),
                        server.address().getPort()),
                management,
                first.listen().reusePort());
        admin = port;
        port.listen();
    }

    /** Returns the content of {@code /api/digests}, or null without the plugin. */
    private @Nullable Object digests() {
        Published.Sensitive digests = proxy.published().sensitive().get("digests");
        return digests == null ? null : digests.full().get();
    }

    private Map<String, Object> choosePrimary(Map<String, String> parameters) {
        String text = parameters.get("address");
        if (text == null) {
            throw new IllegalArgumentException("name the new primary: {\"address\": \"" + Address.EXAMPLE + "\"}");
        }
        Map<String, Object> response = new LinkedHashMap<>(proxy.choosePrimary(
                Address.parse(text), Boolean.parseBoolean(parameters.getOrDefault("force", "false"))));
        if (current().config().primary().candidates().isEmpty()
                && !current().config().primary().address().equals(Address.parse(text))) {
            response.put(
                    "note",
                    "a restart goes by the file, where primary.address is "
                            + current().config().primary().address() + "; change it there, too");
        }
        return response;
    }

    private Readiness readiness() {
        return new Readiness() {
            @Override
            public List<String> warnings() {
                List<String> warnings = new ArrayList<>(proxy.warnings());
                if (lastReloadFailed.get() != 0) {
                    warnings.add("the newest configuration could not be applied in full, and what ran before goes on;"
                            + " understudy check -c FILE and the log say why");
                }
                Supplier<Object> witness = proxy.published().views().get("witness");
                WitnessWarning warning = witness == null ? null : WitnessWarning.ofKeeping(witness.get());
                if (warning != null) {
                    warnings.add(warning.what() + "; " + warning.remedy());
                }
                return warnings;
            }

            @Override
            public List<String> reasons() {
                return proxy.notReady();
            }

            @Override
            public DescriptorShortage descriptors() {
                return proxy.shortage();
            }
        };
    }

    /** Reads the admin endpoint's certificate again. Returns what replaces it. */
    private Consumer<NotApplied> reloadTls(AdminConfig next) throws TlsFilesException {
        ReloadableTls tls = adminTls;
        AdminTls files = next.tls();
        if (tls == null || files == null) {
            return left -> {};
        }
        SslContext read = SectionTls.accepting(files);
        return left -> tls.replace(read);
    }

    private void apply(AdminConfig next) {
        AdminPort port = admin;
        if (port != null) {
            port.setToken(token(next));
            port.setNames(next.names());
        }
    }

    private static @Nullable String token(AdminConfig config) {
        Secret token = config.token();
        return token == null ? null : token.reveal();
    }

    public ProxyServer proxy() {
        return proxy;
    }

    public PrometheusMeterRegistry registry() {
        return registry;
    }

    /** Returns the address of the admin endpoint, or null if it is off, or another process has its address. */
    public @Nullable InetSocketAddress adminAddress() {
        AdminPort port = admin;
        return port == null ? null : port.address();
    }

    /** Sets the action of {@code POST /api/drain}. */
    public void onDrainRequest(Runnable request) {
        drainRequest = request;
    }

    /** Reloads on the management thread. Called by signal handlers. */
    public void reloadSoon(String why) {
        onManagement(() -> reload(why));
    }

    /** Called by the endpoint's worker. The reload goes on if that one is interrupted. */
    private Map<String, Object> reloadAndWait() throws InterruptedException, ExecutionException {
        try {
            return management.submit(() -> reload("POST /api/reload")).get();
        } catch (RejectedExecutionException stopped) {
            throw new IllegalStateException("the proxy is being stopped", stopped);
        }
    }

    private LoadedConfig current() {
        return proxy.configuration().current();
    }

    private Set<Path> watched() {
        Set<Path> all = new HashSet<>(current().files());
        all.addAll(refused);
        return all;
    }

    private void onManagement(Runnable task) {
        try {
            management.execute(task);
        } catch (RejectedExecutionException stopped) {
            log.debug("the proxy is being stopped", stopped);
        }
    }

    /** Reads and applies the configuration. One that is refused is read once more when its files are watched. */
    private LiveConfig.Outcome follow() throws ConfigException {
        try {
            return followOnce();
        } catch (ConfigException e) {
            return followOnce();
        }
    }

    private LiveConfig.Outcome followOnce() throws ConfigException {
        watcher.note(); // what is read now is not reported once more by the watch
        try {
            LiveConfig.Outcome outcome = proxy.configuration().apply(reloader.load());
            refused = Set.of();
            return outcome;
        } catch (ConfigException e) {
            refused = e.files();
            watcher.note();
            throw e;
        }
    }

    /** Applies the whole new file, or keeps the active configuration. Called on the management thread only. */
    private Map<String, Object> reload(String why) {
        Map<String, Object> response = new LinkedHashMap<>();
        try {
            LiveConfig.Outcome outcome = follow();
            NotApplied left = outcome.notApplied();
            lastReloadFailed.set(left.failed().isEmpty() ? 0 : 1);
            count(left.failed().isEmpty() ? "applied" : "failed");
            outcome.changes().forEach(sentence -> log.info("reload: {}", sentence));
            left.waits().forEach(sentence -> log.warn("reload: {}", sentence));
            left.failed().forEach(sentence -> log.error("reload: {}", sentence));
            List<String> warnings =
                    current().warnings().stream().map(Problem::headline).toList();
            warnings.forEach(sentence -> log.warn("reload: {}", sentence));
            log.info("configuration reloaded: {}", why);
            response.put("applied", true);
            response.put("changes", outcome.changes());
            response.put(
                    "notApplied",
                    Stream.concat(left.failed().stream(), left.waits().stream()).toList());
            // Also what an earlier reload has read, as that of the watch, which mostly comes first.
            response.put(
                    "pending",
                    proxy.configuration().pending().stream()
                            .map(ConfigDiff.Change::path)
                            .toList());
            response.put("warnings", warnings);
            configuration.applied(response);
        } catch (ConfigException e) {
            lastReloadFailed.set(1);
            count("refused");
            log.error("reload refused ({}); the old configuration stays in force:\n{}", why, e.getMessage());
            response.put("applied", false);
            response.put(
                    "problems",
                    e.problems().stream().map(problem -> problem.headline()).toList());
            configuration.refused(response);
        } catch (RuntimeException | Error e) {
            // Nobody else sees it, and later reloads must go on.
            lastReloadFailed.set(1);
            count("failed");
            log.error("reload failed ({}); the old configuration stays in force", why, e);
            response.put("applied", false);
            response.put("problems", List.of("the configuration cannot be read: " + e));
            configuration.refused(response);
        }
        return response;
    }

    private void count(String outcome) {
        Counter.builder("understudy.config.reloads")
                .description("Reloads of the configuration")
                .tag("outcome", outcome)
                .register(registry)
                .increment();
    }

    /** Blocks until all sessions have ended or the drain timeout has passed. */
    public void drain() throws InterruptedException {
        AdminPort port = admin;
        if (port != null) {
            port.leave();
        }
        if (current().config().listen().reusePort()) {
            // The process that takes over counts under the same name.
            push.close();
        }
        proxy.drain(current().config().limits().drainTimeout());
    }

    /** See {@link ProxyServer#endDrain}. */
    public void endDrain() {
        proxy.endDrain();
    }

    private void closeAdmin() {
        AdminPort port = admin;
        Dashboard samples = dashboard;
        if (samples != null) {
            samples.close();
        }
        if (port != null) {
            port.close();
        }
    }

    @Override
    public void close() {
        watcher.close();
        management.shutdownNow();
        try {
            // A reload in progress ends before its parts do.
            management.awaitTermination(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.close();
        proxy.close();
        // Closed last: a scrape during the drain, and the last push, still get what the plugins count as they stop.
        push.close();
        closeAdmin();
    }
}
