package io.understudy.it;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.ProxyServer;
import io.understudy.config.ConfigException;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.config.NotApplied;
import io.understudy.host.PluginLoader;
import io.understudy.host.PluginStartException;
import io.understudy.plugin.ProxyPlugin;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A proxy in this JVM for one test, configured by YAML like in production. */
public final class ProxyUnderTest implements AutoCloseable {
    /** {@code -Dunderstudy.it.transport=nio} selects that transport for all tests. */
    private static final String TRANSPORT =
            "transport: " + System.getProperty("understudy.it.transport", "auto") + "\n";

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Map<String, Class<? extends Record>> types = new HashMap<>();
    private final ProxyServer server;

    /** @param injected plugins that replace the installed ones with the same id */
    private ProxyUnderTest(String yaml, List<ProxyPlugin<?>> injected)
            throws IOException, ConfigException, PluginStartException {
        Map<String, ProxyPlugin<?>> plugins = new HashMap<>(PluginLoader.load(Path.of("no-plugins-folder")));
        injected.forEach(plugin -> plugins.put(plugin.id(), plugin));
        plugins.forEach((id, plugin) -> types.put(id, plugin.configType()));
        server = new ProxyServer(load(yaml), plugins, meters);
        try {
            server.prepare();
            server.listen();
        } catch (IOException | PluginStartException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private LoadedConfig load(String yaml) throws ConfigException {
        String text = yaml.startsWith("transport:") || yaml.contains("\ntransport:") ? yaml : TRANSPORT + yaml;
        return ConfigLoader.load(text, "test.yaml", types, name -> null);
    }

    /** Reloads the configuration. Returns what was not applied, one sentence each. */
    List<String> reload(String yaml) throws ConfigException {
        NotApplied left = server.configuration().apply(load(yaml)).notApplied();
        return Stream.concat(left.failed().stream(), left.waits().stream()).toList();
    }

    /** Starts a proxy in front of {@code primary} on a free port, without plugins. */
    static ProxyUnderTest to(InetSocketAddress primary) throws IOException, ConfigException, PluginStartException {
        return to(primary, "");
    }

    /** @param more top-level sections of the configuration in addition to listen and primary */
    static ProxyUnderTest to(InetSocketAddress primary, String more)
            throws IOException, ConfigException, PluginStartException {
        return start(config("127.0.0.1:0", primary, "", more));
    }

    public static ProxyUnderTest start(String yaml) throws IOException, ConfigException, PluginStartException {
        return new ProxyUnderTest(yaml, List.of());
    }

    static ProxyUnderTest start(String yaml, ProxyPlugin<?> injected)
            throws IOException, ConfigException, PluginStartException {
        return new ProxyUnderTest(yaml, List.of(injected));
    }

    /**
     * Starts a proxy on a free port of all addresses, for tests of its two legs.
     *
     * @param listen further keys of {@code listen:}, in YAML's flow style without braces; may be empty
     * @param primary further keys of {@code primary:}, likewise
     */
    public static ProxyUnderTest withLegs(int serverPort, String listen, String primary) throws Exception {
        return start(legs(serverPort, listen, primary, ""));
    }

    /**
     * Starts such a proxy with a plugin.
     *
     * @param plugin runs with an empty section
     */
    public static ProxyUnderTest withLegs(int serverPort, String listen, String primary, ProxyPlugin<?> plugin)
            throws Exception {
        return start(legs(serverPort, listen, primary, "plugins: { " + plugin.id() + ": {} }"), plugin);
    }

    /** Returns the configuration of {@link #withLegs} without starting a proxy. */
    public static LoadedConfig configOfLegs(int serverPort, String listen, String primary) throws ConfigException {
        return ConfigLoader.load(legs(serverPort, listen, primary, ""), "test.yaml", Map.of(), name -> null);
    }

    private static String legs(int serverPort, String listen, String primary, String more) {
        return """
                %slisten: { address: "0.0.0.0:0"%s }
                primary: { address: "127.0.0.1:%d"%s }
                admin: { address: "127.0.0.1:0" }
                %s
                """.formatted(TRANSPORT, keys(listen), serverPort, keys(primary), more);
    }

    private static String keys(String more) {
        return more.isEmpty() ? "" : ", " + more;
    }

    /** @param listen further keys of the section, in flow style with a leading comma */
    static String config(String listenAddress, InetSocketAddress primary, String listen, String more) {
        return """
                listen: { address: "%s"%s }
                primary: { address: "%s:%d", tls: { mode: disabled } }
                admin: { enabled: false }
                %s
                """.formatted(listenAddress, listen, primary.getAddress().getHostAddress(), primary.getPort(), more);
    }

    public ProxyServer server() {
        return server;
    }

    SocketAddress socketAddress() {
        return server.addresses().get(0);
    }

    /** Returns the proxy's port at the loopback address. */
    public InetSocketAddress address() {
        return new InetSocketAddress("127.0.0.1", port());
    }

    public int port() {
        return ((InetSocketAddress) socketAddress()).getPort();
    }

    public SimpleMeterRegistry meters() {
        return meters;
    }

    /** Returns the number of connections with that outcome of the handshake. */
    public double connections(String outcome) {
        return count("understudy.connections", outcome);
    }

    int sessions() {
        return server.registry().count();
    }

    /** Returns the sum of the counters with that name. */
    double count(String name) {
        return meters.find(name).counters().stream().mapToDouble(Counter::count).sum();
    }

    /** Returns the sum of the counters with that name and tag value. */
    double count(String name, String tagValue) {
        return meters.find(name).counters().stream()
                .filter(counter -> counter.getId().getTags().stream()
                        .anyMatch(tag -> tag.getValue().equals(tagValue)))
                .mapToDouble(Counter::count)
                .sum();
    }

    /** Returns the number of sessions that are or were relayed unread. */
    double unread() {
        return meters.find("understudy.unread.sessions").counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    @Override
    public void close() {
        server.close();
    }
}
