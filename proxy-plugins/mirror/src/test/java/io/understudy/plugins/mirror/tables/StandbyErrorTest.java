package io.understudy.plugins.mirror.tables;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The messages are those of MariaDB 11.4 and MySQL 9.7. */
class StandbyErrorTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '\u0001',
            value = {
                "1142 ~ SELECT command denied to user 'understudy_mirror'@'10.0.0.1' for table `shop`.`orders`",
                "1044 ~ Access denied for user 'understudy_mirror'@'%' to database 'shop'",
                "1146 ~ Table 'shop.orders' doesn't exist",
                "1049 ~ Unknown database 'only_here'",
            })
    void keepsNamesOfErrorsAboutNames(int code, String message) {
        assertThat(StandbyError.of(code, message).text()).isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '\u0001',
            value = {
                "1292 ~ Incorrect datetime value: 's3cret' ~ Incorrect datetime value: '?'",
                "1064 ~ You have an error near 'SELECT 's3cret' FROM t WHERE a = 's3cret' at line 1 ~ You have an"
                        + " error near '?' FROM",
                "1690 ~ BIGINT UNSIGNED value is out of range in '(`shop`.`t`.`a` - 4711)' ~ value is out of range"
                        + " in '?'",
                "1054 ~ Unknown column 's3cret' in 'WHERE' ~ Unknown column '?'",
                "1062 ~ Duplicate entry 's3'cret-4711' for key 'PRIMARY' ~ Duplicate entry '?'",
                "3141 ~ Invalid JSON text in argument 1: \"Invalid value.\" at position 4711. ~ Invalid JSON text in"
                        + " argument ?",
                "1105 ~ XPATH syntax error: 's3cret' ~ a stored program",
                "1644 ~ card s3cret refused ~ a stored program",
                "1064 ~ cut off in 's3cret ~ cut off in '?'",
                "1367 ~ Illegal value 4711 found ~ Illegal value ? found",
            })
    void removesValues(int code, String message, String begins) {
        String text = StandbyError.of(code, message).text();
        assertThat(text).doesNotContain("s3cret").doesNotContain("4711");
        assertThat(text).contains(begins.replaceFirst(" FROM$", ""));
    }
}
