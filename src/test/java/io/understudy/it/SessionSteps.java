package io.understudy.it;

import static org.awaitility.Awaitility.await;

import com.mysql.cj.jdbc.JdbcConnection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Steps on session state: users, transactions, character sets, end of session. */
final class SessionSteps {
    private static final String USER = "it_user";
    private static final String PASSWORD = "it-Pass-1";

    private SessionSteps() {}

    static Map<String, ApplicationStep> all() {
        Map<String, ApplicationStep> steps = new LinkedHashMap<>();
        steps.put("login with a password", SessionSteps::logins);
        steps.put("transactions and savepoints", scene -> scene.connected("", SessionSteps::transactions));
        steps.put("XA", scene -> scene.connected("", SessionSteps::xa));
        steps.put("temporary tables", scene -> scene.connected("", SessionSteps::temporary));
        steps.put("change user", SessionSteps::changeUser);
        steps.put("reset connection", SessionSteps::reset);
        steps.put("character sets", SessionSteps::charsets);
        steps.put("time zones", SessionSteps::timeZones);
        steps.put("kill query", SessionSteps::killQuery);
        steps.put("kill connection", SessionSteps::killConnection);
        steps.put("cancel and query timeout", scene -> scene.connected("", SessionSteps::timeout));
        steps.put("expired password", SessionSteps::expired);
        steps.put("connection attributes", SessionSteps::attributes);
        steps.put("interactive and found rows", SessionSteps::optionsOfTheConnection);
        steps.put("locks", scene -> scene.connected("", SessionSteps::locks));
        return steps;
    }

    private static void createUser(Scene scene) {
        scene.server()
                .execute(
                        "DROP USER IF EXISTS " + USER + "@'%'",
                        "CREATE USER " + USER + "@'%' IDENTIFIED BY '" + PASSWORD + "'",
                        "GRANT ALL ON " + ServerUnderTest.SCHEMA + ".* TO " + USER + "@'%'");
    }

    private static void logins(Scene scene) throws Exception {
        createUser(scene);
        scene.attempt(USER, PASSWORD, "");
        scene.attempt(USER, "wrong", "");
        scene.attempt(USER, "", "");
        scene.attempt("nobody-here", "x", "");
        scene.attempt(USER, PASSWORD, "connectionCollation=utf8mb4_bin");
        scene.server().execute("REVOKE ALL ON " + ServerUnderTest.SCHEMA + ".* FROM " + USER + "@'%'");
        scene.attempt(USER, PASSWORD, "");
        scene.server().execute("DROP USER " + USER + "@'%'");
    }

    private static void transactions(Transcript t, Connection connection, Statement statement) throws Exception {
        statement.execute("DROP TABLE IF EXISTS t1");
        t.run(statement, "CREATE TABLE t1 (id INT PRIMARY KEY) ENGINE = InnoDB");
        connection.setAutoCommit(false);
        t.note("autocommit", connection.getAutoCommit());
        t.run(statement, "INSERT INTO t1 VALUES (1)");
        Savepoint savepoint = connection.setSavepoint("s1");
        t.run(statement, "INSERT INTO t1 VALUES (2)");
        t.attempt("rollback to savepoint", () -> connection.rollback(savepoint));
        t.run(statement, "SELECT * FROM t1");
        t.attempt("commit", connection::commit);
        t.run(statement, "INSERT INTO t1 VALUES (3)");
        t.attempt("rollback", connection::rollback);
        t.attempt("rollback to a savepoint that is gone", () -> connection.rollback(savepoint));
        connection.setAutoCommit(true);
        for (int level : new int[] {
            Connection.TRANSACTION_READ_UNCOMMITTED,
            Connection.TRANSACTION_READ_COMMITTED,
            Connection.TRANSACTION_REPEATABLE_READ,
            Connection.TRANSACTION_SERIALIZABLE
        }) {
            connection.setTransactionIsolation(level);
            t.note("isolation", connection.getTransactionIsolation());
        }
        t.run(statement, "START TRANSACTION READ ONLY");
        t.run(statement, "INSERT INTO t1 VALUES (4)");
        t.run(statement, "COMMIT AND CHAIN");
        t.run(statement, "ROLLBACK RELEASE");
        t.run(statement, "SELECT 1");
    }

