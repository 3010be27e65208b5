package io.understudy.it;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.sql.BatchUpdateException;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.sql.Types;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Steps with statements, text and prepared, and every kind of response. */
final class StatementSteps {
    private static final String TYPES = "CREATE TABLE types (id INT UNSIGNED AUTO_INCREMENT PRIMARY KEY, ti TINYINT(1),"
            + " bi BIGINT UNSIGNED, de DECIMAL(20,5), fl FLOAT, du DOUBLE, bt BIT(12), da DATE, dt DATETIME(6),"
            + " tm TIME(3), ts TIMESTAMP(3) NULL, ye YEAR, ch CHAR(5), vc VARCHAR(100), bn BINARY(4),"
            + " vb VARBINARY(30), tx TEXT, bl BLOB, en ENUM('a','b'), st SET('x','y','z'), js JSON,"
            + " po POINT) CHARACTER SET utf8mb4";

    private StatementSteps() {}

    static Map<String, ApplicationStep> all() {
        Map<String, ApplicationStep> steps = new LinkedHashMap<>();
        steps.put("text statements", scene -> scene.connected("", StatementSteps::text));
        steps.put("errors", scene -> scene.connected("", StatementSteps::errors));
        steps.put("types, text", scene -> scene.connected("", StatementSteps::types));
        steps.put("types, binary", scene -> scene.connected("useServerPrepStmts=true", StatementSteps::types));
        steps.put("several results", scene -> scene.connected("allowMultiQueries=true", StatementSteps::multi));
        steps.put("procedures", scene -> scene.connected("", StatementSteps::procedures));
        steps.put(
                "prepared on the server",
                scene -> scene.connected("useServerPrepStmts=true&cachePrepStmts=true", StatementSteps::prepared));
        steps.put("batches", scene -> scene.connected("", StatementSteps::batches));
        steps.put(
                "batches, rewritten",
                scene -> scene.connected("rewriteBatchedStatements=true", StatementSteps::batches));
        steps.put(
                "batches, prepared on the server",
                scene -> scene.connected("useServerPrepStmts=true", StatementSteps::batches));
        steps.put("batches in bulk", scene -> {
            if (scene.driver() == Driver.MARIADB) {
                scene.connected("useBulkStmts=true", StatementSteps::batches);
                scene.connected(
                        "useBulkStmts=true&useBulkStmtsForInserts=true&disablePipeline=true", StatementSteps::batches);
            }
        });
        steps.put("pipelined statements", scene -> {
            if (scene.driver() == Driver.MARIADB) {
                scene.connected("useServerPrepStmts=true&prepStmtCacheSize=2", StatementSteps::prepared);
                scene.connected("disablePipeline=true&useServerPrepStmts=true", StatementSteps::prepared);
            }
        });
        steps.put("long data", scene -> scene.connected("useServerPrepStmts=true", StatementSteps::longData));
        steps.put("asked for compression", scene -> scene.connected("useCompression=true", StatementSteps::text));
        return steps;
    }

    private static void text(Transcript t, Connection connection, Statement statement) {
        for (String sql : new String[] {
            "SELECT 1, 'two', NULL, 3.50, TRUE",
            "DO 1",
            "SELECT * FROM (SELECT 1 AS a UNION SELECT 2) AS u ORDER BY a",
            "DROP TABLE IF EXISTS s1, no_such_table",
            "SHOW WARNINGS",
            "CREATE TABLE s1 (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(3), UNIQUE (v))",
            "INSERT INTO s1 (v) VALUES ('a'), ('b')",
            "INSERT IGNORE INTO s1 (v) VALUES ('a'), ('toolong')",
            "SELECT ROW_COUNT(), LAST_INSERT_ID(), @@warning_count",
            "UPDATE s1 SET v = 'c' WHERE v = 'b'",
            "UPDATE s1 SET v = 'c' WHERE v = 'c'",
            "SELECT SQL_CALC_FOUND_ROWS id FROM s1 ORDER BY id LIMIT 1",
            "SELECT FOUND_ROWS()",
            "DELETE FROM s1 WHERE id > 1",
            "SELECT * FROM s1 WHERE FALSE",
            "SELECT 1 / 0, CAST('x' AS SIGNED)",
            "EXPLAIN SELECT * FROM s1 WHERE id = 1",
            "SHOW CREATE TABLE s1",
            "ANALYZE TABLE s1",
            "/* comment */ SELECT 'commented' -- trailing",
            "SELECT REPEAT('r', 70000) AS long_row, 1 AS n",
            "TRUNCATE s1",
            "DROP TABLE s1",
        }) {
            t.run(statement, sql);
        }
        t.attempt("generated keys", () -> {
            statement.execute("CREATE TABLE s1 (id INT AUTO_INCREMENT PRIMARY KEY, v INT)");
            statement.execute("INSERT INTO s1 (v) VALUES (1), (2), (3)", Statement.RETURN_GENERATED_KEYS);
            t.all(statement, false);
            statement.execute("DROP TABLE s1");
        });
    }

