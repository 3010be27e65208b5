package io.understudy.plugins.commitlatency;

import static io.understudy.testkit.FakeExchange.to;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.testkit.FakeExchange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class CommitRecognizerTest {
    private final CommitRecognizer recognizer = new CommitRecognizer(false, false);

    private @Nullable CommitKind after(FakeExchange response) {
        return recognizer.recognize(response, response, false);
    }

    private void begin() {
        assertThat(after(to("BEGIN").inTrans())).isNull();
    }

    private void beginAndWrite() {
        begin();
        assertThat(after(to("INSERT INTO t VALUES (1)").affected(1).inTrans())).isNull();
    }

    @Nested
    class WithoutGtids {
        @Test
        void explicitCommitOfWrites() {
            beginAndWrite();
            assertThat(after(to("COMMIT"))).isEqualTo(CommitKind.COMMIT);
        }

        @Test
        void commitOfNothing() {
            assertThat(after(to("COMMIT"))).isNull();
        }

        @Test
        void commitOfReads() {
            begin();
            assertThat(after(to("SELECT * FROM t").rows(3).inTrans())).isNull();
            assertThat(after(to("COMMIT"))).isNull();
        }

        @Test
        void commitOfAnUpdateThatFoundNothing() {
            begin();
            assertThat(after(to("UPDATE t SET a = 1 WHERE id = 7").affected(0).inTrans()))
                    .isNull();
            assertThat(after(to("COMMIT"))).isNull();
        }

        @Test
        void commitAndChainLeavesAnEmptyTransaction() {
            beginAndWrite();
            assertThat(after(to("COMMIT AND CHAIN").inTrans())).isEqualTo(CommitKind.COMMIT);
            assertThat(after(to("COMMIT"))).isNull();
        }

        @Test
        void rollback() {
            beginAndWrite();
            assertThat(after(to("ROLLBACK"))).isNull();
            assertThat(after(to("COMMIT"))).isNull();
        }

        @Test
        void rollbackToSavepointKeepsTheTransaction() {
            beginAndWrite();
            assertThat(after(to("ROLLBACK TO SAVEPOINT a").inTrans())).isNull();
            assertThat(after(to("COMMIT"))).isEqualTo(CommitKind.COMMIT);
        }

        @Test
        void failedCommit() {
            beginAndWrite();
            assertThat(after(to("COMMIT").error(1180))).isNull();
        }

        @Test
        void deadlockRollsBack() {
            beginAndWrite();
            assertThat(after(to("UPDATE t SET a = 2").error(1213))).isNull();
            assertThat(after(to("COMMIT"))).isNull();
        }

        @Test
        void otherErrorsKeepTheTransaction() {
            beginAndWrite();
            assertThat(after(to("INSERT INTO t VALUES (1)").error(1062))).isNull();
            assertThat(after(to("COMMIT"))).isEqualTo(CommitKind.COMMIT);
        }

        @Test
        void aSchemaChangeThatFailsHasCommittedTheOpenTransaction() {
            beginAndWrite();
            assertThat(after(to("CREATE TABLE t (a INT)").error(1050))).isEqualTo(CommitKind.COMMIT);
            assertThat(after(to("INSERT INTO t VALUES (1)").affected(1))).isEqualTo(CommitKind.AUTOCOMMIT);
        }

        @Test
        void aSchemaChangeRefusedBeforehandKeepsTheOpenTransaction() {
            for (int error : new int[] {1064, 1290, 1399, 1792}) {
                beginAndWrite();
                assertThat(after(to("CREATE TABLE t (a INT)").error(error))).isNull();
                assertThat(after(to("COMMIT"))).isEqualTo(CommitKind.COMMIT);
            }
            beginAndWrite();
            assertThat(after(to("CREATE TEMPORARY TABLE t (a INT)").error(1050)))
                    .isNull();
            assertThat(after(to("COMMIT"))).isEqualTo(CommitKind.COMMIT);
            beginAndWrite();
            assertThat(after(
                            to("CREATE TABLE t (a INT); DROP TEMPORARY TABLE x").error(1050)))
                    .isEqualTo(CommitKind.COMMIT);
            begin();
            assertThat(after(to("DROP TABLE t").error(1051)))
                    .as("nothing was written")
                    .isNull();
        }

        @Test
        void autocommitWrites() {
            assertThat(after(to("INSERT INTO t VALUES (1)").affected(1))).isEqualTo(CommitKind.AUTOCOMMIT);
            assertThat(after(to("UPDATE t SET a = 1").affected(2))).isEqualTo(CommitKind.AUTOCOMMIT);
            assertThat(after(to("DELETE FROM t").affected(1))).isEqualTo(CommitKind.AUTOCOMMIT);
            assertThat(after(to("LOAD DATA INFILE 'f' INTO TABLE t").affected(1)))
                    .isEqualTo(CommitKind.AUTOCOMMIT);
        }

        @Test
        void autocommitThatChangedNothing() {
            assertThat(after(to("UPDATE t SET a = 1").affected(0))).isNull();
            assertThat(after(to("INSERT INTO t VALUES (1)").error(1062))).isNull();
            assertThat(after(to("SELECT 1").rows(1))).isNull();
        }

        @Test
        void insertReturningRespondsWithRows() {
            assertThat(after(to("INSERT INTO t VALUES (1) RETURNING id").rows(1)))
                    .isEqualTo(CommitKind.AUTOCOMMIT);
        }

        @Test
        void autocommitOff() {
            assertThat(after(to("SET autocommit = 0").noAutocommit())).isNull();
            assertThat(after(to("INSERT INTO t VALUES (1)")
                            .affected(1)
                            .noAutocommit()
                            .inTrans()))
                    .isNull();
            assertThat(after(to("COMMIT").noAutocommit())).isEqualTo(CommitKind.COMMIT);
        }

        @Test
        void settingAutocommitCommits() {
            assertThat(after(to("SET autocommit = 0").noAutocommit())).isNull();
            assertThat(after(to("INSERT INTO t VALUES (1)")
                            .affected(1)
                            .noAutocommit()
                            .inTrans()))
                    .isNull();
            assertThat(after(to("SET autocommit = 1"))).isEqualTo(CommitKind.COMMIT);
        }

        @Test
        void schemaChanges() {
            assertThat(after(to("CREATE TABLE t (id INT)"))).isEqualTo(CommitKind.DDL);
            assertThat(after(to("TRUNCATE t"))).isEqualTo(CommitKind.DDL);
            assertThat(after(to("GRANT SELECT ON t.* TO u"))).isEqualTo(CommitKind.DDL);
            assertThat(after(to("CREATE TEMPORARY TABLE x (id INT)"))).isNull();
            assertThat(after(to("CREATE TABLE a (id INT); DROP TEMPORARY TABLE x")))
                    .isEqualTo(CommitKind.DDL);
        }

        @Test
        void schemaChangeCommitsTheOpenTransactionWithItself() {
            beginAndWrite();
            assertThat(after(to("ALTER TABLE t ADD b INT"))).isEqualTo(CommitKind.DDL);
            assertThat(after(to("COMMIT"))).isNull();
        }

        @Test
        void implicitCommits() {
            beginAndWrite();
            assertThat(after(to("START TRANSACTION").inTrans())).isEqualTo(CommitKind.COMMIT);
            assertThat(after(to("INSERT INTO t VALUES (1)").affected(1).inTrans()))
                    .isNull();
            assertThat(after(to("LOCK TABLES t WRITE"))).isEqualTo(CommitKind.COMMIT);
        }

        @Test
        void xa() {
            assertThat(after(to("XA START 'x'").inTrans())).isNull();
            assertThat(after(to("INSERT INTO t VALUES (1)").affected(1).inTrans()))
                    .isNull();
            assertThat(after(to("XA END 'x'").inTrans())).isNull();
            assertThat(after(to("XA PREPARE 'x'"))).isNull();
            assertThat(after(to("XA COMMIT 'x'"))).isEqualTo(CommitKind.COMMIT);
            assertThat(after(to("XA COMMIT 'y'"))).isNull();
        }

        @Test
        void xaInOnePhase() {
            assertThat(after(to("XA START 'x'").inTrans())).isNull();
            assertThat(after(to("DELETE FROM t").affected(1).inTrans())).isNull();
            assertThat(after(to("XA END 'x'").inTrans())).isNull();
            assertThat(after(to("XA COMMIT 'x' ONE PHASE"))).isEqualTo(CommitKind.COMMIT);
        }

        @Test
        void proceduresByTheirAffectedRows() {
            assertThat(after(to("CALL p()").affected(2))).isEqualTo(CommitKind.AUTOCOMMIT);
            assertThat(after(to("CALL p()").affected(0))).isNull();
        }

        @Test
        void temporaryTablesAreNoProof() {
            FakeExchange insert = to("INSERT INTO t VALUES (1)").affected(1);
            recognizer.recognize(to("INSERT INTO t VALUES (1)").gtid("0-1-1"), insert.gtid("0-1-1"), false);
            FakeExchange second = to("INSERT INTO temp VALUES (1)").affected(1);
            assertThat(recognizer.recognize(second, second, true)).isNull();
        }

        @Test
        void resetRollsBack() {
            beginAndWrite();
            recognizer.reset();
            assertThat(after(to("COMMIT"))).isNull();
        }
    }

    @Nested
    class WithGtids {
        private void gtidsAreSent() {
            assertThat(after(to("INSERT INTO t VALUES (1)").affected(1).gtid("0-1-1")))
                    .isEqualTo(CommitKind.AUTOCOMMIT);
        }

        @Test
        void procedureThatCommits() {
            assertThat(after(to("CALL p()").gtid("0-1-7"))).isEqualTo(CommitKind.AUTOCOMMIT);
            begin();
            assertThat(after(to("CALL p()").gtid("0-1-8"))).isEqualTo(CommitKind.COMMIT);
        }

        @Test
        void theirAbsenceMeansThatAProcedureWroteNothing() {
            gtidsAreSent();
            assertThat(after(to("CALL p()").affected(3))).isNull();
            begin();
            assertThat(after(to("EXECUTE s").inTrans())).isNull();
            assertThat(after(to("COMMIT"))).isNull();
        }

        @Test
        void resultSetsWithoutStateBlockProveNothing() {
            gtidsAreSent();
            assertThat(after(to("INSERT INTO t VALUES (1) RETURNING id").rows(1)))
                    .isEqualTo(CommitKind.AUTOCOMMIT);
        }

        @Test
        void selectWhoseFunctionWrote() {
            begin();
            assertThat(after(to("SELECT f()").rows(1).inTrans())).isNull();
            assertThat(after(to("COMMIT").gtid("0-1-9"))).isEqualTo(CommitKind.COMMIT);
        }

        @Test
        void preparedXaIsLoggedButNotCommitted() {
            assertThat(after(to("XA PREPARE 'x'").gtid("0-1-5"))).isNull();
            assertThat(after(to("XA COMMIT 'x'").gtid("0-1-6"))).isEqualTo(CommitKind.COMMIT);
            assertThat(after(to("XA ROLLBACK 'y'").gtid("0-1-7"))).isNull();
        }

        @Test
        void rollbackOfNonTransactionalWritesIsNone() {
            assertThat(after(to("ROLLBACK").gtid("0-1-5"))).isNull();
        }

        @Test
        void nonTransactionalWriteInsideATransaction() {
            begin();
            assertThat(after(to("INSERT INTO m VALUES (1)")
                            .affected(1)
                            .gtid("0-1-5")
                            .inTrans()))
                    .isEqualTo(CommitKind.AUTOCOMMIT);
        }

        @Test
        void multipleStatementsInOneText() {
            assertThat(after(to("BEGIN; INSERT INTO t VALUES (1); COMMIT").gtid("0-1-5")))
                    .isEqualTo(CommitKind.AUTOCOMMIT);
        }
    }

    @Test
    void matchedRowsAreNoProofOfChange() {
        CommitRecognizer foundRows = new CommitRecognizer(true, false);
        FakeExchange first = to("DELETE FROM t").affected(1).gtid("0-1-1");
        assertThat(foundRows.recognize(first, first, false)).isEqualTo(CommitKind.AUTOCOMMIT);
        FakeExchange noChange = to("UPDATE t SET a = a").affected(1);
        assertThat(foundRows.recognize(noChange, noChange, false)).isNull();
    }
}
