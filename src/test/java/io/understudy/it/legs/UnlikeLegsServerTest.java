package io.understudy.it.legs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.mysql.cj.jdbc.JdbcConnection;
import io.understudy.config.Address;
import io.understudy.it.ProxyUnderTest;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Authentication methods that send the password in clear text over TLS and encrypted otherwise, on all combinations of
 * legs, at login and in COM_CHANGE_USER, always with full authentication. Needs a MySQL server given by
 * {@code -Dunderstudy.it.server}.
 */
class UnlikeLegsServerTest {
    private static final String PASSWORD = "Secret \u00e4 1";

    @TempDir
    static Path folder;

    private static TestCertificates certificates;
    private static int port;
    private static Connection admin;

    @BeforeAll
    static void start() throws Exception {
        String[] given = System.getProperty("understudy.it.server", "").split(",", -1);
        assumeTrue(given.length == 3, "needs -Dunderstudy.it.server=host:port,user,password of a MySQL server");
        int colon = given[0].lastIndexOf(':');
        port = Integer.parseInt(given[0].substring(colon + 1));
        admin = DriverManager.getConnection(
                "jdbc:mysql://" + given[0] + "/?allowPublicKeyRetrieval=true&sslMode=DISABLED", given[1], given[2]);
        String version = Drivers.query(admin, "SELECT CONCAT(VERSION(), @@version_comment)");
        assumeTrue(!version.toLowerCase(java.util.Locale.ROOT).contains("mariadb"), "needs a MySQL server");
        certificates = new TestCertificates(folder);
        try (Statement statement = admin.createStatement()) {
            for (String method : new String[] {"caching_sha2_password", "sha256_password"}) {
                for (String user : new String[] {"one", "two"}) {
                    String account = "'legs_" + user + "_" + method.charAt(0) + "'@'%'";
                    statement.execute("DROP USER IF EXISTS " + account);
                    statement.execute(
                            "CREATE USER " + account + " IDENTIFIED WITH " + method + " BY '" + PASSWORD + "'");
                }
            }
        }
    }

    @AfterAll
    static void stop() throws SQLException {
        if (admin != null) {
            admin.close();
        }
    }

    private static ProxyUnderTest proxy(boolean clientTls, boolean serverTls) throws Exception {
        return ProxyUnderTest.withLegs(
                port, listenTls(clientTls), "tls: { mode: " + (serverTls ? "required" : "disabled") + " }");
    }

    private static String listenTls(boolean on) {
        return on
                ? "tls: { mode: required, certificate: '%s', key: '%s' }"
                        .formatted(certificates.certificate, certificates.key)
                : "tls: { mode: disabled }";
    }

