package io.understudy.plugins.gtiddomain.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.plugins.gtiddomain.progress.Progress;
import io.understudy.testkit.CapturedLog;
import io.understudy.testkit.Fakes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A primary with statements that run and transactions that are open. */
class EarlierStatementsTest {
    private final Map<String, Long> running = new LinkedHashMap<>();
    private final Map<String, Long> open = new LinkedHashMap<>();
    private boolean process = true;
    private long now;

    private final Progress progress = new Progress(new DomainIndexes(0));
    private final TableOwnership ownership = new TableOwnership(
            progress, new TableOwnership.Scope(10, false, true), table -> true, met -> {}, null, null);
    private final Connection primary = Fakes.of(Connection.class, (proxy, method, arguments) -> statement());

    private Statement statement() {
        return Fakes.of(
                Statement.class,
                (proxy, method, arguments) ->
                        method.getName().equals("executeQuery") ? rows(String.valueOf(arguments[0])) : null);
    }

    private ResultSet rows(String sql) {
        Map<String, Long> found = sql.contains("USER_PRIVILEGES")
                ? Map.of(process ? "PROCESS" : "USAGE", 0L)
                : sql.contains("INNODB_TRX") ? open : running;
        Iterator<Map.Entry<String, Long>> rows = List.copyOf(found.entrySet()).iterator();
        Map<String, Long> row = new LinkedHashMap<>();
        return Fakes.of(ResultSet.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "next" -> {
                boolean more = rows.hasNext();
                row.clear();
                if (more) {
                    Map.Entry<String, Long> next = rows.next();
                    row.put(next.getKey(), next.getValue());
                }
                yield more;
            }
            case "getString" -> row.keySet().iterator().next();
            case "getLong" -> row.values().iterator().next();
            default -> null;
        });
    }

    /** One poll of statements and positions a second later; returns whether tables are free. */
    private boolean free(EarlierStatements statements) throws SQLException {
        now += 1_000_000_000L;
        statements.settle(primary);
        GtidPosition position = GtidPosition.parse("0-1-5");
        progress.ask();
        progress.answer(position);
        progress.standbysAt(List.of(position));
        ownership.settle();
        return ownership.ownersOf("s.a") == 0;
    }

    private EarlierStatements atTheStart() {
        return new EarlierStatements(ownership, false, () -> now);
    }

    @Test
    void anIdleTransactionWithWritesIsWaitedFor() throws SQLException {
        EarlierStatements statements = atTheStart();
        open.put("28", 7L);
        assertThat(free(statements)).isFalse();
        assertThat(statements.problem()).contains("began before the guard", "thread 7");
        open.put("29", 8L);
        assertThat(free(statements)).isFalse();
        open.remove("28");
        open.put("30", 7L);
        assertThat(free(statements)).as("those that began later").isTrue();
        assertThat(statements.problem()).isNull();
    }

    @Test
    void aPreparedTransactionThatOutlivesItsConnectionIsWaitedFor() throws SQLException {
        EarlierStatements statements = atTheStart();
        open.put("28", 7L);
        free(statements);
        open.put("28", 0L);
        assertThat(free(statements)).isFalse();
        open.clear();
        assertThat(free(statements)).isTrue();
        assertThat(statements.problem()).isNull();
    }

    @Test
    void aPreparedTransactionOfNoConnectionIsNamed() throws SQLException {
        EarlierStatements statements = atTheStart();
        open.put("28", 0L);
        assertThat(free(statements)).isFalse();
        assertThat(statements.problem()).contains("XA RECOVER").doesNotContain("thread");
    }

    /** Its transaction has written nothing when it is first seen. */
    @Test
    void aTransactionThatAStatementLeavesOpenIsWaitedFor() throws SQLException {
        EarlierStatements statements = atTheStart();
        running.put("7:100", 7L);
        assertThat(free(statements)).isFalse();
        running.clear();
        open.put("28", 7L);
        open.put("29", 8L);
        assertThat(free(statements)).isFalse();
        open.remove("28");
        open.put("30", 7L);
        assertThat(free(statements)).isTrue();
    }

    /** Those that a session is just sending do not run yet. */
    @Test
    void afterAReloadItWaitsBeforeItAsks() throws SQLException {
        EarlierStatements statements = new EarlierStatements(ownership, true, () -> now);
        statements.settle(primary);
        running.put("7:100", 7L);
        assertThat(free(statements)).isFalse();
        assertThat(statements.problem()).contains("thread 7");
    }

    /** InnoDB never renews its copy for one that asks all the time. */
    @Test
    void itAsksAtMostFourTimesASecond() throws SQLException {
        EarlierStatements statements = atTheStart();
        running.put("7:100", 7L);
        free(statements);
        running.clear();
        now += 100_000_000L;
        statements.settle(primary);
        assertThat(statements.problem()).isNotNull();
        now += 150_000_000L;
        statements.settle(primary);
        assertThat(statements.problem()).isNull();
    }

    @Test
    void withoutThePrivilegeNothingIsWaitedForAndThatIsSaid() throws SQLException {
        process = false;
        open.put("28", 7L);
        try (CapturedLog log = new CapturedLog()) {
            assertThat(free(atTheStart())).isTrue();
            assertThat(log.text()).contains("lacks PROCESS");
        }
    }
}