    private static void xa(Transcript t, Connection connection, Statement statement) {
        for (String sql : new String[] {
            "DROP TABLE IF EXISTS x1",
            "CREATE TABLE x1 (id INT) ENGINE = InnoDB",
            "XA START 'xa-one', 'b', 7",
            "INSERT INTO x1 VALUES (1)",
            "COMMIT",
            "XA COMMIT 'xa-one', 'b', 7",
            "XA END 'xa-one', 'b', 7",
            "XA PREPARE 'xa-one', 'b', 7",
            "XA RECOVER",
            "XA COMMIT 'xa-one', 'b', 7",
            "XA START 'xa-two'",
            "INSERT INTO x1 VALUES (2)",
            "XA END 'xa-two'",
            "XA ROLLBACK 'xa-two'",
            "SELECT * FROM x1",
            "DROP TABLE x1",
        }) {
            t.run(statement, sql);
        }
    }

    private static void temporary(Transcript t, Connection connection, Statement statement) {
        for (String sql : new String[] {
            "CREATE TEMPORARY TABLE tt (id INT)",
            "INSERT INTO tt VALUES (1), (2)",
            "SELECT * FROM tt",
            "CREATE TEMPORARY TABLE tt (id INT)",
            "DROP TEMPORARY TABLE tt",
            "SELECT * FROM tt",
        }) {
            t.run(statement, sql);
        }
    }

    private static void changeUser(Scene scene) throws Exception {
        if (scene.driver() != Driver.MYSQL) {
            return; // the other driver cannot; RawProtocolTest covers it
        }
        createUser(scene);
        scene.connected("", (t, connection, statement) -> {
            t.run(statement, "SET @a = 5");
            t.run(statement, "CREATE TEMPORARY TABLE gone (id INT)");
            t.attempt("change", () -> connection.unwrap(JdbcConnection.class).changeUser(USER, PASSWORD));
            t.run(statement, "SELECT @a, CURRENT_USER(), DATABASE()");
            t.run(statement, "SELECT * FROM gone");
            t.attempt(
                    "change with a wrong password",
                    () -> connection.unwrap(JdbcConnection.class).changeUser(USER, "wrong"));
        });
        scene.server().execute("DROP USER " + USER + "@'%'");
    }

    private static void reset(Scene scene) throws Exception {
        scene.connected("useResetConnection=true&useServerPrepStmts=true", (t, connection, statement) -> {
            try (PreparedStatement before = connection.prepareStatement("SELECT ?, @b")) {
                before.setInt(1, 1);
                t.attempt("before", () -> t.all(before, before.execute()));
                t.run(statement, "SET @b = 5, SESSION sql_mode = 'ANSI_QUOTES'");
                t.run(statement, "CREATE TEMPORARY TABLE gone (id INT)");
                t.run(statement, "BEGIN");
                t.attempt("reset", () -> {
                    if (scene.driver() == Driver.MYSQL) {
                        connection.unwrap(JdbcConnection.class).resetServerState();
                    } else {
                        connection.unwrap(org.mariadb.jdbc.Connection.class).reset();
                    }
                });
                t.run(statement, "SELECT @b, @@sql_mode" + (scene.server().isMariaDb() ? ", @@in_transaction" : ""));
                t.run(statement, "ROLLBACK");
                t.run(statement, "SELECT * FROM gone");
                t.attempt("a statement prepared before", () -> t.all(before, before.execute()));
            }
        });
    }

