package io.understudy.handshake.tls;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TlsContextsTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"ENCRYPTED", "RSA", "EC"})
    void aKeyThatMustBeConvertedIsNamedWithTheCommand(String form) throws Exception {
        X509Bundle bundle = bundle();
        Path certificate = Files.writeString(folder.resolve("proxy.pem"), bundle.getCertificatePEM());
        Path key = Files.writeString(
                folder.resolve("proxy.key"), bundle.getPrivateKeyPEM().replace("PRIVATE KEY", form + " PRIVATE KEY"));
        assertThatThrownBy(() -> TlsContexts.accepting(certificate, key, null, false))
                .isInstanceOf(TlsFilesException.class)
                .hasMessageContaining("openssl pkcs8 -topk8 -nocrypt -in " + key);
        assertThatThrownBy(() -> TlsContexts.connecting(TlsContexts.Verification.NONE, null, certificate, key))
                .hasMessageContaining(form + " PRIVATE KEY");
    }

    /** A pair is of two files. */
    @Test
    void theFileThatCannotBeReadIsNamed() throws Exception {
        X509Bundle bundle = bundle();
        Path certificate = Files.writeString(folder.resolve("proxy.pem"), bundle.getCertificatePEM());
        Path key = Files.writeString(folder.resolve("proxy.key"), bundle.getPrivateKeyPEM());
        Path garbage = Files.writeString(folder.resolve("garbage"), "garbage");
        Path badKey = Files.writeString(
                folder.resolve("bad.key"), "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
        assertThatThrownBy(() -> TlsContexts.accepting(garbage, key, null, false))
                .hasMessageContaining("no certificate can be read from " + garbage);
        assertThatThrownBy(() -> TlsContexts.accepting(certificate, badKey, null, false))
                .hasMessageContaining("no EC key, as the certificate's, can be read from " + badKey);
    }

    private static X509Bundle bundle() throws Exception {
        return new CertificateBuilder()
                .ecp256()
                .subject("CN=proxy")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }
}
