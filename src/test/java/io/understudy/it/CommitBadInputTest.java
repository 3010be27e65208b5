package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.testkit.CapturedLog;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs {@code commit-latency} in a real proxy with servers or clients that lack what it needs. */
@Tag("long")
@Timeout(120)
class CommitBadInputTest {
    private static final String POLL = "poll: 100ms, slow: 0s";

    private static EmbeddedServer server;

    @BeforeAll
    static void start() {
        server = EmbeddedServer.start(ServerOptions.of(1));
        prepare(server);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static void prepare(EmbeddedServer on) {
        on.execute(
                "CREATE DATABASE shop",
                "CREATE TABLE shop.t (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(100))",
                account("monitor"),
                "GRANT REPLICATION SLAVE ON *.* TO monitor",
                account("nobody"),
                account("app"),
                "GRANT ALL ON shop.* TO app");
    }

    private static String account(String user) {
        return "CREATE USER " + user + " IDENTIFIED BY '" + CommitProxy.PASSWORD + "'";
    }

    private static void insert(CommitProxy proxy) throws SQLException {
        try (Connection application = proxy.connect("app", "");
                Statement statement = application.createStatement()) {
            statement.executeUpdate("INSERT INTO t (name) VALUES ('a')");
        }
    }

    @Test
    void withoutThePrivilegeTheCountersAreReadAndCommitsAreTimed() throws Exception {
        try (CommitProxy proxy = new CommitProxy(server.address(), "nobody", POLL)) {
            await().until(() -> proxy.view().contains("GRANT REPLICATION SLAVE ON *.* TO"));
            assertThat(proxy.view()).contains("active=counters").contains("privilege=1");
            insert(proxy);
            await().until(() -> proxy.timed("autocommit") == 1);
            await().until(() -> proxy.view().contains("unattributed={no_binlog=1}"));
        }
    }

    @Test
    void withTheBinaryLogOffCommitsAreTimed() throws Exception {
        try (EmbeddedServer without = EmbeddedServer.start(ServerOptions.of(7).withArguments("--skip-log-bin"))) {
            prepare(without);
            try (CommitProxy proxy = new CommitProxy(without.address(), POLL)) {
                await().until(() -> proxy.view().contains("start the primary with log_bin"));
                assertThat(proxy.view()).contains("active=counters").containsPattern("binlog_off=1\\b");
                insert(proxy);
                await().until(() -> proxy.timed("autocommit") == 1);
            }
        }
    }

    @Test
    void statementFormatInTheBinaryLogIsJoinedToo() throws Exception {
        server.execute("SET GLOBAL binlog_format = 'STATEMENT'");
        try (CommitProxy proxy = new CommitProxy(server.address(), POLL).streaming()) {
            insert(proxy);
            await().until(() -> proxy.commits.count() == 1);
            assertThat(proxy.commits.all().get(0).event())
                    .isEqualTo(proxy.commits.all().get(0).told());
        } finally {
            server.execute("SET GLOBAL binlog_format = 'ROW'");
        }
    }

    /** MariaDB ends the older of two dump connections with the same server id. */
    @Test
    void aServerIdInUseIsReportedWithTheRemedy() throws Exception {
        String fixed = POLL + ", serverId: 4711";
        try (CommitProxy first = new CommitProxy(server.address(), fixed).streaming();
                CommitProxy second = new CommitProxy(server.address(), fixed).streaming()) {
            await().atMost(Duration.ofSeconds(30)).until(() -> first.view().contains("server_id="));
            await().atMost(Duration.ofSeconds(30)).until(() -> first.view().contains("active=binlog"));
            insert(second);
            await().until(() -> second.timed("autocommit") == 1);
            assertThat(first.view() + second.view()).contains("server_id=");
        }
    }

    @Test
    void aReplacedPrimaryIsReadFromItsCurrentPosition() throws Exception {
        EmbeddedServer old = EmbeddedServer.start(ServerOptions.of(8));
        try (CapturedLog log = new CapturedLog()) {
            prepare(old);
            try (CommitProxy proxy = new CommitProxy(old.address(), POLL).streaming()) {
                insert(proxy);
                await().until(() -> proxy.commits.count() == 1);
                old.stop();
                await().until(() -> !proxy.view().contains("active=binlog"));
                try (EmbeddedServer next = EmbeddedServer.start(
                        ServerOptions.of(9).withArguments("--port=" + old.port(), "--gtid-domain-id=3"))) {
                    await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> {
                        try (Connection connection = java.sql.DriverManager.getConnection(old.jdbcUrl(), "root", "");
                                Statement statement = connection.createStatement()) {
                            return CommitHarness.query(statement, "SELECT @@server_id")
                                    .equals("9");
                        }
                    });
                    try (Connection connection = java.sql.DriverManager.getConnection(old.jdbcUrl(), "root", "");
                            Statement statement = connection.createStatement()) {
                        for (String sql : new String[] {
                            "CREATE DATABASE shop",
                            "CREATE TABLE shop.t (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(100))",
                            account("monitor"),
                            "GRANT REPLICATION SLAVE ON *.* TO monitor",
                            account("app"),
                            "GRANT ALL ON shop.* TO app"
                        }) {
                            statement.execute(sql);
                        }
                    }
                    await().atMost(Duration.ofSeconds(90))
                            .until(() -> proxy.view().contains("active=binlog"));
                    insert(proxy);
                    await().until(() -> proxy.commits.count() == 2);
                    assertThat(proxy.commits.all().get(1).event()).startsWith("3-9-");
                    assertThat(log.text())
                            .contains("the primary is another server than before (server id 9)")
                            .contains("(server id 9): its binary log is read from 3-9-");
                }
            }
        } finally {
            old.close();
        }
    }

