package io.understudy.sql;

import static io.understudy.sql.SqlText.summary;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kinds and tables of writing statements beyond the corpus. */
class TablesTest {

    private static Set<String> set(String names) {
        return names == null ? Set.of() : Set.of(names.split(","));
    }

    /** A name that may be a view must not be missed, whatever hides it on some servers. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '\u0001',
            value = {
                "u,v ~ WITH a AS (SELECT * FROM u) TABLE v",
                "v ~ INSERT INTO t (a) TABLE v",
                "v ~ WITH V AS (SELECT 1) SELECT * FROM v",
                "v ~ WITH v AS (SELECT 1 FROM v) SELECT * FROM v",
                "u ~ WITH `c` AS (SELECT 1 FROM u) SELECT * FROM c",
                "u ~ WITH c AS (SELECT 1 FROM u) SELECT * FROM `c`",
                "v ~ SELECT * FROM (WITH v AS (SELECT 1) SELECT * FROM v) d, v",
                "v ~ (WITH v AS (SELECT 1) SELECT * FROM v) UNION SELECT * FROM v",
                "t,v ~ SELECT * FROM t FOR SYSTEM_TIME AS OF (SELECT a FROM v) x",
                "v,w ~ SELECT 1 IN (TABLE v), (SELECT EXISTS (SELECT 1 FROM w))",
                "s.v,w ~ SELECT 1 FROM ({OJ s . v a LEFT OUTER JOIN w ON a.b = w.c})",
                "v ~ WITH v AS (SELECT 1) SELECT 1 UNION (WITH c AS (SELECT 1) SELECT * FROM v)",
                "v ~ WITH v AS (SELECT 1) SELECT * FROM (WITH c AS (SELECT * FROM v) SELECT * FROM c) d",
                "v ~ WITH v AS (SELECT 1) SELECT 1 EXCEPT (WITH c AS (SELECT * FROM v) SELECT * FROM c)",
                "v ~ WITH v AS (SELECT 1) SELECT * FROM (WITH c AS (SELECT 1) SELECT (SELECT 1 FROM v) FROM c) d",
                "v ~ EXPLAIN SELECT * FROM v",
                "v ~ DO (SELECT a FROM v)",
            })
    void listsEveryTableThatMayBeRead(String reads, String sql) {
        assertThat(summary(sql).reads()).extracting(TableName::toString).containsExactlyInAnyOrder(reads.split(","));
    }

    /** Summaries are kept: a name that no server accepts must not fill the memory. */
    @Test
    void namesThatNoServerAcceptsAreNotKept() {
        String longest = "x".repeat(64);
        assertThat(summary("SELECT 1 FROM " + longest + "." + longest).reads()).hasSize(1);
        for (String name : List.of("x".repeat(65), "a." + "x".repeat(10_000), "x".repeat(10_000) + ".a")) {
            StatementSummary read = summary("SELECT 1 FROM " + name);
            assertThat(read.reads()).isEmpty();
            assertThat(read.reason()).isEqualTo(NotPure.UNPARSED);
            StatementSummary write = summary("DELETE FROM " + name);
            assertThat(write.writes()).isEmpty();
            assertThat(write.writesListed()).isFalse();
        }
        assertThat(summary("SELECT " + "f".repeat(10_000) + "(1)").functions()).isEmpty();
        assertThat(summary("USE " + "u".repeat(65)).useSchema()).isNull();
    }

