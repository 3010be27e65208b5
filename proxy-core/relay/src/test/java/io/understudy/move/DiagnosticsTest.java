package io.understudy.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.command.SessionModel;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.Interest;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** As text, and prepared: in the preparation as well as in the execution. */
class DiagnosticsTest {
    private final List<Boolean> seen = new ArrayList<>();
    private final Scripted scripted = new Scripted(Memory.direct(), context -> {
                ((SessionModel) context).setMovable();
                return new Watcher(Interest.COMMANDS | Interest.STATEMENTS) {
                    @Override
                    public void onCommand(CommandView command) {
                        seen.add(Diagnostics.mayBeReadBy(command));
                    }
                };
            })
            .loggedIn(Scripted.CLASSIC);

    private void text(String sql) {
        scripted.client(Bytes.command(CommandCode.QUERY, sql));
        scripted.server(Bytes.packet(1, Bytes.ok(0, ServerStatus.AUTOCOMMIT)));
    }

    private void prepared(String sql) {
        scripted.client(Bytes.command(CommandCode.STMT_PREPARE, sql));
        scripted.server(Bytes.packet(1, Bytes.of(0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)));
        scripted.client(Bytes.command(CommandCode.STMT_EXECUTE, Bytes.of(1, 0, 0, 0, 0, 1, 0, 0, 0)));
        scripted.server(Bytes.packet(1, Bytes.ok(0, ServerStatus.AUTOCOMMIT)));
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
                "INSERT INTO t SELECT ROW_COUNT()",
                "UPDATE t SET n = FOUND_ROWS()",
                "SET @n = ROW_COUNT()",
                "DO ROW_COUNT()",
                "SELECT @@warning_count",
                "SELECT @@session.error_count",
                "SELECT @@local . warning_count",
                "SELECT @@last_gtid",
                "SELECT * FROM t WHERE a IN (SELECT ROW_COUNT())"
            })
    void knowsWhatReadsThem(String sql) {
        text(sql);
        prepared(sql);
        assertThat(seen).containsExactly(true, true, true);
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
        text(sql);
        prepared(sql);
        assertThat(seen).containsExactly(false, false, false);
        scripted.finish();
    }

    @Test
    void whatIsNotReadMayReadThem() {
        text("EXECUTE p");
        text("INSERT INTO t VALUES ('" + "x".repeat(Scripted.STATEMENT_LIMIT) + "')");
        assertThat(seen).containsExactly(true, true);
        scripted.client(Bytes.command(CommandCode.PING, ""));
        scripted.server(Bytes.packet(1, Bytes.ok(0, ServerStatus.AUTOCOMMIT)));
        assertThat(seen).last().isEqualTo(false);
        scripted.finish();
    }
}
