package io.understudy.it.legs;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.it.ProxyUnderTest;
import io.understudy.it.RawClient;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Passes the client's real address from a load balancer through the proxy to the server. */
class ProxyProtocolTest {
    static EmbeddedServer server;

    @BeforeAll
    static void start() {
        server = EmbeddedServer.start(ServerOptions.of(1).withArguments("--proxy-protocol-networks=127.0.0.1"));
        server.execute(
                "CREATE USER app@'127.0.0.1' IDENTIFIED BY 'secret'",
                "CREATE USER app@'127.0.0.9' IDENTIFIED BY 'secret'",
                "CREATE USER nopass@'192.0.2.7' IDENTIFIED BY ''",
                "CREATE USER nopass@'2001:db8::7' IDENTIFIED BY ''");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v2"})
    void theServerSeesTheClientsAddress(String version) throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.withLegs(server.port(), "", "proxyProtocol: " + version);
                Connection connection = Drivers.mariaDb(proxy.port(), "sslMode=disable&localSocketAddress=127.0.0.9")) {
            assertThat(Drivers.query(connection, "SELECT USER()")).startsWith("app@127.0.0.9");
        }
    }

    @Test
    void anAddressFromALoadBalancerReachesTheServer() throws Exception {
        for (String header :
                new String[] {"PROXY TCP4 192.0.2.7 127.0.0.1 4711 3306\r\n", "PROXY TCP6 2001:db8::7 ::1 4711 3306\r\n"
                }) {
            try (ProxyUnderTest proxy = accepting("v1", "127.0.0.0/8");
                    RawClient client = RawClient.open(proxy.address())) {
                assertThat(login(client, header)).as(header).isTrue();
                assertThat(proxy.server().registry().all())
                        .singleElement()
                        .satisfies(session ->
                                assertThat(session.clientAddress().toString()).contains(":4711"));
            }
        }
    }

    /** Accepts version 2 and passes the addresses on; other fields of the header are skipped. */
    @Test
    void anAddressInABinaryHeaderReachesTheServer() throws Exception {
        String signature = "\r\n\r\n\0\r\nQUIT\n";
        String v4 = "\u0021\u0011\0\u000c" + "\u00c0\0\u0002\u0007" + "\u007f\0\0\u0001" + "\u0012\u0067" + "\f\u00ea";
        String withMore = "\u0021\u0011\0\u0012" + v4.substring(4) + "\u0002\0\u0003" + "abc"; // PP2_TYPE_AUTHORITY
        for (String header : new String[] {signature + v4, signature + withMore}) {
            try (ProxyUnderTest proxy = accepting("v2", "127.0.0.0/8");
                    RawClient client = RawClient.open(proxy.address())) {
                assertThat(login(client, header)).isTrue();
                assertThat(proxy.server().registry().all())
                        .singleElement()
                        .satisfies(session ->
                                assertThat(session.clientAddress().toString()).contains("192.0.2.7:4711"));
            }
        }
    }

    @Test
    void autoAcceptsConnectionsWithoutAHeader() throws Exception {
        try (ProxyUnderTest proxy = accepting("auto", "127.0.0.0/8");
                Connection connection = Drivers.mariaDb(proxy.port(), "sslMode=disable")) {
            assertThat(Drivers.query(connection, "SELECT USER()")).startsWith("app@127.0.0.1");
        }
    }

    @Test
    void aHeaderFromAnUntrustedPeerIsRefused() throws Exception {
        try (ProxyUnderTest proxy = accepting("v1", "10.0.0.0/8");
                Socket stranger = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
            stranger.setSoTimeout(10_000);
            stranger.getOutputStream()
                    .write("PROXY TCP4 192.0.2.7 127.0.0.1 4711 3306\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(stranger.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
                    .contains("bad handshake");
            assertThat(proxy.connections("handshake_malformed")).isEqualTo(1);
        }
    }

    @Test
    void aMalformedHeaderIsRefused() throws Exception {
        try (ProxyUnderTest proxy = accepting("v1", "127.0.0.0/8");
                Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
            client.setSoTimeout(10_000);
            client.getOutputStream().write("PROXY TCP4 999.1.1.1 x y z\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
                    .contains("bad handshake: no valid PROXY protocol header");
            assertThat(proxy.connections("proxy_header_malformed")).isEqualTo(1);
        }
    }

    /** @param header sent before the login, one byte per character */
    private static boolean login(RawClient client, String header) throws Exception {
        client.sendRaw(header.getBytes(StandardCharsets.ISO_8859_1));
        return client.tryLogin("nopass", "", "", RawClient.PLAIN).isOk();
    }

    private static ProxyUnderTest accepting(String mode, String network) throws Exception {
        return ProxyUnderTest.withLegs(
                server.port(),
                "proxyProtocol: %s, trustedNetworks: [\"%s\"]".formatted(mode, network),
                "tls: { mode: disabled }, proxyProtocol: v2");
    }
}
