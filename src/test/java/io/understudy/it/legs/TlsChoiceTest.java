package io.understudy.it.legs;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.cli.check.CheckResult;
import io.understudy.cli.check.TlsCheck;
import io.understudy.config.LoadedConfig;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.it.ProxyUnderTest;
import io.understudy.plugin.CheckedServer.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks what {@code check --connect} reports about a real server's certificates. */
@Tag("long")
class TlsChoiceTest {
    @TempDir
    static Path folder;

    private static TestCertificates certificates;
    private static EmbeddedServer server;

    @BeforeAll
    static void start() throws Exception {
        certificates = new TestCertificates(folder);
        server = EmbeddedServer.start(ServerOptions.of(64)
                .withArguments("--ssl-cert=" + certificates.certificate, "--ssl-key=" + certificates.key));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static TlsCheck check(LoadedConfig loaded) {
        return new TlsCheck(loaded, loaded.config().primary().address());
    }

    private static CheckResult only(String listen) throws Exception {
        return only(listen, "", "listen.tls");
    }

    private static CheckResult only(String listen, String primary, String where) throws Exception {
        List<CheckResult> findings = check(ProxyUnderTest.configOfLegs(server.port(), listen, primary)).run().stream()
                .filter(finding -> finding.where().equals(where))
                .toList();
        assertThat(findings).hasSize(1);
        return findings.get(0);
    }

    private static String with(Path certificate, Path key) {
        return "tls: { mode: optional, certificate: '%s', key: '%s' }".formatted(certificate, key);
    }

    @Test
    void aGeneratedServerCertificateIsReported() throws Exception {
        CheckResult finding = only(with(certificates.certificate, certificates.key));
        assertThat(finding.level()).isEqualTo(Level.OK);
        assertThat(finding.text()).startsWith("the server's own certificate (CN=127.0.0.1)");
    }

    @Test
    void aCertificateOfAnAuthorityIsReported() throws Exception {
        CheckResult finding = only(with(certificates.clientCertificate, certificates.clientKey));
        assertThat(finding.level()).isEqualTo(Level.OK);
        assertThat(finding.text())
                .startsWith("a certificate of an authority (CN=application, issued by CN=Understudy test authority)");
    }

    @Test
    void anotherSelfSignedCertificateIsReported() throws Exception {
        var stranger = TestCertificates.authority("127.0.0.1");
        Path certificate = Files.writeString(folder.resolve("self.pem"), stranger.getCertificatePEM());
        Path key = Files.writeString(folder.resolve("self.key"), stranger.getPrivateKeyPEM());
        CheckResult finding = only(with(certificate, key));
        assertThat(finding.level()).isEqualTo(Level.WARNING);
        assertThat(finding.text()).startsWith("a self-signed certificate").contains("mode: passthrough");
    }

    @Test
    void aRelayedCertificateIsReported() throws Exception {
        CheckResult finding = only("tls: { mode: passthrough }");
        assertThat(finding.level()).isEqualTo(Level.OK);
        assertThat(finding.text()).startsWith("passthrough: clients see the primary's own TLS (CN=127.0.0.1)");
    }

    @Test
    void disabledTlsIsReportedIfThePrimaryOffersTls() throws Exception {
        CheckResult finding = only("tls: { mode: disabled }");
        assertThat(finding.level()).isEqualTo(Level.WARNING);
        assertThat(finding.text()).contains("though the primary offers TLS");
    }

    @Test
    void anUnreachableServerIsReported() throws Exception {
        List<CheckResult> findings = check(ProxyUnderTest.configOfLegs(1, "tls: { mode: passthrough }", ""))
                .run();
        assertThat(findings)
                .filteredOn(finding -> finding.where().equals("listen.tls"))
                .extracting(CheckResult::level)
                .containsExactly(Level.WARNING, Level.OK);
    }

    @Test
    void theEffectOfTheServersLegOnRequireSslIsReported() throws Exception {
        String optional = with(certificates.certificate, certificates.key);
        CheckResult preferred = only(optional, "", "primary.tls");
        assertThat(preferred.level()).isEqualTo(Level.WARNING);
        assertThat(preferred.text()).contains("REQUIRE SSL can be used without TLS on the client's leg");
        CheckResult disabled = only(optional, "tls: { mode: disabled }", "primary.tls");
        assertThat(disabled.level()).isEqualTo(Level.WARNING);
        assertThat(disabled.text()).contains("REQUIRE SSL are refused (ERROR 1045), also when their client has TLS");
        assertThat(only(optional, "tls: { mode: as-client }", "primary.tls").level())
                .isEqualTo(Level.OK);
        CheckResult pointless = only("", "tls: { mode: as-client }", "primary.tls");
        assertThat(pointless.level()).isEqualTo(Level.WARNING);
        assertThat(pointless.text()).contains("no session has TLS on either leg");
    }

    @Test
    void compressionOfTheServersLegIsReportedUnlessAsClient() throws Exception {
        assertThat(only("", "", "primary.compression").level()).isEqualTo(Level.OK);
        assertThat(check(ProxyUnderTest.configOfLegs(server.port(), "", "compression: as-client"))
                        .run())
                .noneMatch(finding -> finding.where().equals("primary.compression"));
    }
}
