package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A SELECT in the form that returns no rows reads the pages of its plain form: ANALYZE on MariaDB, EXPLAIN ANALYZE on
 * MySQL. By the server's counter of page accesses, with everything in memory.
 */
@Timeout(120)
class RowlessReadsTest {
    private static final ServerUnderTest SERVER = ServerUnderTest.shared();
    private static final String FORM = SERVER.isMariaDb() ? "ANALYZE " : "EXPLAIN ANALYZE ";

    @BeforeAll
    static void prepare() {
        String seq = ServerUnderTest.SCHEMA + ".seq_1_to_5000";
        List<String> sql = new ArrayList<>(List.of(
                "DROP TABLE IF EXISTS " + ServerUnderTest.SCHEMA + ".rowless",
                "CREATE TABLE " + ServerUnderTest.SCHEMA + ".rowless (id INT PRIMARY KEY, k INT, c INT,"
                        + " note VARCHAR(400), large LONGBLOB, KEY k (k)) ENGINE=InnoDB",
                "INSERT INTO " + ServerUnderTest.SCHEMA + ".rowless SELECT seq, seq % 500, seq % 3, REPEAT('n', 300),"
                        + " IF(seq % 50 = 0, REPEAT('b', 200000), NULL) FROM " + seq,
                "ANALYZE TABLE " + ServerUnderTest.SCHEMA + ".rowless"));
        SERVER.execute(sql.toArray(new String[0]));
    }

    private static long accesses(Statement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_read_requests'")) {
            rows.next();
            return rows.getLong(2);
        }
    }

    /** The server's own threads read pages as well, so the least of some runs counts. */
    private static long pages(Statement statement, String sql) throws SQLException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 12; i++) {
            long before = accesses(statement);
            try (ResultSet rows = statement.executeQuery(sql)) {
                while (rows.next()) {
                    rows.getString(1);
                }
            }
            least = Math.min(least, accesses(statement) - before);
        }
        return least;
    }

    private record Read(long plain, long rowless) {}

    private static Read read(String sql) throws SQLException {
        try (Connection connection = SERVER.connect();
                Statement statement = connection.createStatement()) {
            connection.setCatalog(ServerUnderTest.SCHEMA);
            return new Read(pages(statement, sql), pages(statement, FORM + sql));
        }
    }

    private static void assertSame(String sql) throws SQLException {
        Read read = read(sql);
        assertThat((double) read.rowless())
                .as("pages of %s%s, plain %d", FORM, sql, read.plain())
                .isBetween(read.plain() * 0.95 - 2, read.plain() * 1.05 + 4);
    }

    @Test
    void rowsByKeyAndByRange() throws SQLException {
        assertSame("SELECT note FROM rowless WHERE id = 17");
        assertSame("SELECT note FROM rowless WHERE id BETWEEN 100 AND 300");
        assertSame("SELECT note FROM rowless WHERE k = 7");
        assertSame("SELECT note FROM rowless WHERE c = 1");
    }

    /** A covering index is read alone, and the row with it where a column is missing. */
    @Test
    void aCoveringIndexStaysOne() throws SQLException {
        assertSame("SELECT k, id FROM rowless WHERE k BETWEEN 3 AND 9");
        assertThat(read("SELECT k, c FROM rowless WHERE k BETWEEN 3 AND 9").rowless())
                .isGreaterThan(read("SELECT k, id FROM rowless WHERE k BETWEEN 3 AND 9")
                                .rowless()
                        + 50);
    }

    /** The execution ends with the LIMIT, as that of the plain form. */
    @Test
    void aLimitEndsTheReading() throws SQLException {
        assertSame("SELECT note FROM rowless LIMIT 10");
        assertSame("SELECT note FROM rowless ORDER BY id DESC LIMIT 10");
        assertSame("SELECT note FROM rowless ORDER BY c, note LIMIT 10");
        assertThat(read("SELECT note FROM rowless LIMIT 10").rowless())
                .isLessThan(read("SELECT note FROM rowless").rowless() / 5);
    }

    @Test
    void aSubqueryThatIsSatisfiedByOneRowReadsOne() throws SQLException {
        assertSame("SELECT EXISTS (SELECT 1 FROM rowless WHERE c = 1)");
        assertSame("SELECT id FROM rowless o WHERE id < 50 AND EXISTS (SELECT 1 FROM rowless i WHERE i.k = o.k)");
        assertSame("SELECT id, (SELECT COUNT(*) FROM rowless i WHERE i.k = o.id) FROM rowless o WHERE id < 50");
    }

    @Test
    void joinsGroupsAndUnions() throws SQLException {
        assertSame("SELECT a.note FROM rowless a JOIN rowless b ON a.id = b.k WHERE b.id BETWEEN 10 AND 200");
        assertSame("SELECT k, COUNT(note) FROM rowless WHERE id < 400 GROUP BY k");
        assertSame("SELECT note FROM rowless WHERE id = 3 UNION SELECT note FROM rowless WHERE k = 9");
        assertSame("SELECT DISTINCT c FROM rowless WHERE id < 900");
    }

    /** 200,000 bytes lie on 13 pages apart from the row; a column that is not selected is not read. */
    @Test
    void largeValuesOffThePageAreRead() throws SQLException {
        assertSame("SELECT large FROM rowless WHERE id = 50");
        assertSame("SELECT large FROM rowless WHERE id BETWEEN 1 AND 200");
        assertThat(read("SELECT large FROM rowless WHERE id = 50").rowless())
                .isGreaterThanOrEqualTo(
                        read("SELECT note FROM rowless WHERE id = 50").rowless() + 12);
    }
}
