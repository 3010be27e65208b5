package io.understudy.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Properties that hold for every text. */
class SqlPropertiesTest {

    private static final List<StatementCorpus.Statement> CORPUS = StatementCorpus.load();
    private static final String[] BLANKS = {
        " ",
        "\t",
        "\n",
        "\r\n",
        "/**/",
        "/* x */",
        "/* ' */",
        "/* ` */",
        "-- y\n",
        "--\n",
        "# it's\n",
        "/* /*! */",
        " -- \"\n"
    };
    private static final String[] FRAGMENTS = {
        "SELECT",
        "FROM",
        "t",
        "(",
        ")",
        ",",
        ";",
        "FOR",
        "UPDATE",
        "INTO",
        "'",
        "\"",
        "`",
        "/*",
        "*/",
        "/*!",
        "/*+",
        "--",
        "\n",
        "#",
        " ",
        ".",
        "@",
        "@@",
        ":=",
        "WITH",
        "AS",
        "JOIN",
        "ON",
        "VALUES",
        "SET",
        "1",
        "1e",
        "0x",
        "-",
        "?",
        "\\",
        "f(",
        "sleep(",
        "count (",
        "{",
        "}",
        "DELETE",
        "INSERT",
        "CREATE TABLE",
        "ALTER TABLE",
        "DROP",
        "LIKE",
        "USING",
        "UNION",
        "TABLE",
        "EXPLAIN",
        "SHOW",
        "LOCK TABLES",
        "BEGIN NOT ATOMIC",
        "x'",
        "_utf8'",
        "\u0000",
        "é",
        "TRUNCATE",
        "RENAME TABLE",
        "HANDLER",
        "SET STATEMENT",
        "LOAD DATA",
        "JSON_TABLE(",
        "LATERAL",
        "RECURSIVE",
        "$$"
    };

    @Provide
    Arbitrary<StatementCorpus.Statement> statements() {
        return Arbitraries.of(CORPUS);
    }

    @Provide
    Arbitrary<String> soup() {
        return Arbitraries.of(FRAGMENTS).list().ofMaxSize(40).map(list -> String.join(" ", list));
    }

    @Provide
    Arbitrary<String> denseSoup() {
        return Arbitraries.of(FRAGMENTS).list().ofMaxSize(40).map(list -> String.join("", list));
    }

    @Provide
    Arbitrary<Integer> modes() {
        return Arbitraries.integers().between(0, 31);
    }

    /** Adds comments and blanks at blanks, and changes the case of words outside quotes. */
    private static String disguise(String sql, Random random) {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        Lexer lexer = new Lexer();
        lexer.reset(text, 0, text.length, SqlModes.NONE);
        StringBuilder out = new StringBuilder(BLANKS[random.nextInt(BLANKS.length)]);
        for (int type = lexer.next(); type != Lexer.END; type = lexer.next()) {
            if (lexer.gap) {
                // A blank first: a star followed by a comment would end a version comment.
                out.append(' ');
                for (int n = 1 + random.nextInt(3); n > 0; n--) {
                    out.append(BLANKS[random.nextInt(BLANKS.length)]);
                }
            }
            String token = new String(text, lexer.start, lexer.end - lexer.start, StandardCharsets.UTF_8);
            if (type == Lexer.WORD) {
                char[] letters = token.toCharArray();
                for (int i = 0; i < letters.length; i++) {
                    if (letters[i] < 128 && !(i == 1 && letters[0] == '0')) {
                        letters[i] = random.nextBoolean()
                                ? Character.toUpperCase(letters[i])
                                : Character.toLowerCase(letters[i]);
                    }
                }
                token = new String(letters);
            }
            out.append(token);
        }
        return out.append(BLANKS[random.nextInt(3)]).toString();
    }

