package io.understudy.plugins.gtiddomain.steering;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementKind;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The expectations are what MariaDB 10.11 logged for these statements with {@code binlog_alter_two_phase=1}. */
class TwoPhaseCoverageTest {
    private static final SqlAnalyzer ANALYZER = new SqlAnalyzer();

    private static @Nullable String gap(String sql) {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        return TwoPhaseCoverage.gap(
                ANALYZER.summarize(text, 0, text.length, 0).runs(), ANALYZER.normalize(text, 0, text.length, 0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ALTER TABLE a ADD x INT",
                "ALTER TABLE `shop`.`a` FORCE",
                "ALTER ONLINE TABLE a ADD CONSTRAINT c CHECK (v > 0)",
                "ALTER TABLE a2 RENAME COLUMN v TO vv",
                "ALTER TABLE a RENAME KEY i TO j",
                "ALTER TABLE c REMOVE PARTITIONING",
                "ALTER TABLE a2 PARTITION BY HASH(id) PARTITIONS 2",
                "CREATE UNIQUE INDEX i ON a2 (id)",
                "CREATE OR REPLACE INDEX i ON a2 (id, w)",
                "CREATE INDEX IF NOT EXISTS j ON a2 (w)",
                "DROP INDEX i ON a2",
                "ALTER TABLE a2 COMMENT 'x'",
                "ALTER TABLE r2 ENGINE=MyISAM",
                "ALTER TABLE a2 COMMENT 'drop partition p'",
                "ALTER TABLE a2 COMMENT 'it''s \\' drop partition p'",
                "ALTER TABLE a2 ADD `disable` INT AFTER `keys`",
                "ALTER TABLE `add` PARTITION BY HASH(id)",
                "ALTER TABLE a2 /* drop partition p */ FORCE",
                "ALTER TABLE a2 FORCE -- drop partition p",
                "SET STATEMENT max_statement_time=5 FOR ALTER TABLE a ADD x INT"
            })
    void covers(String sql) {
        assertThat(gap(sql)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ALTER TABLE a RENAME TO a2",
                "ALTER TABLE c ADD PARTITION (PARTITION p1 VALUES LESS THAN (20))",
                "ALTER TABLE c TRUNCATE PARTITION p0",
                "ALTER TABLE c REORGANIZE PARTITION p1 INTO (PARTITION p1 VALUES LESS THAN (30))",
                "ALTER TABLE a2 OPTIMIZE PARTITION ALL",
                "ALTER TABLE a2 DISABLE KEYS",
                "OPTIMIZE TABLE r",
                "RENAME TABLE r TO r2",
                "TRUNCATE r2",
                "TRUNCATE TABLE r2",
                "CREATE TABLE z SELECT * FROM r2",
                "CREATE TABLE x (id INT, INDEX (id))",
                "ALTER DATABASE t COMMENT 'x'",
                "ALTER SEQUENCE s RESTART 5",
                "DROP TABLE r"
            })
    void doesNotCover(String sql) {
        assertThat(gap(sql)).isNotEmpty();
    }

    /** No server has such a name, but clients choose the texts. */
    @Test
    void readsANameOfAnyLength() {
        String name = "drop partition ".repeat(7_000) + "``".repeat(50_000);
        assertThat(TwoPhaseCoverage.gap(StatementKind.ALTER, "ALTER TABLE `" + name + "` FORCE"))
                .isEmpty();
    }

    @Test
    void saysNothingOfOtherStatements() {
        assertThat(TwoPhaseCoverage.gap(StatementKind.UPDATE, "UPDATE a SET v = 1"))
                .isNull();
        assertThat(TwoPhaseCoverage.gap(StatementKind.ADMIN, "ANALYZE TABLE a")).isNull();
    }
}
