package io.understudy.it.legs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.host.PluginTypes;
import io.understudy.lost.LostSource;
import io.understudy.remote.AdminClient;
import io.understudy.remote.AdminTrust;
import io.understudy.runtime.RunningProxy;
import io.understudy.testkit.session.FakeServer;
import io.understudy.unplanned.Failover;
import io.understudy.unplanned.FailoverOptions;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The admin endpoint with TLS: who trusts it, how a connection ends, and a new certificate. */
@Timeout(60)
@Tag("long")
class AdminTlsTest {
    private static final String TOKEN = "a-token-of-fair-length";

    @TempDir
    private Path folder;

    private TestCertificates certificates;
    private FakeServer primary;
    private RunningProxy proxy;
    private LoadedConfig loaded;
    private String address = "";

    @BeforeEach
    @SuppressWarnings("NullAway") // set before each test
    void start() throws Exception {
        certificates = new TestCertificates(Files.createDirectory(folder.resolve("first")));
        primary = FakeServer.responding(new byte[0]);
        PluginTypes plugins = PluginTypes.installed();
        String yaml = """
                listen: { address: "127.0.0.1:0" }
                primary: { address: "127.0.0.1:%d", tls: { mode: disabled } }
                admin: { address: "0.0.0.0:0", token: %s, tls: { certificate: %s, key: %s } }
                """.formatted(primary.address().getPort(), TOKEN, certificates.certificate, certificates.key);
        RunningProxy.Reloader reloader = () -> ConfigLoader.load(yaml, "test.yaml", plugins.records(), name -> null);
        loaded = reloader.load();
        proxy = RunningProxy.start(loaded, plugins, reloader);
        address = "127.0.0.1:" + Objects.requireNonNull(proxy.adminAddress()).getPort();
    }

    @AfterEach
    void stop() throws Exception {
        proxy.close();
        primary.close();
    }

    private AdminClient client(@Nullable AdminTrust trust) {
        return new AdminClient(address, TOKEN, trust);
    }

    @Test
    void withTlsAndATokenOtherHostsMayReachIt() {
        assertThat(loaded.warnings()).isEmpty();
    }

    @Test
    void anAuthorityOrTheCertificateItselfIsTrusted() throws Exception {
        AdminClient byAuthority = client(AdminTrust.ofAuthorities(certificates.ca));
        assertThat(byAuthority.view("build")).containsKey("version");
        assertThat(byAuthority.act("reload").get("applied")).isEqualTo(true);
        AdminTrust pinned = Objects.requireNonNull(AdminTrust.of(loaded.config().admin()));
        assertThat(client(pinned).view("build")).containsKey("version");
        // Whatever the name: the certificate has 127.0.0.1 and 127.0.0.2.
        assertThat(new AdminClient(address.replace("127.0.0.1", "127.0.0.3"), TOKEN, pinned).view("build"))
                .containsKey("version");
        for (AdminTrust trust : List.of(pinned, AdminTrust.ofAuthorities(certificates.ca))) {
            try (InputStream events = client(trust).stream("events")) {
                assertThat(new String(events.readNBytes(6), StandardCharsets.UTF_8))
                        .isEqualTo("event:");
            }
        }
    }

    @Test
    void othersAreNot() throws Exception {
        assertThatThrownBy(() -> client(AdminTrust.ofAuthorities(certificates.strangerCa))
                        .view("build"))
                .hasMessageContaining("https://" + address)
                .hasMessageContaining("it listens, and TLS with it fails");
        AdminTrust authority = AdminTrust.ofAuthorities(certificates.ca);
        assertThatThrownBy(() ->
                        new AdminClient(address.replace("127.0.0.1", "127.0.0.3"), TOKEN, authority).view("build"))
                .hasMessageContaining("127.0.0.3");
        assertThatThrownBy(() -> client(null).view("build")).hasMessageContaining("no response from http://");
    }

