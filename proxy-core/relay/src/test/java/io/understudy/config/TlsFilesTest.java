package io.understudy.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TlsFilesTest {
    @TempDir
    Path folder;

    /** It is used all the same: clients that check nothing go on, and a restart must not refuse them. */
    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void anExpiredCertificateIsAWarning(int days) throws Exception {
        X509Bundle bundle = new CertificateBuilder()
                .ecp256()
                .subject("CN=proxy")
                .setIsCertificateAuthority(true)
                .notBefore(Instant.now().minus(Duration.ofDays(2)))
                .notAfter(Instant.now().plus(Duration.ofDays(days)))
                .buildSelfSigned();
        Files.writeString(folder.resolve("proxy.pem"), bundle.getCertificatePEM());
        Files.writeString(folder.resolve("proxy.key"), bundle.getPrivateKeyPEM());
        Path file = Files.writeString(folder.resolve("understudy.yaml"), """
                listen: { tls: { mode: optional, certificate: proxy.pem, key: proxy.key } }
                primary: { address: "127.0.0.1:3306" }
                """);
        String warnings = ConfigLoader.load(file, Map.of()).warnings().toString();
        if (days < 0) {
            assertThat(warnings).contains("listen.tls.certificate", "is not valid now");
        } else {
            assertThat(warnings).doesNotContain("is not valid now");
        }
    }
}
