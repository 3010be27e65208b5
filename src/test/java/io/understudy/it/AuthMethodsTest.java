package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/**
 * Logs in with the authentication methods of MariaDB on a real server, directly and through the proxy. Other tests
 * check the packets exchanged.
 */
class AuthMethodsTest {
    private static final String USER = "it_method";

    private static String outcome(InetSocketAddress at, String user, String password) {
        try (Connection connection = Driver.MARIADB.connect(at, user, password, "")) {
            return connection.getMetaData().getUserName();
        } catch (SQLException e) {
            return e.getErrorCode() + " " + e.getSQLState() + " "
                    + String.valueOf(e.getMessage()).replaceAll("conn=\\d+", "");
        }
    }

    private static void account(ServerUnderTest server, String identified) {
        server.execute(
                "DROP USER IF EXISTS " + USER + "@'%'",
                "CREATE USER " + USER + "@'%' IDENTIFIED " + identified,
                "GRANT ALL ON " + ServerUnderTest.SCHEMA + ".* TO " + USER + "@'%'");
    }

    @Test
    void ed25519LogsInThroughTheProxy() throws Exception {
        ServerUnderTest server = ServerUnderTest.shared();
        assumeTrue(server.isMariaDb(), "ed25519 is MariaDB's");
        assumeTrue(
                "1"
                        .equals(server.query(
                                "SELECT COUNT(*) FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'ed25519'")),
                "this server has no plugin ed25519 installed (INSTALL SONAME 'auth_ed25519')");
        account(server, "VIA ed25519 USING PASSWORD('secret')");
        try (ProxyUnderTest proxy = ProxyUnderTest.to(server.address())) {
            assertThat(outcome(proxy.address(), USER, "secret")).startsWith(USER);
            assertThat(outcome(proxy.address(), USER, "wrong"))
                    .startsWith("1045")
                    .isEqualTo(outcome(server.address(), USER, "wrong"));
        }
        server.execute("DROP USER " + USER + "@'%'");
    }

    /** The server sends error 1698 over TCP, with and without the proxy. */
    @Test
    void unixSocketAuthenticationIsRefusedOverTcp() throws Exception {
        ServerUnderTest server = ServerUnderTest.shared();
        assumeTrue(server.isMariaDb(), "the syntax is MariaDB's");
        account(server, "VIA unix_socket");
        try (ProxyUnderTest proxy = ProxyUnderTest.to(server.address())) {
            assertThat(outcome(proxy.address(), USER, ""))
                    .startsWith("1698")
                    .isEqualTo(outcome(server.address(), USER, ""));
        }
        server.execute("DROP USER " + USER + "@'%'");
    }

    /**
     * {@code check --connect} warns of this: behind a Unix socket the server authenticates the proxy's user for every
     * client.
     */
    @Test
    void unixSocketAuthenticationSeesTheProxysUser() throws Exception {
        try (EmbeddedServer embedded = EmbeddedServer.start(ServerOptions.of(72))) {
            Path socket = embedded.socket().orElse(null);
            assumeTrue(socket != null, "the server's socket file has too long a path here");
            ServerUnderTest server = ServerUnderTest.of(embedded);
            server.prepare();
            String name = System.getProperty("user.name");
            if (name.equals("root")) {
                server.execute("ALTER USER root@localhost IDENTIFIED VIA unix_socket");
            } else {
                server.execute(
                        "CREATE USER '" + name + "'@localhost IDENTIFIED VIA unix_socket",
                        "GRANT ALL ON " + ServerUnderTest.SCHEMA + ".* TO '" + name + "'@localhost");
            }
            String yaml = """
                    listen: { address: "127.0.0.1:0" }
                    primary: { address: "unix:%s" }
                    admin: { enabled: false }
                    """.formatted(socket);
            try (ProxyUnderTest proxy = ProxyUnderTest.start(yaml)) {
                assertThat(outcome(proxy.address(), name, "not asked for")).startsWith(name);
            }
        }
    }
}
