package io.understudy.it.legs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.config.ConfigException;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.it.ProxyUnderTest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** TLS on each leg, alone and together, with both vendors' drivers and a MariaDB server. */
class TlsTest {
    @TempDir
    static Path folder;

    static EmbeddedServer server;
    static TestCertificates certificates;

    @BeforeAll
    static void start() throws Exception {
        certificates = new TestCertificates(folder);
        server = EmbeddedServer.start(ServerOptions.of(1)
                .withArguments(
                        "--ssl-cert=" + certificates.certificate,
                        "--ssl-key=" + certificates.key,
                        "--ssl-ca=" + certificates.ca));
        server.execute("CREATE USER app IDENTIFIED BY 'secret'", "GRANT ALL ON *.* TO app", "CREATE DATABASE shop");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String listen(String mode) {
        return mode.equals("disabled")
                ? "tls: { mode: disabled }"
                : "tls: { mode: %s, certificate: '%s', key: '%s' }"
                        .formatted(mode, certificates.certificate, certificates.key);
    }

    private static String primary(String mode) {
        return "tls: { mode: %s }".formatted(mode);
    }

    @ParameterizedTest(name = "client {0}, driver {1}, server {2}")
    @CsvSource({
        "disabled, disable, disabled, false",
        "disabled, disable, required, true",
        "optional, disable, disabled, false",
        "optional, disable, preferred, true",
        "optional, trust, disabled, false",
        "optional, trust, required, true",
        "required, trust, disabled, false",
        "required, trust, preferred, true",
    })
    void eachLegHasItsOwn(String clientMode, String driver, String serverMode, boolean serverTls) throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.withLegs(server.port(), listen(clientMode), primary(serverMode));
                Connection maria = Drivers.mariaDb(proxy.port(), "sslMode=" + driver);
                Connection mysql = Drivers.mysql(
                        proxy.port(), "sslMode=" + (driver.equals("disable") ? "DISABLED" : "REQUIRED"))) {
            for (Connection connection : new Connection[] {maria, mysql}) {
                assertThat(Drivers.serverCipher(connection).isEmpty()).isEqualTo(!serverTls);
                assertThat(Drivers.query(connection, "SELECT REPEAT('x', 3000000)"))
                        .hasSize(3_000_000);
            }
        }
    }

    @Test
    void requiredRefusesAClientWithoutTls() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.withLegs(server.port(), listen("required"), "")) {
            assertThatThrownBy(() -> Drivers.mariaDb(proxy.port(), "sslMode=disable"))
                    .isInstanceOfSatisfying(SQLException.class, e -> {
                        assertThat(e.getErrorCode()).isEqualTo(3159);
                        assertThat(e.getSQLState()).isEqualTo("HY000");
                    });
            assertThat(proxy.connections("client_without_tls")).isEqualTo(1);
        }
    }

    @Test
    void aClientCertificateCanBeRequired() throws Exception {
        String listen =
                "tls: { mode: required, certificate: '%s', key: '%s', clientCa: '%s', requireClientCertificate: true }"
                        .formatted(certificates.certificate, certificates.key, certificates.ca);
        try (ProxyUnderTest proxy = ProxyUnderTest.withLegs(server.port(), listen, "")) {
            assertThatThrownBy(
                            () -> Drivers.mariaDb(proxy.port(), "sslMode=trust").close())
                    .isInstanceOf(SQLException.class);
            try (Connection connection = DriverWithCertificate.connect(proxy.port(), certificates)) {
                assertThat(Drivers.query(connection, "SELECT 7")).isEqualTo("7");
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"verify-ca", "verify-full"})
    void theServersCertificateIsChecked(String mode) throws Exception {
        String good = "tls: { mode: %s, ca: '%s' }".formatted(mode, certificates.ca);
        try (ProxyUnderTest proxy = ProxyUnderTest.withLegs(server.port(), "", good);
                Connection connection = Drivers.mariaDb(proxy.port(), "sslMode=disable")) {
            assertThat(Drivers.serverCipher(connection)).isNotEmpty();
        }
        String bad = "tls: { mode: %s, ca: '%s' }".formatted(mode, certificates.strangerCa);
        try (ProxyUnderTest proxy = ProxyUnderTest.withLegs(server.port(), "", bad)) {
            assertThatThrownBy(() -> Drivers.mariaDb(proxy.port(), "sslMode=disable"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(1042))
                    .hasMessageContaining("TLS/SSL error with the primary");
            assertThat(proxy.connections("server_tls_failed")).isEqualTo(1);
        }
    }

    @Test
    void certificatesAreReloadedForNewConnections() throws Exception {
        Path certificate = Files.copy(certificates.certificate, folder.resolve("live.pem"));
        Path key = Files.copy(certificates.key, folder.resolve("live.key"));
        String listen = "tls: { mode: required, certificate: '%s', key: '%s' }".formatted(certificate, key);
        String verify = "sslMode=verify-ca&serverSslCert=" + certificates.ca;
        try (ProxyUnderTest proxy = ProxyUnderTest.withLegs(server.port(), listen, "");
                Connection before = Drivers.mariaDb(proxy.port(), verify)) {
            var stranger = TestCertificates.authority("127.0.0.1");
            Files.writeString(certificate, stranger.getCertificatePEM());
            Files.writeString(key, stranger.getPrivateKeyPEM());
            proxy.server().configuration().apply(ProxyUnderTest.configOfLegs(server.port(), listen, ""));
            assertThatThrownBy(() -> Drivers.mariaDb(proxy.port(), verify).close())
                    .isInstanceOf(SQLException.class);
            assertThat(Drivers.query(before, "SELECT 1")).isEqualTo("1");

            Files.copy(certificates.certificate, certificate, StandardCopyOption.REPLACE_EXISTING);
            assertThatThrownBy(() -> proxy.server()
                            .configuration()
                            .apply(ProxyUnderTest.configOfLegs(server.port(), listen, "")))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("live.key");
            Files.copy(certificates.key, key, StandardCopyOption.REPLACE_EXISTING);
            proxy.server().configuration().apply(ProxyUnderTest.configOfLegs(server.port(), listen, ""));
            try (Connection after = Drivers.mariaDb(proxy.port(), verify)) {
                assertThat(Drivers.query(after, "SELECT 2")).isEqualTo("2");
            }
        }
    }

    @Test
    void authoritiesForTheServerAreReloadedAndModesAreNot() throws Exception {
        String wrong = "tls: { mode: verify-ca, ca: '%s' }".formatted(certificates.strangerCa);
        String weaker = "tls: { mode: required }";
        String right = "tls: { mode: verify-ca, ca: '%s' }".formatted(certificates.ca);
        try (ProxyUnderTest proxy = ProxyUnderTest.withLegs(server.port(), "", wrong)) {
            assertThatThrownBy(() -> Drivers.mariaDb(proxy.port(), "sslMode=disable"))
                    .isInstanceOf(SQLException.class);
            assertThat(proxy.server()
                            .configuration()
                            .apply(ProxyUnderTest.configOfLegs(server.port(), "", weaker))
                            .notApplied()
                            .waits())
                    .anySatisfy(
                            line -> assertThat(line).startsWith("primary.tls.mode changed from verify-ca to required"));
            assertThatThrownBy(() -> Drivers.mariaDb(proxy.port(), "sslMode=disable"))
                    .as("the server is still checked")
                    .isInstanceOf(SQLException.class);
            assertThat(proxy.server()
                            .configuration()
                            .apply(ProxyUnderTest.configOfLegs(server.port(), "", right))
                            .notApplied()
                            .waits())
                    .anySatisfy(line -> assertThat(line).startsWith("primary.tls names other files"));
            try (Connection connection = Drivers.mariaDb(proxy.port(), "sslMode=disable")) {
                assertThat(Drivers.serverCipher(connection)).isNotEmpty();
            }
        }
    }

    @Test
    void passthroughRelaysTheServersOwnTls() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.withLegs(server.port(), "tls: { mode: passthrough }", "")) {
            try (Connection connection =
                            Drivers.mariaDb(proxy.port(), "sslMode=verify-full&serverSslCert=" + certificates.ca);
                    Connection compressed = Drivers.mysql(proxy.port(), "sslMode=REQUIRED&useCompression=true")) {
                assertThat(Drivers.serverCipher(connection)).isNotEmpty();
                assertThat(Drivers.query(connection, "SELECT REPEAT('x', 9000000)"))
                        .hasSize(9_000_000);
                assertThat(Drivers.query(compressed, "SHOW SESSION STATUS LIKE 'Compression'"))
                        .isEqualTo("ON");
                assertThat(proxy.connections("passthrough")).isEqualTo(2);
            }
            try (Connection plain = Drivers.mariaDb(proxy.port(), "sslMode=disable")) {
                assertThat(Drivers.query(plain, "SELECT 3")).isEqualTo("3");
                assertThat(proxy.connections("accepted")).isEqualTo(1);
            }
        }
    }
}
