package io.understudy.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The read that finds the rows of an UPDATE, a DELETE or a locking read, and the statements that have none. */
class LookupTest {
    private static @Nullable String lookup(String sql) {
        return lookup(sql, SqlModes.NONE);
    }

    private static @Nullable String lookup(String sql, int modes) {
        return lookup(sql.getBytes(StandardCharsets.UTF_8), modes);
    }

    private static @Nullable String lookup(byte[] text, int modes) {
        byte[] framed = new byte[text.length + 7];
        System.arraycopy(text, 0, framed, 3, text.length);
        Lookup lookup = SqlText.ANALYZER.lookup(framed, 3, text.length, modes);
        return lookup == null ? null : new String(lookup.text(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '\u0001',
            value = {
                "UPDATE t SET a = 1 WHERE id = 5 ~ SELECT * FROM t WHERE id = 5",
                "update s.t set a=a+1,b='x' where k in (1,2,3) ~ SELECT * FROM s.t WHERE k in (1,2,3)",
                "UPDATE `my t` SET `a`=1 WHERE `k`='it''s' ; ~ SELECT * FROM `my t` WHERE `k`='it''s'",
                "UPDATE t SET a = 'WHERE x' WHERE k BETWEEN 1 AND 9 ~ SELECT * FROM t WHERE k BETWEEN 1 AND 9",
                "UPDATE t SET a = IF(b, (c), NOW()) WHERE k = 1 ~ SELECT * FROM t WHERE k = 1",
                "UPDATE t SET a = @x, b = f(1) WHERE k = 1 ~ SELECT * FROM t WHERE k = 1",
                "UPDATE t SET a = 1 WHERE (a, b) IN ((1, 2), (3, 4)) ~"
                        + " SELECT * FROM t WHERE (a, b) IN ((1, 2), (3, 4))",
                "UPDATE t SET a = 1 WHERE NOT (a <=> NULL OR b IS NOT NULL) AND c LIKE 'x%' ~"
                        + " SELECT * FROM t WHERE NOT (a <=> NULL OR b IS NOT NULL) AND c LIKE 'x%'",
                "/* app */ UPDATE t SET a = 1 WHERE /* c */ id = 5 -- end ~ SELECT * FROM t WHERE id = 5",
                "UPDATE t SET a = 1 WHERE b = '/* no comment' ~ SELECT * FROM t WHERE b = '/* no comment'",
                "DELETE FROM t WHERE id = 5 ~ SELECT * FROM t WHERE id = 5",
                "DELETE FROM `s`.`t` WHERE a = -1.5e3 AND b >= 0x1F ~"
                        + " SELECT * FROM `s`.`t` WHERE a = -1.5e3 AND b >= 0x1F",
                "SELECT * FROM t WHERE id = 5 FOR UPDATE ~ SELECT * FROM t WHERE id = 5",
                "SELECT a, t.b AS c FROM s.t WHERE id = 5 LOCK IN SHARE MODE ~"
                        + " SELECT a, t.b AS c FROM s.t WHERE id = 5",
                "SELECT a FROM t WHERE id = 5 FOR SHARE NOWAIT; ~ SELECT a FROM t WHERE id = 5",
                "SELECT x.a FROM t AS x WHERE x.id = 5 FOR UPDATE WAIT 3 ~ SELECT x.a FROM t AS x WHERE x.id = 5",
                "SELECT x.a FROM t x WHERE x.id = 5 FOR UPDATE ~ SELECT x.a FROM t x WHERE x.id = 5",
                "SELECT a FROM t WHERE b = 'FOR UPDATE' FOR UPDATE ~ SELECT a FROM t WHERE b = 'FOR UPDATE'",
            })
    void theConditionIsRead(String sql, String read) {
        assertThat(lookup(sql)).isEqualTo(read);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // Functions, variables, subqueries.
                "UPDATE t SET a = 1 WHERE f(id) = 5",
                "UPDATE t SET a = 1 WHERE id = SLEEP(1)",
                "UPDATE t SET a = 1 WHERE id = sleep/**/(1)",
                "UPDATE t SET a = 1 WHERE id = `sleep`(1)",
                "UPDATE t SET a = 1 WHERE id = s.f(1)",
                "UPDATE t SET a = 1 WHERE NOW() > b",
                "UPDATE t SET a = 1 WHERE b < CURRENT_TIMESTAMP",
                "UPDATE t SET a = 1 WHERE b < utc_date",
                "UPDATE t SET a = 1 WHERE b = CURRENT_USER",
                "UPDATE t SET a = 1 WHERE ROWNUM < 5",
                "UPDATE t SET a = 1 WHERE id = @x",
                "UPDATE t SET a = 1 WHERE id = @x := 5",
                "UPDATE t SET a = 1 WHERE id = @@global.server_id",
                "UPDATE t SET a = 1 WHERE id IN (SELECT b FROM u)",
                "UPDATE t SET a = (SELECT MAX(b) FROM u) WHERE id = 5",
                "UPDATE t SET a = 1 WHERE EXISTS (SELECT 1 FROM u)",
                "UPDATE t SET a = 1 WHERE id = NEXTVAL(s)",
                "UPDATE t SET a = 1 WHERE id = NEXT VALUE FOR s",
                "UPDATE t SET a = 1 WHERE id = s.nextval",
                "UPDATE t SET a = 1 WHERE CASE a WHEN 1 THEN sleep(1) END",
                "UPDATE t SET a = 1 WHERE a = CAST(b AS CHAR)",
                "UPDATE t SET a = 1 WHERE MATCH (a) AGAINST ('x')",
                "UPDATE t SET a = 1 WHERE id = VALUES(a)",
                "UPDATE t SET a = 1 WHERE id = DEFAULT(a)",
                // Values whose type or character set depends on more than the text.
                "UPDATE t SET a = 1 WHERE b = _latin1'x'",
                "UPDATE t SET a = 1 WHERE b = DATE'2026-01-01'",
                "UPDATE t SET a = 1 WHERE b = 'x' COLLATE utf8mb4_bin",
                "UPDATE t SET a = 1 WHERE b LIKE 'x' ESCAPE '|'",
                "UPDATE t SET a = 1 WHERE b > a + INTERVAL 1 DAY",
                // Rows and order.
                "UPDATE t SET a = 1 WHERE id > 5 ORDER BY id",
                "UPDATE t SET a = 1 WHERE id > 5 LIMIT 3",
                "UPDATE t SET a = 1",
                "UPDATE t SET a = 1 LIMIT 3",
                "UPDATE t SET a = 1 WHERE",
                "DELETE FROM t",
                "DELETE FROM t LIMIT 1",
                "DELETE FROM t WHERE id = 5 RETURNING id",
                "DELETE FROM t WHERE id > 5 ORDER BY id LIMIT 1",
                // More than a table.
                "UPDATE t, u SET t.a = 1 WHERE t.id = 5",
                "UPDATE t JOIN u USING (id) SET t.a = 1 WHERE t.id = 5",
                "UPDATE t AS x SET a = 1 WHERE x.id = 5",
                "UPDATE t x SET a = 1 WHERE x.id = 5",
                "UPDATE t PARTITION (p0) SET a = 1 WHERE id = 5",
                "UPDATE t FOR PORTION OF p FROM 1 TO 2 SET a = 1 WHERE id = 5",
                "UPDATE t USE INDEX (k) SET a = 1 WHERE id = 5",
                "UPDATE (SELECT 1) d SET a = 1 WHERE id = 5",
                "UPDATE LOW_PRIORITY t SET a = 1 WHERE id = 5",
                "UPDATE IGNORE t SET a = 1 WHERE id = 5",
                "DELETE t FROM t WHERE id = 5",
                "DELETE FROM t USING t JOIN u WHERE t.id = 5",
                "DELETE FROM t AS x WHERE x.id = 5",
                "DELETE FROM t x WHERE x.id = 5",
                "DELETE FROM t PARTITION (p0) WHERE id = 5",
                "DELETE FROM t FOR PORTION OF p FROM 1 TO 2 WHERE id = 5",
                "DELETE QUICK FROM t WHERE id = 5",
                "DELETE HISTORY FROM t WHERE id = 5",
                "WITH c AS (SELECT 1) UPDATE t SET a = 1 WHERE id = 5",
                "WITH c AS (SELECT 1) DELETE FROM t WHERE id = 5",
                // Hints, and comments that are executed.
                "UPDATE /*+ NO_INDEX(t) */ t SET a = 1 WHERE id = 5",
                "DELETE /*+ SET_VAR(sql_mode='') */ FROM t WHERE id = 5",
                "UPDATE t SET a = 1 WHERE id = 5 /*! LIMIT 3 */",
                "UPDATE t SET a = 1 WHERE id = 5 /*M! AND sleep(1) */",
                "SELECT /*+ MAX_EXECUTION_TIME(5) */ a FROM t WHERE id = 5 FOR UPDATE",
                // Several statements, parameters, broken texts.
                "UPDATE t SET a = 1 WHERE id = 5; DROP TABLE t",
                "DELETE FROM t WHERE id = 5; DELETE FROM u",
                "UPDATE t SET a = 1; DELETE FROM t WHERE id = 5",
                "UPDATE t SET a = ? WHERE id = 5",
                "UPDATE t SET a = 1 WHERE id = ?",
                "DELETE FROM t WHERE id = (5",
                "DELETE FROM t WHERE id = 5)",
                "DELETE FROM t WHERE id = 'x",
                "DELETE FROM t WHERE id = 5 /* open",
                "UPDATE t SET a = 1 WHERE {d '2026-01-01'} = b",
                "UPDATE t SET a = 1 WHERE CURRENT OF c",
                "UPDATE t SET a = 1) WHERE id = 5",
                // Locking reads.
                "SELECT * FROM t FOR UPDATE",
                "SELECT * FROM t WHERE id = 5 FOR UPDATE SKIP LOCKED",
                "SELECT * FROM t WHERE id = 5 FOR UPDATE OF t",
                "SELECT * FROM t WHERE id = 5 ORDER BY id LIMIT 1 FOR UPDATE",
                "SELECT * FROM t WHERE id = 5 LIMIT 1 LOCK IN SHARE MODE",
                "SELECT * FROM t WHERE id = 5 GROUP BY a FOR UPDATE",
                "SELECT * FROM t WHERE id = 5 FOR UPDATE INTO @x",
                "SELECT a INTO @x FROM t WHERE id = 5 FOR UPDATE",
                "SELECT * FROM t WHERE id = 5 INTO OUTFILE '/tmp/x' FOR UPDATE",
                "SELECT COUNT(*) FROM t WHERE id = 5 FOR UPDATE",
                "SELECT GET_LOCK('x', 1) FROM t WHERE id = 5 FOR UPDATE",
                "SELECT @x := a FROM t WHERE id = 5 FOR UPDATE",
                "SELECT (SELECT 1) FROM t WHERE id = 5 FOR UPDATE",
                "SELECT DISTINCT a FROM t WHERE id = 5 FOR UPDATE",
                "SELECT SQL_CALC_FOUND_ROWS a FROM t WHERE id = 5 FOR UPDATE",
                "SELECT s.nextval FROM t WHERE id = 5 FOR UPDATE",
                "SELECT * FROM t, u WHERE t.id = 5 FOR UPDATE",
                "SELECT * FROM t JOIN u WHERE t.id = 5 FOR UPDATE",
                "SELECT * FROM t USE INDEX (k) WHERE id = 5 FOR UPDATE",
                "SELECT * FROM t PARTITION (p0) WHERE id = 5 FOR UPDATE",
                "SELECT * FROM t FOR SYSTEM_TIME ALL WHERE id = 5 FOR UPDATE",
                "SELECT * FROM (SELECT * FROM t FOR UPDATE) d WHERE id = 5",
                "SELECT * FROM t WHERE id IN (SELECT id FROM u FOR UPDATE)",
                "SELECT * FROM t WHERE id = 5 FOR UPDATE UNION SELECT * FROM u",
                "(SELECT * FROM t WHERE id = 5 FOR UPDATE)",
                "SELECT * FROM t WHERE id = 5 FOR UPDATE; DROP TABLE t",
                "SELECT * FROM t WHERE id = 5 LOCK IN EXCLUSIVE MODE",
                "SELECT * FROM t WHERE id = 5",
                "SELECT 1 FOR UPDATE",
                // Everything else.
                "INSERT INTO t SELECT * FROM u WHERE id = 5",
                "REPLACE INTO t VALUES (1)",
                "SET STATEMENT max_statement_time = 1 FOR UPDATE t SET a = 1 WHERE id = 5",
                "EXPLAIN UPDATE t SET a = 1 WHERE id = 5",
                "CALL p()",
                "TRUNCATE t",
                "",
            })
    void whatIsNotCertainHasNone(String sql) {
        assertThat(lookup(sql)).isNull();
    }

    @Test
    void quotesThatMayBeStringsOrNamesHaveNone() {
        String sql = "UPDATE t SET a = 1 WHERE b = \"c\"";
        assertThat(lookup(sql, SqlModes.QUOTES_UNKNOWN)).isNull();
        assertThat(lookup(sql, SqlModes.ANSI_QUOTES)).isEqualTo("SELECT * FROM t WHERE b = \"c\"");
        assertThat(lookup("UPDATE t SET a = 1 WHERE b = 'c'", SqlModes.QUOTES_UNKNOWN))
                .isEqualTo("SELECT * FROM t WHERE b = 'c'");
    }

    @Test
    void aBackslashEndsNoStringUnlessTheModeSaysSo() {
        String sql = "DELETE FROM t WHERE b = '\\' OR f(1) OR '1'";
        assertThat(lookup(sql, SqlModes.NO_BACKSLASH_ESCAPES)).isNull();
        assertThat(lookup("DELETE FROM t WHERE b = 'a\\' OR c'", SqlModes.NONE)).isNotNull();
        assertThat(lookup("DELETE FROM t WHERE b = 'a\\' OR c'", SqlModes.NO_BACKSLASH_ESCAPES))
                .isNull();
    }

    /** In gbk the byte before a quote may be the first half of a character that ends with it. */
    @Test
    void bytesOfAnUnsafeCharacterSetHaveNone() {
        byte[] text = "DELETE FROM t WHERE b = '\u00ff\\' OR c = '1'".getBytes(StandardCharsets.ISO_8859_1);
        assertThat(lookup(text, SqlModes.withCharset(SqlModes.NONE, "gbk"))).isNull();
        assertThat(lookup("DELETE FROM t WHERE b = 'c'", SqlModes.withCharset(SqlModes.NONE, "gbk")))
                .isNotNull();
    }

    @Test
    void bytesOfTheClientsCharacterSetStay() {
        byte[] text = "DELETE FROM t WHERE b = 'caf\u00e9'".getBytes(StandardCharsets.ISO_8859_1);
        Lookup lookup = SqlText.ANALYZER.lookup(text, 0, text.length, SqlModes.withCharset(SqlModes.NONE, "latin1"));
        assertThat(lookup).isNotNull();
        assertThat(new String(lookup.text(), StandardCharsets.ISO_8859_1))
                .isEqualTo("SELECT * FROM t WHERE b = 'caf\u00e9'");
    }

    @Test
    void aTextThatIsTooLongHasNone() {
        byte[] text = ("DELETE FROM t WHERE b = '" + "x".repeat(100) + "'").getBytes(StandardCharsets.UTF_8);
        assertThat(new SqlAnalyzer(100, 1).lookup(text, 0, text.length, SqlModes.NONE))
                .isNull();
    }

    /** Whatever the text is made of: there is no look-up, or it is a pure read for the classifier. */
    @Test
    void everyLookupIsAPureRead() {
        String[] parts = {
            "UPDATE ",
            "DELETE FROM ",
            "SELECT * FROM ",
            "t ",
            "`u` ",
            "SET ",
            "a = 1 ",
            "WHERE ",
            "id = 5 ",
            "AND ",
            "( ",
            ") ",
            ", ",
            "'x' ",
            "'FOR UPDATE' ",
            "FOR UPDATE ",
            "LOCK IN SHARE MODE ",
            "sleep(1) ",
            "@x ",
            "; ",
            "/*! ",
            "*/ ",
            "-- \n",
            "# ",
            "\" ",
            "` ",
            "' ",
            "\\ ",
            "LIMIT 1 ",
            "INTO @x ",
            "IN (1, 2) ",
            "NULL ",
            ". ",
            "? ",
            "SELECT 1 ",
            "UNION ",
            "DROP TABLE t ",
            "\u00e9 ",
            "/* ",
            "_utf8 ",
            "GET_LOCK ",
        };
        SplittableRandom random = new SplittableRandom(20261122);
        int found = 0;
        for (int i = 0; i < 200_000; i++) {
            StringBuilder sql = new StringBuilder(i % 3 == 0 ? "UPDATE t SET a = 1 WHERE " : "");
            int length = 1 + random.nextInt(9);
            for (int k = 0; k < length; k++) {
                sql.append(parts[random.nextInt(parts.length)]);
            }
            String lookup = lookup(sql.toString());
            if (lookup != null) {
                found++;
                assertThat(SqlText.summary(lookup).pureRead())
                        .as(sql.toString())
                        .isTrue();
                assertThat(lookup).startsWith("SELECT ");
            }
        }
        assertThat(found).isGreaterThan(1000);
    }
}
