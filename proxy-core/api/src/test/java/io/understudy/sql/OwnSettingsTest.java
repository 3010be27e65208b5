package io.understudy.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code SET STATEMENT … FOR} a query, which drivers send for a query's timeout and row limit. */
class OwnSettingsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET STATEMENT max_statement_time=10 FOR SELECT * FROM t",
                "set statement SQL_SELECT_LIMIT=5, max_statement_time=0.5 for SELECT a FROM t WHERE b = ?",
                "SET STATEMENT optimizer_switch='mrr=on', join_cache_level = DEFAULT FOR WITH x AS (SELECT 1) SELECT"
                        + " * FROM x",
                "SET STATEMENT div_precision_increment=-1 FOR SELECT 1 UNION SELECT 2",
            })
    void aQueryWithHarmlessSettings(String sql) {
        StatementSummary summary = SqlText.summary(sql);
        assertThat(summary.pureReadWithOwnSettings(Set.of())).isTrue();
        assertThat(summary.kind()).isEqualTo(StatementKind.SET);
        assertThat(summary.pureRead()).isFalse();
        assertThat(summary.reason()).isEqualTo(NotPure.NOT_A_READ);
        assertThat(summary.pureReadAllowing(Set.of())).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET STATEMENT max_statement_time=10 FOR DELETE FROM t",
                "SET STATEMENT max_statement_time=10 FOR SELECT * FROM t FOR UPDATE",
                "SET STATEMENT max_statement_time=10 FOR SELECT a INTO @x FROM t",
                "SET STATEMENT max_statement_time=10 FOR SELECT sleep(1)",
                "SET STATEMENT max_statement_time=10 FOR SELECT db.f(1)",
                "SET STATEMENT max_statement_time=10 FOR SELECT 1; SELECT 2",
                "SET STATEMENT max_statement_time=10 FOR SET STATEMENT max_statement_time=10 FOR SELECT 1",
                "SET STATEMENT max_statement_time=10, FOR SELECT 1",
                "SET STATEMENT max_statement_time=f(1) FOR SELECT 1",
                "SET STATEMENT max_statement_time=(SELECT 1) FOR SELECT 1",
                "SET STATEMENT max_statement_time=1+1 FOR SELECT 1",
                "SET STATEMENT FOR SELECT 1",
                "SET STATEMENT tx_read_only=0 FOR SELECT 1",
                "SET STATEMENT transaction_isolation='SERIALIZABLE' FOR SELECT 1",
                "SET STATEMENT max_statement_time=1, sql_log_bin=0 FOR SELECT 1",
                "SET STATEMENT lock_wait_timeout=100 FOR SELECT 1",
                "(SET STATEMENT max_statement_time=1 FOR SELECT 1)",
                "SET max_statement_time=10",
            })
    void everythingElseIsNone(String sql) {
        assertThat(SqlText.summary(sql).pureReadWithOwnSettings(Set.of())).isFalse();
        assertThat(SqlText.summary(sql).pureRead()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = "SET STATEMENT max_statement_time=10 FOR SELECT f(1)")
    void aStoredFunctionCanBeAllowed(String sql) {
        assertThat(SqlText.summary(sql).pureReadWithOwnSettings(Set.of("f"))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = "SET STATEMENT max_statement_time=10 FOR SELECT \"a FROM t FOR UPDATE -- \"")
    void aReadWithUnknownQuotesMustBePureInBothModes(String sql) {
        StatementSummary summary = SqlText.summary(sql, SqlModes.QUOTES_UNKNOWN);
        assertThat(summary.pureReadWithOwnSettings(Set.of()))
                .isEqualTo(SqlText.summary(sql, SqlModes.NONE).pureReadWithOwnSettings(Set.of())
                        && SqlText.summary(sql, SqlModes.ANSI_QUOTES).pureReadWithOwnSettings(Set.of()));
    }
}