    @Property(tries = 3000)
    void commentsBlanksAndCaseChangeNothing(
            @ForAll("statements") StatementCorpus.Statement statement, @ForAll Random random) {
        String disguised = disguise(statement.sql(), random);
        StatementSummary before = SqlText.summary(statement.sql());
        StatementSummary after = SqlText.summary(disguised);
        assertThat(after.pureRead()).as(disguised).isEqualTo(before.pureRead());
        assertThat(after.digestHex()).as(disguised).isEqualTo(before.digestHex());
        assertThat(after.kind()).isEqualTo(before.kind());
        assertThat(SqlText.normal(disguised)).isEqualToIgnoringCase(SqlText.normal(statement.sql()));
    }

    @Property(tries = 2000)
    void blanksAnywhereNeverMakeAStatementPure(
            @ForAll("statements") StatementCorpus.Statement statement, @ForAll Random random) {
        byte[] text = statement.bytes();
        Lexer lexer = new Lexer();
        lexer.reset(text, 0, text.length, SqlModes.NONE);
        StringBuilder out = new StringBuilder();
        for (int type = lexer.next(); type != Lexer.END; type = lexer.next()) {
            if (lexer.gap || random.nextInt(3) == 0) {
                out.append(BLANKS[random.nextInt(BLANKS.length)]);
            }
            out.append(new String(text, lexer.start, lexer.end - lexer.start, StandardCharsets.UTF_8));
        }
        if (!statement.pure()) {
            assertThat(SqlText.summary(out.toString()).pureRead())
                    .as(out.toString())
                    .isFalse();
        }
    }

    @Property(tries = 5000)
    void anyBytesAreSurvived(@ForAll byte[] text, @ForAll("modes") int modes) {
        survives(text, modes);
    }

    @Property(tries = 10000)
    void anyFragmentsAreSurvived(@ForAll("soup") String sql, @ForAll("modes") int modes) {
        survives(sql.getBytes(StandardCharsets.UTF_8), modes);
    }

    @Property(tries = 10000)
    void anyDenseFragmentsAreSurvived(@ForAll("denseSoup") String sql, @ForAll("modes") int modes) {
        survives(sql.getBytes(StandardCharsets.UTF_8), modes);
    }

    @Property(tries = 10000)
    void fragmentsAfterAReadNeverHideTheirEffect(@ForAll("soup") String tail) {
        String sql = "SELECT a FROM t " + tail + " FOR UPDATE";
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        Lexer lexer = new Lexer();
        lexer.reset(text, 0, text.length, SqlModes.NONE);
        int last = Lexer.END;
        int end = 0;
        for (int type = lexer.next(); type != Lexer.END; type = lexer.next()) {
            last = type;
            end = lexer.end;
        }
        // The words lock unless a comment or an alias has absorbed them.
        if (last == Lexer.WORD && end == text.length && !tail.endsWith(".") && !tail.endsWith("@")) {
            assertThat(SqlText.summary(sql).pureRead()).as(sql).isFalse();
        }
    }

    /** Applies to sessions whose sql_mode is unknown, so it must hold for any text. */
    @Property(tries = 10000)
    void readsThatArePureWithUnknownQuotesArePureInBothModes(
            @ForAll("denseSoup") String tail, @ForAll("modes") int modes) {
        byte[] text = ("SELECT \"a" + tail).getBytes(StandardCharsets.UTF_8);
        int strings = modes & ~SqlModes.ANSI_QUOTES;
        boolean both = SqlText.ANALYZER.summarize(text, 0, text.length, strings).pureRead()
                && SqlText.ANALYZER
                        .summarize(text, 0, text.length, modes | SqlModes.ANSI_QUOTES)
                        .pureRead();
        for (int guess : new int[] {strings, modes | SqlModes.ANSI_QUOTES}) {
            assertThat(SqlText.ANALYZER
                            .summarize(text, 0, text.length, guess | SqlModes.QUOTES_UNKNOWN)
                            .pureRead())
                    .as(new String(text, StandardCharsets.UTF_8))
                    .isEqualTo(both);
        }
    }