    private static void errors(Transcript t, Connection connection, Statement statement) {
        for (String sql : new String[] {
            "SELEKT 1",
            "SELECT * FROM no_such_table",
            "SELECT no_such_column FROM DUAL",
            "CREATE TABLE e1 (id INT PRIMARY KEY, v VARCHAR(2) NOT NULL, CHECK (id < 100))",
            "INSERT INTO e1 VALUES (1, 'a'), (1, 'b')",
            "INSERT INTO e1 VALUES (2, NULL)",
            "INSERT INTO e1 VALUES (3, 'long')",
            "INSERT INTO e1 VALUES (200, 'c')",
            "INSERT INTO e1 VALUES (1, 'a', 2)",
            "SELECT * FROM e1, e1",
            "SIGNAL SQLSTATE '45001' SET MESSAGE_TEXT = 'of our own', MYSQL_ERRNO = 31001",
            "USE no_such_schema",
            "SELECT 1; SELECT 2",
            "KILL 4294967295",
            "SET max_statement_time = 0.02", // MariaDB, in seconds
            "SET max_execution_time = 20", // MySQL, in milliseconds
            "SELECT COUNT(*) FROM seq_1_to_1000000 a, seq_1_to_1000 b WHERE a.seq * b.seq % 7 = 3",
            "SET max_statement_time = DEFAULT",
            "SET max_execution_time = DEFAULT",
            "DROP TABLE e1",
            "",
        }) {
            t.run(statement, sql);
        }
        t.run(statement, "SELECT seq, (SELECT IF(seq < 5000, 1, (SELECT 1 UNION SELECT 2))) FROM seq_1_to_9000");
        t.run(statement, "SELECT 'still here'");
    }

    private static void types(Transcript t, Connection connection, Statement statement) throws Exception {
        statement.execute("DROP TABLE IF EXISTS types");
        t.run(statement, TYPES);
        t.run(
                statement,
                "INSERT INTO types VALUES (1, 1, 18446744073709551615, -12345.678901, 1.5, -2.25e100,"
                        + " b'101010101010', '2024-02-29', '2024-02-29 23:59:59.123456', '-838:59:59', '2001-02-03"
                        + " 04:05:06.789',"
                        + " 1999, 'ch', 'vär😀', X'00FF', X'DEADBEEF', 'text', X'0001FE', 'b', 'x,z', '{\"a\": [1]}',"
                        + " POINT(1, 2))");
        t.run(statement, "INSERT INTO types (id) VALUES (NULL)");
        try (PreparedStatement all = connection.prepareStatement("SELECT * FROM types WHERE id > ? ORDER BY id")) {
            all.setInt(1, 0);
            t.attempt("all types", () -> t.all(all, all.execute()));
            t.attempt(
                    "parameters",
                    () -> t.note("parameters", all.getParameterMetaData().getParameterCount()));
        }
        String insert = "INSERT INTO types (bi, de, du, da, dt, tm, vc, vb) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
        try (PreparedStatement into = connection.prepareStatement(insert, Statement.RETURN_GENERATED_KEYS)) {
            into.setLong(1, Long.MAX_VALUE);
            into.setBigDecimal(2, new java.math.BigDecimal("99.00001"));
            into.setDouble(3, Math.PI);
            into.setDate(4, java.sql.Date.valueOf("2020-01-02"));
            into.setTimestamp(5, java.sql.Timestamp.valueOf("2020-01-02 03:04:05.678"));
            into.setTime(6, java.sql.Time.valueOf("11:12:13"));
            into.setString(7, "\u00fc \u4e2d");
            into.setBytes(8, new byte[] {0, 1, -2, -1});
            t.attempt("insert", () -> t.all(into, into.execute()));
            for (int i = 1; i <= 8; i++) {
                into.setNull(i, Types.NULL);
            }
            t.attempt("insert nulls", () -> t.all(into, into.execute()));
        }
        t.run(statement, "SELECT * FROM types WHERE id > 2 ORDER BY id");
        t.attempt("columns", () -> {
            try (ResultSet columns = connection.getMetaData().getColumns(null, null, "types", "%")) {
                t.rows(columns);
            }
        });
        t.run(statement, "DROP TABLE types");
    }