    /** In latin1 the bytes of the UTF-8 name é are the name Ã©. */
    @Test
    void aTableNamedInAnotherCharacterSetIsNotKnown() {
        int latin1 = SqlModes.withCharset(SqlModes.NONE, "latin1");
        for (String sql : List.of("SELECT a FROM `é`", "SELECT a FROM s.`é` x", "SELECT a FROM `é`.t")) {
            assertThat(summary(sql).pureRead()).isTrue();
            assertThat(summary(sql, latin1).reason()).isEqualTo(NotPure.CHARSET);
        }
        assertThat(summary("INSERT INTO `é` VALUES (1)", latin1).writesListed()).isFalse();
        assertThat(summary("USE `é`", latin1).useSchema()).isNull();
        assertThat(summary("SELECT a AS `é` FROM t WHERE b = 'é'", latin1).pureRead())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '\u0001',
            nullValues = "-",
            value = {
                "INSERT ~ - ~ t ~ INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE a=VALUES(a)+IF(b,1,2)",
                "INSERT ~ u ~ t ~ INSERT INTO t (a) (SELECT a FROM u)",
                "INSERT ~ u ~ db.t ~ INSERT INTO db.t VALUES ((SELECT MAX(a) FROM u), 2)",
                "INSERT ~ u ~ t ~ INSERT INTO t SET a=(SELECT b FROM u)",
                "INSERT ~ t ~ t ~ INSERT INTO t SELECT * FROM t",
                "REPLACE ~ - ~ t ~ REPLACE DELAYED t SET a=1",
                "UPDATE ~ - ~ t ~ UPDATE t AS x SET x.a=1, b=2",
                "UPDATE ~ - ~ db.t ~ UPDATE db.t SET db.t.a=1",
                "UPDATE ~ - ~ t,u ~ UPDATE t, u SET a=1 WHERE t.id=u.id",
                "UPDATE ~ u ~ t ~ UPDATE t x JOIN (SELECT * FROM u) d ON x.a=d.a SET x.b=d.b",
                "UPDATE ~ u,v ~ t ~ UPDATE t LEFT JOIN u USING (id) SET t.a=(SELECT MAX(a) FROM v), t.b=1",
                "UPDATE ~ u ~ s.t ~ UPDATE s.t, u SET s.t.a=u.a",
                "UPDATE ~ u ~ t ~ UPDATE t AS x JOIN u SET `x`.a=1",
                "UPDATE ~ u ~ t ~ UPDATE `t` JOIN u SET T.a=1",
                "UPDATE ~ u ~ s.t ~ UPDATE s.t JOIN u SET `s`.`t`.a=1",
                "DELETE ~ - ~ t ~ DELETE FROM t AS x WHERE x.a=1",
                "DELETE ~ u ~ t ~ DELETE FROM t WHERE a IN (SELECT a FROM u)",
                "DELETE ~ u ~ db.t ~ DELETE db.t FROM db.t JOIN u USING (a)",
                "DELETE ~ u ~ t ~ DELETE LOW_PRIORITY IGNORE x.* FROM t x, u",
                "DELETE ~ u ~ t ~ DELETE `x` FROM t AS x JOIN u",
                "DELETE ~ u ~ t,v ~ DELETE FROM t, v USING t JOIN v JOIN u",
                "DELETE ~ - ~ quick ~ DELETE FROM quick",
                "CREATE ~ - ~ t ~ CREATE TABLE t (a INT DEFAULT (f(1)), CHECK (a IN (1,2)))",
                "CREATE ~ u ~ t ~ CREATE TABLE t (a INT) ENGINE=InnoDB SELECT * FROM u",
                "CREATE ~ u ~ t ~ CREATE TEMPORARY TABLE t (SELECT * FROM u)",
                "CREATE ~ u ~ t ~ CREATE TABLE t (LIKE u)",
                "CREATE ~ u ~ v ~ CREATE VIEW v (a, b) AS WITH c AS (SELECT * FROM u) SELECT * FROM c",
                "CREATE ~ - ~ - ~ CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO BEGIN DELETE FROM t; DELETE FROM u; END",
                "CREATE ~ - ~ - ~ CREATE DEFINER=`a`@`b` FUNCTION f() RETURNS INT RETURN (SELECT 1); -- x",
                "CREATE ~ - ~ t,u ~ CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW BEGIN DELETE FROM u; END",
                "CREATE ~ v ~ t,u ~ CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW FOLLOWS y INSERT INTO u SELECT *"
                        + " FROM v",
                "ALTER ~ u ~ t ~ ALTER TABLE t ADD CONSTRAINT FOREIGN KEY (a) REFERENCES u (a)",
                "ALTER ~ - ~ t,db.u ~ ALTER TABLE t RENAME db.u",
                "ALTER ~ - ~ t ~ ALTER TABLE t RENAME COLUMN a TO b, RENAME INDEX c TO d",
                "ALTER ~ u ~ v ~ ALTER ALGORITHM=MERGE DEFINER=`a`@`b` SQL SECURITY INVOKER VIEW v AS SELECT * FROM u",
                "ALTER ~ - ~ - ~ ALTER DATABASE d CHARACTER SET utf8mb4",
                "DROP ~ - ~ v,w ~ DROP VIEW IF EXISTS v, w CASCADE",
                "DROP ~ - ~ t ~ DROP TEMPORARY TABLE t",
                "DROP ~ - ~ db.t ~ DROP INDEX `i` ON db.t",
                "DROP ~ - ~ - ~ DROP USER 'a'@'b'",
                "RENAME ~ - ~ a.t,b.t ~ RENAME TABLE a.t TO b.t",
                "RENAME ~ - ~ - ~ RENAME USER a TO b",
                "DEALLOCATE ~ - ~ - ~ DROP PREPARE s",
                "ADMIN ~ a,b ~ - ~ ANALYZE TABLES a, b",
                "ADMIN ~ - ~ t ~ REPAIR TABLE t QUICK",
                "ADMIN ~ - ~ - ~ LOAD INDEX INTO CACHE t",
                "EXPLAIN ~ t ~ - ~ EXPLAIN DELETE FROM t",
                "EXPLAIN ~ u ~ t ~ ANALYZE INSERT INTO t SELECT * FROM u",
                "SET ~ u ~ t ~ SET STATEMENT max_statement_time=1 FOR INSERT INTO t SELECT * FROM u",
                "CALL ~ t ~ - ~ CALL p((SELECT MAX(a) FROM t))",
                "DO ~ t ~ - ~ DO (SELECT COUNT(*) FROM t)",
                "BLOCK ~ u ~ t,v ~ BEGIN NOT ATOMIC IF 1 THEN INSERT INTO t SELECT * FROM u; END IF; DELETE FROM v;"
                        + " END",
                "BLOCK ~ - ~ t ~ IF 1 THEN UPDATE t SET a=1; END IF",
                "MULTI ~ t ~ u,v ~ SELECT 1 FROM t; INSERT INTO u VALUES (1); DROP TABLE v",
                "MULTI ~ - ~ event,u ~ CREATE INDEX i ON event (a); DELETE FROM u",
                "MULTI ~ - ~ t,u ~ CREATE UNIQUE INDEX function ON t (a); DELETE FROM u",
                "MULTI ~ - ~ u ~ CREATE DATABASE package; DELETE FROM u",
                "MULTI ~ - ~ u ~ CREATE PROCEDURE begin(a INT) CONTAINS SQL SELECT 1 FOR UPDATE; DELETE FROM u",
                "MULTI ~ - ~ u ~ CREATE PROCEDURE IF NOT EXISTS s.p() SET @a = IF(1,2,3); DELETE FROM u",
                "MULTI ~ - ~ u ~ CREATE FUNCTION f() RETURNS INT NO SQL RETURN CASE WHEN 1 THEN 2 END; DELETE FROM u",
                "MULTI ~ - ~ u ~ CREATE FUNCTION f RETURNS STRING SONAME 'x.so'; DELETE FROM u",
                "MULTI ~ - ~ u ~ CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM t; DELETE FROM u",
                "MULTI ~ - ~ t,u,v ~ CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW DELETE FROM u; DELETE FROM v",
                "CREATE ~ - ~ - ~ CREATE PROCEDURE p(a INT) COMMENT 'x' x: WHILE 1 DO DELETE FROM t; END WHILE x",
                "CREATE ~ - ~ - ~ CREATE FUNCTION f(a SET('x')) RETURNS SET('a') CHARACTER SET utf8 DETERMINISTIC"
                        + " IF 1 THEN DELETE FROM t; RETURN 1; END IF",
                "CREATE ~ - ~ - ~ CREATE PROCEDURE p AS x INT; BEGIN DELETE FROM t; END",
                "CREATE ~ - ~ - ~ CREATE FUNCTION f(a INT) RETURN INT AS BEGIN DELETE FROM t; RETURN a; END",
                "CREATE ~ - ~ - ~ CREATE FUNCTION f RETURN SET('a') DETERMINISTIC IS BEGIN DELETE FROM t; END",
                "CREATE ~ - ~ - ~ CREATE DEFINER=user@localhost PROCEDURE p() BEGIN DELETE FROM t; END",
                "CREATE ~ - ~ - ~ CREATE OR REPLACE DEFINER = role@'%' PROCEDURE p() BEGIN DELETE FROM t; END",
                "CREATE ~ - ~ - ~ CREATE DEFINER=event@event PROCEDURE p() BEGIN DELETE FROM t; END",
                "CREATE ~ - ~ - ~ CREATE OR REPLACE DEFINER=CURRENT_USER FUNCTION f() RETURNS INT BEGIN"
                        + " DELETE FROM t; RETURN 1; END",
                "CREATE ~ - ~ - ~ CREATE DEFINER=CURRENT_USER() FUNCTION f() RETURNS INT BEGIN DELETE FROM t; END",
                "CREATE ~ - ~ - ~ CREATE FUNCTION f() RETURNS VARCHAR(9) CHAR SET utf8 BEGIN DELETE FROM t; END",
                "CREATE ~ - ~ - ~ CREATE AGGREGATE FUNCTION f(x INT) RETURNS INT BEGIN DELETE FROM t; RETURN 1; END",
                "CREATE ~ - ~ t,u ~ CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW FOLLOWS y BEGIN"
                        + " DELETE FROM u; END",
                "CREATE ~ - ~ - ~ CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO BEGIN DELETE FROM t; END",
                "ALTER ~ - ~ - ~ ALTER EVENT e DO BEGIN DELETE FROM t; END",
                "ALTER ~ - ~ - ~ ALTER DEFINER=user@localhost EVENT e RENAME TO g DO BEGIN DELETE FROM t; END",
                "MULTI ~ - ~ u ~ ALTER EVENT e DO DELETE FROM t; DELETE FROM u",
                "MULTI ~ - ~ u ~ ALTER PROCEDURE p COMMENT 'x'; DELETE FROM u",
                "CREATE ~ - ~ - ~ CREATE PACKAGE p AS PROCEDURE q; PROCEDURE r; END",
                "MULTI ~ b ~ a ~ INSERT INTO a VALUES (1); EXPLAIN DELETE FROM b",
                "MULTI ~ - ~ a ~ INSERT INTO a VALUES (1); EXPLAIN DELETE FROM a",
                "MULTI ~ - ~ a,b ~ INSERT INTO a VALUES (1); ANALYZE DELETE FROM b",
                "BEGIN ~ - ~ - ~ START TRANSACTION READ ONLY",
                "BEGIN ~ - ~ - ~ BEGIN WORK",
                "CHANGE ~ - ~ - ~ START SLAVE",
                "CHANGE ~ - ~ - ~ STOP REPLICA",
                "ROLLBACK ~ - ~ - ~ ROLLBACK WORK AND CHAIN",
                "SAVEPOINT ~ - ~ - ~ ROLLBACK WORK TO sp",
                "SAVEPOINT ~ - ~ - ~ RELEASE SAVEPOINT sp",
                "XA_PREPARE ~ - ~ - ~ XA PREPARE 'x'",
                "XA_COMMIT ~ - ~ - ~ XA COMMIT 'x'",
                "XA_ROLLBACK ~ - ~ - ~ XA ROLLBACK 'x'",
                "XA ~ - ~ - ~ XA RECOVER",
                "LOCK ~ t ~ db.u ~ LOCK TABLES t AS a READ LOCAL, db.u LOW_PRIORITY WRITE",
                "LOCK ~ - ~ - ~ LOCK INSTANCE FOR BACKUP",
                "UNLOCK ~ - ~ - ~ UNLOCK TABLES",
                "EMPTY ~ - ~ - ~ -- nothing",
                "EMPTY ~ - ~ - ~ ;",
                "UNKNOWN ~ - ~ - ~ `SELECT` 1",
                "GRANT ~ - ~ - ~ REVOKE ALL ON *.* FROM u",
            })
    void findsTables(StatementKind kind, String reads, String writes, String sql) {
        StatementSummary summary = summary(sql);
        assertThat(summary.kind()).as("%s", summary).isEqualTo(kind);
        assertThat(StatementCorpus.names(summary.reads())).as("reads").isEqualTo(set(reads));
        assertThat(StatementCorpus.names(summary.writes())).as("writes").isEqualTo(set(writes));
        assertThat(summary.pureRead()).isFalse();
    }