    private static void charsets(Scene scene) throws Exception {
        String[] options = scene.driver() == Driver.MYSQL
                ? new String[] {"characterEncoding=UTF-8", "characterEncoding=ISO-8859-1", "characterEncoding=Shift_JIS"
                }
                : new String[] {""};
        for (String option : options) {
            scene.connected(option, (t, connection, statement) -> {
                t.run(statement, "SELECT @@character_set_client, @@character_set_results, @@collation_connection");
                t.run(statement, "SELECT '\u00fc', HEX('\u00fc'), CHARSET('\u00fc')");
                t.run(statement, "DROP TABLE IF EXISTS cs");
                t.run(
                        statement,
                        "CREATE TABLE cs (id INT AUTO_INCREMENT PRIMARY KEY, u VARCHAR(20) CHARACTER SET utf8mb4,"
                                + " l VARCHAR(20) CHARACTER SET latin1, s VARCHAR(20) CHARACTER SET sjis)");
                try (PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO cs (u, l, s) VALUES (?, ?, ?)")) {
                    insert.setString(1, "\u8868");
                    insert.setString(2, "\u00df");
                    // In Shift-JIS the second byte of this character is a backslash.
                    insert.setString(3, "\u8868");
                    t.attempt("insert", () -> t.all(insert, insert.execute()));
                }
                t.run(statement, "INSERT INTO cs (u) VALUES ('\u8868\u8868')");
                t.run(statement, "SELECT id, u, l, s, HEX(u), HEX(l), HEX(s) FROM cs ORDER BY id");
                t.run(statement, "SELECT _sjis X'955C', _latin1 X'FC', CONVERT('\u8868' USING sjis)");
                t.run(statement, "DROP TABLE cs");
            });
        }
    }

    private static void timeZones(Scene scene) throws Exception {
        for (String option :
                new String[] {"", scene.driver() == Driver.MYSQL ? "connectionTimeZone=UTC" : "timezone=UTC"}) {
            scene.connected(option, (t, connection, statement) -> {
                t.run(statement, "DROP TABLE IF EXISTS tz");
                t.run(statement, "CREATE TABLE tz (ts TIMESTAMP, dt DATETIME)");
                for (String zone : new String[] {"+05:30", "-11:00", "nowhere"}) {
                    t.run(statement, "SET time_zone = '" + zone + "'");
                    t.run(statement, "INSERT INTO tz VALUES ('2024-06-01 12:00:00', '2024-06-01 12:00:00')");
                    t.run(statement, "SELECT @@time_zone, ts, dt, UNIX_TIMESTAMP(ts) FROM tz");
                }
                t.run(statement, "DROP TABLE tz");
            });
        }
    }

    private static void killQuery(Scene scene) throws Exception {
        scene.connected("", (t, connection, statement) -> {
            long id = connectionId(statement);
            t.attempt("killed query", () -> {
                CompletableFuture<Void> killer =
                        CompletableFuture.runAsync(() -> killOnceAsleep(scene, id, "KILL QUERY "));
                try (ResultSet rows = statement.executeQuery("SELECT SLEEP(30) AS slept FROM seq_1_to_3")) {
                    t.rows(rows);
                } finally {
                    killer.join();
                }
            });
            t.run(statement, "SELECT 'survived'");
        });
    }

    private static void killConnection(Scene scene) throws Exception {
        scene.connected("", (t, connection, statement) -> {
            long id = connectionId(statement);
            t.attempt("killed connection", () -> {
                CompletableFuture<Void> killer =
                        CompletableFuture.runAsync(() -> killOnceAsleep(scene, id, "KILL CONNECTION "));
                try {
                    statement.executeQuery("SELECT SLEEP(30)");
                } finally {
                    killer.join();
                }
            });
            t.note("valid", connection.isValid(5));
        });
        scene.connected("", (t, connection, statement) -> {
            long id = connectionId(statement);
            scene.server().execute("KILL " + id);
            await().atMost(Duration.ofSeconds(10)).until(() -> isGone(scene, id));
            t.run(statement, "SELECT 'on a connection killed while idle'");
        });
    }