    private static Connection connect(int at, boolean tls, String method, String user, String password)
            throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        properties.setProperty("sslMode", tls ? "REQUIRED" : "DISABLED");
        properties.setProperty("allowPublicKeyRetrieval", "true");
        properties.setProperty("characterEncoding", "utf8");
        properties.setProperty("passwordCharacterEncoding", "utf8");
        properties.setProperty(
                "defaultAuthenticationPlugin",
                method.equals("sha256_password")
                        ? "com.mysql.cj.protocol.a.authentication.Sha256PasswordPlugin"
                        : "com.mysql.cj.protocol.a.authentication.CachingSha2PasswordPlugin");
        return DriverManager.getConnection("jdbc:mysql://127.0.0.1:" + at + "/", properties);
    }

    /** Clears the server's cache of passwords for caching_sha2_password, so that full authentication is needed. */
    private static void forgetCachedPasswords() throws SQLException {
        try (Statement statement = admin.createStatement()) {
            statement.execute("FLUSH PRIVILEGES");
        }
    }

    @ParameterizedTest(name = "{0}: client TLS {1}, server TLS {2}")
    @CsvSource({
        "caching_sha2_password, false, false",
        "caching_sha2_password, false, true",
        "caching_sha2_password, true, false",
        "caching_sha2_password, true, true",
        "sha256_password, false, false",
        "sha256_password, false, true",
        "sha256_password, true, false",
        "sha256_password, true, true",
    })
    void logsInAndChangesUser(String method, boolean clientTls, boolean serverTls) throws Exception {
        String one = "legs_one_" + method.charAt(0);
        String two = "legs_two_" + method.charAt(0);
        try (ProxyUnderTest proxy = proxy(clientTls, serverTls)) {
            forgetCachedPasswords();
            try (Connection connection = connect(proxy.port(), clientTls, method, one, PASSWORD)) {
                assertThat(Drivers.query(connection, "SELECT USER()")).startsWith(one + "@");
                assertThat(Drivers.serverCipher(connection).isEmpty()).isEqualTo(!serverTls);
                for (String user : new String[] {two, one, two}) {
                    forgetCachedPasswords();
                    connection.unwrap(JdbcConnection.class).changeUser(user, PASSWORD);
                    assertThat(Drivers.query(connection, "SELECT USER()")).startsWith(user + "@");
                }
                // The password is in the server's cache now: fast authentication, no password on either leg.
                connection.unwrap(JdbcConnection.class).changeUser(two, PASSWORD);
                assertThat(Drivers.query(connection, "SELECT USER()")).startsWith(two + "@");
                forgetCachedPasswords();
                assertThatThrownBy(() -> connection.unwrap(JdbcConnection.class).changeUser(one, "wrong"))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getErrorCode()).isEqualTo(1045));
            }
            forgetCachedPasswords();
            assertThatThrownBy(() -> connect(proxy.port(), clientTls, method, one, "wrong"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(1045));
        }
    }

    /** The client starts with one method, and the account uses the other. */
    @ParameterizedTest(name = "client TLS {0}, server TLS {1}")
    @CsvSource({"false, true", "true, false"})
    void theServerSwitchesTheAuthenticationMethod(boolean clientTls, boolean serverTls) throws Exception {
        try (ProxyUnderTest proxy = proxy(clientTls, serverTls)) {
            forgetCachedPasswords();
            try (Connection connection = connect(proxy.port(), clientTls, "sha256_password", "legs_one_c", PASSWORD)) {
                connection.unwrap(JdbcConnection.class).changeUser("legs_one_s", PASSWORD);
                assertThat(Drivers.query(connection, "SELECT USER()")).startsWith("legs_one_s@");
                forgetCachedPasswords();
                connection.unwrap(JdbcConnection.class).changeUser("legs_two_c", PASSWORD);
                assertThat(Drivers.query(connection, "SELECT USER()")).startsWith("legs_two_c@");
            }
        }
    }

    /** A socket file counts as secure, as TLS does. */
    @ParameterizedTest(name = "client TLS {0}")
    @ValueSource(booleans = {false, true})
    void aSessionThatHasMovedChangesUserAsItsNewLegNeedsIt(boolean clientTls) throws Exception {
        String plain = "127.0.0.1:" + port;
        try (ProxyUnderTest proxy = ProxyUnderTest.start(
                """
                listen: { address: "127.0.0.1:0", %s }
                primary: { address: "unix:%s", tls: { mode: disabled } }
                failover: { sessions: move, accounts: [ { user: legs_one_c, password: "%s" } ] }
                admin: { enabled: false }
                """.formatted(listenTls(clientTls), Drivers.query(admin, "SELECT @@socket"), PASSWORD))) {
            forgetCachedPasswords();
            try (Connection connection =
                    connect(proxy.port(), clientTls, "caching_sha2_password", "legs_one_c", PASSWORD)) {
                String before = Drivers.query(connection, "SELECT CONNECTION_ID()");
                proxy.server().choosePrimary(Address.parse(plain), true);
                assertThat(Drivers.query(connection, "SELECT CONNECTION_ID()")).isNotEqualTo(before);
                forgetCachedPasswords();
                connection.unwrap(JdbcConnection.class).changeUser("legs_two_c", PASSWORD);
                assertThat(Drivers.query(connection, "SELECT USER()")).startsWith("legs_two_c@");
            }
        }
    }
}
