package io.understudy.it.legs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.it.ProxyUnderTest;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * MariaDB's {@code redirect_url} moves drivers to another server by itself, but not past the proxy. From 11.5 on also
 * at the login: that part needs such a server by {@code -Dunderstudy.it.server}.
 */
class RedirectServerTest {
    private static final int OTHER = 4711;

    static EmbeddedServer server;
    static int port;
    static Connection admin;
    static EmbeddedServer other;

    private final GtidProbe probe = new GtidProbe();

    @BeforeAll
    static void start() throws SQLException {
        String[] given = System.getProperty("understudy.it.server", "").split(",", -1);
        server = EmbeddedServer.start(ServerOptions.of(1));
        other = EmbeddedServer.start(ServerOptions.of(OTHER));
        for (EmbeddedServer one : List.of(server, other)) {
            one.execute("CREATE USER app IDENTIFIED BY 'secret'", "GRANT ALL ON *.* TO app");
        }
        port = given.length == 3 ? Integer.parseInt(given[0].substring(given[0].lastIndexOf(':') + 1)) : server.port();
        if (given.length == 3) {
            admin = DriverManager.getConnection("jdbc:mariadb://" + given[0] + "/", given[1], given[2]);
            run("CREATE OR REPLACE USER app IDENTIFIED BY 'secret'");
            run("GRANT ALL ON *.* TO app");
        } else {
            admin = connect(port);
        }
    }

    @AfterAll
    static void stop() throws SQLException {
        admin.close();
        server.close();
        other.close();
    }

    private static void run(String sql) throws SQLException {
        try (Statement statement = admin.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String url() {
        return "'mariadb://127.0.0.1:" + other.port() + "'";
    }

    @BeforeEach
    @AfterEach
    void directNobody() throws SQLException {
        run("SET GLOBAL redirect_url=''");
    }

    private static Connection connect(int port) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + port + "/?permitRedirect=true&allowMultiQueries=true", "app", "secret");
    }

    private static int serverId(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@server_id")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static double removed(ProxyUnderTest proxy) {
        return proxy.meters().get("understudy.redirects.removed").counter().count();
    }

    @Test
    void aDriverThatFollowsRedirectionsStaysOnTheProxyAtLogin() throws Exception {
        DatabaseMetaData version = admin.getMetaData();
        assumeTrue(
                version.getDatabaseMajorVersion() * 100 + version.getDatabaseMinorVersion() >= 1105,
                "needs -Dunderstudy.it.server=host:port,user,password of MariaDB 11.5 or newer");
        run("SET GLOBAL redirect_url=" + url());
        try (Connection direct = connect(port)) {
            assertThat(serverId(direct)).as("the driver follows").isEqualTo(OTHER);
        }
        try (ProxyUnderTest proxy = ProxyUnderTest.withLegs(port, "", "");
                Connection through = connect(port(proxy))) {
            assertThat(serverId(through)).isNotEqualTo(OTHER);
            assertThat(removed(proxy)).isEqualTo(1);
        }
    }

    @Test
    void nothingIsCountedWhereNobodyIsDirected() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.withLegs(port, "", "");
                Connection through = connect(port(proxy))) {
            assertThat(serverId(through)).isNotEqualTo(OTHER);
            assertThat(removed(proxy)).isZero();
        }
    }

    @Test
    void aSessionThatIsDirectedLaterStaysOnTheProxy() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.withLegs(port, "", "");
                ProxyUnderTest observed = ProxyUnderTest.withLegs(port, "", "", probe)) {
            stays(proxy);
            stays(observed);
        }
    }

    private static void stays(ProxyUnderTest proxy) throws SQLException {
        try (Connection through = connect(port(proxy));
                Statement statement = through.createStatement()) {
            statement.execute("SET SESSION redirect_url=" + url());
            assertThat(serverId(through)).isNotEqualTo(OTHER);
            assertThat(removed(proxy)).isEqualTo(1);
            statement.execute("DO 1; SET SESSION redirect_url=" + url() + ", autocommit=1");
            assertThat(serverId(through)).isNotEqualTo(OTHER);
            assertThat(removed(proxy)).isEqualTo(2);
        }
    }

    private static int port(ProxyUnderTest proxy) {
        return proxy.address().getPort();
    }
}
