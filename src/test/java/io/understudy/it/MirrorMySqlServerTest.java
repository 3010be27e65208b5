package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The mirror between a MySQL primary and its replica with {@code super_read_only}, which are given by address:
 * {@code -Dunderstudy.it.server=host:port,user,password -Dunderstudy.it.standby=host:port}, one account for both.
 * Creates the schema {@code shop} and three accounts, and switches on the replica's general log.
 */
@Timeout(120)
@EnabledIfSystemProperty(named = "understudy.it.standby", matches = ".+")
class MirrorMySqlServerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final ServerUnderTest PRIMARY = ServerUnderTest.shared();
    private static final String STANDBY = System.getProperty("understudy.it.standby", "");
    private static final int STANDBY_PORT =
            Integer.parseInt(STANDBY.isEmpty() ? "0" : STANDBY.substring(STANDBY.lastIndexOf(':') + 1));

    @BeforeAll
    static void prepare() throws Exception {
        String password = MirrorProxy.PASSWORD;
        List<String> sql = new ArrayList<>(List.of("DROP DATABASE IF EXISTS shop", "CREATE DATABASE shop"));
        for (String user : List.of("understudy", "understudy_mirror", "app")) {
            sql.add("DROP USER IF EXISTS " + user);
            sql.add("CREATE USER " + user + " IDENTIFIED BY '" + password + "'");
        }
        sql.add("GRANT REPLICATION CLIENT, PROCESS ON *.* TO understudy");
        sql.add("GRANT REPLICATION CLIENT ON *.* TO understudy_mirror");
        sql.add("GRANT SELECT ON shop.* TO understudy_mirror");
        sql.add("GRANT ALL ON shop.* TO app");
        sql.add("CREATE TABLE shop.orders (id INT PRIMARY KEY AUTO_INCREMENT, note VARCHAR(1000))");
        sql.add("INSERT INTO shop.orders (note) VALUES (REPEAT('a', 900))");
        for (int i = 0; i < 14; i++) {
            sql.add("INSERT INTO shop.orders (note) SELECT note FROM shop.orders");
        }
        PRIMARY.execute(sql.toArray(new String[0]));
        standby("SET GLOBAL log_output = 'TABLE'");
        standby("SET GLOBAL general_log = 1");
        String rows = PRIMARY.query("SELECT COUNT(*) FROM shop.orders");
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> query("SELECT COUNT(*) FROM shop.orders").equals(rows));
        assertThat(query("SELECT @@GLOBAL.super_read_only")).isEqualTo("1");
    }

    private static Connection standby() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mysql://" + STANDBY + "/?sslMode=DISABLED&allowPublicKeyRetrieval=true",
                PRIMARY.user(),
                PRIMARY.password());
    }

    private static void standby(String sql) throws SQLException {
        try (Connection connection = standby();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String query(String sql) throws SQLException {
        try (Connection connection = standby();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : "";
        }
    }

    private static List<String> logged(String command, String marker) throws SQLException {
        List<String> texts = new ArrayList<>();
        try (Connection connection = standby();
                PreparedStatement statement = connection.prepareStatement("SELECT CONVERT(argument USING utf8mb4)"
                        + " FROM mysql.general_log WHERE command_type = ? AND user_host LIKE 'understudy_mirror[%'")) {
            statement.setString(1, command);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    if (rows.getString(1).contains(marker)) {
                        texts.add(rows.getString(1));
                    }
                }
            }
        }
        return texts;
    }

    private static MirrorProxy proxy() throws Exception {
        return proxy("rules: [ { name: all, sample: 100% } ]");
    }

    private static MirrorProxy proxy(String section) throws Exception {
        MirrorProxy proxy = MirrorProxy.start(PRIMARY.address().getPort(), STANDBY_PORT, section);
        proxy.awaitMirroring();
        return proxy;
    }

    @Test
    void textAndPreparedReadsArrive() throws Exception {
        try (MirrorProxy proxy = proxy();
                Connection connection = proxy.mysql("&useServerPrepStmts=true");
                Statement text = connection.createStatement()) {
            for (int id = 1; id <= 3; id++) {
                text.executeQuery("SELECT id FROM orders /* text-my */ WHERE id = " + id)
                        .close();
            }
            try (PreparedStatement statement =
                    connection.prepareStatement("SELECT id FROM orders /* prepared-my */ WHERE id = ? AND note <> ?")) {
                for (int id = 1; id <= 3; id++) {
                    statement.setInt(1, id);
                    statement.setString(2, "value " + id);
                    try (ResultSet rows = statement.executeQuery()) {
                        assertThat(rows.next()).isTrue();
                    }
                }
                statement.setInt(1, 4);
                statement.setBinaryStream(2, new ByteArrayInputStream("ahead".getBytes(StandardCharsets.US_ASCII)));
                statement.executeQuery().close();
            }
            await().atMost(PATIENCE).until(() -> logged("Query", "text-my").size() == 3);
            await().atMost(PATIENCE)
                    .until(() -> logged("Execute", "prepared-my").size() == 4);
            assertThat(logged("Execute", "prepared-my"))
                    .anyMatch(sql -> sql.contains("id = 2 AND note <> 'value 2'"))
                    .anyMatch(sql -> sql.contains("id = 4 AND note <> 'ahead'"));
            assertThat(proxy.executed("error")).isZero();
            assertThat(proxy.dropped()).isZero();
        }
    }

    /** A driver that has agreed on query attributes sends names beside the types, and values behind the parameters. */
    @Test
    void queryAttributesStayBehind() throws Exception {
        try (MirrorProxy proxy = proxy();
                Connection connection = proxy.mysql("&useServerPrepStmts=true");
                PreparedStatement statement =
                        connection.prepareStatement("SELECT id FROM orders /* attributes-my */ WHERE id = ?")) {
            com.mysql.cj.jdbc.JdbcStatement attributed = statement.unwrap(com.mysql.cj.jdbc.JdbcStatement.class);
            for (int id = 1; id <= 3; id++) {
                attributed.setAttribute("trace", "t-" + id);
                statement.setInt(1, id);
                try (ResultSet rows = statement.executeQuery()) {
                    assertThat(rows.next()).isTrue();
                }
            }
            await().atMost(PATIENCE)
                    .until(() -> logged("Execute", "attributes-my").size() == 3);
            assertThat(logged("Execute", "attributes-my")).allMatch(sql -> sql.matches(".*WHERE id = [123]"));
            assertThat(proxy.executed("error")).isZero();
            assertThat(proxy.dropped()).isZero();
        }
    }

    /** A scan is read ahead, which this product counts apart from what it reads when asked. */
    @Test
    void coldReadsIncludeWhatWasReadAhead() throws Exception {
        try (MirrorProxy proxy = proxy();
                Connection connection = proxy.mysql("");
                Statement text = connection.createStatement()) {
            await().atMost(PATIENCE).until(() -> proxy.coldReads() >= 0);
            double before = proxy.coldReads();
            long reads = Long.parseLong(status("Innodb_buffer_pool_reads"));
            long ahead = Long.parseLong(status("Innodb_buffer_pool_read_ahead"));
            text.executeQuery("SELECT COUNT(*), SUM(LENGTH(note)) FROM orders /* scan-my */")
                    .close();
            await().atMost(PATIENCE).until(() -> logged("Query", "scan-my").size() == 1 && proxy.executed("ok") > 0);
            long readsSince = Long.parseLong(status("Innodb_buffer_pool_reads")) - reads;
            long aheadSince = Long.parseLong(status("Innodb_buffer_pool_read_ahead")) - ahead;
            await().atMost(PATIENCE).until(() -> proxy.coldReads() - before >= readsSince + aheadSince);
            System.out.println("cold reads of a scan: " + readsSince + " on request, " + aheadSince + " ahead, metric "
                    + (proxy.coldReads() - before));
        }
    }

    private static String status(String name) throws SQLException {
        return query(
                "SELECT VARIABLE_VALUE FROM performance_schema.global_status WHERE VARIABLE_NAME = '" + name + "'");
    }

    @Test
    void timesAreComparedByDigest() throws Exception {
        try (MirrorProxy proxy = proxy();
                Connection connection = proxy.mysql("");
                Statement text = connection.createStatement()) {
            for (int i = 0; i < 30; i++) {
                text.executeQuery("SELECT note FROM orders /* ratio-my */ WHERE id = " + (i * 97))
                        .close();
            }
            await().atMost(PATIENCE).until(() -> proxy.executed("ok") >= 30);
            Map<?, ?> view = (Map<?, ?>) proxy.view();
            assertThat(String.valueOf(view.get("slowerOnStandby"))).contains("ratio=");
        }
    }

    /** The hint overrides the bound of the session; the server goes on when the client closes. */
    @Test
    void aReadThatOverridesTheBoundIsKilledOnTheStandby() throws Exception {
        PRIMARY.execute("CREATE TABLE shop.heavy (id INT)", "INSERT INTO shop.heavy VALUES (1)");
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> query("SELECT COUNT(*) FROM shop.heavy").equals("1"));
        try (Connection connection = standby();
                Statement statement = connection.createStatement()) {
            statement.execute("SET GLOBAL super_read_only = 0");
            statement.execute("SET SESSION sql_log_bin = 0");
            statement.execute("INSERT INTO shop.heavy SELECT id FROM shop.orders LIMIT 3000");
            statement.execute("SET GLOBAL super_read_only = 1");
        }
        String running = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE '%killed-my%'"
                + " AND USER = 'understudy_mirror'";
        try (MirrorProxy proxy = proxy("{ concurrency: 1, timeout: 300ms, rules: [ { name: all } ] }");
                Connection connection = proxy.mysql("");
                Statement text = connection.createStatement()) {
            text.executeQuery("SELECT /*+ MAX_EXECUTION_TIME(600000) */ COUNT(*) FROM heavy /* killed-my */ a, heavy b,"
                            + " heavy c WHERE a.id + b.id <> c.id * 7")
                    .close();
            await().atMost(PATIENCE).until(() -> query(running).equals("1"));
            await().atMost(PATIENCE).until(() -> proxy.executed("timeout") == 1);
            await().atMost(Duration.ofSeconds(20)).until(() -> query(running).equals("0"));
            text.executeQuery("SELECT id FROM orders /* killed-after */ WHERE id = 1")
                    .close();
            await().atMost(PATIENCE).until(() -> logged("Query", "killed-after").size() == 1);
            assertThat(proxy.dropped()).as("the connection lives on").isZero();
        }
    }

    @Test
    void aViewIsMirroredIfItsDefinitionOnlyReads() throws Exception {
        PRIMARY.execute(
                "CREATE VIEW shop.pure_view AS SELECT id, UPPER(note) AS note FROM shop.orders",
                "CREATE VIEW shop.closed_view AS SELECT id FROM shop.orders",
                "CREATE VIEW shop.lock_view AS SELECT GET_LOCK('viewed', 0) AS got",
                "CREATE VIEW shop.outer_view AS SELECT got FROM shop.lock_view",
                "CREATE VIEW shop.sleep_view AS SELECT SLEEP(0.01) AS slept FROM shop.orders WHERE id = 1",
                "GRANT SHOW VIEW ON shop.* TO understudy_mirror");
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> query("SELECT COUNT(*) FROM information_schema.VIEWS WHERE TABLE_SCHEMA = 'shop'")
                        .equals("5"));
        try (MirrorProxy proxy = proxy();
                Connection connection = proxy.mysql("");
                Statement text = connection.createStatement()) {
            for (String view : List.of("lock_view", "outer_view", "sleep_view")) {
                text.executeQuery("SELECT * FROM " + view + " /* refused-my */").close();
            }
            text.execute("DO RELEASE_ALL_LOCKS()");
            text.executeQuery("WITH Pure_View AS (SELECT 1 AS id) SELECT id FROM pure_view /* pure-my */ WHERE id = 7")
                    .close();
            text.executeQuery("TABLE pure_view LIMIT 1").close();
            text.executeQuery("SELECT note FROM pure_view /* pure-my */ WHERE id = 7")
                    .close();
            await().atMost(PATIENCE).until(() -> logged("Query", "pure-my").size() == 2);
            await().atMost(PATIENCE).until(() -> proxy.waiting("statements") == 0);
            assertThat(logged("Query", "refused-my")).isEmpty();
            assertThat(query("SELECT IS_FREE_LOCK('viewed')")).isEqualTo("1");
            assertThat(proxy.dropped("view")).isEqualTo(3);
            assertThat(String.valueOf(proxy.view()))
                    .contains("{view=shop.outer_view, reason=side_effect_function}")
                    .contains("{view=shop.sleep_view, reason=side_effect_function}");
        }
        PRIMARY.execute("REVOKE SHOW VIEW ON shop.* FROM understudy_mirror");
        await().atMost(PATIENCE)
                .until(() -> !query("SELECT COUNT(*) FROM mysql.db WHERE User = 'understudy_mirror'"
                                + " AND Show_view_priv = 'Y'")
                        .equals("1"));
        try (MirrorProxy proxy = proxy();
                Connection connection = proxy.mysql("");
                Statement text = connection.createStatement()) {
            text.executeQuery("SELECT id FROM closed_view /* closed-my */ WHERE id = 7")
                    .close();
            await().atMost(PATIENCE).until(() -> proxy.dropped("view") == 1);
            assertThat(String.valueOf(proxy.view())).contains("{view=shop.closed_view, reason=definition_not_visible}");
        }
    }
}
