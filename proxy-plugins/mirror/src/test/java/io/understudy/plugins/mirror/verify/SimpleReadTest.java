package io.understudy.plugins.mirror.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimpleReadTest {
    private final SimpleRead shape = new SimpleRead();

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "fit", textBlock = """
                    SELECT count(*) FROM t WHERE (a = 1) AND id IN (1, 2) | fit
                    SELECT now() FROM t | function
                    SELECT `f` (1) FROM t | function
                    SELECT count(f(a)) FROM t | function
                    SELECT a FROM t LIMIT 1 | shape
                    """)
    void onlyCountIsAllowedOfTheFunctions(String sql, String reason) {
        assertThat(shape.unfit(sql.getBytes(StandardCharsets.UTF_8))).isEqualTo(reason);
    }

    @Test
    void aLongWordTakesNoLongTime() {
        byte[] text = ("SELECT " + "a".repeat(980)).getBytes(StandardCharsets.UTF_8);
        assertTimeoutPreemptively(Duration.ofSeconds(15), () -> {
            for (int i = 0; i < 10_000; i++) {
                assertThat(shape.unfit(text)).isNull();
            }
        });
    }
}