    /** A client takes an end without close_notify for a cut. */
    @Test
    void theEndOfAResponseIsNoCut() throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (FileInputStream in = new FileInputStream(certificates.ca.toFile())) {
            store.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        for (String protocol : List.of("TLSv1.3", "TLSv1.2")) {
            SSLContext context = SSLContext.getInstance(protocol);
            context.init(null, trust.getTrustManagers(), null);
            try (SSLSocket socket = (SSLSocket) context.getSocketFactory()
                    .createSocket(
                            "127.0.0.1",
                            Objects.requireNonNull(proxy.adminAddress()).getPort())) {
                socket.setEnabledProtocols(new String[] {protocol});
                socket.getOutputStream()
                        .write("GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                // Throws where close_notify is missing.
                String response = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(response).startsWith("HTTP/1.1 200 OK").endsWith("{\"status\":\"live\"}\n");
            }
        }
    }

    private double reloadFailed() {
        return Objects.requireNonNull(proxy.registry()
                        .find("understudy.config.last.reload.failed")
                        .gauge())
                .value();
    }

    @Test
    void aNewCertificateIsReadWithAReload() throws Exception {
        AdminClient before = client(AdminTrust.of(loaded.config().admin()));
        TestCertificates renewed = new TestCertificates(Files.createDirectory(folder.resolve("second")));
        Files.copy(renewed.key, certificates.key, StandardCopyOption.REPLACE_EXISTING);
        assertThat(String.valueOf(before.act("reload").get("problems"))).contains("admin.tls", "TLS cannot use");
        assertThat(reloadFailed()).isEqualTo(1);
        Files.copy(renewed.certificate, certificates.certificate, StandardCopyOption.REPLACE_EXISTING);
        assertThat(String.valueOf(before.act("reload").get("notApplied"))).isEqualTo("[]");
        assertThat(reloadFailed()).isZero();
        assertThat(client(AdminTrust.of(loaded.config().admin())).view("build")).containsKey("version");
        assertThat(client(AdminTrust.ofAuthorities(renewed.ca)).view("build")).containsKey("version");
        AdminTrust old = AdminTrust.ofAuthorities(certificates.ca);
        assertThatThrownBy(() -> client(old).view("build")).hasMessageContaining("no response");
    }

    /** The proxy lives: left out of a failover, it would stay at the old primary. */
    @ParameterizedTest
    @ValueSource(ints = {-2, 2})
    void aCertificateOfAnotherTimeIsToBeRenewedFirst(int day) throws Exception {
        boolean isExpired = day < 0;
        X509Bundle other = new CertificateBuilder()
                .ecp256()
                .subject("CN=127.0.0.1")
                .setIsCertificateAuthority(true)
                .notBefore(Instant.now().plus(Duration.ofDays(day)))
                .notAfter(Instant.now().plus(Duration.ofDays(day + 1)))
                .buildSelfSigned();
        AdminClient before = client(AdminTrust.of(loaded.config().admin()));
        Files.writeString(certificates.key, other.getPrivateKeyPEM());
        Files.writeString(certificates.certificate, other.getCertificatePEM());
        assertThat(before.act("reload").get("applied")).isEqualTo(true);
        assertThatThrownBy(() -> client(AdminTrust.of(loaded.config().admin())).view("build"))
                .hasMessageContaining(
                        isExpired ? "its certificate has expired (NotAfter: " : "is not valid yet (NotBefore: ")
                .hasMessageContaining(
                        "Renew it first: put the new certificate and its key into the files of admin.tls");

        UnderstudyConfig config = ConfigLoader.load(
                        """
                        listen: { address: "127.0.0.1:0" }
                        primary: { address: "127.0.0.1:1" }
                        standbys: [ { name: s1, address: "127.0.0.1:2", user: u, password: p } ]
                        switchover: { user: u, password: p }
                        admin: { address: "%s", token: %s, tls: { certificate: %s, key: %s } }
                        """.formatted(address, TOKEN, certificates.certificate, certificates.key),
                        "test.yaml",
                        Map.of(),
                        name -> null)
                .config();
        FailoverOptions options =
                new FailoverOptions(false, Duration.ofSeconds(1), Set.of(), new LostSource(before, null, List.of()));
        assertThatThrownBy(() -> Failover.to("s1", config, options, new PrintWriter(Writer.nullWriter())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Renew it first")
                .hasMessageContaining("It lives")
                .hasMessageEndingWith(
                        "or this cannot wait: --without " + address + ", and what only its black box has is not known");
    }
}
