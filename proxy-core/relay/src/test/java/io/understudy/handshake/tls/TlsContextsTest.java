package io.understudy.handshake.tls;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TlsContextsTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"ENCRYPTED", "RSA", "EC"})
    void aKeyThatMustBeConvertedIsNamedWithTheCommand(String form) throws Exception {
        X509Bundle bundle = new CertificateBuilder()
                .ecp256()
                .subject("CN=proxy")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        Path certificate = Files.writeString(folder.resolve("proxy.pem"), bundle.getCertificatePEM());
        Path key = Files.writeString(
                folder.resolve("proxy.key"), bundle.getPrivateKeyPEM().replace("PRIVATE KEY", form + " PRIVATE KEY"));
        assertThatThrownBy(() -> TlsContexts.accepting(certificate, key, null, false))
                .isInstanceOf(TlsFilesException.class)
                .hasMessageContaining("openssl pkcs8 -topk8 -nocrypt -in " + key);
        assertThatThrownBy(() -> TlsContexts.connecting(TlsContexts.Verification.NONE, null, certificate, key))
                .hasMessageContaining(form + " PRIVATE KEY");
    }
}