    @Test
    void aWriteHiddenByQuotesInOneModeIsFound() {
        // Either a string that continues after the escaped quote, or an identifier that ends before it.
        byte[] text = "SELECT \"a\\\" FROM t FOR UPDATE -- \" FROM t".getBytes(StandardCharsets.UTF_8);
        int unknown = SqlModes.QUOTES_UNKNOWN;
        StatementSummary summary = SqlText.ANALYZER.summarize(text, 0, text.length, unknown);
        assertThat(SqlText.ANALYZER
                        .summarize(text, 0, text.length, SqlModes.NONE)
                        .pureRead())
                .isTrue();
        assertThat(summary.pureRead()).isFalse();
        assertThat(summary.reason()).isEqualTo(NotPure.QUOTES_UNKNOWN);
    }

    /**
     * Asserts that every method returns and that the cached result equals the computed one (checked by
     * {@link SqlText}).
     */
    private static void survives(byte[] text, int modes) {
        StatementSummary summary = SqlText.summary(text, modes);
        assertThat(summary.digest()).isEqualTo(SqlText.ANALYZER.digest(text, 0, text.length, modes));
        assertThat(summary.pureRead() && !summary.writes().isEmpty()).isFalse();
        assertThat(SqlText.ANALYZER.normalize(text, 0, text.length, modes)).hasSizeLessThanOrEqualTo(1024);
        assertThat(FirstKeyword.of(text, 0, text.length)).isNotNull();
        SetStatement set = SetStatement.parse(text, 0, text.length, modes);
        assertThat(set == null || !set.assignments().isEmpty()).isTrue();
    }

    @Test
    void truncatedTextsAreNotReadBeyondTheirEnd() {
        for (StatementCorpus.Statement statement : CORPUS) {
            byte[] text = statement.bytes();
            for (int length = 0; length <= text.length; length++) {
                StatementSummary inPlace = SqlText.ANALYZER.summarize(text, 0, length, 0);
                byte[] copy = Arrays.copyOf(text, length);
                survives(copy, 0);
                assertThat(inPlace.toString())
                        .isEqualTo(SqlText.summary(copy, 0).toString());
            }
        }
    }

    @Tag("long")
    @Test
    void timeIsLinear() {
        SqlAnalyzer big = new SqlAnalyzer(1 << 20, 16);
        for (String unit : new String[] {
            "(",
            ")",
            "((SELECT ",
            "SELECT * FROM (",
            "FROM (",
            "a,",
            "(1),",
            "/*",
            "/*!",
            "'",
            "`",
            "-",
            "- ",
            "@",
            ".",
            "WITH a AS (",
            "a AS (SELECT 1),",
            "FROM t JOIN ",
            "SELECT * FROM t WHERE a IN (",
            ";SELECT 1",
            "x(",
            "/*+ SET_VAR",
            "BEGIN NOT ATOMIC SELECT ",
            "EXPLAIN ",
            "SET STATEMENT a=1 FOR ",
            "_utf8 ",
            "{",
            "CASE ",
            "t.",
            "1e",
            ",t"
        }) {
            for (String head : new String[] {"", "SELECT * FROM t ", "BEGIN NOT ATOMIC ", "WITH ", "UPDATE t SET a="}) {
                byte[] text = (head + unit.repeat(300_000 / unit.length())).getBytes(StandardCharsets.UTF_8);
                Assertions.assertThatCode(() -> big.summarize(text, 0, text.length, 0))
                        .doesNotThrowAnyException();
                long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
                new SqlAnalyzer(1 << 20, 16).summarize(text, 0, text.length, 0);
                big.normalize(text, 0, text.length, 0);
                SetStatement.parse(text, 0, Math.min(text.length, 60_000), 0);
                // Linear time takes milliseconds, superlinear time takes minutes, so the speed of the machine does not
                // matter.
                assertThat(Duration.ofNanos(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start))
                        .as(head + unit)
                        .isLessThan(Duration.ofSeconds(20));
            }
        }
    }
}