    private static void multi(Transcript t, Connection connection, Statement statement) throws Exception {
        t.run(statement, "SELECT 1; SELECT 2, 3; DO 1; SELECT 'x' WHERE FALSE");
        t.run(
                statement,
                "CREATE TABLE m1 (id INT AUTO_INCREMENT PRIMARY KEY); INSERT INTO m1 VALUES (); SELECT * FROM m1;"
                        + " DROP TABLE m1");
        t.run(statement, "SELECT 1; SELECT * FROM no_such_table; SELECT 3");
        t.run(statement, "SELECT 1; SELEKT 2");
        t.run(statement, "SELECT 'after'");
        StringBuilder many = new StringBuilder("DO 0");
        for (int i = 0; i < 300; i++) {
            many.append("; SELECT ").append(i);
        }
        t.run(statement, many.toString());
    }

    private static void procedures(Transcript t, Connection connection, Statement statement) throws Exception {
        for (String routine : new String[] {"PROCEDURE p1", "PROCEDURE p2", "PROCEDURE p3", "FUNCTION f1"}) {
            statement.execute("DROP " + routine.split(" ")[0] + " IF EXISTS " + routine.split(" ")[1]);
        }
        t.run(
                statement,
                "CREATE PROCEDURE p1(IN a INT, OUT b INT, INOUT c VARCHAR(20))"
                        + " BEGIN SELECT a AS first; SET b = a * 2; SET c = CONCAT(c, '!'); SELECT b, c; DO 1 / 0;"
                        + " END");
        try (CallableStatement call = connection.prepareCall("{call p1(?, ?, ?)}")) {
            call.setInt(1, 21);
            call.registerOutParameter(2, Types.INTEGER);
            call.setString(3, "in");
            call.registerOutParameter(3, Types.VARCHAR);
            t.attempt("call", () -> {
                t.all(call, call.execute());
                t.note("b", call.getInt(2));
                t.note("c", call.getString(3));
            });
        }
        t.run(
                statement,
                "CREATE PROCEDURE p2() BEGIN SELECT 1; SIGNAL SQLSTATE '45000'"
                        + " SET MESSAGE_TEXT = 'midway'; SELECT 2; END");
        t.run(statement, "CALL p2()");
        t.run(statement, "CREATE FUNCTION f1(a INT) RETURNS INT DETERMINISTIC RETURN a + 1");
        t.attempt("function", () -> {
            try (CallableStatement call = connection.prepareCall("{? = call f1(?)}")) {
                call.registerOutParameter(1, Types.INTEGER);
                call.setInt(2, 41);
                call.execute();
                t.note("f1", call.getInt(1));
            }
        });
        t.run(
                statement,
                "BEGIN NOT ATOMIC DECLARE i INT DEFAULT 0; WHILE i < 50 DO SELECT i; SET i = i + 1; END WHILE; END");
        t.run(
                statement,
                "CREATE PROCEDURE p3() BEGIN DECLARE i INT DEFAULT 0; WHILE i < 50 DO SELECT i; SET i = i + 1; END"
                        + " WHILE;"
                        + " END");
        t.run(statement, "CALL p3()");
        t.run(statement, "DROP PROCEDURE p3");
        t.run(statement, "DROP PROCEDURE p1");
        t.run(statement, "DROP PROCEDURE p2");
        t.run(statement, "DROP FUNCTION f1");
    }

    private static void prepared(Transcript t, Connection connection, Statement statement) throws Exception {
        for (int round = 0; round < 3; round++) {
            for (String sql :
                    new String[] {"SELECT ? + 1 AS n, ? AS s", "SELECT ?, ?, 'other'", "SELECT ? AS x, ?, 3"}) {
                try (PreparedStatement select = connection.prepareStatement(sql)) {
                    for (int i = 0; i < 3; i++) {
                        select.setInt(1, i);
                        select.setString(2, i == 1 ? null : "s" + i);
                        t.attempt(sql, () -> t.all(select, select.execute()));
                    }
                }
            }
        }
        t.attempt(
                "bad",
                () -> connection
                        .prepareStatement("SELECT * FROM no_such_table WHERE a = ?")
                        .executeQuery());
        t.attempt("many parameters", () -> {
            String marks = String.join(", ", java.util.Collections.nCopies(600, "?"));
            try (PreparedStatement many = connection.prepareStatement("SELECT " + marks)) {
                for (int i = 1; i <= 600; i++) {
                    many.setInt(i, i);
                }
                try (ResultSet rows = many.executeQuery()) {
                    rows.next();
                    t.note("600th", rows.getInt(600));
                }
            }
        });
        t.attempt("table changed under a prepared statement", () -> {
            statement.execute("CREATE TABLE pp (a INT)");
            try (PreparedStatement select = connection.prepareStatement("SELECT * FROM pp WHERE 1 = ?")) {
                select.setInt(1, 1);
                t.all(select, select.execute());
                statement.execute("ALTER TABLE pp ADD b VARCHAR(10) DEFAULT 'new'");
                statement.execute("INSERT INTO pp (a) VALUES (7)");
                t.all(select, select.execute());
            }
        });
        t.run(statement, "DROP TABLE pp");
    }

