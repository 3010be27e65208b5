package io.understudy.it;

import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.ProxyServer;
import io.understudy.config.ConfigException;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugins.gtiddomain.GtidDomainConfig;
import io.understudy.plugins.gtiddomain.GtidDomainPlugin;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

/** A proxy with {@code gtid-domain} in front of a {@link DomainPair}, with its counters. */
record DomainProxy(ProxyServer server, SimpleMeterRegistry meters) implements AutoCloseable {
    static DomainProxy start(DomainPair pair, String monitor, String section) throws Exception {
        return start(load(pair, monitor, section));
    }

    /** Starts a proxy that has both servers under {@code standbys}, as docs/failover.md advises. */
    static DomainProxy startWithBoth(DomainPair pair, String section) throws Exception {
        return start(load(pair, "watch", section, pair.primary(), pair.standby()));
    }

    /** Starts a proxy that tells the primary its clients' addresses. */
    static DomainProxy startWithAddresses(DomainPair pair, String section) throws Exception {
        return start(load(pair, "watch", section, "v2", pair.standby()));
    }

    private static DomainProxy start(LoadedConfig loaded) throws Exception {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Map<String, ProxyPlugin<?>> plugins = Map.of("gtid-domain", new GtidDomainPlugin());
        ProxyServer server = new ProxyServer(loaded, plugins, meters);
        server.prepare();
        server.listen();
        return new DomainProxy(server, meters);
    }

    static LoadedConfig load(DomainPair pair, String monitor, String section) throws ConfigException {
        return load(pair, monitor, section, pair.standby());
    }

    private static LoadedConfig load(DomainPair pair, String monitor, String section, EmbeddedServer... servers)
            throws ConfigException {
        return load(pair, monitor, section, "disabled", servers);
    }

    private static LoadedConfig load(
            DomainPair pair, String monitor, String section, String proxyProtocol, EmbeddedServer... servers)
            throws ConfigException {
        StringBuilder standbys = new StringBuilder();
        for (EmbeddedServer server : servers) {
            standbys.append("""
                    - { name: %s, address: "127.0.0.1:%d", user: watch, password: %s }
                    """.formatted(server == pair.standby() ? "s1" : "s0", server.port(), DomainPair.PASSWORD));
        }
        String text = """
                transport: nio
                listen: { address: "127.0.0.1:0" }
                primary:
                  address: 127.0.0.1:%d
                  proxyProtocol: %s
                  monitor: { user: %s, password: %s }
                standbys:
                %s
                plugins:
                  gtid-domain:
                %s""".formatted(
                        pair.primary().port(),
                        proxyProtocol,
                        monitor,
                        DomainPair.PASSWORD,
                        standbys.toString().indent(2).stripTrailing(),
                        section.indent(4));
        return ConfigLoader.load(text, "test.yaml", Map.of("gtid-domain", GtidDomainConfig.class), name -> null);
    }

    /** Reloads another section of a proxy of {@link DomainPair#proxy(String)}. */
    void reload(DomainPair pair, String section) throws ConfigException {
        server.configuration().apply(load(pair, "watch", section));
    }

    Connection connect(String user) throws SQLException {
        return connect(user, "127.0.0.1");
    }

    /** @param from the client's address */
    Connection connect(String user, String from) throws SQLException {
        int port = ((InetSocketAddress) server.addresses().get(0)).getPort();
        return DriverManager.getConnection("jdbc:mariadb://127.0.0.1:" + port + "/dom?sslMode=disable&user=" + user
                + "&password=" + DomainPair.PASSWORD + "&localSocketAddress=" + from);
    }

    double count(String outcome) {
        return meters.find("understudy.gtid.domain.statements").tag("outcome", outcome).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    /** Returns the number of conflicts that can break replication. */
    double conflicts() {
        return meters.find("understudy.gtid.domain.conflicts").counters().stream()
                .filter(counter -> !"pinned".equals(counter.getId().getTag("kind")))
                .mapToDouble(Counter::count)
                .sum();
    }

    Map<String, Object> state() {
        return Views.map(Views.value(Views.map(Views.of(server.published(), "domains")), "guardState"));
    }

    /** Returns what the guard's state has under a key. */
    Object state(String key) {
        return Views.value(state(), key);
    }

    /** Waits until the guard has read the tables and the standby has applied all earlier transactions. */
    void awaitGuard() {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> state("problem").equals("")
                        && state("dictionaryStale").equals(false)
                        && state("learning").equals(false));
    }

    @Override
    public void close() {
        server.close();
    }
}
