package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.it.DepartingClient.Form;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who offers the TLS session of an earlier connection need not repeat the whole handshake, on either leg. */
class TlsResumptionTest {
    /** A server sends more than 2000 with its certificate, and some 300 until the login is over without it. */
    private static final long BYTES_OF_CERTIFICATE = 1000;

    private final ServerUnderTest server = ServerUnderTest.shared();

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aClientResumesItsTlsSession(String version, @TempDir Path folder) throws Exception {
        X509Bundle certificate = new CertificateBuilder()
                .ecp256()
                .subject("CN=proxy")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        Path pem = Files.writeString(folder.resolve("proxy.pem"), certificate.getCertificatePEM());
        Path key = Files.writeString(folder.resolve("proxy.key"), certificate.getPrivateKeyPEM());
        String tls = ", tls: { mode: optional, certificate: '%s', key: '%s' }".formatted(pem, key);
        try (ProxyUnderTest first =
                        ProxyUnderTest.start(ProxyUnderTest.config("127.0.0.1:0", server.address(), tls, ""));
                ProxyUnderTest second =
                        ProxyUnderTest.start(ProxyUnderTest.config("127.0.0.1:0", server.address(), tls, ""))) {
            long began = began(first, version);
            assertThat(began(first, version)).isEqualTo(began);
            assertThat(began(second, version)).isGreaterThan(began);
        }
    }

    private long began(ProxyUnderTest proxy, String version) throws Exception {
        try (DepartingClient client = DepartingClient.login(proxy.address(), server, Form.TLS, version)) {
            return client.tlsSessionBegan();
        }
    }

    /** MariaDB 11.4 resumes no session of TLS 1.3: it gives no tickets. ServerSessionsTest has that version. */
    @Test
    void theProxyResumesItsTlsSessionWithTheServer() throws Exception {
        try (EmbeddedServer embedded =
                EmbeddedServer.start(ServerOptions.of(72).withArguments("--tls-version=TLSv1.2"))) {
            ServerUnderTest own = ServerUnderTest.of(embedded);
            own.prepare();
            try (Forwarder network = new Forwarder(1, 0, own.address())) {
                InetSocketAddress address = new InetSocketAddress("127.0.0.1", network.port());
                String yaml = ProxyUnderTest.config("127.0.0.1:0", address, "", "")
                        .replace("tls: { mode: disabled }", "tls: { mode: required }");
                try (ProxyUnderTest proxy = ProxyUnderTest.start(yaml)) {
                    for (int session = 0; session < 3; session++) {
                        RawClient.login(proxy.address(), own).close();
                        assertThat(network.connectionsAbove(BYTES_OF_CERTIFICATE))
                                .isOne();
                    }
                }
            }
        }
    }
}
