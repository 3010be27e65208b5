package io.understudy.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SingleLineTest {
    private final SingleLine line = new SingleLine();

    private String written(String sql, int modes) {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        SingleLine.Refusal refusal = line.write(text, 0, text.length, modes, null, null);
        return refusal == null
                ? new String(line.bytes(), 0, line.length(), StandardCharsets.UTF_8)
                : "refused: " + refusal.label();
    }

    @Test
    void breaksBecomeBlanksAndEscapes() {
        assertThat(written("SELECT\r\n a,\tb\nFROM t;\n ", 0)).isEqualTo("SELECT a, b FROM t");
        assertThat(written("SELECT 'a\nb\r\0c\\\nd\\'e''f'", 0)).isEqualTo("SELECT 'a\\nb\\r\\0c\\nd\\'e''f'");
        assertThat(written("SELECT x /* one\n'two' */, 'it' -- three '\n'four' # five\n", 0))
                .isEqualTo("SELECT x , 'it' 'four'");
        assertThat(written("SELECT /*!40001 SQL_NO_CACHE\n*/ * /*+ MAX_EXECUTION_TIME(1)\n*/", 0))
                .isEqualTo("SELECT /*!40001 SQL_NO_CACHE */ * /*+ MAX_EXECUTION_TIME(1) */");
        assertThat(written("SELECT 1; SELECT 2;;", 0)).isEqualTo("SELECT 1; SELECT 2");
    }

    @Test
    void namesInDoubleQuotesGetBackticks() {
        assertThat(written("SELECT \"a\"\"b`c\" FROM \"t\"", SqlModes.ANSI_QUOTES))
                .isEqualTo("SELECT `a\"b``c` FROM `t`");
        assertThat(written("SELECT \"a\nb\"", 0)).isEqualTo("SELECT \"a\\nb\"");
    }

    @Test
    void whatCannotBeWrittenIsRefused() {
        assertThat(written(" /* nothing */ ;", 0)).isEqualTo("refused: empty");
        assertThat(written("SELECT `a\nb`", 0)).isEqualTo("refused: name");
        assertThat(written("SELECT @'a\nb'", 0)).isEqualTo("refused: name");
        assertThat(written("SELECT 'a\nb'", SqlModes.NO_BACKSLASH_ESCAPES)).isEqualTo("refused: no_escapes");
        assertThat(written("SELECT 'C:\\'", SqlModes.NO_BACKSLASH_ESCAPES)).isEqualTo("refused: no_escapes");
        assertThat(written("SELECT 'ab'", SqlModes.NO_BACKSLASH_ESCAPES)).isEqualTo("SELECT 'ab'");
        assertThat(written("SELECT '\u00e4'", SqlModes.UNSAFE_CHARSET)).isEqualTo("refused: charset");
    }

    @Test
    void aHashedParameterKeepsItsType() {
        byte[] text = "INSERT INTO t VALUES (?, ?, ?, ?)".getBytes(StandardCharsets.UTF_8);
        String[] values = {"NULL", "x'0102'", "'a'", "-1.5"};
        assertThat(line.write(text, 0, text.length, 0, value -> value, i -> values[i].getBytes(StandardCharsets.UTF_8)))
                .isNull();
        assertThat(new String(line.bytes(), 0, line.length(), StandardCharsets.UTF_8))
                .matches("INSERT INTO t VALUES \\(NULL, 'h[0-9a-f]+', 'h[0-9a-f]+', [0-9]+\\)");
    }

    @Test
    void equalValuesHaveEqualHashes() {
        byte[] text = "SELECT 'a', \"a\", 'a', 15, x'61', -15 FROM `t`".getBytes(StandardCharsets.UTF_8);
        assertThat(line.write(text, 0, text.length, 0, value -> value, null)).isNull();
        String hashed = new String(line.bytes(), 0, line.length(), StandardCharsets.UTF_8);
        String[] values =
                hashed.substring("SELECT ".length(), hashed.indexOf(" FROM")).split(", ");
        assertThat(values[0]).isEqualTo(values[2]).startsWith("'h").doesNotContain("a'");
        assertThat(values[3]).matches("[0-9]+").isNotEqualTo("15");
        assertThat(values[5]).isEqualTo("-" + values[3]);
        assertThat(hashed).endsWith(" FROM `t`");
        byte[] open = "SELECT 'O'Brien'".getBytes(StandardCharsets.UTF_8);
        assertThat(line.write(open, 0, open.length, 0, value -> value, null)).isEqualTo(SingleLine.Refusal.UNPARSED);
    }

    @Test
    void whatNobodyClosesIsRefused() {
        String[] texts = {
            "SELECT 'a",
            "SELECT \"a",
            "SELECT `a",
            "SELECT 1--'a",
            "SELECT N'a\\'",
            "SELECT 1 /* '",
            "SELECT /*!50000 1",
            "SELECT @`a",
            "SELECT @'a"
        };
        for (String open : texts) {
            assertThat(written(open, 0)).as(open).isEqualTo("refused: unparsed");
        }
    }

    @Test
    void parametersTakeTheirPlaces() {
        byte[] text = "SELECT '?' , ? FROM t -- ?\n WHERE a = ?".getBytes(StandardCharsets.UTF_8);
        String[] literals = {"'x'", "7"};
        assertThat(line.write(text, 0, text.length, 0, null, i -> literals[i].getBytes(StandardCharsets.UTF_8)))
                .isNull();
        assertThat(new String(line.bytes(), 0, line.length(), StandardCharsets.UTF_8))
                .isEqualTo("SELECT '?' , 'x' FROM t WHERE a = 7");
        assertThat(line.write(text, 0, text.length, 0, null, i -> null)).isEqualTo(SingleLine.Refusal.PARAMETER);
    }

    /** The line means what the statement means: it has the same digest, and no break. */
    @ParameterizedTest
    @ValueSource(ints = {0, SqlModes.MARIADB, SqlModes.MYSQL})
    void theCorpusKeepsItsDigests(int modes) {
        SqlAnalyzer analyzer = new SqlAnalyzer();
        int compared = 0;
        for (StatementCorpus.Statement entry : StatementCorpus.load()) {
            byte[] text = entry.sql().replace(" ", "\n").getBytes(StandardCharsets.UTF_8);
            if (line.write(text, 0, text.length, modes, null, null) != null) {
                continue;
            }
            byte[] written = java.util.Arrays.copyOf(line.bytes(), line.length());
            assertThat(new String(written, StandardCharsets.UTF_8)).doesNotContain("\n");
            assertThat(analyzer.summarize(written, 0, written.length, modes).kind())
                    .as(entry.sql())
                    .isEqualTo(analyzer.summarize(text, 0, text.length, modes).kind());
            compared++;
        }
        assertThat(compared).isGreaterThan(20);
    }
}
