package io.understudy.it.legs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.it.ProxyUnderTest;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code as-client}: the server's leg uses TLS and compression like the client's leg. Runs on the embedded MariaDB, or
 * on the server of {@code -Dunderstudy.it.server}, which must offer TLS.
 */
@Tag("long")
class AsClientTest {
    private static final String BOTH = "tls: { mode: as-client }, compression: as-client";

    @TempDir
    static Path folder;

    private static @Nullable EmbeddedServer embedded;
    private static TestCertificates certificates;
    private static int port;

    @BeforeAll
    static void start() throws Exception {
        certificates = new TestCertificates(folder);
        String[] given = System.getProperty("understudy.it.server", "").split(",", -1);
        if (given.length == 3) {
            port = Integer.parseInt(given[0].substring(given[0].lastIndexOf(':') + 1));
        } else {
            embedded = EmbeddedServer.start(ServerOptions.of(1)
                    .withArguments("--ssl-cert=" + certificates.certificate, "--ssl-key=" + certificates.key));
            port = embedded.port();
        }
        String user = given.length == 3 ? given[1] : "root";
        String password = given.length == 3 ? given[2] : "";
        try (Connection admin = DriverManager.getConnection(
                        "jdbc:mariadb://127.0.0.1:" + port + "/?allowPublicKeyRetrieval=true&sslMode=disable",
                        user,
                        password);
                Statement statement = admin.createStatement()) {
            for (String[] account : new String[][] {{"app", ""}, {"tls_only", " REQUIRE SSL"}}) {
                statement.execute("DROP USER IF EXISTS " + account[0]);
                statement.execute("CREATE USER " + account[0] + " IDENTIFIED BY 'secret'" + account[1]);
            }
        }
    }

    @AfterAll
    static void stop() {
        if (embedded != null) {
            embedded.close();
        }
    }

    private static ProxyUnderTest proxy(String primary) throws Exception {
        return ProxyUnderTest.withLegs(
                port,
                "tls: { mode: optional, certificate: '%s', key: '%s' }"
                        .formatted(certificates.certificate, certificates.key),
                primary);
    }

    private static Connection connect(int at, String driver, String user, boolean tls, boolean compressed)
            throws SQLException {
        String options = driver.equals("mariadb")
                ? "sslMode=" + (tls ? "trust" : "disable")
                : "characterEncoding=utf8&sslMode=" + (tls ? "REQUIRED" : "DISABLED");
        return DriverManager.getConnection(
                "jdbc:%s://127.0.0.1:%d/?allowPublicKeyRetrieval=true&useCompression=%s&%s"
                        .formatted(driver, at, compressed, options),
                user,
                "secret");
    }

    @ParameterizedTest(name = "{0}, TLS {1}, compression {2}")
    @CsvSource({
        "mariadb, false, false",
        "mariadb, false, true",
        "mariadb, true, false",
        "mariadb, true, true",
        "mysql, false, false",
        "mysql, false, true",
        "mysql, true, false",
        "mysql, true, true",
    })
    void theServersLegIsTheClients(String driver, boolean tls, boolean compressed) throws Exception {
        try (ProxyUnderTest proxy = proxy(BOTH);
                Connection direct = connect(port, driver, "app", tls, compressed);
                Connection through = connect(proxy.port(), driver, "app", tls, compressed)) {
            for (Connection connection : new Connection[] {direct, through}) {
                assertThat(Drivers.query(connection, "SHOW SESSION STATUS LIKE 'Compression'"))
                        .isEqualTo(compressed ? "ON" : "OFF");
                assertThat(Drivers.query(connection, "SHOW SESSION STATUS LIKE 'Ssl_version'")
                                .isEmpty())
                        .isEqualTo(!tls);
                assertThat(Drivers.query(connection, "SELECT REPEAT('x', 300000)"))
                        .hasSize(300_000);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"mariadb", "mysql"})
    void anAccountThatRequiresTlsIsRefusedWithoutTlsAsDirectly(String driver) throws Exception {
        try (ProxyUnderTest proxy = proxy(BOTH)) {
            for (int at : new int[] {port, proxy.port()}) {
                assertThatThrownBy(() -> connect(at, driver, "tls_only", false, false))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getErrorCode()).isEqualTo(1045));
                try (Connection connection = connect(at, driver, "tls_only", true, false)) {
                    assertThat(Drivers.query(connection, "SELECT 1")).isEqualTo("1");
                }
            }
        }
    }

    @Test
    void withoutAsClientTheServersLegSatisfiesRequireSsl() throws Exception {
        try (ProxyUnderTest proxy = proxy("tls: { mode: preferred }");
                Connection connection = connect(proxy.port(), "mariadb", "tls_only", false, false)) {
            assertThat(Drivers.serverCipher(connection)).isNotEmpty();
        }
    }

    @Test
    void aServerWithoutTlsOffersNoneThroughTheProxy() throws Exception {
        try (EmbeddedServer plain = EmbeddedServer.start(ServerOptions.of(2).withArguments("--skip-ssl"))) {
            plain.execute("CREATE USER app IDENTIFIED BY 'secret'");
            try (ProxyUnderTest proxy = ProxyUnderTest.withLegs(
                    plain.port(),
                    "tls: { mode: optional, certificate: '%s', key: '%s' }"
                            .formatted(certificates.certificate, certificates.key),
                    BOTH)) {
                for (String driver : new String[] {"mariadb", "mysql"}) {
                    String direct = refusal(plain.port(), driver);
                    assertThat(refusal(proxy.port(), driver)).isEqualTo(direct);
                }
                try (Connection connection = connect(proxy.port(), "mariadb", "app", false, true)) {
                    assertThat(Drivers.query(connection, "SHOW SESSION STATUS LIKE 'Compression'"))
                            .isEqualTo("ON");
                }
            }
        }
    }

    private static String refusal(int at, String driver) {
        try (Connection connection = connect(at, driver, "app", true, false)) {
            return "none: " + connection.getMetaData().getURL();
        } catch (SQLException e) {
            return e.getErrorCode() + " " + e.getSQLState() + " "
                    + String.valueOf(e.getMessage()).replaceFirst("conn=\\d+", "conn=N");
        }
    }
}
