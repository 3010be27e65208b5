package io.understudy.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every labelled statement has the kind, the tables and the purity of its label. */
class CorpusTest {

    private final SqlAnalyzer analyzer = new SqlAnalyzer();

    static Stream<StatementCorpus.Statement> statements() {
        return StatementCorpus.load().stream();
    }

    @ParameterizedTest
    @MethodSource("statements")
    void agreesWithTheLabels(StatementCorpus.Statement statement) {
        byte[] text = statement.bytes();
        agrees(statement, analyzer.summarize(text, 0, text.length, SqlModes.NONE));
        // A is MariaDB's dialect, M is MySQL's, B is both.
        if (!statement.dialect().equals("M")) {
            agrees(statement, analyzer.summarize(text, 0, text.length, SqlModes.MARIADB));
        }
        if (!statement.dialect().equals("A")) {
            agrees(statement, analyzer.summarize(text, 0, text.length, SqlModes.MYSQL));
        }
    }

    private static void agrees(StatementCorpus.Statement statement, StatementSummary summary) {
        assertThat(StatementCorpus.label(summary.kind())).isEqualTo(statement.kind());
        assertThat(StatementCorpus.names(summary.reads())).isEqualTo(statement.reads());
        assertThat(StatementCorpus.names(summary.writes())).isEqualTo(statement.writes());
        assertThat(summary.pureRead()).as("%s", summary).isEqualTo(statement.pure());
        assertThat(summary.reason() == null).isEqualTo(summary.pureRead());
    }
}
