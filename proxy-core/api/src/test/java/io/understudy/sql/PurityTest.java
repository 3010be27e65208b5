package io.understudy.sql;

import static io.understudy.sql.SqlText.summary;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements beyond the corpus, many of them written to look like a pure read. */
class PurityTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '\u0001',
            value = {
                "into ~ SELECT a INTO/**/OUTFILE '/tmp/x' FROM t",
                "into ~ SELECT a FROM t INTO#x¶DUMPFILE '/tmp/x'",
                "into ~ TABLE t INTO OUTFILE '/tmp/x'",
                "into ~ VALUES ROW(1) INTO @x",
                "into ~ (SELECT 1) INTO @x",
                "into ~ SELECT a FROM t UNION SELECT b FROM u INTO OUTFILE 'x'",
                "stored_function ~ SELECT `sleep`(1)",
                "stored_function ~ SELECT `count`(a) FROM t",
                "stored_function ~ SELECT `db`.`f`(1)",
                "stored_function ~ SELECT db . f (1)",
                "stored_function ~ SELECT db.abs(1)",
                "unknown_function ~ SELECT f (1)",
                "unknown_function ~ SELECT f/**/(1)",
                "unknown_function ~ SELECT count (a) FROM t",
                "unknown_function ~ SELECT now/**/()",
                "unknown_function ~ SELECT json_arrayagg (a) FROM t",
                "unknown_function ~ SELECT JSON_OBJECTAGG/**/(a, b) FROM t",
                "unknown_function ~ SELECT rank (a) FROM t",
                "unknown_function ~ SELECT lag¶(a) FROM t",
                "unknown_function ~ SELECT median (a) FROM t",
                "unknown_function ~ SELECT st_collect (a) FROM t",
                "unknown_function ~ SELECT * FROM t WHERE a IN (SELECT g(b) FROM u)",
                "unknown_function ~ SELECT a FROM t ORDER BY f(a)",
                "unknown_function ~ SELECT a FROM t GROUP BY a HAVING f(a)",
                "unknown_function ~ SELECT columns(1)",
                "unknown_function ~ SELECT any(1)",
                "unknown_function ~ SELECT offset(1)",
                "unknown_function ~ SELECT value(1)",
                "unknown_function ~ SELECT over(1)",
                "unknown_function ~ SELECT against(1)",
                "unknown_function ~ SELECT lateral(1)",
                "unknown_function ~ SELECT vector(5)",
                "unknown_function ~ SELECT SQL_BIG_RESULT vector(5)",
                "unknown_function ~ SELECT täble(1)",
                "unknown_function ~ SELECT 1f(1)",
                "unknown_function ~ WITH f(a) AS (SELECT 1) SELECT f(1) FROM f",
                "unknown_function ~ SELECT * FROM (SELECT 1) d JOIN t ON f(1)",
                "unknown_function ~ SELECT * FROM t JOIN u ON (a = f(1))",
                "unknown_function ~ SHOW TABLES WHERE f(1)",
                "unknown_function ~ SELECT CASE WHEN 1 THEN f(1) END",
                "unknown_function ~ SELECT sys_get(a) OVER (ORDER BY b) FROM t",
                "side_effect_function ~ SELECT SLEEP (1)",
                "side_effect_function ~ SELECT DEFAULT(a) FROM t",
                "side_effect_function ~ SELECT 1+sleep(1)",
                "side_effect_function ~ SELECT 1.5sleep(1)",
                "side_effect_function ~ SELECT*FROM(SELECT sleep(1))x",
                "side_effect_function ~ DESC SELECT sleep(1)",
                "side_effect_function ~ EXPLAIN SELECT * FROM t WHERE benchmark(9,9)",
                "side_effect_function ~ SHOW STATUS WHERE sleep(1)",
                "side_effect_function ~ SELECT load_file('/etc/passwd')",
                "side_effect_function ~ SELECT RELEASE_ALL_LOCKS()",
                "side_effect_function ~ SELECT MASTER_POS_WAIT('x', 1)",
                "side_effect_function ~ SELECT WAIT_FOR_EXECUTED_GTID_SET('x')",
                "side_effect_function ~ VALUES (sleep(1))",
                "side_effect_function ~ SELECT 1 LIMIT 1 OFFSET 1 UNION SELECT sleep(1)",
                "locking_read ~ select*from(select 1 for update)x",
                "locking_read ~ select*from t for/**/update",
                "locking_read ~ select*from t for -- x¶share",
                "locking_read ~ SELECT 1.5for update",
                "locking_read ~ SELECT .5for update",
                "locking_read ~ SELECT 1e5for update",
                "locking_read ~ WITH c AS (SELECT * FROM t LOCK IN SHARE MODE) SELECT * FROM c",
                "locking_read ~ (SELECT a FROM t FOR UPDATE) UNION (SELECT b FROM u)",
                "locking_read ~ SELECT a FROM t UNION (SELECT b FROM u LOCK IN SHARE MODE)",
                "locking_read ~ SELECT a--1 FROM t FOR UPDATE",
                "locking_read ~ SELECT 'a\\'', 'b' FROM t FOR UPDATE -- '",
                "locking_read ~ SELECT 'it''s' FROM t FOR UPDATE",
                "locking_read ~ SELECT `a``b` FROM t FOR UPDATE",
                "locking_read ~ SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u FOR UPDATE NOWAIT)",
                "locking_read ~ TABLE t FOR UPDATE",
                "user_variable ~ SELECT @x := 1",
                "user_variable ~ SELECT @@x := 1",
                "user_variable ~ SELECT @`a b`:=1",
                "executable_comment ~ SELECT 1 /*!*/",
                "executable_comment ~ SELECT 1 /*!99999 x */",
                "executable_comment ~ SELECT /*!50000 /*!40000 1 */ */ FROM t",
                "executable_comment ~ SELECT 1 /*M!*/",
                "executable_comment ~ /*!SELECT*/ 1",
                "executable_comment ~ SELECT 1 FROM t /*! FOR UPDATE",
                "multi_statement ~ SELECT 1; SELECT 2",
                "multi_statement ~ SELECT 1;;DELETE FROM t",
                "unparsed ~ SELECT (1;) FROM t",
                "multi_statement ~ SHOW TABLES; DROP TABLE t",
                "multi_statement ~ SELECT 1 ; /* x */ SET @a=1",
                "writes ~ WITH c AS (DELETE FROM t RETURNING *) SELECT * FROM c",
                "writes ~ WITH c AS (INSERT INTO t VALUES (1)) SELECT * FROM c",
                "writes ~ WITH c AS (SELECT 1) UPDATE t SET a=1",
                "unparsed ~ SELECT 'abc",
                "unparsed ~ SELECT \"abc",
                "unparsed ~ SELECT `abc",
                "unparsed ~ SELECT 1 /* abc",
                "unparsed ~ SELECT 'abc\\'",
                "unparsed ~ SELECT (1",
                "unparsed ~ SELECT 1)",
                "unparsed ~ SELECT * FROM",
                "unparsed ~ SELECT * FROM t,",
                "unparsed ~ SELECT * FROM f(1)",
                "unparsed ~ SELECT $$ ' $$, sleep(1)",
                "unparsed ~ SELECT [a] FROM t",
                "unparsed ~ SELECT \\ FROM t",
                "unparsed ~ EXPLAIN FOR SCHEMA db SELECT 1",
                "unparsed ~ FROBNICATE t",
                "unparsed ~ 1",
                "unparsed ~ (SHOW TABLES)",
                "unparsed ~ EXPLAIN INTO @x SELECT 1",
                "hint ~ SELECT /*+SET_VAR(foreign_key_checks=OFF)*/ 1",
                "hint ~ SELECT /*+ resource_group(x) */ 1",
                "session_state ~ SELECT last_insert_id(id) FROM t",
                "session_state ~ SELECT SQL_CALC_FOUND_ROWS 1",
                "sequence ~ SELECT s.currval",
                "sequence ~ SELECT db.`s`.`nextval`",
                "sequence ~ SELECT PREVIOUS VALUE FOR db.s",
                "procedure ~ SELECT * FROM t PROCEDURE ANALYSE(10)",
                "analyze ~ EXPLAIN ANALYZE SELECT 1",
                "analyze ~ DESC ANALYZE FORMAT=TREE SELECT 1",
                "analyze ~ EXPLAIN FORMAT=TREE ANALYZE SELECT 1",
                "analyze ~ ANALYZE SELECT 1",
                "writes ~ EXPLAIN UPDATE t SET a=1",
                "writes ~ EXPLAIN DELETE FROM t",
                "not_a_read ~ EXPLAIN FOR CONNECTION 5",
                "not_a_read ~ HANDLER t READ FIRST",
                "not_a_read ~ SET @x=1",
                "not_a_read ~ USE db",
                "writes ~ DO 1",
                "writes ~ CALL p()",
            })
    void refuses(String reason, String sql) {
        StatementSummary summary = summary(sql.replace('¶', '\n'));
        assertThat(summary.pureRead()).as("%s", summary).isFalse();
        assertThat(summary.reason()).as("%s", summary).isNotNull();
        assertThat(summary.reason().label()).as("%s", summary).isEqualTo(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '\u0001',
            nullValues = "-",
            value = {
                "- ~ SELECT 1;;",
                "- ~ SELECT 1 ; -- done",
                "t ~ select*from(t)",
                "t ~ SELECT `into`, `for update`, `sleep` FROM t",
                "t ~ SELECT t.into, t.update, t.procedure FROM t",
                "t ~ SELECT 'FOR UPDATE', \"INTO OUTFILE\" FROM t",
                "t ~ SELECT /* FOR UPDATE */ a FROM t -- INTO OUTFILE",
                "t ~ SELECT a AS sleep, b AS `f` FROM t",
                "t ~ SELECT COUNT(*), MAX(a), SUM( b ) FROM t",
                "t ~ SELECT 1 FROM t WHERE a=-1 AND b IN (1,-2)",
                "t ~ SELECT 0x FROM t",
                "t ~ SELECT @x FROM t",
                "t,u ~ SELECT * FROM ((SELECT a FROM t) UNION (SELECT b FROM u)) d",
                "t,u,v ~ SELECT * FROM ((SELECT a FROM t) d JOIN u) JOIN v",
                "t,u ~ SELECT * FROM ((t JOIN u))",
                "t,u,v ~ SELECT * FROM t LEFT JOIN (u JOIN v ON u.a=v.a) ON t.a=u.a",
                "t ~ SELECT * FROM (SELECT 1 FROM t) d (a)",
                "t ~ SELECT * FROM (SELECT 1, 2 FROM t) AS d (a, b)",
                "- ~ SELECT * FROM (VALUES ROW(1,2)) AS d (a, b)",
                "t ~ SELECT * FROM t AS data WHERE data.a=1",
                "t,u ~ SELECT * FROM t LEFT JOIN u ON LEFT(t.a,1)=u.a",
                "t,u ~ SELECT * FROM t JOIN u ON t.a=u.a AND IF(t.b, 1, 0), (SELECT 1) x",
                "t ~ WITH c AS (SELECT * FROM t) SELECT * FROM c WHERE a IN (WITH d AS (SELECT 1) SELECT * FROM d)",
                "c,t ~ WITH c AS (SELECT * FROM t), d AS (SELECT 1) SELECT * FROM (SELECT 1 FROM d) x, s.c y",
                "t ~ SELECT * FROM t WHERE MATCH (a) AGAINST ('x')",
                "t ~ SELECT * FROM t WHERE a = ANY (SELECT 1) OR b > ALL (SELECT 2) OR c <> SOME (SELECT 3)",
                "t ~ SELECT CAST(a AS DECIMAL(10,2)), CAST(b AS CHAR(3)), CONVERT(c, BINARY(4)) FROM t",
                "t ~ SELECT SUM(a) OVER (PARTITION BY b), RANK() OVER w FROM t WINDOW w AS (ORDER BY c)",
                "t ~ SELECT INSERT(a,1,2,'x'), REPLACE(a,'b','c'), REPEAT('a',3) FROM t",
                "t ~ SELECT ST_Distance(p, POINT(1,2)), ST_X(p) FROM t",
                "t ~ SELECT JSON_SET(a,'$.b',1), JSON_EXTRACT(a,'$.c') FROM t",
                "- ~ SELECT INET6_ATON('::1'), UUID_TO_BIN(UUID()), BIN_TO_UUID(?)",
                "- ~ SELECT CURRENT_USER, DATABASE(), CONNECTION_ID()",
                "- ~ VALUES (1), (2) ORDER BY 1",
                "t ~ (TABLE t)",
                "t,u ~ TABLE t UNION TABLE u",
                "t ~ DESCRIBE t",
                "t ~ DESC db.t 'a%'",
                "t ~ EXPLAIN t a",
                "t ~ EXPLAIN EXTENDED SELECT * FROM t",
                "t ~ EXPLAIN FORMAT=JSON SELECT * FROM t",
                "- ~ SHOW BINLOG EVENTS IN 'x' FROM 4 LIMIT 1",
                "- ~ SHOW CREATE PROCEDURE p",
                "- ~ SHOW PROCEDURE STATUS LIKE 'x'",
                "- ~ SHOW COUNT(*) WARNINGS",
                "- ~ SHOW GRANTS FOR CURRENT_USER",
                "t ~ SHOW FULL COLUMNS FROM t",
                "t ~ SHOW INDEX IN t FROM db WHERE Key_name = 'x'",
                "- ~ SHOW TABLES FROM db LIKE 'x'",
                "t ~ SELECT * FROM t LIMIT 5 OFFSET 10",
                "t ~ SELECT a FROM t WHERE (a, b) IN ((1, 2), (3, 4))",
                "t ~ SELECT `a`.`b` FROM `t` `a` WHERE `a`.`c` BETWEEN ? AND ?",
                "t ~ SELECT * FROM t MINUS SELECT 1",
                "t ~ SELECT {fn CONCAT('a','b')} FROM t",
            })
    void accepts(String tables, String sql) {
        StatementSummary summary = summary(sql);
        assertThat(summary.pureRead()).as("%s", summary).isTrue();
        Set<String> expected = tables == null ? Set.of() : Set.of(tables.split(","));
        assertThat(summary.reads()).extracting(TableName::table).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(summary.writes()).isEmpty();
    }

    @Test
    void allowsListedFunctionsOnly() {
        StatementSummary summary = summary("SELECT F(a), db.G(b) FROM t");
        assertThat(summary.functions()).containsExactly("f", "db.g");
        assertThat(summary.pureReadAllowing(Set.of("f", "db.g", "x"))).isTrue();
        assertThat(summary.pureReadAllowing(Set.of("f", "g"))).isFalse();
        assertThat(summary("SELECT f(a) FROM t FOR UPDATE").pureReadAllowing(Set.of("f")))
                .isFalse();
        assertThat(summary("SELECT f(a), sleep(1)").pureReadAllowing(Set.of("f", "sleep")))
                .isFalse();
        assertThat(summary("SELECT 1").pureReadAllowing(Set.of())).isTrue();
    }

    @Test
    void recognizesSessionDependentStatements() {
        assertThat(summary("SELECT @x").userVariables()).isTrue();
        assertThat(summary("SELECT @x").sessionDependent()).isTrue();
        assertThat(summary("SELECT CURRENT_USER").sessionDependent()).isTrue();
        assertThat(summary("SELECT CONNECTION_ID()").sessionDependent()).isTrue();
        assertThat(summary("SELECT user, @@version FROM t").sessionDependent()).isFalse();
        assertThat(summary("CREATE USER 'a'@'h'").userVariables()).isFalse();
        assertThat(summary("GRANT SELECT ON *.* TO u@localhost").userVariables())
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SHOW WARNINGS",
                "SHOW ERRORS LIMIT 1",
                "SHOW COUNT(*) ERRORS",
                "GET DIAGNOSTICS @n = NUMBER",
                "SELECT ROW_COUNT()",
                "SELECT FOUND_ROWS()",
                "SELECT @@warning_count",
                "SELECT @@session.error_count",
                "SELECT @@`warning_count`",
                "SELECT 1; SHOW WARNINGS"
            })
    void knowsWhatReadsDiagnostics(String sql) {
        assertThat(summary(sql).readsDiagnostics()).isTrue();
        assertThat(summary("SELECT warning_count FROM t").readsDiagnostics()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t VALUES (LAST_INSERT_ID())",
                "SELECT LAST_INSERT_ID()",
                "SELECT @@last_insert_id",
                "SELECT @@identity"
            })
    void theLastInsertIdOutlivesOtherStatements(String sql) {
        assertThat(summary(sql).readsDiagnostics()).isFalse();
        assertThat(summary(sql).sessionDependent()).isTrue();
    }
}
