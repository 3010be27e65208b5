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
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A primary that may lose what it had, and one standby. */
class LongWaitsTest {
    private final DomainIndexes indexes = new DomainIndexes(0);
    private final Progress progress = new Progress(indexes);
    private final TableOwnership ownership;
    private final Connection connection = Fakes.of(Connection.class, (proxy, method, arguments) -> statement());
    private String primary = "";
    private String appliers = "0";
    private boolean process = true;
    private long now;
    private final LongWaits waits = new LongWaits(() -> now);

    LongWaitsTest() {
        indexes.assign(10);
        indexes.assign(11);
        ownership = new TableOwnership(
                progress, new TableOwnership.Scope(10, false, true), table -> true, met -> {}, null, null);
    }

    private Statement statement() {
        return Fakes.of(
                Statement.class,
                (proxy, method, arguments) ->
                        method.getName().equals("executeQuery") ? rows(String.valueOf(arguments[0])) : null);
    }

    private ResultSet rows(String sql) {
        AtomicBoolean row = new AtomicBoolean(true);
        String value = sql.contains("gtid_binlog_pos")
                ? primary
                : sql.contains("USER_PRIVILEGES") ? (process ? "PROCESS" : "USAGE") : appliers;
        return Fakes.of(ResultSet.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "next" -> row.getAndSet(false);
            case "getString" -> value;
            default -> null;
        });
    }

    /** Polls once a second. */
    private void poll(String primary, String standby, int seconds) throws SQLException {
        this.primary = primary;
        for (int second = 0; second < seconds; second++) {
            now += 1_000_000_000L;
            progress.ask();
            progress.answer(GtidPosition.parse(primary));
            progress.standbysAt(List.of(GtidPosition.parse(standby)));
            ownership.settle();
            waits.settle(connection, ownership);
        }
    }

    private boolean free() {
        return ownership.ownersOf("s.a") == 0;
    }

    @Test
    void whatAFailoverLostIsWaitedForNoMore() throws SQLException {
        poll("0-1-5,10-1-20", "0-1-5,10-1-18", 2);
        poll("0-1-5,10-1-18", "0-1-5,10-1-18", 5);
        assertThat(waits.problem()).contains("domain 10 up to 18", "writes up to 20");
        assertThat(free()).isFalse();
        try (CapturedLog log = new CapturedLog()) {
            poll("0-1-5,10-1-18", "0-1-5,10-1-18", 10);
            assertThat(log.text()).contains("domain 10 up to 18", "waited for no more");
        }
        assertThat(free()).isTrue();
        assertThat(waits.problem()).isNull();
    }

    /** The standby has applied a part of it. */
    @Test
    void aDomainThatWasRemovedIsWaitedForNoMore() throws SQLException {
        poll("0-1-5,77-1-9", "0-1-5,77-1-4", 2);
        poll("0-1-5", "0-1-5,77-1-4", 15);
        assertThat(free()).isTrue();
    }

    @Test
    void writesOfUnknownTablesAndInAClientsDomainGetANewBound() throws SQLException {
        poll("0-1-5", "0-1-5", 1);
        ownership.logged.observeUnknown(1, 3);
        TableEntry[] table = {ownership.entry("s.a")};
        ownership
                .force(table, DomainIndexes.FOREIGN, Conflict.UNSTEERABLE, Work.TABLES, 1, false)
                .release();
        poll("0-1-5,10-1-3,77-1-2", "0-1-5", 2);
        poll("0-2-5", "0-2-5", 15);
        assertThat(free()).isTrue();
        synchronized (ownership) {
            assertThat(ownership.unknown().owners()).isZero();
        }
    }

    /** The new bound has all that was written meanwhile. */
    @Test
    void theNewBoundIncludesWhatTheNewPrimaryHasWritten() throws SQLException {
        poll("0-1-5,10-1-20", "0-1-5,10-1-18", 2);
        poll("0-2-7,10-1-18", "0-2-6,10-1-18", 15);
        assertThat(free()).isFalse();
        poll("0-2-7,10-1-18", "0-2-7,10-1-18", 1);
        assertThat(free()).isTrue();
    }

    /** It was made the primary before it had applied its relay log. */
    @Test
    void aPrimaryThatStillReplicatesMayGetIt() throws SQLException {
        poll("0-1-5,10-1-20", "0-1-5,10-1-18", 2);
        appliers = "2";
        poll("0-1-5,10-1-18", "0-1-5,10-1-18", 60);
        assertThat(free()).isFalse();
        assertThat(waits.problem()).contains("still arrive");
        poll("0-1-5,10-1-20", "0-1-5,10-1-19", 2);
        assertThat(free()).isFalse();
        assertThat(waits.problem()).contains("domain 10 up to 20", "when the guard began");
        poll("0-1-5,10-1-20", "0-1-5,10-1-20", 2);
        assertThat(free()).isTrue();
        assertThat(waits.problem()).isNull();
    }

    @Test
    void withoutThePrivilegeItIsNamedAndNotForgotten() throws SQLException {
        process = false;
        poll("0-1-5,10-1-20", "0-1-5,10-1-18", 2);
        poll("0-1-5,10-1-18", "0-1-5,10-1-18", 60);
        assertThat(free()).isFalse();
        assertThat(waits.problem()).contains("without PROCESS");
    }

    @Test
    void aStandbyThatIsLateIsNamedOnlyAtTheStart() throws SQLException {
        poll("0-1-5,10-1-20", "0-1-5,10-1-18", 20);
        assertThat(waits.problem()).isNull();
        poll("0-1-5,10-1-20", "0-1-5,10-1-18", 20);
        assertThat(waits.problem()).contains("domain 10 up to 20", "when the guard began");
        poll("0-1-5,10-1-20", "0-1-5,10-1-20", 2);
        ownership
                .decide(new TableEntry[] {ownership.entry("s.b")}, 1, true, Work.TABLES, 1)
                .release();
        poll("0-1-5,10-1-21", "0-1-5,10-1-20", 60);
        assertThat(waits.problem()).isNull();
    }
}
