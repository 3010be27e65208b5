package io.understudy.command;

import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.ResponseView;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether a command has a transaction around it, and that has written: a read may give another result on a standby. */
@ExtendWith(LeakCheck.class)
class WritingTransactionTest {
    private static final int OUTSIDE = ServerStatus.AUTOCOMMIT;
    private static final int INSIDE = ServerStatus.AUTOCOMMIT | ServerStatus.IN_TRANS;

    private boolean wrote;
    private final List<Boolean> inTransaction = new ArrayList<>();
    private final Scripted scripted = new Scripted(Memory.direct(), new Watcher(Watcher.ALL) {
                @Override
                public void onCommand(CommandView command) {
                    super.onCommand(command);
                    wrote = command.wroteInTransactionBefore();
                }

                @Override
                public void onResponse(CommandView command, ResponseView response) {
                    super.onResponse(command, response);
                    inTransaction.add(response.inTransaction());
                }
            })
            .loggedIn(Scripted.CLASSIC);

    private void run(String sql, int affected, int status) {
        scripted.client(Bytes.command(CommandCode.QUERY, sql));
        scripted.server(packet(1, ok(affected, status)));
        scripted.client.take();
        scripted.server.take();
    }

    private boolean wroteBefore(String sql) {
        run(sql, 0, INSIDE);
        return wrote;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"UPDATE t SET a = 1", "WITH old AS (SELECT 1) DELETE FROM t WHERE a IN (SELECT * FROM old)"})
    void writesAreRemembered(String sql) {
        run("BEGIN", 0, INSIDE);
        assertThat(wroteBefore("SELECT 1")).isFalse();
        run(sql, 3, INSIDE);
        assertThat(wroteBefore("SELECT 1")).isTrue();
        run("ROLLBACK TO SAVEPOINT s", 0, INSIDE);
        assertThat(wroteBefore("SELECT 1")).isTrue();
        run("COMMIT", 0, OUTSIDE);
        run("BEGIN", 0, INSIDE);
        assertThat(wroteBefore("SELECT 1")).isFalse();
        scripted.finish();
    }

    @Test
    void anErrorLeavesTheTransactionThatWasBegunBySomethingSentWithIt() {
        scripted.client(Bytes.command(CommandCode.QUERY, "BEGIN"), Bytes.command(CommandCode.QUERY, "INSERT INTO t"));
        scripted.server(packet(1, ok(0, INSIDE)), packet(1, Bytes.err(1064, "syntax")));
        assertThat(inTransaction).containsExactly(true, true);
        scripted.client.take();
        scripted.server.take();
        scripted.finish();
    }

    @Test
    void aWriteOutsideOfTransactionsIsNotRemembered() {
        run("UPDATE t SET a = 1", 3, OUTSIDE);
        run("BEGIN", 0, INSIDE);
        assertThat(wroteBefore("SELECT 1")).isFalse();
        scripted.finish();
    }
}
