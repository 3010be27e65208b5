package io.understudy.sql;

import java.nio.charset.StandardCharsets;

/** Shortcuts for tests of the analyser. */
final class SqlText {

    static final SqlAnalyzer ANALYZER = new SqlAnalyzer();

    private SqlText() {}

    static StatementSummary summary(String sql) {
        return summary(sql, SqlModes.NONE);
    }

    static StatementSummary summary(String sql, int modes) {
        return summary(sql.getBytes(StandardCharsets.UTF_8), modes);
    }

    /** Summarises with the shared cache and with a fresh one, and asserts equal results. */
    static StatementSummary summary(byte[] text, int modes) {
        StatementSummary cached = ANALYZER.summarize(text, 0, text.length, modes);
        StatementSummary fresh =
                new SqlAnalyzer(SqlAnalyzer.DEFAULT_MAX_LENGTH, 1).summarize(text, 0, text.length, modes);
        if (!cached.toString().equals(fresh.toString()) || cached.reason() != fresh.reason()) {
            throw new AssertionError("cached " + cached + ", computed " + fresh);
        }
        return cached;
    }

    static long digest(String sql) {
        return digest(sql, SqlModes.NONE);
    }

    static long digest(String sql, int modes) {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        return ANALYZER.digest(text, 0, text.length, modes);
    }

    static String normal(String sql) {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        return ANALYZER.normalize(text, 0, text.length, SqlModes.NONE);
    }
}
