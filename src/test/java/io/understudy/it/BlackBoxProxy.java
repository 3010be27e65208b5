package io.understudy.it;

import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedPair;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/** A real proxy with {@code black-box} before a pair. */
final class BlackBoxProxy implements AutoCloseable {
    static final String PASSWORD = CommitProxy.PASSWORD;

    private final ProxyUnderTest proxy;

    private BlackBoxProxy(ProxyUnderTest proxy) {
        this.proxy = proxy;
    }

    static BlackBoxProxy start(EmbeddedPair pair, String section) throws Exception {
        return start(pair.primary().address(), pair.standby().address(), section);
    }

    static BlackBoxProxy start(InetSocketAddress primary, InetSocketAddress standby, String section) throws Exception {
        return start(primary, standby, section, "preferred", "");
    }

    /**
     * @param tls mode of the connections to the servers: MySQL's accounts need TLS, and {@link LateDump} needs clear
     *     text
     * @param more sections of other plugins, indented by two
     */
    static BlackBoxProxy start(
            InetSocketAddress primary, InetSocketAddress standby, String section, String tls, String more)
            throws Exception {
        return new BlackBoxProxy(ProxyUnderTest.start(
                """
                listen: { address: "127.0.0.1:0" }
                primary:
                  address: "127.0.0.1:%d"
                  tls: { mode: %s }
                  monitor: { user: monitor, password: %s }
                standbys:
                  - { name: standby-1, address: "127.0.0.1:%d", tls: { mode: %s }, user: monitor, password: %s }
                admin: { enabled: false }
                plugins:
                  black-box: { %s }
                %s
                """.formatted(primary.getPort(), tls, PASSWORD, standby.getPort(), tls, PASSWORD, section, more)));
    }

    Connection connect() throws SQLException {
        return connect("");
    }

    /** @param options further ones of the driver, each with a leading ampersand */
    Connection connect(String options) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + proxy.address().getPort()
                        + "/shop?sslMode=disable&allowPublicKeyRetrieval=true" + options,
                "app",
                PASSWORD);
    }

    ProxyUnderTest proxy() {
        return proxy;
    }

    LostView lost() {
        return LostView.of(Views.of(proxy.server().published(), "lost"));
    }

    /** Makes a new report, even if there is a recent one. */
    LostView lostNow() {
        return LostView.of(act("lost", Map.of()));
    }

    BlackBoxProxy awaitReading() {
        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptions()
                .until(() -> lost().text("primary", "read").equals("true"));
        return this;
    }

    /** Returns what the witness does: present, behind or withdrawn. */
    String witness() {
        return witnessView("state");
    }

    String witnessView(String key) {
        return String.valueOf(
                Views.map(Views.of(proxy.server().published(), "witness")).get(key));
    }

    /** Returns how often it has withdrawn for that reason. */
    long withdrawn(String reason) {
        Map<String, Object> counts =
                Views.map(Views.value(Views.map(Views.of(proxy.server().published(), "witness")), "withdrawn"));
        return ((Number) counts.getOrDefault(reason, 0L)).longValue();
    }

    BlackBoxProxy awaitWitness() {
        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptions()
                .until(() -> witness().equals("present"));
        return this;
    }

    private Object act(String name, Map<String, String> parameters) {
        return Objects.requireNonNull(proxy.server().published().actions().get(name), name)
                .run(parameters);
    }

    /** Writes what is missing, as {@code understudy rescue} does. */
    Map<?, ?> rescue(Path file) throws IOException {
        Map<?, ?> begun = (Map<?, ?>) act("lost/rescue", Map.of());
        String number = String.valueOf(begun.get("rescue"));
        try (OutputStream out = Files.newOutputStream(file)) {
            for (byte[] part = part(number); part.length > 0; part = part(number)) {
                out.write(part);
            }
        }
        return begun;
    }

    private byte[] part(String number) {
        return (byte[]) act("lost/rescue/{number}", Map.of("number", number));
    }

    @Override
    public void close() {
        proxy.close();
    }
}
