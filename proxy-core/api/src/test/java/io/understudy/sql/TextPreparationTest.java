package io.understudy.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextPreparationTest {
    private static @Nullable TextPreparation parse(String sql, int modes) {
        return TextPreparation.parse(sql.getBytes(StandardCharsets.UTF_8), modes);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            nullValues = "null",
            value = {
                "PREPARE p FROM 'SELECT 1' | p | SELECT 1",
                "prepare `P q` from \"it's \"\"1\"\"\"; | p q | it's \"1\"",
                "/* a */ PREPARE /* b */ p FROM 'a''b\\'c' -- d | p | a'b'c",
                "PREPARE p FROM @a | p | null",
                "PREPARE p FROM 'a' 'b' | p | null",
                "PREPARE p FROM 'a' + @b + 'c' | p | null",
                "PREPARE p FROM CONCAT('a') | p | null",
                "PREPARE p FROM _utf8mb4'a' | p | null",
                "PREPARE p FROM X'53' | p | null"
            })
    void aPreparation(String sql, String name, @Nullable String text) {
        assertThat(parse(sql, SqlModes.NONE)).isEqualTo(new TextPreparation(name, text, false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"DEALLOCATE PREPARE p", "drop prepare `P`;", "/* a */ DROP /* b */ PREPARE p"})
    void aRemoval(String sql) {
        assertThat(parse(sql, SqlModes.NONE)).isEqualTo(new TextPreparation("p", null, true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PREPARE é FROM 'a'",
                "PREPARE p FROM 'a'; SELECT 1",
                "PREPARE p FROM 'a' /*M! || @b */",
                "PREPARE p FROM 'a",
                "DROP TABLE p",
                "DEALLOCATE PREPARE p, q",
                "SELECT 1"
            })
    void whatIsNotUnderstood(String sql) {
        assertThat(parse(sql, SqlModes.NONE)).isNull();
    }

    @Test
    void backslashesAndQuotesAreThoseOfTheMode() {
        assertThat(parse("PREPARE p FROM 'a\\'", SqlModes.NO_BACKSLASH_ESCAPES))
                .isEqualTo(new TextPreparation("p", "a\\", false));
        assertThat(parse("PREPARE p FROM \"a\"", SqlModes.ANSI_QUOTES))
                .isEqualTo(new TextPreparation("p", null, false));
        assertThat(parse("PREPARE p FROM 'é'", SqlModes.UNSAFE_CHARSET)).isNull();
    }
}
