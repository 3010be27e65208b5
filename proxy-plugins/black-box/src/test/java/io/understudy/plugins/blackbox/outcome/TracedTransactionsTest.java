package io.understudy.plugins.blackbox.outcome;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.ReplicaStatus;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the log has of a connection whose proxy was killed, and when that is all. */
class TracedTransactionsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long THREAD = 57;
    private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

    /** Seconds behind START: the server began at 100, the log reaches back to 200, the connection opened at 250. */
    private long now = 300 * SECOND;

    private long serverBegan = 100 * SECOND;
    private final Traces traces = new Traces(() -> now);
    private Set<Long> threads = Set.of(1L);
    private boolean responds = true;
    private boolean readOnly;
    private @Nullable String filter;
    private @Nullable List<ReplicaStatus> channels = List.of();
    private long server = 11;
    private int last = 102;

    private final PrimaryOrder order = new PrimaryOrder(() -> now);
    private final TracedTransactions log = traced(traces);

    private TracedTransactions traced(Traces of) {
        return new TracedTransactions(of, this::look, order, START.plusNanos(now), () -> now);
    }

    @BeforeEach
    void restart() {
        traces.restored(transaction(100, THREAD), "order-1", 260 * SECOND, true);
        traces.restored(transaction(99, 58), null, 200 * SECOND, true);
        traces.restoredUpTo(facts(), "0-11-100", 200 * SECOND);
        traces.started(facts());
        traces.format(format(0));
        traces.passed(transaction(101, 58), null);
        traces.passed(transaction(102, THREAD), "order-2");
    }

    private static byte[] format(int created) {
        byte[] event = new byte[100];
        event[19 + 52] = (byte) created;
        return event;
    }

    private PrimaryFacts facts() {
        return new PrimaryFacts(ServerFlavor.MARIADB, server, "", true, "MIXED", true, "0-11-100");
    }

    private BinlogTransaction transaction(long number, long thread) {
        return new BinlogTransaction(
                "0-11-" + number,
                TransactionKind.WRITE,
                0,
                11,
                number,
                -1,
                100,
                now,
                true,
                Set.of(),
                false,
                false,
                null,
                0,
                thread);
    }

    private PrimaryLook look() throws SQLException {
        if (!responds) {
            throw new SQLException("gone");
        }
        GtidNumbers has = new GtidNumbers();
        has.add("0-11", 1, last);
        return new PrimaryLook(
                readOnly,
                serverBegan - SECOND,
                serverBegan + SECOND,
                channels,
                threads,
                filter,
                facts(),
                has,
                Map.of());
    }

    private LoggedTransactions asked(int sinceSecond) {
        return log.of(THREAD, START.plusSeconds(sinceSecond));
    }

    private void open(LoggedTransactions found, String reason) {
        assertThat(found.open()).contains(reason);
    }

    @Test
    void itHasWhatTheDeadProxyWroteAndWhatCameSince() {
        LoggedTransactions found = asked(250);
        assertThat(found.transactions())
                .extracting(LoggedTransactions.Entry::gtid)
                .containsExactly("0-11-100", "0-11-102");
        assertThat(found.since()).isEqualTo(START.plusSeconds(200));
        assertThat(found.open()).isNull();
    }

    @Test
    void ofARestoredLogTooEachTransactionMustHaveItsConnection() {
        traces.restored(transaction(98, 0), null, 240 * SECOND, true);
        assertThat(asked(250).open()).isNull();
        open(asked(230), "does not tell the connection of 0-11-98");
    }

    @Test
    void aTokenTellsWhereConnectionsAreNotLogged() {
        traces.passed(transaction(103, 0), "order-3");
        last = 103;
        open(asked(250), "does not tell the connection of 0-11-103");
        for (int number = 1; number <= 3; number++) {
            assertThat(Objects.requireNonNull(log.of("order-" + number)).transactions())
                    .hasSize(1);
        }
        assertThat(log.of("order-4")).isNull();
    }

    @Test
    void aTokenOfWhatTheNewPrimaryLacksIsNotThatOfACommit() {
        responds = false;
        open(Objects.requireNonNull(log.of("order-2")), "does not respond");
        responds = true;
        last = 101;
        open(Objects.requireNonNull(log.of("order-2")), "the primary lacks it");
        open(Objects.requireNonNull(log.of("order-2")), "0-11-102");
        assertThat(Objects.requireNonNull(log.of("order-1")).transactions()).hasSize(1);
        channels = null;
        LoggedTransactions found = Objects.requireNonNull(log.of("order-2"));
        open(found, "still applies");
        assertThat(found.settled()).isFalse();
        now += 601 * SECOND;
        found = Objects.requireNonNull(log.of("order-2"));
        open(found, "still applies");
        assertThat(found.settled()).isTrue();
    }

    @Test
    void aTokenOfAServerThatIsThePrimaryAgainIsNotThatOfACommit() {
        for (int id : new int[] {11, 12, 11}) {
            now += SECOND;
            order.changed();
            order.identified(order.generation(), new ServerIdentity(ServerFlavor.MARIADB, id, ""));
        }
        LoggedTransactions found = Objects.requireNonNull(log.of("order-2"));
        assertThat(found.transactions()).isEmpty();
        assertThat(found.settled()).isFalse();
        open(found, "built anew");
    }

    @Test
    void aSessionThatWaitsForALockAtTheServerMayStillCommit() {
        threads = Set.of(THREAD);
        open(asked(250), "still exists");
        threads = Set.of(1L);
        last = 103; // it has committed since
        open(asked(250), "not read up to its end");
        traces.passed(transaction(103, THREAD), null);
        assertThat(asked(250).transactions()).hasSize(3);
        assertThat(asked(250).open()).isNull();
    }

    @Test
    void aServerThatWasRestartedSinceGivesTheNumbersAgain() {
        serverBegan = 280 * SECOND;
        open(asked(250), "restarted");
        open(log.of(THREAD, null), "restarted");
        assertThat(log.of(THREAD, START.plusSeconds(290)).open()).isNull();
    }

    /** The end of the old run is read only after the connection of the new run has opened. */
    @Test
    void aTransactionOfTheRunBeforeIsNotTheConnections() {
        serverBegan = 280 * SECOND;
        now = 310 * SECOND;
        traces.format(format(5));
        open(asked(290), "restarted");
        assertThat(asked(305).open()).isNull();
    }

    @Test
    void anotherPrimarysConnectionsAreOthers() {
        server = 12;
        open(asked(250), "not read up to its end");
        traces.started(facts());
        assertThat(asked(250).since()).isEqualTo(START.plusSeconds(300));
    }

    @Test
    void whatTheServerDoesNotTellLeavesItOpen() {
        filter = "binlog-ignore-db";
        open(asked(250), "binlog-ignore-db");
        readOnly = true;
        open(asked(250), "read-only");
        responds = false;
        open(asked(250), "does not respond");
    }

    @Test
    void aPositionThatTheLogDoesNotReachIsALack() {
        Traces purged = new Traces(() -> now);
        purged.restoredUpTo(facts(), "0-11-90", 200 * SECOND);
        purged.started(facts());
        LoggedTransactions found = traced(purged).of(THREAD, null);
        assertThat(found.since()).isEqualTo(START.plusSeconds(300));
    }
}
