package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.understudy.config.Address;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.protocol.CommandCode;
import io.understudy.testkit.Bytes;
import java.io.ByteArrayInputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Prepared statements and KILL of sessions that go on at another server, with both drivers. The servers are two
 * embedded ones that know nothing of each other, or two by address:
 * {@code -Dunderstudy.it.server=host:port,user,password -Dunderstudy.it.standby=host:port}, one account for both.
 */
@Timeout(300)
class MovedStatementsServerTest {
    private static final String PASSWORD = CommitProxy.PASSWORD;
    private static final String MARIADB = "jdbc:mariadb://127.0.0.1:%d/" + ServerUnderTest.SCHEMA
            + "?sslMode=disable&allowPublicKeyRetrieval=true&useServerPrepStmts=true";
    private static final String MYSQL = "jdbc:mysql://127.0.0.1:%d/" + ServerUnderTest.SCHEMA
            + "?sslMode=DISABLED&allowPublicKeyRetrieval=true&useServerPrepStmts=true&useCursorFetch=true";

    private static final ServerUnderTest FIRST = ServerUnderTest.shared();
    private static ServerUnderTest second;

    @TempDir
    private Path folder;

    @BeforeAll
    static void prepare() throws SQLException {
        String text = System.getProperty("understudy.it.standby", "");
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            second = ServerUnderTest.of(EmbeddedServer.start(ServerOptions.of(72)));
            second.prepare();
        } else {
            InetSocketAddress address =
                    new InetSocketAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
            second = ServerUnderTest.at(address, FIRST.user(), FIRST.password());
        }
        for (ServerUnderTest server : List.of(FIRST, second)) {
            server.execute(
                    "CREATE TABLE " + ServerUnderTest.SCHEMA
                            + ".moved (id INT PRIMARY KEY, v VARCHAR(40), b LONGBLOB, d DATETIME(6), n DECIMAL(20, 4))",
                    "INSERT INTO " + ServerUnderTest.SCHEMA
                            + ".moved (id, v) VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four'), (5, 'five')",
                    "DROP USER IF EXISTS app",
                    "DROP USER IF EXISTS monitor",
                    "CREATE USER app IDENTIFIED BY '" + PASSWORD + "'",
                    "CREATE USER monitor IDENTIFIED BY '" + PASSWORD + "'",
                    "GRANT ALL ON " + ServerUnderTest.SCHEMA + ".* TO app",
                    "GRANT ALL ON *.* TO monitor");
            // caching_sha2_password asks for a password that it has not seen, over TLS only.
            DriverManager.getConnection(MARIADB.formatted(server.address().getPort()), "app", PASSWORD)
                    .close();
        }
    }

    private static ProxyUnderTest proxy() throws Exception {
        return proxy("", "disabled", "accounts: [ { user: app, password: " + PASSWORD + " } ]");
    }

    /** @param listen further keys in flow style, with a comma in front */
    private static ProxyUnderTest proxy(String listen, String tls, String failover) throws Exception {
        return ProxyUnderTest.start("""
                listen: { address: "127.0.0.1:0"%s }
                primary:
                  address: "127.0.0.1:%d"
                  tls: { mode: %s }
                  monitor: { user: monitor, password: %s }
                standbys:
                  - { name: one, address: "127.0.0.1:%d", tls: { mode: disabled }, user: monitor, password: %s }
                  - { name: two, address: "127.0.0.1:%d", tls: { mode: disabled }, user: monitor, password: %s }
                failover: { sessions: move, hold: 60s, %s }
                admin: { enabled: false }
                """.formatted(
                        listen,
                        FIRST.address().getPort(),
                        tls,
                        PASSWORD,
                        FIRST.address().getPort(),
                        PASSWORD,
                        second.address().getPort(),
                        PASSWORD,
                        failover));
    }

    private static Connection client(ProxyUnderTest proxy, String url) throws SQLException {
        return DriverManager.getConnection(url.formatted(proxy.port()), "app", PASSWORD);
    }

    private static void move(ProxyUnderTest proxy, ServerUnderTest to, Connection... clients) throws Exception {
        proxy.server().hold(Duration.ofSeconds(5), new CompletableFuture<>());
        proxy.server().choosePrimary(Address.parse("127.0.0.1:" + to.address().getPort()), true);
        proxy.server().release();
        for (Connection client : clients) {
            assertThat(value(client, "SELECT @@port"))
                    .isEqualTo(String.valueOf(to.address().getPort()));
        }
    }

    private static String value(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }

    private static String found(PreparedStatement select, int id) throws SQLException {
        select.setInt(1, id);
        try (ResultSet row = select.executeQuery()) {
            return row.next() ? row.getString(1) : "none";
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {MARIADB, MYSQL})
    void statementsGoOn(String url) throws Exception {
        try (ProxyUnderTest proxy = proxy();
                Connection client = client(proxy, url)) {
            try (PreparedStatement closed = client.prepareStatement("SELECT id FROM moved WHERE id > ?")) {
                closed.setInt(1, 3);
                closed.executeQuery().close();
            }
            PreparedStatement select = client.prepareStatement("SELECT v FROM moved WHERE id = ?");
            PreparedStatement update = client.prepareStatement("UPDATE moved SET v = ?, d = ?, n = ? WHERE id = ?");
            PreparedStatement unused = client.prepareStatement("SELECT id FROM moved WHERE v = ?");
            assertThat(found(select, 1)).isEqualTo("one");
            assertThat(found(select, 2)).isEqualTo("two");
            update(update, "four");
            ServerUnderTest here = second;
            for (int times = 0; times < 3; times++) {
                move(proxy, here, client);
                assertThat(found(select, 1)).isEqualTo("one");
                assertThat(found(select, 2)).isEqualTo("two");
                update(update, "at " + here.address().getPort());
                assertThat(here.query("SELECT CONCAT(v, '|', d, '|', n) FROM " + ServerUnderTest.SCHEMA
                                + ".moved WHERE id = 4"))
                        .isEqualTo("at " + here.address().getPort() + "|2026-01-02 03:04:05.000000|12.5000");
                unused.setString(1, "five");
                try (ResultSet row = unused.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getInt(1)).isEqualTo(5);
                }
                select.setString(1, "3");
                try (ResultSet row = select.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getString(1)).isEqualTo("three");
                }
                select.setNull(1, Types.INTEGER);
                try (ResultSet row = select.executeQuery()) {
                    assertThat(row.next()).isFalse();
                }
                for (int i = 0; i < 5; i++) {
                    try (PreparedStatement later = client.prepareStatement("SELECT ? + " + times + i)) {
                        assertThat(found(later, 1)).startsWith(String.valueOf(1 + times * 10 + i));
                    }
                }
                here = here == second ? FIRST : second;
            }
        }
    }

    /** MySQL's driver agrees on query attributes, which precede the text of a SET, too. */
    @ParameterizedTest
    @ValueSource(strings = {MARIADB, MYSQL})
    void statementsKeepTheModeOfTheirPreparation(String url) throws Exception {
        try (ProxyUnderTest proxy = proxy();
                Connection client = client(proxy, url);
                Statement statement = client.createStatement()) {
            statement.execute("SET sql_mode = 'ANSI_QUOTES'");
            PreparedStatement select = client.prepareStatement("SELECT \"v\" FROM moved WHERE id = ?");
            assertThat(found(select, 1)).isEqualTo("one");
            statement.execute("SET sql_mode = ''");
            for (ServerUnderTest here : List.of(second, FIRST)) {
                move(proxy, here, client);
                assertThat(found(select, 1)).isEqualTo("one");
                assertThat(value(client, "SELECT \"v\"")).isEqualTo("v");
            }
        }
    }

    /** The server refuses to prepare a write in a session that may only read. */
    @ParameterizedTest
    @ValueSource(strings = {MARIADB, MYSQL})
    void aWriteIsPreparedForASessionThatMayOnlyRead(String url) throws Exception {
        try (ProxyUnderTest proxy = proxy();
                Connection client = client(proxy, url);
                Statement statement = client.createStatement()) {
            PreparedStatement update = client.prepareStatement("UPDATE moved SET v = ?, d = ?, n = ? WHERE id = ?");
            update(update, "before");
            statement.execute("PREPARE p FROM 'DELETE FROM moved WHERE id = 4711'");
            for (ServerUnderTest here : List.of(second, FIRST)) {
                statement.execute("SET SESSION TRANSACTION READ ONLY");
                move(proxy, here, client);
                assertThatThrownBy(() -> update(update, "never")).hasMessageContaining("READ ONLY");
                statement.execute("SET SESSION TRANSACTION READ WRITE");
                update(update, "behind");
                statement.execute("EXECUTE p");
            }
        }
    }

    /** The last insert id is carried, the next one is the new server's. */
    @ParameterizedTest
    @ValueSource(strings = {MARIADB, MYSQL})
    void theNextInsertIdIsTheNewServers(String url) throws Exception {
        for (ServerUnderTest server : List.of(FIRST, second)) {
            server.execute(
                    "DROP TABLE IF EXISTS " + ServerUnderTest.SCHEMA + ".numbered",
                    "CREATE TABLE " + ServerUnderTest.SCHEMA + ".numbered (id INT AUTO_INCREMENT PRIMARY KEY, v INT)");
        }
        try (ProxyUnderTest proxy = proxy();
                Connection client = client(proxy, url);
                Statement statement = client.createStatement()) {
            PreparedStatement insert = client.prepareStatement("INSERT INTO numbered (v) VALUES (?)");
            for (int round = 0; round < 2; round++) {
                move(proxy, second, client);
                insert.setInt(1, round);
                insert.executeUpdate();
                String number = String.valueOf(2 * round + 1);
                assertThat(second.query("SELECT MAX(id) FROM " + ServerUnderTest.SCHEMA + ".numbered"))
                        .isEqualTo(number);
                move(proxy, FIRST, client);
                assertThat(value(client, "SELECT LAST_INSERT_ID()")).isEqualTo(number);
                statement.execute("INSERT INTO numbered (v) VALUES (1)");
                assertThat(FIRST.query("SELECT MAX(id) FROM " + ServerUnderTest.SCHEMA + ".numbered"))
                        .isEqualTo(String.valueOf(round + 1));
                move(proxy, second, client);
                statement.execute("INSERT INTO numbered (v) VALUES (1)");
                assertThat(second.query("SELECT MIN(id) FROM " + ServerUnderTest.SCHEMA + ".numbered"))
                        .isEqualTo("1");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {MARIADB, MYSQL})
    void statementsOfPrepareGoOn(String url) throws Exception {
        try (ProxyUnderTest proxy = proxy();
                Connection client = client(proxy, url);
                Statement statement = client.createStatement()) {
            statement.execute("SET sql_mode = 'ANSI_QUOTES'");
            statement.execute("PREPARE p FROM 'SELECT \"v\" FROM moved WHERE id = 2'");
            statement.execute("SET sql_mode = ''");
            statement.execute("PREPARE q FROM 'SELECT 1'");
            statement.execute("PREPARE Q FROM 'SELECT ''two'', 2'");
            statement.execute("PREPARE gone FROM 'SELECT 1'");
            statement.execute("DEALLOCATE PREPARE gone");
            assertThatThrownBy(() -> statement.execute("DROP PREPARE gone")).isInstanceOf(SQLException.class);
            for (ServerUnderTest here : List.of(second, FIRST, second)) {
                move(proxy, here, client);
                assertThat(value(client, "EXECUTE p")).isEqualTo("two");
                assertThat(value(client, "EXECUTE q")).isEqualTo("two");
                assertThatThrownBy(() -> statement.execute("EXECUTE gone")).isInstanceOf(SQLException.class);
            }
        }
    }

    private static void update(PreparedStatement update, String to) throws SQLException {
        update.setString(1, to);
        update.setTimestamp(2, java.sql.Timestamp.valueOf("2026-01-02 03:04:05"));
        update.setBigDecimal(3, new java.math.BigDecimal("12.5"));
        update.setInt(4, 4);
        assertThat(update.executeUpdate()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {MARIADB, MYSQL})
    void cursorsAndLongValues(String url) throws Exception {
        try (ProxyUnderTest proxy = proxy();
                Connection client = client(proxy, url)) {
            PreparedStatement all = client.prepareStatement("SELECT id FROM moved WHERE id > ? ORDER BY id");
            all.setFetchSize(2);
            PreparedStatement write = client.prepareStatement("UPDATE moved SET b = ? WHERE id = ?");
            for (ServerUnderTest here : List.of(FIRST, second, FIRST)) {
                move(proxy, here, client);
                all.setInt(1, 0);
                int rows = 0;
                try (ResultSet row = all.executeQuery()) {
                    while (row.next()) {
                        assertThat(row.getInt(1)).isEqualTo(++rows);
                    }
                }
                assertThat(rows).isEqualTo(5);
                byte[] value = new byte[3_000_000 + here.address().getPort()];
                write.setBinaryStream(1, new ByteArrayInputStream(value), value.length);
                write.setInt(2, 5);
                assertThat(write.executeUpdate()).isEqualTo(1);
                assertThat(here.query("SELECT LENGTH(b) FROM " + ServerUnderTest.SCHEMA + ".moved WHERE id = 5"))
                        .isEqualTo(String.valueOf(value.length));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {MARIADB + "&useBulkStmts=true", MARIADB, MYSQL})
    void batches(String url) throws Exception {
        try (ProxyUnderTest proxy = proxy();
                Connection client = client(proxy, url)) {
            PreparedStatement insert = client.prepareStatement("INSERT INTO moved (id, v) VALUES (?, ?)");
            int id = 100;
            for (ServerUnderTest here : List.of(FIRST, second, FIRST)) {
                here.execute("DELETE FROM " + ServerUnderTest.SCHEMA + ".moved WHERE id >= 100");
                move(proxy, here, client);
                for (int i = 0; i < 20; i++) {
                    insert.setInt(1, id++);
                    insert.setString(2, "v" + i);
                    insert.addBatch();
                }
                assertThat(insert.executeBatch()).hasSize(20);
                assertThat(here.query(
                                "SELECT COUNT(DISTINCT v) FROM " + ServerUnderTest.SCHEMA + ".moved WHERE id >= 100"))
                        .isEqualTo("20");
                here.execute("DELETE FROM " + ServerUnderTest.SCHEMA + ".moved WHERE id >= 100");
            }
        }
    }

    /** A driver cancels by the thread id that it got at the login. */
    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {MARIADB, MYSQL})
    void aStatementIsCancelled(String url) throws Exception {
        try (ProxyUnderTest proxy = proxy();
                Connection client = client(proxy, url);
                Connection other = client(proxy, url)) {
            move(proxy, second, client, other);
            move(proxy, FIRST, client, other);
            try (Statement sleep = client.createStatement()) {
                sleep.setQueryTimeout(1);
                try (ResultSet row = sleep.executeQuery("SELECT SLEEP(3600), id FROM moved")) {
                    row.next();
                } catch (SQLException cancelled) {
                    // Some drivers say so, and some servers.
                }
            }
            assertThat(value(client, "SELECT 1")).isEqualTo("1");
            try (Statement kill = other.createStatement()) {
                kill.execute("KILL CONNECTION " + value(client, "SELECT CONNECTION_ID()"));
            }
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() ->
                            assertThatThrownBy(() -> value(client, "SELECT 1")).isInstanceOf(SQLException.class));
            assertThat(value(other, "SELECT 1")).isEqualTo("1");
        }
    }

    /** As libmysql does. MariaDB 11.4 crashes at an execution whose types it has never seen. */
    @Test
    void typesThatAreNotRepeatedAreGiven() throws Exception {
        assumeTrue(FIRST.isMariaDb(), "the raw client knows no other authentication");
        try (ProxyUnderTest proxy = proxy();
                RawClient client = RawClient.open(proxy.address())) {
            client.login("app", PASSWORD, ServerUnderTest.SCHEMA, RawClient.PLAIN);
            client.command(CommandCode.STMT_PREPARE, "SELECT CONCAT(@@port, ':', v) FROM moved WHERE id = ?");
            int id = ByteBuffer.wrap(client.read().payload())
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .getInt(1);
            for (int packet = 0; packet < 4; packet++) {
                client.read();
            }
            byte[] first = Bytes.concat(Bytes.int4(id), Bytes.of(0), Bytes.int4(1), Bytes.of(0, 1, 3, 0, 2, 0, 0, 0));
            byte[] next = Bytes.concat(Bytes.int4(id), Bytes.of(0), Bytes.int4(1), Bytes.of(0, 0, 2, 0, 0, 0));
            assertThat(row(client, first)).endsWith(FIRST.address().getPort() + ":two");
            for (ServerUnderTest here : List.of(second, FIRST)) {
                proxy.server().hold(Duration.ofSeconds(5), new CompletableFuture<>());
                proxy.server()
                        .choosePrimary(
                                Address.parse("127.0.0.1:" + here.address().getPort()), true);
                proxy.server().release();
                assertThat(row(client, next)).endsWith(here.address().getPort() + ":two");
                assertThat(row(client, next)).endsWith(here.address().getPort() + ":two");
            }
        }
    }

    /** Returns the only row of an execution. */
    private static String row(RawClient client, byte[] execution) throws Exception {
        client.command(CommandCode.STMT_EXECUTE, execution);
        for (int packet = 0; packet < 3; packet++) {
            client.read();
        }
        String row = new String(client.read().payload(), StandardCharsets.UTF_8);
        client.read();
        return row;
    }

    /** caching_sha2_password lets in whom it knows without a password, unless the proxy asks for it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void overTlsTheClientIsAskedForItsPassword(boolean asked) throws Exception {
        X509Bundle certificate = new CertificateBuilder()
                .ecp256()
                .subject("CN=127.0.0.1")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        Path pem = Files.writeString(folder.resolve("p.pem"), certificate.getCertificatePEM());
        Path key = Files.writeString(folder.resolve("p.key"), certificate.getPrivateKeyPEM());
        String listen = ", tls: { mode: required, certificate: '" + pem + "', key: '" + key + "' }";
        try (ProxyUnderTest proxy = proxy(listen, "required", "fullAuthentication: " + asked);
                Connection client = client(proxy, MARIADB.replace("=disable", "=trust"))) {
            if (asked || FIRST.isMariaDb()) {
                move(proxy, second, client);
                assertThat(value(client, "SHOW STATUS WHERE Variable_name = 'Ssl_cipher' AND Value <> ''"))
                        .as("TLS of the new server's leg")
                        .isNotEmpty();
            } else {
                move(proxy, second);
                assertThatThrownBy(() -> value(client, "SELECT 1")).isInstanceOf(SQLException.class);
                assertThat(proxy.count("understudy.sessions.moved", "no_credential"))
                        .isEqualTo(1);
            }
        }
    }
}
