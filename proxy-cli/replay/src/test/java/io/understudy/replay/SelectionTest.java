package io.understudy.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.replay.log.LogEvent;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which statements of a log are reads, by the settings that a capture has of their session. */
class SelectionTest {
    private final Selection selection = new Selection(LogFilter.READS);

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '^',
            nullValues = "-",
            value = {
                "NAMES utf8mb4, sql_mode = 'ANSI_QUOTES,STRICT_ALL_TABLES'"
                        + " ~ SELECT \"id\" FROM \"orders\" WHERE n = '?' ~ -",
                "NAMES utf8mb4, sql_mode = 'ANSI' ~ SELECT \"what?\" FROM \"orders\" ~ -",
                "NAMES utf8mb4, sql_mode = '' ~ SELECT id FROM \"orders\" ~ unparsed",
                "- ~ SELECT id FROM \"orders\" ~ unparsed",
                "NAMES utf8mb4, sql_mode = 'NO_BACKSLASH_ESCAPES' ~ SELECT '\\' FROM orders ~ -",
                "NAMES utf8mb4, sql_mode = CONCAT('', 'ANSI_QUOTES') ~ SELECT id FROM \"orders\" ~ unparsed",
                "NAMES gbk ~ SELECT 'ü' FROM orders ~ charset",
                "NAMES utf8mb4 ~ SELECT 'ü' FROM orders ~ -",
            })
    void readsAreRecognisedByTheSessionsMode(@Nullable String settings, String sql, @Nullable String leftOut) {
        for (int time = 0; time < 2; time++) {
            assertThat(selection.leftOut(event(settings, sql))).isEqualTo(leftOut);
        }
    }

    private static LogEvent event(@Nullable String settings, String sql) {
        return new LogEvent(
                LogEvent.Kind.STATEMENT,
                1,
                "app",
                "shop",
                sql.getBytes(StandardCharsets.UTF_8),
                0,
                0,
                1,
                settings,
                null,
                null,
                null);
    }
}