    private static void batches(Transcript t, Connection connection, Statement statement) throws Exception {
        statement.execute("DROP TABLE IF EXISTS b1");
        t.run(statement, "CREATE TABLE b1 (id INT AUTO_INCREMENT PRIMARY KEY, v INT UNIQUE, s VARCHAR(50))");
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO b1 (v, s) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS)) {
            for (int i = 0; i < 500; i++) {
                insert.setInt(1, i);
                insert.setString(2, i % 7 == 0 ? null : "value " + i);
                insert.addBatch();
            }
            t.attempt("batch", () -> {
                t.note("counts", Arrays.toString(insert.executeBatch()));
                try (ResultSet keys = insert.getGeneratedKeys()) {
                    int count = 0;
                    while (keys.next()) {
                        count++;
                    }
                    t.note("keys", count);
                }
            });
            for (int v : new int[] {1000, 1001, 3, 1002}) {
                insert.setInt(1, v);
                insert.setString(2, "again");
                insert.addBatch();
            }
            failing(t, insert);
        }
        try (PreparedStatement update = connection.prepareStatement("UPDATE b1 SET s = ? WHERE v = ?")) {
            for (int i = 0; i < 20; i++) {
                update.setString(1, "updated");
                update.setInt(2, i * 100);
                update.addBatch();
            }
            t.attempt("updates", () -> t.note("counts", Arrays.toString(update.executeBatch())));
        }
        try (Statement batch = connection.createStatement()) {
            batch.addBatch("INSERT INTO b1 (v) VALUES (5000)");
            batch.addBatch("UPDATE b1 SET s = 'z' WHERE v > 400");
            batch.addBatch("DELETE FROM b1 WHERE v < 10");
            t.attempt("text batch", () -> t.note("counts", Arrays.toString(batch.executeBatch())));
        }
        t.run(statement, "SELECT COUNT(*), SUM(v), MAX(id), SUM(CRC32(s)) FROM b1");
        t.run(statement, "DROP TABLE b1");
    }

    private static void failing(Transcript t, PreparedStatement batch) {
        t.attempt("batch with a duplicate", () -> {
            try {
                batch.executeBatch();
            } catch (BatchUpdateException e) {
                t.note("counts", Arrays.toString(e.getUpdateCounts()));
                throw e;
            }
        });
    }

    private static void longData(Transcript t, Connection connection, Statement statement) throws Exception {
        statement.execute("DROP TABLE IF EXISTS l1");
        t.run(statement, "CREATE TABLE l1 (id INT PRIMARY KEY, b LONGBLOB, c LONGTEXT)");
        byte[] bytes = new byte[3_000_000];
        new java.util.SplittableRandom(7).nextBytes(bytes);
        String text = "\u00e4\u4e2d".repeat(400_000);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO l1 VALUES (?, ?, ?)")) {
            insert.setInt(1, 1);
            insert.setBinaryStream(2, new ByteArrayInputStream(bytes));
            insert.setCharacterStream(3, new java.io.StringReader(text));
            t.attempt("streams", () -> t.all(insert, insert.execute()));
            insert.setInt(1, 2);
            insert.setBinaryStream(2, new ByteArrayInputStream(new byte[0]));
            insert.setBlob(3, new ByteArrayInputStream("abc".getBytes(StandardCharsets.UTF_8)));
            t.attempt("empty stream", () -> t.all(insert, insert.execute()));
        }
        t.run(statement, "SELECT id, LENGTH(b), MD5(b), CHAR_LENGTH(c), MD5(c) FROM l1 ORDER BY id");
        t.run(statement, "SELECT * FROM l1 ORDER BY id");
        t.run(statement, "DROP TABLE l1");
    }
}
