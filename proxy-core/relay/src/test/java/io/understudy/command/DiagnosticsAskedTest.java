package io.understudy.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.understudy.protocol.CommandCode;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which commands ask about the statement before them: as text, in a preparation, and in its execution. */
class DiagnosticsAskedTest {
    private final Scripted scripted = new Scripted(Memory.direct(), context -> {
                ((SessionModel) context).setMovable();
                return new Watcher(0);
            })
            .loggedIn(Scripted.CLASSIC);

    private Question asks(byte[] packet) {
        return scripted.model().question(Unpooled.wrappedBuffer(packet));
    }

    /** Returns whether the text asks, its preparation, and its execution. */
    private List<Question> asks(String sql) {
        byte[] preparation = Bytes.command(CommandCode.STMT_PREPARE, sql);
        Question prepares = asks(preparation);
        scripted.client(preparation);
        scripted.server(Bytes.packet(1, Bytes.of(0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)));
        byte[] execution = Bytes.command(CommandCode.STMT_EXECUTE, Bytes.of(1, 0, 0, 0, 0, 1, 0, 0, 0));
        return List.of(asks(Bytes.command(CommandCode.QUERY, sql)), prepares, asks(execution));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SHOW WARNINGS",
                "SHOW COUNT(*) WARNINGS",
                "SHOW ERRORS LIMIT 1",
                "SHOW COUNT(*) ERRORS",
                "GET DIAGNOSTICS @n = NUMBER",
                "GET CURRENT DIAGNOSTICS CONDITION 1 @m = MESSAGE_TEXT",
                "SELECT ROW_COUNT()",
                "SELECT ROW_COUNT ( )",
                "SELECT 1 + FOUND_ROWS()",
                "SET @n = ROW_COUNT()",
                "DO ROW_COUNT()",
                "SELECT @@warning_count",
                "SELECT @@session.error_count",
                "SELECT @@local . warning_count",
                "SELECT @@last_gtid",
                "SELECT * FROM t WHERE a IN (SELECT ROW_COUNT())"
            })
    void knowsWhatReadsThem(String sql) {
        assertThat(asks(sql)).containsOnly(Question.ASKED);
        scripted.finish();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT LAST_INSERT_ID()",
                "SELECT 'ROW_COUNT()' FROM t",
                "SELECT warning_count FROM t",
                "SHOW TABLES",
                "SELECT @a",
                "INSERT INTO t VALUES (1)"
            })
    void othersMayGoElsewhere(String sql) {
        assertThat(asks(sql)).containsOnly(Question.NOT_ASKED);
        scripted.finish();
    }

    /** On a server that is no longer the primary it would be lost. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t SELECT ROW_COUNT()",
                "UPDATE t SET n = FOUND_ROWS()",
                "SELECT mine(ROW_COUNT())",
                "SET GLOBAL max_connections = ROW_COUNT()"
            })
    void whatUsesTheAnswerIsNotAQuestion(String sql) {
        assertThat(asks(sql)).containsExactly(Question.USED, Question.ASKED, Question.USED);
        scripted.finish();
    }

    @Test
    void theFirstCommandCounts() {
        byte[] question = Bytes.command(CommandCode.QUERY, "SHOW WARNINGS");
        byte[] two = Bytes.concat(question, Bytes.command(CommandCode.QUERY, "INSERT INTO t VALUES (1)"));
        assertThat(asks(two)).isEqualTo(Question.ASKED);
        for (int i = 0; i < question.length; i++) {
            assertThat(asks(Arrays.copyOf(question, i))).as("of %s bytes", i).isEqualTo(Question.CUT);
        }
        scripted.finish();
    }

    @Test
    void anExecutionWhoseTextWasNotKeptIsNone() {
        assertThat(asks("SELECT '" + "x".repeat(Scripted.STATEMENT_LIMIT) + "'"))
                .containsOnly(Question.NOT_ASKED);
        assertThat(asks(Bytes.command(CommandCode.PING, ""))).isEqualTo(Question.NOT_ASKED);
        scripted.finish();
    }
}
