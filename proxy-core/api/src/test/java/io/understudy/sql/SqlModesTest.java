package io.understudy.sql;

import static io.understudy.sql.SqlText.digest;
import static io.understudy.sql.SqlText.summary;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SqlModesTest {
    private static int modes(@Nullable String sqlMode, @Nullable String charset) {
        return SqlModes.withCharset(SqlModes.withSqlMode(SqlModes.NONE, sqlMode), charset);
    }

    @Test
    void derivesBits() {
        assertThat(modes("STRICT_TRANS_TABLES,ansi_quotes", "utf8mb4")).isEqualTo(SqlModes.ANSI_QUOTES);
        assertThat(modes("ANSI", null)).isEqualTo(SqlModes.ANSI_QUOTES | SqlModes.IGNORE_SPACE);
        assertThat(modes("NO_BACKSLASH_ESCAPES", "latin1_swedish_ci"))
                .isEqualTo(SqlModes.NO_BACKSLASH_ESCAPES | SqlModes.EIGHT_BIT_CHARSET);
        for (String charset : new String[] {"sjis", "cp932", "gbk", "big5", "gb18030", "no_such"}) {
            assertThat(modes(null, charset) & SqlModes.UNSAFE_CHARSET)
                    .as(charset)
                    .isNotZero();
        }
        int all = modes("ANSI,NO_BACKSLASH_ESCAPES", "gbk");
        assertThat(SqlModes.withCharset(all, "utf8")).isEqualTo(modes("ANSI,NO_BACKSLASH_ESCAPES", ""));
        assertThat(SqlModes.withSqlMode(all, "")).isEqualTo(modes("", "gbk"));
        assertThat(SqlModes.withNoBackslashEscapes(0, true)).isEqualTo(SqlModes.NO_BACKSLASH_ESCAPES);
        assertThat(SqlModes.withNoBackslashEscapes(all, false) & SqlModes.NO_BACKSLASH_ESCAPES)
                .isZero();
    }

    @Test
    void followsAnsiQuotes() {
        String sql = "SELECT \"sleep\"(1)";
        assertThat(summary(sql, SqlModes.ANSI_QUOTES).reason()).isEqualTo(NotPure.STORED_FUNCTION);
        String table = "SELECT * FROM \"my \"\"t\" WHERE a = 'x'";
        assertThat(summary(table, SqlModes.ANSI_QUOTES).reads()).containsExactly(new TableName(null, "my \"t"));
        assertThat(summary(table).pureRead()).isFalse();
        // A backslash is no escape in an identifier.
        String hidden = "SELECT \"a\\\" FROM t FOR UPDATE -- \"";
        assertThat(summary(hidden, SqlModes.ANSI_QUOTES).reason()).isEqualTo(NotPure.LOCKING_READ);
        assertThat(digest("SELECT \"a\"")).isNotEqualTo(digest("SELECT \"a\"", SqlModes.ANSI_QUOTES));
    }

    @Test
    void followsNoBackslashEscapes() {
        String hidden = "SELECT 'a\\' FROM t FOR UPDATE -- '";
        assertThat(summary(hidden, SqlModes.NO_BACKSLASH_ESCAPES).reason()).isEqualTo(NotPure.LOCKING_READ);
        assertThat(summary(hidden).pureRead()).isTrue();
        assertThat(summary("SELECT 'a\\'", SqlModes.NO_BACKSLASH_ESCAPES).pureRead())
                .isTrue();
        assertThat(summary("SELECT 'a\\'").reason()).isEqualTo(NotPure.UNPARSED);
    }

    @Test
    void followsIgnoreSpace() {
        assertThat(summary("SELECT COUNT (*) FROM t", SqlModes.IGNORE_SPACE).pureRead())
                .isTrue();
        assertThat(summary("SELECT COUNT (*) FROM t").functions()).containsExactly("count");
        assertThat(digest("SELECT COUNT (*) FROM t")).isEqualTo(digest("SELECT COUNT(*) FROM t"));
    }

    @Test
    void trustsUnsafeCharsetsOnlyWithAscii() {
        int gbk = modes("", "gbk");
        assertThat(summary("SELECT * FROM t WHERE a='x'", gbk).pureRead()).isTrue();
        byte[] text = "SELECT * FROM t WHERE a='x\\' FOR UPDATE -- '".getBytes(StandardCharsets.US_ASCII);
        assertThat(summary(text, gbk).pureRead()).isTrue();
        text[25] = (byte) 0xBF; // now 0xBF 0x5C is one character, and the string ends before FOR UPDATE
        assertThat(summary(text, gbk).reason()).isEqualTo(NotPure.CHARSET);
    }

    @Test
    void anEightBitBlankIsNoPartOfAName() {
        byte[] text = "SELECT * FROM t for_update".getBytes(StandardCharsets.US_ASCII);
        text[19] = (byte) 0xA0; // a blank in latin1
        assertThat(summary(text, modes("", "latin1")).reason()).isEqualTo(NotPure.UNPARSED);
        byte[] quoted = "SELECT 'x' FROM t".getBytes(StandardCharsets.US_ASCII);
        quoted[8] = (byte) 0xE9;
        assertThat(summary(quoted, modes("", "latin1")).pureRead()).isTrue();
    }
}
