package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.sql.Lookup;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A look-up reads the rows of its statement by the same index, by the server's own counters. */
@Timeout(120)
class LookupRowsTest {
    private static final ServerUnderTest SERVER = ServerUnderTest.shared();
    private static final SqlAnalyzer ANALYZER = new SqlAnalyzer();
    private static final String TABLE = ServerUnderTest.SCHEMA + ".looked";

    /** EXPLAIN's output for a scan, as a text. */
    private static final String NO_INDEX = "null";

    /** Conditions with the index that a server with fresh statistics takes. */
    private static final Map<String, String> CONDITIONS = conditions();

    private static Map<String, String> conditions() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("id = 5", "PRIMARY");
        all.put("id = '5'", "PRIMARY");
        all.put("id IN (5, 17, 4000)", "PRIMARY");
        all.put("id BETWEEN 100 AND 160", "PRIMARY");
        all.put("id > 4900 AND c < 3", "PRIMARY");
        all.put("id = 0x11", "PRIMARY");
        all.put("k = 7", "k");
        all.put("k = 7 AND c = 1", "k");
        all.put("k IN (7, 9, 11)", "k");
        all.put("k BETWEEN 3 AND 4", "k");
        all.put("k IS NULL", "k");
        all.put("k <=> 7", "k");
        all.put("a = 3 AND b = 'x3'", "ab");
        all.put("a = 3 AND b LIKE 'x3%'", "ab");
        all.put("(a = 3 AND b = 'x3') AND NOT c = 1", "ab");
        all.put("looked.k = 7", "k");
        all.put("`k` = 7 /* k = 8 */", "k");
        all.put("c = 1", NO_INDEX);
        all.put("b LIKE '%3'", NO_INDEX);
        all.put("note = 'it''s' OR note = '\\'' OR note = \"FOR UPDATE\"", NO_INDEX);
        return all;
    }

    @BeforeAll
    static void prepare() {
        List<String> sql = new ArrayList<>(List.of(
                "DROP TABLE IF EXISTS " + TABLE,
                "CREATE TABLE " + TABLE + " (id INT PRIMARY KEY, k INT, a INT NOT NULL, b VARCHAR(20) NOT NULL, c INT,"
                        + " note VARCHAR(50) DEFAULT 'it''s', large MEDIUMTEXT, KEY k (k), KEY ab (a, b))"
                        + " ENGINE=InnoDB",
                "INSERT INTO " + TABLE + " (id, k, a, b, c, large) SELECT seq, IF(seq % 100 = 0, NULL, seq % 500),"
                        + " seq % 700, CONCAT('x', seq % 900), seq % 4, REPEAT('y', 200) FROM "
                        + ServerUnderTest.SCHEMA + ".seq_1_to_5000",
                "ANALYZE TABLE " + TABLE));
        SERVER.execute(sql.toArray(new String[0]));
    }

    private static String lookup(String sql) {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        Lookup lookup = ANALYZER.lookup(text, 0, text.length, SqlModes.NONE);
        return new String(
                Objects.requireNonNull(lookup, () -> "no look-up of " + sql).text(), StandardCharsets.UTF_8);
    }

    private static Set<String> keys(Statement statement, String sql) throws SQLException {
        Set<String> keys = new TreeSet<>();
        try (ResultSet rows = statement.executeQuery("EXPLAIN FORMAT=TRADITIONAL " + sql)) {
            while (rows.next()) {
                keys.add(String.valueOf(rows.getString("key")));
            }
        }
        return keys;
    }

    /** Returns the index of a scan of the table by the name that EXPLAIN of an UPDATE gives it. */
    private static Set<String> scanned(Set<String> keys) {
        return keys.equals(Set.of("null")) ? Set.of("PRIMARY") : keys;
    }

    /** Returns how often the session read a row by key, and how often one behind another. */
    private static Map<String, Long> handlers(Statement statement) throws SQLException {
        Map<String, Long> values = new LinkedHashMap<>();
        try (ResultSet rows = statement.executeQuery("SHOW SESSION STATUS WHERE Variable_name IN"
                + " ('Handler_read_key', 'Handler_read_next', 'Handler_read_rnd_next')")) {
            while (rows.next()) {
                // A scan of the table is a scan of its primary key.
                String name = rows.getString(1).replace("_rnd_next", "_next");
                values.merge(name, rows.getLong(2), Long::sum);
            }
        }
        return values;
    }

    private record Done(long rows, Map<String, Long> reads) {}

    private static Done run(Statement statement, String sql) throws SQLException {
        statement.execute("FLUSH STATUS");
        Map<String, Long> before = handlers(statement);
        long rows = 0;
        if (statement.execute(sql)) {
            try (ResultSet result = statement.getResultSet()) {
                while (result.next()) {
                    rows++;
                }
            }
        } else {
            rows = statement.getUpdateCount();
        }
        Map<String, Long> after = handlers(statement);
        before.forEach((name, value) -> after.merge(name, -value, Long::sum));
        return new Done(rows, after);
    }

    private static void compare(String sql) throws SQLException {
        compare(sql, true);
    }

    private static void compare(String sql, boolean sameIndex) throws SQLException {
        String lookup = lookup(sql);
        try (Connection connection = SERVER.connect();
                Statement statement = connection.createStatement()) {
            connection.setCatalog(ServerUnderTest.SCHEMA);
            if (sameIndex) {
                assertThat(scanned(keys(statement, lookup)))
                        .as("index of %s for %s", lookup, sql)
                        .isEqualTo(scanned(keys(statement, sql)));
            }
            Done read = run(statement, lookup);
            connection.setAutoCommit(false);
            Done done = run(statement, sql);
            connection.rollback();
            assertThat(read.rows()).as("rows of %s", lookup).isEqualTo(done.rows());
            assertThat(read.reads()).as("reads of %s against %s", lookup, sql).isEqualTo(done.reads());
        }
    }

    @Test
    void theConditionsTakeTheIndexesTheyAreMeantToTake() throws SQLException {
        try (Connection connection = SERVER.connect();
                Statement statement = connection.createStatement()) {
            connection.setCatalog(ServerUnderTest.SCHEMA);
            for (Map.Entry<String, String> one : CONDITIONS.entrySet()) {
                String sql = lookup("DELETE FROM looked WHERE " + one.getKey());
                assertThat(keys(statement, sql)).as(sql).containsExactly(one.getValue());
            }
        }
    }

    @Test
    void anUpdatesRowsAreReadByItsIndex() throws SQLException {
        for (String condition : CONDITIONS.keySet()) {
            compare("UPDATE looked SET c = c + 1, large = 'z' WHERE " + condition);
        }
    }

    @Test
    void aDeletesRowsAreReadByItsIndex() throws SQLException {
        for (String condition : CONDITIONS.keySet()) {
            compare("DELETE FROM looked WHERE " + condition);
        }
    }

    @Test
    void aLockingReadsRowsAreReadByItsIndex() throws SQLException {
        for (String condition : CONDITIONS.keySet()) {
            compare("SELECT * FROM looked WHERE " + condition + " FOR UPDATE");
            compare("SELECT id, x.k FROM looked AS x WHERE " + condition.replace("looked.", "x.")
                    + " LOCK IN SHARE MODE");
        }
    }

    /** The update changes the index by which it finds its rows: MySQL notes their keys first, and reads them then. */
    @Test
    void anUpdateOfTheIndexedColumnIsReadByThatIndex() throws SQLException {
        String sql = "UPDATE looked SET k = 1000 WHERE k = 7";
        try (Connection connection = SERVER.connect();
                Statement statement = connection.createStatement()) {
            connection.setCatalog(ServerUnderTest.SCHEMA);
            assertThat(keys(statement, lookup(sql)))
                    .isEqualTo(keys(statement, sql))
                    .containsExactly("k");
            Done read = run(statement, lookup(sql));
            connection.setAutoCommit(false);
            Done done = run(statement, sql);
            connection.rollback();
            assertThat(read.rows()).isEqualTo(done.rows());
            assertThat(read.reads().get("Handler_read_next"))
                    .isEqualTo(done.reads().get("Handler_read_next"));
        }
    }

    /** EXPLAIN of a SELECT names no index then: the key has been read by the optimizer. */
    @Test
    void aRowThatIsNotThereIsSoughtByThePrimaryKey() throws SQLException {
        compare("UPDATE looked SET c = c + 1 WHERE id = -1", false);
        compare("DELETE FROM looked WHERE id = -1", false);
    }
}