    @Test
    void keepsTheCaseOfNamesDespiteTheCache() {
        assertThat(summary("SELECT * FROM Orders").reads()).containsExactly(new TableName(null, "Orders"));
        assertThat(summary("SELECT * FROM orders").reads()).containsExactly(new TableName(null, "orders"));
        assertThat(summary("SELECT * FROM orders").digest())
                .isEqualTo(summary("SELECT * FROM ORDERS").digest());
    }

    @Test
    void recognizesImplicitCommits() {
        assertThat(summary("CREATE TABLE t (a INT)").implicitCommit()).isTrue();
        assertThat(summary("CREATE TEMPORARY TABLE t (a INT)").implicitCommit()).isFalse();
        assertThat(summary("CREATE TEMPORARY TABLE t (a INT)").temporary()).isTrue();
        assertThat(summary("DROP TEMPORARY TABLE t").implicitCommit()).isFalse();
        assertThat(summary("SET PASSWORD = 'x'").implicitCommit()).isTrue();
        assertThat(summary("SET @a = 1, PASSWORD FOR u = 'x'").implicitCommit()).isTrue();
        assertThat(summary("SET DEFAULT ROLE r TO u").implicitCommit()).isTrue();
        assertThat(summary("SET @password = 1, ROLE r").implicitCommit()).isFalse();
        assertThat(summary("INSERT INTO t VALUES (1)").implicitCommit()).isFalse();
        assertThat(summary("LOCK TABLES t READ").implicitCommit()).isTrue();
        assertThat(summary("USE `my-db`").useSchema()).isEqualTo("my-db");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CALL p()",
                "EXECUTE s",
                "DROP DATABASE d",
                "DROP TRIGGER x",
                "CREATE PROCEDURE p() DELETE FROM t",
                "BEGIN NOT ATOMIC DELETE FROM t; END",
                "UPDATE t SET a=1; CALL p()",
                "INSERT INTO t VALUES (1); DROP DATABASE d",
                "INSERT INTO t VALUES (1); INSERT",
                "SET STATEMENT max_statement_time=1 FOR CALL p()",
                "SET STATEMENT max_statement_time=1 FOR INSERT",
                "INSERT /*!50000 IGNORE */ INTO t VALUES (1)",
                "INSERT DELAYED INTO t VALUES (1)",
                "REPLACE DELAYED t SET a = 1",
                "XA COMMIT 'x'",
                "GRANT SELECT ON t TO u",
                "OPTIMIZE",
                "CHECK t",
                "ANALYZE TABLE (t)",
                "IMPORT TABLE FROM '/tmp/t.sdi'",
                "CHECKSUM TABLE t; CALL p()"
            })
    void tellsWhatMayWriteMoreThanItsText(String sql) {
        assertThat(summary(sql).writesListed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1",
                "SET @a = (SELECT MAX(a) FROM t)",
                "INSERT INTO t (a) VALUES (1); INSERT INTO t (a) VALUES (1)",
                "SET STATEMENT max_statement_time=1 FOR DELETE FROM t",
                "CREATE TABLE t (a INT, KEY k (a))",
                "DO NEXTVAL(s)",
                "ANALYZE TABLE a, b",
                "ANALYZE NO_WRITE_TO_BINLOG TABLE a PERSISTENT FOR ALL",
                "CHECK TABLE a EXTENDED",
                "CHECKSUM TABLE a",
                "OPTIMIZE TABLE a",
                "PURGE BINARY LOGS TO 'binlog.000010'",
                "CACHE INDEX t IN hot",
                "LOAD INDEX INTO CACHE t",
                "BACKUP STAGE START"
            })
    void tellsWhatWritesNoMoreThanItsText(String sql) {
        assertThat(summary(sql).writesListed()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '\u0001',
            nullValues = "-",
            value = {
                "f ~ INSERT INTO t VALUES (f(1))",
                "a.f ~ INSERT INTO db.t (a, b) SELECT a.f(x), 2 FROM u",
                "f ~ UPDATE t SET a = `f`(1) WHERE b = ABS(2)",
                "f ~ DELETE FROM t WHERE f(id)",
                "f ~ SET @a = f(1)",
                "f ~ DO f(1)",
                "f ~ CREATE TABLE t (a INT, b VARCHAR(10), KEY k (a)) SELECT f(1)",
                "f ~ SET STATEMENT max_statement_time=1 FOR REPLACE INTO t (a) VALUES (f(1))",
                "f ~ INSERT INTO t (a) VALUES (1); SELECT f(1)",
                "- ~ INSERT INTO `t` (a, b) VALUES (1, MAX(2)) ON DUPLICATE KEY UPDATE a = VALUES(a)",
                "- ~ INSERT INTO db.t PARTITION (p0) (a) VALUES (DEFAULT(a))",
                "- ~ LOAD DATA INFILE 'x' INTO TABLE t (a, b) SET c = UPPER(@x)",
                "- ~ WITH c (x) AS (SELECT 1) UPDATE t JOIN c USING (x) SET t.y = 2",
                "- ~ CREATE TABLE t (a INT CHECK (a > 1), PRIMARY KEY (a)) PARTITION BY RANGE (a) (PARTITION p"
                        + " VALUES LESS THAN (1))",
                "- ~ SET STATEMENT max_statement_time=1 FOR ALTER TABLE t ADD INDEX i (a), ADD c VARCHAR(1)"
            })
    void findsTheFunctionsOfWrites(String functions, String sql) {
        assertThat(Set.copyOf(summary(sql).functions())).isEqualTo(set(functions));
    }

    @Test
    void recognizesTheStatementOfSetStatement() {
        assertThat(summary("SET STATEMENT max_statement_time=1 FOR BEGIN").runs())
                .isEqualTo(StatementKind.BEGIN);
        assertThat(summary("SET @a = 1").runs()).isEqualTo(StatementKind.SET);
        assertThat(summary("SET STATEMENT a=1 FOR DELETE FROM t; SELECT 1").runs())
                .isEqualTo(StatementKind.MULTI);
    }

    @Test
    void recognizesSchemaChanges() {
        assertThat(summary("INSERT INTO t VALUES (1); DROP TABLE u").changesSchema())
                .isTrue();
        assertThat(summary("SET STATEMENT a=1 FOR ALTER TABLE t FORCE").changesSchema())
                .isTrue();
        assertThat(summary("DELETE FROM t; DELETE FROM u").changesSchema()).isFalse();
        assertThat(summary("TRUNCATE t").changesSchema()).isFalse();
        assertThat(summary("CREATE TEMPORARY TABLE t (a INT)").changesSchema()).isFalse();
        assertThat(summary("DROP TEMPORARY TABLE t; DELETE FROM u").changesSchema())
                .isFalse();
    }

    @Test
    void aTemporaryTableDoesNotHideThatAnotherStatementChangesTheSchema() {
        for (String sql : List.of(
                "CREATE TEMPORARY TABLE x (i INT); ALTER TABLE c ADD FOREIGN KEY (a) REFERENCES p (a)",
                "ALTER TABLE c FORCE; DROP TEMPORARY TABLE x")) {
            assertThat(summary(sql).changesSchema()).isTrue();
            assertThat(summary(sql).implicitCommit()).isTrue();
            assertThat(summary(sql).temporary()).isTrue();
        }
        assertThat(summary("CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW BEGIN"
                                + " CREATE TEMPORARY TABLE y (i INT); END")
                        .changesSchema())
                .isTrue();
    }

    @Test
    void aSchemaBehindARoutineIsUsed() {
        assertThat(summary("CREATE PROCEDURE p() SELECT 1; USE other").useSchema())
                .isEqualTo("other");
    }

    @Test
    void aRowCountAfterAnotherStatementBelongsToIt() {
        assertThat(summary("INSERT INTO t VALUES (1); SELECT ROW_COUNT()").readsDiagnostics())
                .isFalse();
        assertThat(summary("SELECT ROW_COUNT(); SELECT 1").readsDiagnostics()).isTrue();
        assertThat(summary("BEGIN NOT ATOMIC DECLARE a INT; SELECT ROW_COUNT(); END")
                        .readsDiagnostics())
                .isTrue();
    }

    @Test
    void unparsedStatementsHaveTheKindOfTheirFirstKeyword() {
        for (StatementCorpus.Statement statement : StatementCorpus.load()) {
            byte[] text = statement.bytes();
            StatementKind full =
                    SqlText.ANALYZER.summarize(text, 0, text.length, 0).kind();
            StatementKind rough = FirstKeyword.of(text, 0, text.length);
            if (rough != full) {
                // The documented differences.
                String upper = statement.sql().toUpperCase(java.util.Locale.ROOT);
                assertThat(upper).matches("(?s)(WITH|ANALYZE|BEGIN NOT|DESC) ?.*|.*;.*");
            }
        }
        byte[] text = "  /* c */ -- x\n(( seLECT 1".getBytes(StandardCharsets.US_ASCII);
        assertThat(FirstKeyword.of(text, 0, text.length)).isEqualTo(StatementKind.SELECT);
        assertThat(FirstKeyword.of(text, 2, 7)).isEqualTo(StatementKind.EMPTY);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ROLLBACK | ROLLBACK",
                "rollback work | ROLLBACK",
                "ROLLBACK AND CHAIN | ROLLBACK",
                "ROLLBACK TO s | SAVEPOINT",
                "ROLLBACK /* all of it */ WORK -- no | ROLLBACK",
                "ROLLBACK WORK TO SAVEPOINT s | SAVEPOINT",
                "ROLLBACK/**/TO s | SAVEPOINT",
                "ROLLBACK; | ROLLBACK",
                "XA START 'x' | XA",
                "XA BEGIN 'x' | XA",
                "XA END 'x' | XA",
                "XA RECOVER | XA",
                "XA PREPARE 'x' | XA_PREPARE",
                "xa commit 'x' one phase | XA_COMMIT",
                "XA ROLLBACK 'x' | XA_ROLLBACK",
                "XA | XA",
                "START TRANSACTION READ ONLY | BEGIN",
                "START /* it */ TRANSACTION | BEGIN",
                "START SLAVE | CHANGE",
                "load /* it */ index into cache t | ADMIN",
                "LOAD XML INFILE 'x' INTO TABLE t | LOAD",
                "BEGIN WORK | BEGIN"
            })
    void tellsKindsThatMoreWordsDecide(String sql, StatementKind kind) {
        byte[] text = sql.getBytes(StandardCharsets.US_ASCII);
        assertThat(FirstKeyword.of(text, 0, text.length)).isEqualTo(kind);
        assertThat(SqlText.ANALYZER.summarize(text, 0, text.length, 0).kind()).isEqualTo(kind);
    }

    @Test
    void recognizesTextsThatOnlyReadAndChangeRows() {
        for (String sql : new String[] {
            "UPDATE t SET a = 1; INSERT INTO u VALUES (1); SELECT ROW_COUNT();",
            "DELETE FROM t; REPLACE INTO u VALUES (1)"
        }) {
            assertThat(summary(sql).changesDataOnly()).as(sql).isTrue();
        }
        for (String sql : new String[] {
            "BEGIN; DELETE FROM t",
            "DELETE FROM t; COMMIT",
            "DELETE FROM t; SET autocommit=0; DELETE FROM u",
            "DELETE FROM t; USE s; DELETE FROM u",
            "DELETE FROM t; CALL p()",
            "SET STATEMENT a=1 FOR DELETE FROM t; DELETE FROM u",
            "DELETE FROM t; TRUNCATE u",
            "DELETE FROM t; LOCK TABLES u WRITE",
            "DELETE FROM t; whatever"
        }) {
            assertThat(summary(sql).changesDataOnly()).as(sql).isFalse();
        }
    }
}
