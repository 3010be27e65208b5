package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoopGroup;
import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.config.Transport;
import io.understudy.connection.NettyServerConnector;
import io.understudy.connection.NetworkTransport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A name server that takes 4 s delays only sessions that wait for the name, by {@code connectTimeout} at most. */
@Timeout(120)
@Tag("long")
class SlowNameServerTest {
    private static final String FILE = "io.understudy.resolvConf";
    private static final String NAME = "primary.understudy.test";
    private static final Duration SLOW = Duration.ofSeconds(4);
    /** Enough for several sessions on every event loop. */
    private static final int SESSIONS = 8;

    private final ServerUnderTest server = ServerUnderTest.shared();
    private ScriptedNameServer names;

    @TempDir
    private Path folder;

    @BeforeEach
    void start() throws Exception {
        names = new ScriptedNameServer();
        System.setProperty(FILE, names.resolvConf(folder).toString());
    }

    @AfterEach
    void stop() {
        System.clearProperty(FILE);
        names.close();
    }

    static List<Transport> transports() {
        List<Transport> all = new ArrayList<>();
        for (Transport one : List.of(Transport.NIO, Transport.EPOLL, Transport.IO_URING)) {
            try {
                NetworkTransport.resolve(one);
                all.add(one);
            } catch (IllegalStateException unavailable) {
                // Not available on this machine.
            }
        }
        return all;
    }

    private ProxyUnderTest proxy(Transport transport, String host, String timeout) throws Exception {
        return ProxyUnderTest.start(
                """
                transport: %s
                listen: { address: "127.0.0.1:0" }
                primary: { address: "%s:%d", tls: { mode: disabled }, connectTimeout: %s }
                admin: { enabled: false }
                """.formatted(transport, host, server.address().getPort(), timeout));
    }

    @Tag("quiet")
    @ParameterizedTest
    @MethodSource("transports")
    void establishedSessionsGoOn(Transport transport) throws Exception {
        List<RawClient> sessions = new ArrayList<>();
        try (ProxyUnderTest proxy = proxy(transport, NAME, "2s")) {
            for (int i = 0; i < SESSIONS; i++) {
                sessions.add(RawClient.login(proxy.address(), server));
            }
            names.delay(Duration.ofSeconds(15));
            Refused refused = untilRefused(proxy.address(), sessions);
            assertThat(refused.text())
                    .contains("Can't connect to MySQL server on '" + NAME + ":")
                    .contains("name lookup of '" + NAME + "'")
                    .contains("connectTimeout (2000 ms)");
            assertThat(refused.took()).isBetween(Duration.ofMillis(1900), Duration.ofSeconds(14));
            assertThat(refused.slowest()).as("a statement of the others").isLessThan(Duration.ofSeconds(10));
        } finally {
            for (RawClient session : sessions) {
                session.close();
            }
        }
    }

    private record Refused(String text, Duration took, Duration slowest) {}

    /**
     * Logs in again and again until the cached address has expired and the name server is queried. The other sessions
     * work meanwhile.
     */
    private Refused untilRefused(InetSocketAddress address, List<RawClient> sessions) throws Exception {
        int before = names.requests();
        while (true) {
            long begun = System.nanoTime();
            CompletableFuture<String> newcomer = CompletableFuture.supplyAsync(() -> {
                try (RawClient client = RawClient.open(address)) {
                    Packet first = client.read();
                    return first.errorCode() == 0 ? "" : first.errorCode() + " " + first.errorText();
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            Duration slowest = Duration.ZERO;
            while (!newcomer.isDone()) {
                for (RawClient session : sessions) {
                    long sent = System.nanoTime();
                    session.execute("DO 1");
                    Duration took = Duration.ofNanos(System.nanoTime() - sent);
                    slowest = took.compareTo(slowest) > 0 ? took : slowest;
                }
            }
            if (!newcomer.get().isEmpty()) {
                assertThat(newcomer.get()).startsWith("1042 ");
                assertThat(names.requests()).isGreaterThan(before);
                return new Refused(newcomer.get(), Duration.ofNanos(System.nanoTime() - begun), slowest);
            }
        }
    }

    @Test
    void aSlowLookupSucceedsAndIsCached() throws Exception {
        names.delay(SLOW);
        try (ProxyUnderTest proxy = proxy(Transport.AUTO, NAME, "20s")) {
            long begun = System.nanoTime();
            RawClient.login(proxy.address(), server).close();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(SLOW);
            int before = names.requests();
            RawClient.login(proxy.address(), server).close();
            assertThat(names.requests()).as("the address is kept").isEqualTo(before);
        }
    }

    /** As when a host is off: packets to it get no response, so that a connection is under way for seconds. */
    @Test
    void aConnectionThatIsUnderWayWhenTheNameMovesGoesToTheNewServer() throws Exception {
        names.move(2, 1);
        InetAddress off = InetAddress.getByAddress(new byte[] {127, 0, 0, 2});
        try (Forwarder there = new Forwarder(3, 0, server.address());
                ServerSocket former = new ServerSocket(there.port(), 1, off);
                Socket first = new Socket(off, there.port());
                Socket second = new Socket(off, there.port());
                ProxyUnderTest proxy = ProxyUnderTest.start("""
                        listen: { address: "127.0.0.1:0" }
                        primary: { address: "%s:%d", tls: { mode: disabled }, connectTimeout: 20s }
                        admin: { enabled: false }
                        """.formatted(NAME, there.port()))) {
            assertThat(first.isConnected() && second.isConnected())
                    .as("its backlog is full")
                    .isTrue();
            // More than one address and one IPv6 address: the second lookup, so that the first one is known.
            await().until(() -> names.requests() > 2);
            try (RawClient client = RawClient.open(proxy.address())) {
                await().until(() -> proxy.sessions() == 1);
                names.move(3, 1);
                await().until(() -> proxy.count("understudy.primary.changes", "dns") == 1);
                former.accept().close();
                former.accept().close();
                // The former server accepts the connection now, and would never begin the handshake.
                assertThat(client.read().errorCode()).isZero();
            }
        }
    }

    @Test
    void literalAddressesAndTheHostsFileNeedNoNameServer() throws Exception {
        for (String host : List.of("127.0.0.1", "localhost")) {
            try (ProxyUnderTest proxy = proxy(Transport.AUTO, host, "5s")) {
                RawClient.login(proxy.address(), server).close();
            }
        }
        assertThat(names.requests()).isZero();
    }

    /** The connections that the mirror and the binary log use. */
    @Test
    void theProxysOwnConnectionsAreBoundedByConnectTimeout() {
        names.delay(SLOW);
        NetworkTransport transport = NetworkTransport.resolve(Transport.AUTO);
        EventLoopGroup loops = transport.relayGroup(1, "test-client");
        try {
            NettyServerConnector client = new NettyServerConnector(
                    transport,
                    loops,
                    Address.parse(NAME + ":3306"),
                    "u",
                    Secret.parse("p"),
                    new ServerTlsConfig(ServerTlsMode.DISABLED, null, null, null),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(5));
            assertThatThrownBy(() -> client.connect().toCompletableFuture().get(20, TimeUnit.SECONDS))
                    .hasMessageContaining("name lookup of '" + NAME + "': no response within connectTimeout (1000 ms)");
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
            transport.closeNames();
        }
    }
}
