package io.understudy.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LockChangeTest {
    private static LockChange of(String sql, boolean cut) {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        return SqlText.ANALYZER.lockChange(text, 0, text.length, 0, cut);
    }

    /** Locks by their bits: 1 tables, 2 global, 4 backup. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "LOCK TABLES t READ, u AS v WRITE | 1 | 0",
                "lock table t write | 1 | 0",
                "LOCK INSTANCE FOR BACKUP | 4 | 0",
                "UNLOCK INSTANCE | 0 | 4",
                "UNLOCK TABLES | 0 | 3",
                "FLUSH TABLES WITH READ LOCK | 2 | 0",
                "FLUSH LOCAL TABLES WITH READ LOCK AND DISABLE CHECKPOINT | 2 | 0",
                "FLUSH /*!40101 LOCAL */ TABLES | 0 | 0",
                "FLUSH TABLES t, u | 0 | 0",
                "FLUSH TABLES t, `with` FOR EXPORT | 1 | 0",
                "FLUSH TABLES t WITH READ LOCK | 1 | 0",
                "FLUSH PRIVILEGES | 0 | 0",
                "BACKUP STAGE BLOCK_COMMIT | 4 | 0",
                "BACKUP STAGE END | 0 | 4",
                "BACKUP LOCK t | 4 | 0",
                "BACKUP UNLOCK | 0 | 4",
                "BEGIN | 0 | 1",
                "START TRANSACTION READ ONLY | 0 | 1",
                "START SLAVE | 0 | 0",
                "LOCK TABLES t WRITE; INSERT INTO t VALUES (1); UNLOCK TABLES | 0 | 3",
                "UNLOCK TABLES; LOCK TABLES t WRITE | 1 | 2",
                "SET STATEMENT lock_wait_timeout=3 FOR LOCK TABLES t WRITE | 1 | 0",
                "SET STATEMENT lock_wait_timeout=3, max_statement_time=5 FOR FLUSH TABLES t FOR EXPORT | 1 | 0",
                "SET STATEMENT lock_wait_timeout=SUBSTRING('12' FROM 1 FOR 1) FOR FLUSH TABLES WITH READ LOCK | 2 | 0",
                "SET STATEMENT max_statement_time=1 FOR BACKUP STAGE END | 0 | 4",
                "SET STATEMENT max_statement_time=1 FOR SELECT 1 FOR UPDATE | 0 | 0",
                "SET STATEMENT max_statement_time=1 FOR SELECT 1; UNLOCK TABLES | 0 | 3",
                "SET @a = 1 | 0 | 0",
                "SELECT 'LOCK TABLES t' | 0 | 0"
            })
    void theLocksThatATextLeaves(String sql, int acquired, int released) {
        assertThat(of(sql, false))
                .extracting(LockChange::acquired, LockChange::released)
                .containsExactly(acquired, released);
    }

    @Test
    void aLockThatIsReleasedAtOnceIsTaken() {
        assertThat(of("LOCK TABLES t WRITE; SELECT 1; UNLOCK TABLES", false).taken())
                .isEqualTo(LockChange.TABLES);
        assertThat(of("UNLOCK TABLES", false).taken()).isZero();
    }

    @Test
    void whatIsCutMayLockTables() {
        assertThat(of("FLUSH TABLES a_long_name, another", true))
                .isEqualTo(new LockChange(LockChange.TABLES, 0, LockChange.TABLES));
        assertThat(of("FLUSH STATUS", true)).isEqualTo(LockChange.NONE);
    }
}
