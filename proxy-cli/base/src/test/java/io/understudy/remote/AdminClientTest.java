package io.understudy.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which address is asked. None of these names exists. */
class AdminClientTest {
    @ParameterizedTest
    @CsvSource({
        "proxy.invalid, http://proxy.invalid:9307/api/top",
        "proxy.invalid:1234, http://proxy.invalid:1234/api/top",
        "http://proxy.invalid/, http://proxy.invalid/api/top",
    })
    void aHostAloneHasTheDefaultPort(String given, String asked) {
        assertThatThrownBy(() -> new AdminClient(given, null).view("top"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(asked);
    }

    /** Also one of an authority, of which the runtime speaks in its own terms. */
    @Test
    void anExpiredCertificateIsNamed() {
        SSLHandshakeException failed = new SSLHandshakeException("PKIX path validation failed");
        failed.initCause(new CertificateException(new CertificateExpiredException("NotAfter: 1 May")));
        assertThat(AdminRefusal.noResponse("https://p:1/api/top", failed))
                .hasMessageContaining("it listens, and its certificate has expired (NotAfter: 1 May). Renew it first");
    }
}
