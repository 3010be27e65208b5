package io.understudy.it;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** Steps with large data: cursors, streams, files and values that need several packets. */
final class TransferSteps {
    private static final int LARGE = 17_000_000;
    private static final String MANY = "SELECT seq, REPEAT('x', seq % 50) AS x FROM seq_1_to_5000";

    private TransferSteps() {}

    static Map<String, ApplicationStep> all() {
        Map<String, ApplicationStep> steps = new LinkedHashMap<>();
        steps.put(
                "cursors",
                scene -> scene.connected(
                        scene.driver() == Driver.MYSQL
                                ? "useCursorFetch=true&useServerPrepStmts=true&defaultFetchSize=100"
                                : "useServerPrepStmts=true&defaultFetchSize=100",
                        TransferSteps::cursors));
        steps.put(
                "streaming",
                scene -> scene.connected("", (t, connection, statement) -> {
                    statement.setFetchSize(scene.driver() == Driver.MYSQL ? Integer.MIN_VALUE : 10);
                    stream(t, statement);
                }));
        steps.put("load data local", TransferSteps::loadData);
        steps.put(
                "load data local refused",
                scene -> scene.connected(
                        scene.driver() == Driver.MYSQL ? "allowLoadLocalInfile=false" : "allowLocalInfile=false",
                        TransferSteps::loadRefused));
        steps.put("values of 17 MB", scene -> scene.connected("", TransferSteps::large));
        steps.put("values of 17 MB, binary", scene -> scene.connected("useServerPrepStmts=true", TransferSteps::large));
        steps.put(
                "values around a packet's limit",
                scene -> scene.connected("", (t, connection, statement) -> {
                    // A row of one value: the value and its 4 bytes of length (from 64 KB on). A packet of 0xFFFFFF
                    // bytes is followed by an empty packet.
                    for (int length :
                            new int[] {0xFFFFFF - 5, 0xFFFFFF - 4, 0xFFFFFF - 3, 0xFFFFFF, 0x1000000, 0x1000001}) {
                        t.run(statement, "SELECT REPEAT('a', " + length + ")");
                    }
                    t.run(statement, "SELECT REPEAT('a', 100000000)");
                    t.run(statement, "SELECT 'after'");
                }));
        return steps;
    }

    private static void cursors(Transcript t, Connection connection, Statement unused) throws Exception {
        for (int fetch : new int[] {1, 100, 5000, 10000}) {
            try (PreparedStatement select =
                    connection.prepareStatement("SELECT seq, REPEAT('y', seq % 60) FROM seq_1_to_5000 WHERE seq > ?")) {
                select.setFetchSize(fetch);
                select.setInt(1, fetch == 1 ? 4900 : 0);
                t.attempt("fetch " + fetch, () -> {
                    try (ResultSet rows = select.executeQuery()) {
                        sum(t, rows, Integer.MAX_VALUE);
                    }
                });
                t.attempt("fetch " + fetch + ", closed early", () -> {
                    try (ResultSet rows = select.executeQuery()) {
                        sum(t, rows, 150);
                    }
                });
            }
        }
        try (PreparedStatement none = connection.prepareStatement("SELECT seq FROM seq_1_to_5 WHERE seq > ?")) {
            none.setInt(1, 9);
            t.attempt("no rows", () -> t.all(none, none.execute()));
        }
        try (Statement after = connection.createStatement()) {
            t.run(after, "SELECT 'after'");
        }
    }

    private static void stream(Transcript t, Statement statement) {
        t.attempt("stream", () -> {
            try (ResultSet rows = statement.executeQuery(MANY)) {
                sum(t, rows, Integer.MAX_VALUE);
            }
        });
        t.attempt("stream, closed early", () -> {
            try (ResultSet rows = statement.executeQuery(MANY)) {
                sum(t, rows, 10);
            }
        });
        t.run(statement, "SELECT 'after'");
    }

    private static void sum(Transcript t, ResultSet rows, int limit) throws java.sql.SQLException {
        long sum = 0;
        int count = 0;
        while (count < limit && rows.next()) {
            sum += rows.getInt(1) + rows.getString(2).length();
            count++;
        }
        t.note("rows", count);
        t.note("sum", sum);
    }

    private static void loadData(Scene scene) throws Exception {
        Path folder = Files.createTempDirectory("understudy-load");
        Path data = Files.createFile(folder.resolve("data.csv"));
        Path empty = Files.createFile(folder.resolve("empty.csv"));
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 40_000; i++) {
            text.append(i).append(",value ").append(i).append('\n');
        }
        Files.writeString(data, text);
        try {
            scene.connected("", (t, connection, statement) -> {
                statement.execute("DROP TABLE IF EXISTS load1");
                t.run(statement, "CREATE TABLE load1 (a INT PRIMARY KEY, b VARCHAR(12))");
                load(t, statement, data);
                load(t, statement, empty);
                load(t, statement, data);
                load(t, statement, folder.resolve("not-there.csv"));
                t.run(statement, "SELECT COUNT(*), SUM(a), SUM(CRC32(b)) FROM load1");
                t.run(statement, "DROP TABLE load1");
            });
        } finally {
            Files.deleteIfExists(data);
            Files.deleteIfExists(empty);
            Files.deleteIfExists(folder);
        }
    }

    /** The title is the file name only, because the folder differs between runs. */
    private static void load(Transcript t, Statement statement, Path file) {
        t.note("> load " + file.getFileName());
        try {
            t.all(
                    statement,
                    statement.execute(
                            "LOAD DATA LOCAL INFILE '" + file + "' INTO TABLE load1 FIELDS TERMINATED BY ','"));
        } catch (java.sql.SQLException e) {
            t.note("! " + e.getErrorCode() + " " + e.getSQLState());
        }
    }

    private static void loadRefused(Transcript t, Connection connection, Statement statement) {
        t.run(statement, "DROP TABLE IF EXISTS load2");
        t.run(statement, "CREATE TABLE load2 (a INT)");
        t.run(statement, "LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE load2");
        t.run(statement, "SELECT COUNT(*) FROM load2");
        t.run(statement, "DROP TABLE load2");
    }

    private static void large(Transcript t, Connection connection, Statement statement) throws Exception {
        statement.execute("DROP TABLE IF EXISTS large1");
        t.run(statement, "CREATE TABLE large1 (id INT PRIMARY KEY, b LONGBLOB)");
        byte[] bytes = new byte[LARGE];
        new SplittableRandom(11).nextBytes(bytes);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO large1 VALUES (?, ?)")) {
            insert.setInt(1, 1);
            insert.setBytes(2, bytes);
            t.attempt("17 MB up", () -> t.all(insert, insert.execute()));
        }
        t.run(statement, "SELECT id, LENGTH(b), MD5(b) FROM large1");
        try (PreparedStatement select = connection.prepareStatement("SELECT b FROM large1 WHERE id = ?")) {
            select.setInt(1, 1);
            t.attempt("17 MB down", () -> {
                try (ResultSet rows = select.executeQuery()) {
                    rows.next();
                    try (InputStream stream = rows.getBinaryStream(1)) {
                        t.note("value", Transcript.digest(stream));
                    }
                }
            });
        }
        t.attempt("more than the server takes", () -> {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO large1 VALUES (2, ?)")) {
                insert.setBinaryStream(1, new ByteArrayInputStream("small".getBytes(StandardCharsets.UTF_8)));
                t.all(insert, insert.execute());
            }
        });
        t.run(statement, "DROP TABLE large1");
    }
}
