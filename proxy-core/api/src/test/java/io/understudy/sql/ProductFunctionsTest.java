package io.understudy.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A built-in function of one product only is a stored function on the other, where it may write. */
class ProductFunctionsTest {

    private static boolean pure(String sql, int modes) {
        return SqlText.summary(sql, modes).pureRead();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT UUID_TO_BIN(a) FROM t",
                "SELECT ANY_VALUE(a) FROM t GROUP BY b",
                "SELECT regexp_like(a, 'x') FROM t",
                "SELECT ST_Simplify(a, 1) FROM t",
            })
    void mySqlOnly(String sql) {
        assertThat(pure(sql, SqlModes.MYSQL)).isTrue();
        assertThat(pure(sql, SqlModes.MARIADB)).isFalse();
        assertThat(SqlText.summary(sql, SqlModes.MARIADB).reason()).isEqualTo(NotPure.UNKNOWN_FUNCTION);
        assertThat(SqlText.summary(sql, SqlModes.MYSQL).oneProduct()).isTrue();
        assertThat(pure(sql, SqlModes.NONE)).as("no product told").isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT NVL2(a, b, c) FROM t",
                "SELECT UUID_V7()",
                "SELECT MEDIAN(a) OVER (PARTITION BY b) FROM t",
                "SELECT json_detailed(a) FROM t",
            })
    void mariaDbOnly(String sql) {
        assertThat(pure(sql, SqlModes.MARIADB)).isTrue();
        assertThat(pure(sql, SqlModes.MYSQL)).isFalse();
    }

    @Test
    void bothProductsHaveTheOtherFunctions() {
        for (int product : new int[] {SqlModes.MARIADB, SqlModes.MYSQL}) {
            StatementSummary summary =
                    SqlText.summary("SELECT COUNT(*), CONCAT(a, b), JSON_VALUE(c, '$.d') FROM t", product);
            assertThat(summary.pureRead()).isTrue();
            assertThat(summary.oneProduct()).isFalse();
        }
    }

    @Test
    void aFunctionOfTheOtherProductCanBeAllowedByName() {
        StatementSummary summary = SqlText.summary("SELECT UUID_TO_BIN(a) FROM t", SqlModes.MARIADB);
        assertThat(summary.pureReadAllowing(Set.of("uuid_to_bin"))).isTrue();
        assertThat(summary.functions()).containsExactly("uuid_to_bin");
    }

    @Test
    void theDigestIsTheSameForBoth() {
        assertThat(SqlText.summary("SELECT NVL(a, b)", SqlModes.MYSQL).digest())
                .isEqualTo(SqlText.summary("SELECT NVL(a, b)", SqlModes.MARIADB).digest());
    }
}
