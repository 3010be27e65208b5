package io.understudy.sql;

import static io.understudy.sql.SqlText.digest;
import static io.understudy.sql.SqlText.normal;
import static io.understudy.sql.SqlText.summary;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DigestTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '\u0001',
            value = {
                "SELECT * FROM t WHERE a=1 ~ select  *  from T where A = 'x'",
                "SELECT * FROM t WHERE a=1 ~ /* x */ SELECT * -- y¶ FROM `t` WHERE a=?;",
                "SELECT * FROM t WHERE a=1 ~ SELECT * FROM t WHERE a=-1",
                "SELECT * FROM t WHERE a=1 ~ SELECT * FROM t WHERE a=_utf8mb4'x'",
                "SELECT * FROM t WHERE a=1 ~ SELECT * FROM t WHERE a=_utf8mb4 x'41'",
                "SELECT * FROM t WHERE a=1 ~ SELECT * FROM t WHERE a=N'x' 'y'",
                "SELECT * FROM t WHERE a=1 ~ SELECT * FROM t WHERE a=0xFF",
                "SELECT * FROM t WHERE a=1 ~ SELECT * FROM t WHERE a=NULL",
                "SELECT * FROM t WHERE a IN (1) ~ SELECT * FROM t WHERE a IN (1, 2, -3, 'x', NULL)",
                "SELECT * FROM t WHERE a IN (1) ~ SELECT * FROM t WHERE a IN(?,?)",
                "INSERT INTO t VALUES (1,2) ~ INSERT INTO t VALUES (1,2), (3,4),(5,NULL)",
                "INSERT INTO t VALUES (1,NOW(),f(x)) ~ INSERT INTO t VALUES (1,NOW(),f(x)), (3,now(),`f`(x))",
                "SELECT 1 LIMIT 5, 10 ~ SELECT 2 LIMIT 7 , 8",
                "SELECT (1,2) IN ((1,2)) ~ SELECT (1,2) IN ((1,2),(3,4),(5,6))",
                "SELECT 1 ~ ;;SELECT 2;;",
                "SELECT /*+ BKA(t) MAX_EXECUTION_TIME(10) */ 1 ~ SELECT /*+BKA(t)  MAX_EXECUTION_TIME(2000)*/ 1",
            })
    void isTheSame(String a, String lines) {
        String b = lines.replace('¶', '\n');
        assertThat(normal(a)).isEqualToIgnoringCase(normal(b));
        assertThat(digest(a)).isEqualTo(digest(b));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '\u0001',
            value = {
                "SELECT a FROM t ~ SELECT b FROM t",
                "SELECT a - 1 FROM t ~ SELECT a 1 FROM t",
                "SELECT a FROM t LIMIT 1 ~ SELECT a FROM t LIMIT 1, 2",
                "SELECT 1, 2 ~ SELECT 1",
                "SELECT (1, 2+a) ~ SELECT (1+a)",
                "SELECT (a), (b) ~ SELECT (a)",
                "SELECT a FROM t ~ SELECT a FROM t /*!50000 FOR UPDATE */",
                "SELECT a FROM t ~ SELECT /*+ X */ a FROM t",
                "SELECT 'a' FROM t ~ SELECT 'a' FROM t WHERE 'b",
                "SELECT LAST_INSERT_ID() ~ SELECT LAST_INSERT_ID(1)",
                "SELECT a IS NULL FROM t ~ SELECT a IS TRUE FROM t",
                "SELECT @a ~ SELECT @b",
                "SELECT @a ~ SELECT @@a",
                "SELECT 1; SELECT 1 ~ SELECT 1",
                "INSERT INTO t VALUES (1,DEFAULT) ~ INSERT INTO t VALUES (1,2)",
                "SELECT a-- 1 ~ SELECT a--1",
            })
    void isAnother(String a, String b) {
        assertThat(digest(a)).isNotEqualTo(digest(b));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '\u0001',
            value = {
                "select  a,b from `t` where a>=1 and b in (1,2) ~ SELECT a, b FROM t WHERE a >= ? AND b IN (?)",
                "INSERT INTO t (a, b) VALUES (1,'x'),(2,'y') ~ INSERT INTO t(a, b) VALUES (?)",
                "select count(*), x.y from `my t` x; ~ SELECT COUNT(*), x.y FROM `my t` x",
                "SELECT 1; DELETE FROM t ~ SELECT ?; DELETE FROM t",
                "SELECT @a, @@b.c, -5 ~ SELECT @a, @@b.c, ?",
            })
    void normalises(String sql, String text) {
        assertThat(normal(sql)).isEqualTo(text);
    }

    @Test
    void isStableAcrossProcesses() {
        // Users write digests in configuration files: a change of this value needs a note in the changelog.
        assertThat(summary("SELECT * FROM shop.orders WHERE id = 42").digestHex())
                .isEqualTo("04354509c54dae0d");
    }

    @Test
    void distinguishesTheStatementsOfTheCorpus() {
        Map<Long, String> seen = new HashMap<>();
        for (StatementCorpus.Statement statement : StatementCorpus.load()) {
            String normal = normal(statement.sql()).toUpperCase(java.util.Locale.ROOT);
            String other = seen.put(digest(statement.sql()), normal);
            if (other != null) {
                assertThat(other).isEqualTo(normal);
            }
        }
        assertThat(seen).hasSizeGreaterThan(190);
    }

    @Test
    void longStatementsAreLimited() {
        SqlAnalyzer small = new SqlAnalyzer(200, 16);
        String rows = "(1,'abc'),".repeat(500);
        byte[] text = ("INSERT INTO t VALUES " + rows + "(1,'x')").getBytes(StandardCharsets.US_ASCII);
        StatementSummary summary = small.summarize(text, 0, text.length, 0);
        assertThat(summary.digest()).isEqualTo(digest("INSERT INTO t VALUES (1,'x')"));
        assertThat(summary.writes()).containsExactly(new TableName(null, "t"));
        assertThat(summary.reason()).isEqualTo(NotPure.TOO_LONG);
        byte[] read = ("SELECT 1 FROM t WHERE a=" + " ".repeat(300) + "1").getBytes(StandardCharsets.US_ASCII);
        assertThat(small.summarize(read, 0, read.length, 0).reason()).isEqualTo(NotPure.TOO_LONG);
        assertThat(small.normalize(read, 0, read.length, 0)).isEqualTo("SELECT ? FROM t WHERE a =");
        assertThat(normal("SELECT " + "a, ".repeat(2000) + "a")).hasSize(1024);
    }

    @Test
    void responsesFromTheCache() {
        SqlAnalyzer analyzer = new SqlAnalyzer();
        byte[] a = "SELECT * FROM t WHERE a = 1".getBytes(StandardCharsets.US_ASCII);
        byte[] b = "xSELECT * FROM t WHERE a = 'two' -- c".getBytes(StandardCharsets.US_ASCII);
        StatementSummary first = analyzer.summarize(a, 0, a.length, 0);
        assertThat(analyzer.summarize(b, 1, b.length - 1, 0)).isSameAs(first);
        assertThat(analyzer.summarize(a, 0, a.length, SqlModes.ANSI_QUOTES)).isNotSameAs(first);
    }
}
