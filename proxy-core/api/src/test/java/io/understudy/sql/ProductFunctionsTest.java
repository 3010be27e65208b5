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
                // MariaDB has these since 10.10, 11.0 and 11.1.
                "SELECT RANDOM_BYTES(4)",
                "SELECT format_pico_time(a) FROM t",
                "SELECT JSON_SCHEMA_VALID(a, b) FROM t",
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
                // MySQL has these until 9.5.
                "SELECT MD5(a), SHA1(a) FROM t",
                "SELECT sha(a) FROM t",
                "SELECT MEDIAN(a) OVER (PARTITION BY b) FROM t",
                "SELECT json_detailed(a) FROM t",
            })
    void mariaDbOnly(String sql) {
        assertThat(pure(sql, SqlModes.MARIADB)).isTrue();
        assertThat(pure(sql, SqlModes.MYSQL)).isFalse();
    }

    /** On the versions without it, the name is a stored function. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CRC32C(1)",
                "JSON_ARRAY_INTERSECT(a, b)",
                "JSON_EQUALS(a, b)",
                "JSON_KEY_VALUE(a, '$')",
                "JSON_NORMALIZE(a)",
                "JSON_OBJECT_FILTER_KEYS(a, b)",
                "JSON_OBJECT_TO_ARRAY(a)",
                "KDF(a, b, c, 'hkdf')",
                "NATURAL_SORT_KEY(a)",
                "SFORMAT('{}', a)",
                "ST_COLLECT(a)",
                "ST_LINEINTERPOLATEPOINT(a, 0.5)",
                "STRING_TO_VECTOR(a)",
                "UUID_V4()",
                "uuid_v7()",
                "VEC_DISTANCE(a, b)",
                "vec_fromtext(a)",
                "VECTOR_DIM(a)",
            })
    void notEverySupportedVersionHasIt(String call) {
        for (int product : new int[] {SqlModes.NONE, SqlModes.MARIADB, SqlModes.MYSQL}) {
            StatementSummary summary = SqlText.summary("SELECT " + call + " FROM t", product);
            assertThat(summary.pureRead()).isFalse();
            assertThat(summary.reason()).isEqualTo(NotPure.UNKNOWN_FUNCTION);
        }
    }

    /** MariaDB calls a stored function if the arguments do not make the geometry. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "POINT('x')",
                "Point ()",
                "POINT(1, 2)", // not told from POINT(1)
                "POLYGON()",
                "GEOMETRYCOLLECTION /**/ ( )",
                "JSON_TABLE('x')",
                "json_table(a, b)",
            })
    void mariaDbCallsAStoredFunctionByItsArguments(String call) {
        assertThat(pure("SELECT a, " + call + " FROM t", SqlModes.MARIADB)).isFalse();
        assertThat(SqlText.summary("SELECT a, " + call + " FROM t", SqlModes.MARIADB)
                        .functions())
                .contains(call.replaceAll("[ (].*", "").toLowerCase(java.util.Locale.ROOT));
    }

    @Test
    void argumentsMakeAGeometryOrATable() {
        for (int product : new int[] {SqlModes.NONE, SqlModes.MARIADB, SqlModes.MYSQL}) {
            assertThat(pure("SELECT LINESTRING(p, q), POLYGON(r), MULTIPOINT(?) FROM t", product))
                    .isTrue();
            assertThat(pure("SELECT * FROM t, JSON_TABLE(t.d, '$[*]' COLUMNS (a INT PATH '$.a')) j", product))
                    .isTrue();
            assertThat(pure(
                            "SELECT (SELECT 1 FROM t JOIN (JSON_TABLE(t.d, '$' COLUMNS (a INT PATH '$')) j) ON 1)",
                            product))
                    .isTrue();
        }
        assertThat(pure("SELECT GEOMETRYCOLLECTION(), POINT(1, 2)", SqlModes.MYSQL))
                .isTrue();
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
