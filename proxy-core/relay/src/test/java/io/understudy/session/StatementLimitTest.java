package io.understudy.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.Interest;
import io.understudy.plugin.SessionObserver;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.sql.StatementSummary;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Texts up to {@code limits.statementBytes} are analysed whole, also above the analyser's default. */
@ExtendWith(LeakCheck.class)
class StatementLimitTest {
    private static final String READ = "SELECT a FROM t WHERE b IN (0" + ", 1".repeat(40_000) + ")";

    private final List<Boolean> pure = new ArrayList<>();
    private final Scripted scripted = new Scripted(Memory.direct(), new SessionObserver() {
        @Override
        public int interests() {
            return Interest.COMMANDS | Interest.STATEMENTS;
        }

        @Override
        public void onCommand(CommandView command) {
            StatementSummary summary = command.summary();
            pure.add(summary != null && summary.pureRead());
        }
    });

    private boolean isRead() {
        scripted.client(Bytes.command(CommandCode.QUERY, READ));
        scripted.server(Bytes.packet(1, Bytes.ok(0, ServerStatus.AUTOCOMMIT)));
        return pure.get(pure.size() - 1);
    }

    @Test
    void aLongReadIsAReadIfTheLimitAllows() {
        scripted.environment.setStatementLimit(1 << 20);
        scripted.loggedIn(Scripted.CLASSIC);
        assertThat(READ.length()).isGreaterThan(Scripted.STATEMENT_LIMIT);
        assertThat(isRead()).isTrue();
        scripted.finish();
    }

    @Test
    void aReadAboveTheLimitIsNone() {
        scripted.loggedIn(Scripted.CLASSIC);
        assertThat(isRead()).isFalse();
        scripted.finish();
    }
}
