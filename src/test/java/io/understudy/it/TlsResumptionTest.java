package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.understudy.it.DepartingClient.Form;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that offers the TLS session of an earlier connection need not repeat the whole handshake. */
class TlsResumptionTest {
    private final ServerUnderTest server = ServerUnderTest.shared();

    @Test
    void aClientResumesItsTlsSession(@TempDir Path folder) throws Exception {
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
            long began = began(first);
            assertThat(began(first)).isEqualTo(began);
            assertThat(began(second)).isGreaterThan(began);
        }
    }

    private long began(ProxyUnderTest proxy) throws Exception {
        try (DepartingClient client = DepartingClient.login(proxy.address(), server, Form.TLS)) {
            return client.tlsSessionBegan();
        }
    }
}
