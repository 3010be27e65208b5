package io.understudy.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InsertedValuesTest {
    private final SqlAnalyzer analyzer = new SqlAnalyzer();

    private @Nullable InsertedValues parse(String sql, int modes) {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        return analyzer.insertedValues(text, 0, text.length, modes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (v) VALUES ('größer')",
                "insert into `t` (value, b) value (7, NULL), (-8, default);",
                "REPLACE /* one */ INTO d.t VALUES ()",
                "INSERT IGNORE t SET v = 'x', t.at = NOW(6), n = 1.5",
                "INSERT INTO t (v, w) VALUES (?, LAST_INSERT_ID())",
                "INSERT INTO t (v) VALUES ('57-1', TRUE, CURRENT_TIMESTAMP, '5f00-uuid')"
            })
    void anIdThatIsNoValueWasGenerated(String sql) {
        InsertedValues values = parse(sql, SqlModes.NONE);
        assertThat(values).as(sql).isNotNull();
        assertThat(values.mayGive(50)).as(sql).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (id, v) VALUES (50, 'a')",
                "INSERT INTO t VALUES (NULL, 'a'), ('50', 'b')",
                "INSERT INTO t SET id = ' +50 and more'",
                "REPLACE t VALUES (49.6)",
                "INSERT INTO t VALUES ('50.2')"
            })
    void anIdThatIsAValueMayBeThat(String sql) {
        InsertedValues values = parse(sql, SqlModes.NONE);
        assertThat(values).as(sql).isNotNull();
        assertThat(values.mayGive(50)).as(sql).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (v) SELECT 'a'",
                "INSERT INTO t TABLE u",
                "INSERT INTO t (v) VALUES ('a') RETURNING id",
                "INSERT INTO t (v) VALUES ('a') ON DUPLICATE KEY UPDATE v = 'b'",
                "INSERT INTO t (v) VALUES ('a'); INSERT INTO t (v) VALUES ('b')",
                "INSERT INTO t VALUES (25 * 2)",
                "INSERT INTO t VALUES (0x32)",
                "INSERT INTO t VALUES (x'32')",
                "INSERT INTO t VALUES (b'110010')",
                "INSERT INTO t VALUES (5e1)",
                "INSERT INTO t VALUES ('5e1')",
                "INSERT INTO t VALUES ('\\65')",
                "INSERT INTO t VALUES ('5\\60')",
                "INSERT INTO t VALUES ('5' '0')",
                "INSERT INTO t VALUES (-'50')",
                "INSERT INTO t VALUES (@id)",
                "INSERT INTO t VALUES (LAST_INSERT_ID(50))",
                "INSERT INTO t VALUES (NOW(), LAST_INSERT_ID(50))",
                "INSERT INTO t VALUES (NOW() + 0)",
                "INSERT INTO t VALUES (DEFAULT(id))",
                "INSERT INTO t (q, id) VALUES (DEFAULT, q)",
                "INSERT INTO t SET q = DEFAULT, id = q",
                "INSERT INTO t VALUES (f())",
                "INSERT INTO t VALUES /*!50000 (50), */ (1)",
                "INSERT INTO t (v) VALUES ('a"
            })
    void whatMayMakeANumberIsNotPlain(String sql) {
        assertThat(parse(sql, SqlModes.NONE)).as(sql).isNull();
    }

    @Test
    void quotesMeanWhatTheModeSays() {
        String sql = "INSERT INTO t (q, id) VALUES (DEFAULT, \"q\")";
        assertThat(parse(sql, SqlModes.NONE)).isNotNull();
        assertThat(parse(sql, SqlModes.ANSI_QUOTES)).isNull();
        assertThat(parse(sql, SqlModes.QUOTES_UNKNOWN)).isNull();
        assertThat(parse("INSERT INTO t VALUES ('ä')", SqlModes.UNSAFE_CHARSET)).isNull();
    }

    /** A server makes the largest number of the column's type of what is larger, unless its mode is strict. */
    @Test
    void theLargestNumberOfATypeMayBeAValue() {
        InsertedValues values = parse("INSERT INTO t VALUES (99999999999)", SqlModes.NONE);
        assertThat(values).isNotNull();
        assertThat(values.mayGive(Integer.MAX_VALUE)).isTrue();
        assertThat(values.mayGive(-1)).isTrue();
        assertThat(values.mayGive(1)).isFalse();
    }
}
