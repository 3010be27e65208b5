package io.understudy.plugins.mirror.playback;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ServerConnection;
import io.understudy.sql.TableName;
import io.understudy.testkit.CapturedLog;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that fail or are lost, and the attempts after them. */
class MirrorConnectionTest extends MirrorHarness {
    @Test
    void anExceptionWhileConnectingLeadsToAnotherAttempt() {
        standby.connectFault = new IllegalStateException("no event loop");
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 1", 1);
        run(mirror);
        assertThat(standby.statements()).contains("SELECT 1");
        mirror.stop();
    }

    /** The plugin is removed after a login's last response was read, and before the connection is there. */
    @Test
    void aConnectionThatOpensBehindItsEndIsClosed() throws Exception {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        MirrorConnection connection = new MirrorConnection(mirror, new MirrorLane(10));
        ServerConnection late = standby.connect().get();
        connection.close();
        connection.opened(late, COLLATIONS.names().get());
        assertThat(late.isOpen()).isFalse();
        mirror.stop();
    }

    /** The plugin is removed between a login and its first statements: whoever comes second sees the other. */
    @Test
    void aConnectionThatLogsInBehindItsEndIsNotPrepared() throws Exception {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        MirrorConnection late = new MirrorConnection(mirror, new MirrorLane(10));
        late.wake();
        late.close();
        assertThat(late.loggedIn(standby.connect().get())).isNull();
        MirrorConnection early = new MirrorConnection(mirror, new MirrorLane(10));
        early.wake();
        ServerConnection preparing = standby.connect().get();
        assertThat(early.loggedIn(preparing)).isNotNull();
        early.close();
        assertThat(preparing.isOpen()).isFalse();
        mirror.stop();
    }

    /** A standby that stops ends all statements at once, and is asked again at every sweep until it is back. */
    @Test
    void killsThatCannotBeSentAreOneShortLine() {
        CompletableFuture<ServerConnection> connecting = new CompletableFuture<>();
        StandbyKiller killer = new StandbyKiller("standby-1", () -> connecting);
        for (int sweep = 0; sweep < 10; sweep++) {
            for (int thread = 1; thread <= 5; thread++) {
                killer.killConnection(thread);
            }
        }
        try (CapturedLog log = new CapturedLog()) {
            connecting.completeExceptionally(new IllegalStateException("connection refused"));
            assertThat(log.text())
                    .contains("KILL CONNECTION 1, KILL CONNECTION 2, KILL CONNECTION 3 and 2 more was not sent");
        }
    }