    @Test
    void anInsertThatReturnsRowsIsACommit() throws Exception {
        try (CommitProxy proxy = new CommitProxy(server.address(), POLL).streaming();
                Connection application = proxy.connect("app", "");
                Statement statement = application.createStatement()) {
            try (ResultSet rows = statement.executeQuery("INSERT INTO t (name) VALUES ('a'), ('b') RETURNING id")) {
                assertThat(rows.next()).isTrue();
            }
            String gtid = CommitHarness.query(statement, "SELECT @@last_gtid");
            await().until(() -> proxy.timed("autocommit") == 1);
            await().until(() -> proxy.commits.count() == 1);
            assertThat(proxy.commits.all().get(0).event()).isEqualTo(gtid);
        }
    }

    /** The data on the server show whether the open transaction was committed; the proxy must agree. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE t (id INT)",
                "CREATE TABLE no_such_schema.t (id INT)",
                "CREATE TABLE u (id INT, id INT)",
                "CREATE TABLE u (id INT",
                "CREATE TEMPORARY TABLE v (id INT, id INT)",
                "DROP TABLE no_such_table",
                "ALTER TABLE no_such_table ADD COLUMN a INT",
                "TRUNCATE TABLE no_such_table",
                "RENAME TABLE no_such_table TO other",
                "DROP DATABASE no_such_schema",
                "CREATE USER x",
                "GRANT SELECT ON mysql.* TO app",
                "CREATE VIEW w AS SELECT * FROM no_such_table",
                "DROP PROCEDURE no_such_procedure"
            })
    void aSchemaChangeThatFailsCountsTheCommitThatCameBefore(String ddl) throws Exception {
        try (CommitProxy proxy = new CommitProxy(server.address(), POLL).streaming();
                Connection application = proxy.connect("app", "");
                Statement statement = application.createStatement()) {
            String rows = server.query("SELECT COUNT(*) FROM shop.t");
            statement.execute("BEGIN");
            statement.executeUpdate("INSERT INTO t (name) VALUES ('open')");
            assertThatThrownBy(() -> statement.execute(ddl)).isInstanceOf(SQLException.class);
            boolean committed = !server.query("SELECT COUNT(*) FROM shop.t").equals(rows);
            statement.execute("ROLLBACK");
            statement.executeUpdate("INSERT INTO t (name) VALUES ('after')");
            await().until(() -> proxy.timed("autocommit") == 1);
            assertThat(proxy.timed("commit"))
                    .as(ddl + (committed ? " committed" : " did not commit"))
                    .isEqualTo(committed ? 1 : 0);
            assertThat(proxy.timed("ddl")).isZero();
        }
    }
}