    private static long connectionId(Statement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery("SELECT CONNECTION_ID()")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private static boolean isGone(Scene scene, long id) {
        return "0".equals(scene.server().query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = " + id));
    }

    /** The client gets the server's connection id, so KILL works as on a direct connection. */
    private static void killOnceAsleep(Scene scene, long id, String kill) {
        String asleep = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = 'User sleep' AND ID = " + id;
        await().atMost(Duration.ofSeconds(10))
                .until(() -> "1".equals(scene.server().query(asleep)));
        scene.server().execute(kill + id);
    }

    private static void timeout(Transcript t, Connection connection, Statement statement) throws Exception {
        statement.setQueryTimeout(1);
        t.run(statement, "SELECT SLEEP(20)");
        statement.setQueryTimeout(0);
        t.run(statement, "SELECT 'after'");
    }

    private static void expired(Scene scene) throws Exception {
        createUser(scene);
        scene.server().execute("ALTER USER " + USER + "@'%' PASSWORD EXPIRE");
        scene.attempt(USER, PASSWORD, "");
        scene.connected(USER, PASSWORD, "disconnectOnExpiredPasswords=false", (t, connection, statement) -> {
            t.run(statement, "SELECT 1");
            t.run(
                    statement,
                    scene.server().isMariaDb()
                            ? "SET PASSWORD = PASSWORD('" + PASSWORD + "2')"
                            : "ALTER USER USER() IDENTIFIED BY '" + PASSWORD + "2'");
            t.run(statement, "SELECT 2");
        });
        scene.server().execute("DROP USER " + USER + "@'%'");
    }

    /** The attributes are empty if performance_schema is off. */
    private static void attributes(Scene scene) throws Exception {
        scene.connected("connectionAttributes=app:shop,zone:\u00e4", (t, connection, statement) -> {
            t.run(
                    statement,
                    "SELECT ATTR_NAME, ATTR_VALUE FROM performance_schema.session_connect_attrs"
                            + " WHERE PROCESSLIST_ID = CONNECTION_ID() AND ATTR_NAME IN ('app', 'zone') ORDER BY"
                            + " ATTR_NAME");
            if (scene.driver() == Driver.MYSQL) {
                com.mysql.cj.jdbc.JdbcStatement attributed = statement.unwrap(com.mysql.cj.jdbc.JdbcStatement.class);
                attributed.setAttribute("trace", "4711");
                // Exists where MySQL's component_query_attributes is installed. The attribute is sent to every server
                // with the capability.
                t.run(statement, "SELECT mysql_query_attribute_string('trace')");
                attributed.clearAttributes();
                t.run(statement, "SELECT 'without'");
            }
        });
    }

    private static void optionsOfTheConnection(Scene scene) throws Exception {
        for (String option : new String[] {"", "useAffectedRows=true", "interactiveClient=true"}) {
            scene.connected(option, (t, connection, statement) -> {
                t.run(statement, "SELECT @@wait_timeout = @@interactive_timeout");
                t.run(statement, "CREATE TEMPORARY TABLE fr (a INT)");
                t.run(statement, "INSERT INTO fr VALUES (1), (1)");
                t.run(statement, "UPDATE fr SET a = 1");
            });
        }
    }

    private static void locks(Transcript t, Connection connection, Statement statement) {
        for (String sql : new String[] {
            "SELECT GET_LOCK('understudy-it', 1), IS_FREE_LOCK('understudy-it')",
            "SELECT RELEASE_LOCK('understudy-it'), RELEASE_LOCK('understudy-it')",
            "DROP TABLE IF EXISTS lk",
            "CREATE TABLE lk (id INT)",
            "LOCK TABLES lk READ",
            "INSERT INTO lk VALUES (1)",
            "SELECT * FROM other_table",
            "UNLOCK TABLES",
            "HANDLER lk OPEN",
            "HANDLER lk READ FIRST",
            "HANDLER lk CLOSE",
            "DROP TABLE lk",
        }) {
            t.run(statement, sql);
        }
    }
}