    /** Until it is killed a statement runs beside those that {@code concurrency} allows. */
    @Test
    void aKillWaitsForNoOtherQuery() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        mirror.killer().killQuery(7);
        assertThat(standby.received).containsExactly("KILL QUERY 7");
        assertThat(standby.connections.get(0).isOpen()).isFalse();
        mirror.stop();
    }

    @Test
    void aKillThatCannotBeSentIsLoggedAndItsConnectionClosed() {
        standby.commandFault = new StackOverflowError("no memory");
        StandbyKiller killer = new StandbyKiller("standby-1", standby);
        try (CapturedLog log = new CapturedLog()) {
            killer.killQuery(7);
            assertThat(log.text()).contains("KILL QUERY 7 failed unexpectedly", "no memory");
        }
        assertThat(standby.connections.get(0).isOpen()).isFalse();
    }

    @Test
    void aKillWithoutAResponseKeepsItsConnectionForAShortTimeOnly() {
        standby.responding = false;
        new StandbyKiller("standby-1", standby).killQuery(7);
        standby.loop.advance(Duration.ofSeconds(4));
        assertThat(standby.connections.get(0).isOpen()).isTrue();
        try (CapturedLog log = new CapturedLog()) {
            standby.loop.advance(Duration.ofSeconds(1));
            assertThat(log.text()).contains("KILL QUERY 7 had no response");
        }
        assertThat(standby.connections.get(0).isOpen()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, StackOverflowError.class})
    void aFaultWhileConnectingDoesNotEndTheKilling(Class<? extends Throwable> fault) throws Exception {
        standby.connectFault = fault.getConstructor().newInstance();
        StandbyKiller killer = new StandbyKiller("standby-1", standby);
        killer.killQuery(7);
        killer.killConnection(7);
        assertThat(standby.received).containsExactly("KILL CONNECTION 7");
    }

    /** An error, too: Netty reports a lack of direct memory as one. */
    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, StackOverflowError.class})
    void aFaultAtTheFirstStatementLeadsToAnotherConnection(Class<? extends Throwable> fault) throws Exception {
        standby.commandFault = fault.getConstructor().newInstance();
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 1", 1);
        run(mirror);
        assertThat(standby.connections).hasSize(2);
        assertThat(standby.connections.get(0).isOpen()).isFalse();
        assertThat(standby.statements()).contains("SELECT 1");
        mirror.stop();
    }

    /** The session has been prepared, and the connection begins to send. */
    @Test
    void anExceptionInTheFirstBatchLeadsToAnotherConnection() {
        standby.responding = false;
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 1", 1, SETTING.in("shop")); // two packets ahead of it
        mirror.queue().drain();
        executor.runReady();
        standby.commandFault = new IllegalStateException("no memory");
        standby.connections.get(0).respondAll();
        standby.responding = true;
        assertThat(standby.connections.get(0).isOpen()).isFalse();
        executor.runAll();
        offer(mirror, "SELECT 2", 1);
        run(mirror);
        assertThat(standby.connections).hasSize(2);
        assertThat(standby.statements()).contains("SELECT 2");
        mirror.stop();
    }

    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, StackOverflowError.class})
    void aFaultInALaterBatchLeadsToAnotherConnection(Class<? extends Throwable> fault) throws Exception {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 1", 1);
        run(mirror);
        standby.commandFault = fault.getConstructor().newInstance();
        offer(mirror, "SELECT 'lost'", 1);
        run(mirror);
        assertThat(dropped("standby_down")).isEqualTo(1);
        continuesOnAnotherConnection(mirror);
    }

    /** The close, too, needs memory. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFaultWhileClosingLeadsToAnotherConnection(boolean prepared) {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        if (prepared) {
            offer(mirror, "SELECT 1", 1);
            run(mirror);
        }
        standby.commandFault = new StackOverflowError("no memory");
        standby.closeFault = new StackOverflowError("no memory");
        offer(mirror, "SELECT 'lost'", 1);
        run(mirror);
        offer(mirror, "SELECT 'next'", 1);
        run(mirror);
        assertThat(standby.connections).hasSize(2);
        assertThat(standby.statements()).contains("SELECT 'next'");
        assertThat(mirror.queue().openConnections()).isEqualTo(1);
        mirror.stop();
    }

    @Test
    void aFaultBeforeAStatementIsPlayedReleasesIt() {
        AtomicBoolean faulty = new AtomicBoolean();
        List<TableName> tables = new AbstractList<>() {
            @Override
            public TableName get(int index) {
                if (faulty.get()) {
                    throw new IllegalStateException("no memory");
                }
                return new TableName("information_schema", "tables");
            }

            @Override
            public int size() {
                return 1;
            }
        };
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 'lost'", 1, SETTING, tables);
        faulty.set(true);
        run(mirror);
        assertThat(dropped("standby_down")).isEqualTo(1);
        continuesOnAnotherConnection(mirror);
    }

    @Test
    void aFaultWhileDrainingDoesNotEndTheTimer() {
        AtomicBoolean faulty = new AtomicBoolean(true);
        AtomicInteger drained = new AtomicInteger();
        DrainTimer timer = new DrainTimer(() -> {
            if (faulty.getAndSet(false)) {
                throw new IllegalStateException("no memory");
            }
            drained.incrementAndGet();
            return false;
        });
        timer.runOn(executor);
        timer.offered();
        executor.runAll();
        timer.offered();
        executor.runAll();
        assertThat(drained).hasPositiveValue();
    }

    /** What follows a response is run by the connection, which only logs a fault. */
    @Test
    void aFaultBehindASettingLeadsToAnotherConnection() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 1", 1);
        run(mirror);
        standby.responding = false;
        offer(mirror, "SELECT 'lost'", 1, SETTING.in("shop"));
        run(mirror);
        standby.commandFault = new IllegalStateException("no memory");
        standby.connections.get(0).respondAll();
        standby.responding = true;
        assertThat(dropped("standby_down")).isEqualTo(1);
        executor.runAll();
        continuesOnAnotherConnection(mirror);
    }

    private void continuesOnAnotherConnection(StandbyMirror mirror) {
        assertThat(standby.connections.get(0).isOpen()).isFalse();
        offer(mirror, "SELECT 'next'", 1);
        run(mirror);
        assertThat(standby.connections).hasSize(2);
        assertThat(standby.statements()).contains("SELECT 'next'").noneMatch(text -> text.startsWith("KILL"));
        mirror.stop();
    }

    /** Each KILL costs a login. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aConnectionThatEndsWithoutAWordIsNotKilledButReplaced(boolean prepared) {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        if (prepared) {
            offer(mirror, "SELECT 1", 1);
            run(mirror);
        }
        standby.responding = false;
        offer(mirror, "SELECT 'unanswered'", 1);
        run(mirror);
        standby.connections.get(0).pending.clear();
        standby.connections.get(0).close();
        standby.responding = true;
        mirror.queue().sweep(System.nanoTime() + Duration.ofHours(1).toNanos());
        executor.runAll();
        continuesOnAnotherConnection(mirror);
    }

    @Test
    void aStandbyThatRefusesConnectionsCausesOnlyDrops() {
        standby.refuse = true;
        StandbyMirror mirror = mirror(config(2, 100, "1MiB", Duration.ofMinutes(5)));
        for (int i = 0; i < 5; i++) {
            offer(mirror, "SELECT " + i, i);
            mirror.queue().drain();
            executor.runReady();
        }
        mirror.start();
        executor.runPeriodic();
        offer(mirror, "SELECT 9", 9);
        assertThat(dropped("standby_down")).isEqualTo(6);
        mirror.stop();
    }

    @Test
    void aLostConnectionIsReopened() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 1", 1);
        run(mirror);
        standby.connections.get(0).close();
        offer(mirror, "SELECT 2", 1);
        run(mirror);
        assertThat(standby.connections).hasSize(2);
        assertThat(standby.statements()).contains("SELECT 2");
        mirror.stop();
    }

    /** The executor has no place at that moment, for it holds as many tasks as it may. */
    @Test
    void aConnectionWhoseNextAttemptIsRejectedIsTriedByTheSweep() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        mirror.start();
        standby.refuse = true;
        executor.rejectDelayed(true);
        offer(mirror, "SELECT 1", 1);
        mirror.queue().drain();
        executor.runReady();
        executor.rejectDelayed(false);
        standby.refuse = false;
        executor.runPeriodic();
        offer(mirror, "SELECT 2", 1);
        run(mirror);
        assertThat(standby.statements()).contains("SELECT 2");
        mirror.stop();
    }

    /** A server may keep the privileges of the login, so that an open connection never sees a GRANT. */
    @Test
    void aConnectionThatLacksAPrivilegeIsRenewedSoThatItSeesAGrant() {
        StandbyMirror mirror = mirror(config(1, 100, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 'first'", 1);
        run(mirror);
        standby.errorCode = 1142;
        offer(mirror, "SELECT 'refused'", 1);
        run(mirror);
        assertThat(standby.connections.get(0).isOpen()).as("each login costs").isTrue();
        later = Duration.ofSeconds(6);
        offer(mirror, "SELECT 'refused'", 1);
        run(mirror);
        assertThat(standby.connections.get(0).isOpen()).isFalse();
        standby.errorCode = 0;
        offer(mirror, "SELECT 'granted'", 1);
        run(mirror);
        assertThat(standby.connections).hasSize(2);
        assertThat(standby.connections.get(1).selects()).containsExactly("SELECT 'granted'");
        assertThat(dropped("standby_down")).isZero();
        mirror.stop();
    }

    /** The privilege to use the schema, too. */
    @Test
    void onlyALackingPrivilegeRenewsAConnection() {
        StandbyMirror mirror = mirror(config(1, 100, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 'first'", 1);
        run(mirror);
        later = Duration.ofSeconds(6);
        standby.errorCode = 1054;
        offer(mirror, "SELECT 'refused'", 1);
        run(mirror);
        assertThat(standby.connections.get(0).isOpen()).isTrue();
        standby.errorCode = 1044;
        offer(mirror, "SELECT 1", 1, SETTING.in("shop"));
        run(mirror);
        assertThat(standby.connections.get(0).isOpen()).isFalse();
        mirror.stop();
    }

    /** Each attempt costs a login and a log line. */
    @Test
    void aStandbyThatResetsConnectionsIsTriedLessAndLessOften() {
        StandbyMirror mirror = mirror(config(1, 100, "1MiB", Duration.ofMinutes(5)));
        List<Long> delays = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            offer(mirror, "SELECT " + i, 1);
            mirror.queue().drain();
            executor.runReady();
            standby.connections.get(i).close();
            offer(mirror, "SELECT 'finds it closed'", 1);
            mirror.queue().drain();
            delays.add(executor.lastDelayMillis());
            executor.runAll();
        }
        assertThat(delays.get(0)).isLessThanOrEqualTo(1000);
        assertThat(delays.get(6)).isGreaterThanOrEqualTo(5000);
        mirror.stop();
    }

    /** Only the statement that the standby was executing has failed; it never began those after it. */
    @Test
    void aConnectionThatIsLostWithinABatchCountsOneErrorAndDropsTheRest() {
        StandbyMirror mirror = mirror(config(1, 100, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 'first'", 1);
        run(mirror);
        standby.responding = false;
        for (int i = 0; i < BATCH; i++) {
            offer(mirror, "SELECT " + i, 1);
        }
        standby.loop.runNext();
        standby.connections.get(0).respondOne();
        standby.connections.get(0).close();
        assertThat(executed("ok")).isEqualTo(2);
        assertThat(executed("error")).isEqualTo(1);
        assertThat(dropped("standby_down")).isEqualTo(BATCH - 2.0);
        standby.responding = true;
        executor.runAll();
        offer(mirror, "SELECT 'again'", 1);
        run(mirror);
        assertThat(standby.connections).hasSize(2);
        assertThat(standby.statements()).contains("SELECT 'again'");
        mirror.stop();
    }
}
