package io.understudy.plugins.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.understudy.base.ByteSize;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.StandbyState;
import io.understudy.plugins.mirror.warmth.Floor;
import io.understudy.sql.SqlModes;
import io.understudy.sql.TableName;
import io.understudy.testkit.Fakes;
import io.understudy.testkit.ManualExecutor;
import io.understudy.wire.CommandCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StandbyMirrorTest {
    private static final StandbyCollations COLLATIONS =
            StandbyCollations.known(new CollationNames(Map.of(45, "NAMES utf8mb4 COLLATE utf8mb4_general_ci")));

    private static final StatementSetting SETTING = new StatementSetting(null, 45, null, null, null, null);

    private static final int BATCH = BatchSize.MIN;

    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final FakeStandby standby = new FakeStandby();
    private final ManualExecutor executor = new ManualExecutor();
    private final List<ByteBuf> packets = new ArrayList<>();
    private final List<Runnable> dictionaryQueries = new ArrayList<>();

    private Runnable beforeResponse = () -> {};

    /** A dictionary in which every name is a table. */
    private final class KnownTables implements TableDictionary {
        @Override
        public Found find(TableName table) {
            beforeResponse.run();
            return Found.TABLE;
        }

        @Override
        public @Nullable StandbyError errorOfReading(TableName table) {
            return null;
        }

        @Override
        public int modes() {
            return SqlModes.MARIADB;
        }

        @Override
        public void close() {}
    }

    @AfterEach
    void nothingLeaks() {
        assertThat(packets).allSatisfy(packet -> assertThat(packet.refCnt()).isZero());
    }

    private StandbyMirror mirror(MirrorConfig config) {
        PluginContext context = Fakes.of(PluginContext.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "executor" -> executor;
            case "latency" -> (io.understudy.plugin.LatencyRecorder) nanos -> {};
            case "meters" -> meters;
            case "clock" -> java.time.Clock.systemUTC();
            default -> throw new UnsupportedOperationException(method.getName());
        });
        return new StandbyMirror(
                standby,
                context,
                new MirrorMeters(meters),
                config,
                new DigestTimes(),
                COLLATIONS,
                new RecentDdl(),
                new Floor(),
                KnownTables::new,
                dictionaryQueries::add);
    }

    private static MirrorConfig config(int concurrency, int statements, String bytes, Duration age) {
        return new MirrorConfig(
                concurrency,
                new MirrorConfig.Queue(statements, ByteSize.parse(bytes), age),
                null,
                null,
                null,
                null,
                null,
                null);
    }

    private static MirrorConfig ordered(int concurrency, MirrorConfig.Order order) {
        return new MirrorConfig(concurrency, null, null, null, order, null, null, null);
    }

    private void offer(StandbyMirror mirror, String sql, long session) {
        offer(mirror, sql, session, SETTING);
    }

    private void offer(StandbyMirror mirror, String sql, long session, StatementSetting setting) {
        offer(mirror, sql, session, setting, List.of());
    }

    private void offer(
            StandbyMirror mirror, String sql, long session, StatementSetting setting, List<TableName> tables) {
        ByteBuf packet = Commands.text(UnpooledByteBufAllocator.DEFAULT, CommandCode.QUERY, sql);
        packets.add(packet);
        mirror.offer(new MirroredStatement(
                packet,
                null,
                null,
                null,
                setting,
                tables,
                new MirrorRules.Bound(new MirrorConfig.Rule("all", null, null, null, null, null), List.of(mirror)),
                session,
                null,
                null,
                false,
                1,
                1000,
                System.nanoTime()));
        packet.release();
    }

    private void run(StandbyMirror mirror) {
        // The second round is for statements that waited while a connection was found lost.
        for (int i = 0; i < 2; i++) {
            mirror.drain();
            executor.runAll();
        }
    }

    private double dropped(String reason) {
        return meters.get("understudy.mirror.dropped")
                .tag("reason", reason)
                .counter()
                .count();
    }

    private double executed(String outcome) {
        var counter = meters.find("understudy.mirror.statements")
                .tag("outcome", outcome)
                .counter();
        return counter == null ? 0 : counter.count();
    }

    @Test
    void anAgeShorterThanABatchMayWaitIsRefused() {
        assertThatThrownBy(() -> new MirrorConfig.Queue(10, ByteSize.parse("1MiB"), Duration.ofMillis(49)))
                .hasMessageContaining("age: expected at least 50ms");
        assertThatThrownBy(() -> new MirrorConfig.Queue(10, ByteSize.parse("0B"), Duration.ofMillis(50)))
                .hasMessageContaining("at least 1 byte");
        assertThat(new MirrorConfig.Queue(10, ByteSize.parse("1MiB"), Duration.ofMillis(50)).age())
                .isEqualTo(Duration.ofMillis(50));
    }

    @Test
    void aStatementWhoseNamesWereForgottenInTheQueueIsDropped() {
        MirrorConfig config = config(1, 10, "1MiB", Duration.ofSeconds(5));
        StandbyMirror mirror = mirror(config);
        List<TableName> orders = List.of(new TableName("shop", "orders"));
        offer(mirror, "SELECT 1 FROM orders", 1, SETTING, orders);
        dictionaryQueries.remove(0).run();
        mirror.reload(config);
        run(mirror);
        assertThat(executed("ok")).isZero();
        assertThat(dropped("table_unknown")).isEqualTo(1);
        dictionaryQueries.remove(0).run();
        offer(mirror, "SELECT 2 FROM orders", 1, SETTING, orders);
        run(mirror);
        assertThat(executed("ok")).isEqualTo(1);
    }

    @Test
    void sendsStatementsOverAReadOnlySession() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofSeconds(5)));
        offer(mirror, "SELECT 1", 1);
        run(mirror);
        assertThat(standby.received.get(0)).contains("READ ONLY").contains("READ COMMITTED");
        assertThat(standby.statements()).contains("SELECT 1");
        assertThat(executed("ok")).isEqualTo(1);
        mirror.stop();
    }

    @Test
    void setsTheSessionsSettingsOnceForStatementsThatShareThem() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofSeconds(5)));
        offer(mirror, "SELECT 1", 1);
        run(mirror);
        offer(mirror, "SELECT 2", 2);
        run(mirror);
        assertThat(standby.statements())
                .containsExactly(
                        "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci, time_zone = DEFAULT, sql_mode = DEFAULT",
                        "SELECT 1",
                        "SELECT 2");
        mirror.stop();
    }

    @Test
    void countsStatementsThatDoNotFitTheQueue() {
        standby.responding = false;
        StandbyMirror mirror = mirror(config(1, 3, "1MiB", Duration.ofSeconds(5)));
        for (int i = 0; i < 10; i++) {
            offer(mirror, "SELECT " + i, 1);
        }
        assertThat(dropped("queue_full")).isEqualTo(7);
        mirror.stop();
        assertThat(dropped("standby_down")).isEqualTo(3);
    }

    @Test
    void dropsStatementsAboveTheBytes() {
        standby.responding = false;
        StandbyMirror mirror = mirror(config(1, 100, "100B", Duration.ofSeconds(5)));
        for (int i = 0; i < 10; i++) {
            offer(mirror, "SELECT '" + "x".repeat(30) + "'", 1);
        }
        assertThat(dropped("bytes_full")).isEqualTo(8);
        mirror.stop();
    }

    @Test
    void anExceptionWhileConnectingLeadsToAnotherAttempt() {
        standby.connectFault = new IllegalStateException("no event loop");
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofSeconds(5)));
        offer(mirror, "SELECT 1", 1);
        run(mirror);
        assertThat(standby.statements()).contains("SELECT 1");
        mirror.stop();
    }

    @Test
    void anExceptionAtTheFirstStatementLeadsToAnotherConnection() {
        standby.commandFault = new IllegalStateException("no memory");
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofSeconds(5)));
        offer(mirror, "SELECT 1", 1);
        run(mirror);
        assertThat(standby.connections).hasSize(2);
        assertThat(standby.connections.get(0).isOpen()).isFalse();
        assertThat(standby.statements()).contains("SELECT 1");
        mirror.stop();
    }

    @Test
    void aStandbyThatRefusesConnectionsCausesOnlyDrops() {
        standby.refuse = true;
        StandbyMirror mirror = mirror(config(2, 100, "1MiB", Duration.ofSeconds(5)));
        for (int i = 0; i < 5; i++) {
            offer(mirror, "SELECT " + i, i);
            mirror.drain();
            executor.runReady();
        }
        mirror.start();
        executor.runPeriodic();
        offer(mirror, "SELECT 9", 9);
        assertThat(dropped("standby_down")).isEqualTo(6);
        mirror.stop();
    }

    @Test
    void aWritableStandbyIsNotMirroredTo() {
        standby.state = new StandbyState(true, false, 0.0, false, 1, null);
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofSeconds(5)));
        mirror.start();
        executor.runPeriodic();
        offer(mirror, "SELECT 1", 1);
        assertThat(dropped("not_read_only")).isEqualTo(1);
        mirror.pause().resumeByOperator();
        offer(mirror, "SELECT 2", 1);
        run(mirror);
        assertThat(standby.statements()).contains("SELECT 2");
        mirror.stop();
    }

    /** It may have been promoted while it was unreachable. */
    @Test
    void aStandbyThatComesBackIsCheckedBeforeMirroringResumes() {
        standby.state = StandbyState.UNKNOWN;
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofSeconds(5)));
        mirror.start();
        offer(mirror, "SELECT 1", 1);
        assertThat(dropped("standby_down")).isEqualTo(1);
        standby.state = new StandbyState(true, false, 0.0, false, 1, null);
        executor.runPeriodic();
        offer(mirror, "SELECT 2", 1);
        assertThat(dropped("not_read_only")).isEqualTo(1);
        standby.state = StandbyState.UNKNOWN;
        executor.runPeriodic();
        offer(mirror, "SELECT 3", 1);
        assertThat(dropped("not_read_only")).isEqualTo(2);
        standby.state = new StandbyState(true, true, 0.0, false, 1, null);
        executor.runPeriodic();
        offer(mirror, "SELECT 4", 1);
        run(mirror);
        assertThat(standby.statements()).contains("SELECT 4").doesNotContain("SELECT 1", "SELECT 2", "SELECT 3");
        mirror.stop();
    }

    @Test
    void pausesAboveTheLagAndResumesWellBelowIt() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofSeconds(5)));
        mirror.start();
        standby.state = new StandbyState(true, true, 11.0, false, 1, null);
        executor.runPeriodic();
        assertThat(mirror.pause().paused()).isTrue();
        standby.state = new StandbyState(true, true, 9.0, false, 1, null);
        executor.runPeriodic();
        assertThat(mirror.pause().paused())
                .as("nine of ten seconds is not yet down enough")
                .isTrue();
        standby.state = new StandbyState(true, true, 7.0, false, 1, null);
        executor.runPeriodic();
        assertThat(mirror.pause().paused()).isFalse();
        mirror.stop();
    }

    @Test
    void anErrorOnTheStandbyIsCountedAndTheNextStatementRuns() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofSeconds(5)));
        offer(mirror, "SELECT 1", 1);
        run(mirror);
        standby.errorCode = 1146;
        offer(mirror, "SELECT * FROM gone", 1);
        run(mirror);
        standby.errorCode = 1969;
        offer(mirror, "SELECT slow", 1);
        run(mirror);
        assertThat(executed("error")).isEqualTo(1);
        assertThat(executed("timeout")).isEqualTo(1);
        mirror.stop();
    }

    @Test
    void aLostConnectionIsReopened() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofSeconds(5)));
        offer(mirror, "SELECT 1", 1);
        run(mirror);
        standby.connections.get(0).close();
        offer(mirror, "SELECT 2", 1);
        run(mirror);
        assertThat(standby.connections).hasSize(2);
        assertThat(standby.statements()).contains("SELECT 2");
        mirror.stop();
    }

    /** Each attempt costs a login and a log line. */
    @Test
    void aStandbyThatResetsConnectionsIsTriedLessAndLessOften() {
        StandbyMirror mirror = mirror(config(1, 100, "1MiB", Duration.ofSeconds(5)));
        List<Long> delays = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            offer(mirror, "SELECT " + i, 1);
            mirror.drain();
            executor.runReady();
            standby.connections.get(i).close();
            offer(mirror, "SELECT 'finds it closed'", 1);
            mirror.drain();
            delays.add(executor.lastDelayMillis());
            executor.runAll();
        }
        assertThat(delays.get(0)).isLessThanOrEqualTo(1000);
        assertThat(delays.get(6)).isGreaterThanOrEqualTo(5000);
        mirror.stop();
    }

    /** A wake-up, a write and a read for each would cost more than the statements. */
    @Test
    void queuedStatementsAreSentTogetherWithoutWaitingForResponses() {
        StandbyMirror mirror = mirror(config(1, 100, "1MiB", Duration.ofSeconds(5)));
        offer(mirror, "SELECT 'first'", 1);
        run(mirror);
        standby.responding = false;
        List<String> batch = new ArrayList<>();
        for (int i = 0; i < BATCH; i++) {
            batch.add("SELECT " + i);
            offer(mirror, batch.get(i), 1);
        }
        assertThat(standby.connections.get(0).selects())
                .as("nothing more before the timer")
                .hasSize(1);
        standby.loop.runNext();
        assertThat(standby.connections.get(0).selects()).hasSize(1 + BATCH).containsSubsequence(batch);
        assertThat(executed("ok")).isEqualTo(1);
        standby.connections.get(0).respondAll();
        assertThat(executed("ok")).isEqualTo(1.0 + BATCH);
        mirror.stop();
    }

    /** At a high rate the queue would fill up before the timer fires. */
    @Test
    void aQuarterOfTheQueueDoesNotWaitForTheTimer() {
        StandbyMirror mirror = mirror(config(1, 100, "1MiB", Duration.ofSeconds(5)));
        offer(mirror, "SELECT 'first'", 1);
        run(mirror);
        for (int i = 0; i < 26; i++) {
            offer(mirror, "SELECT " + i, 1);
        }
        assertThat(executed("ok")).isGreaterThan(1.0);
        mirror.stop();
    }

    @Test
    void statementsQueuedBeforeTheFirstConnectionAreSentByTheSweep() {
        StandbyMirror mirror = mirror(config(1, 100, "1MiB", Duration.ofSeconds(5)));
        mirror.start();
        offer(mirror, "SELECT 1", 1);
        executor.runPeriodic();
        executor.runAll();
        assertThat(standby.statements()).contains("SELECT 1");
        mirror.stop();
    }

    @Test
    void theTimerStopsWithoutStatementsAndStartsAgain() {
        StandbyMirror mirror = mirror(config(1, 100, "1MiB", Duration.ofSeconds(5)));
        offer(mirror, "SELECT 'first'", 1);
        run(mirror);
        offer(mirror, "SELECT 1", 1);
        offer(mirror, "SELECT 2", 1);
        assertThat(standby.loop.waiting()).isEqualTo(1);
        for (int i = 0; i < 100; i++) {
            standby.loop.runNext();
        }
        assertThat(executed("ok")).isEqualTo(3);
        assertThat(standby.loop.waiting()).isZero();
        offer(mirror, "SELECT 3", 1);
        standby.loop.runNext();
        assertThat(executed("ok")).isEqualTo(4);
        mirror.stop();
    }

    /** Each change of settings interrupts the batch; it must not interrupt the timer's round. */
    @Test
    void oneRoundServesSessionsWithDifferentSettings() {
        StandbyMirror mirror = mirror(config(1, 100, "1MiB", Duration.ofSeconds(5)));
        offer(mirror, "SELECT 'first'", 1);
        run(mirror);
        standby.responding = false;
        for (int i = 0; i < 6; i++) {
            offer(mirror, "SELECT " + i, 1, i % 2 == 0 ? SETTING : SETTING.in("shop"));
        }
        standby.loop.runNext();
        for (int i = 0; i < 20; i++) {
            standby.connections.get(0).respondAll();
        }
        assertThat(executed("ok")).isEqualTo(7);
        mirror.stop();
    }

    /** Only the statement that the standby was executing has failed; it never began those after it. */
    @Test
    void aConnectionThatIsLostWithinABatchCountsOneErrorAndDropsTheRest() {
        StandbyMirror mirror = mirror(config(1, 100, "1MiB", Duration.ofSeconds(5)));
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

    @Test
    void orderSessionKeepsASessionOnOneConnectionAndInOrder() {
        StandbyMirror mirror = mirror(ordered(2, MirrorConfig.Order.SESSION));
        for (int i = 0; i < 30; i++) {
            offer(mirror, "SELECT 'even " + i + "'", 2);
            offer(mirror, "SELECT 'odd " + i + "'", 3);
            if (i % 7 == 0) {
                run(mirror);
            }
        }
        for (int i = 0; i < 10; i++) {
            run(mirror);
        }
        assertThat(standby.connections).hasSize(2);
        for (String session : List.of("even", "odd")) {
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                expected.add("SELECT '" + session + " " + i + "'");
            }
            assertThat(standby.connections)
                    .as("one connection has all of the %s session in order and nothing else", session)
                    .anySatisfy(connection -> assertThat(connection.selects()).containsExactlyElementsOf(expected));
        }
        mirror.stop();
    }

    /** The first waits for a name while the second, whose names are known by then, would be ready. */
    @Test
    void orderSessionHoldsWhileNamesWait() {
        StandbyMirror mirror = mirror(ordered(2, MirrorConfig.Order.SESSION));
        List<TableName> orders = List.of(new TableName("shop", "orders"));
        List<TableName> items = List.of(new TableName("shop", "items"));
        beforeResponse = () -> {
            beforeResponse = () -> {};
            offer(mirror, "SELECT 2 FROM items", 1, SETTING, items);
            offer(mirror, "SELECT 3 FROM orders", 1, SETTING, orders);
            offer(mirror, "SELECT 4", 1);
        };
        offer(mirror, "SELECT 1 FROM orders", 1, SETTING, orders);
        while (!dictionaryQueries.isEmpty()) {
            dictionaryQueries.remove(0).run();
        }
        run(mirror);
        assertThat(standby.connections)
                .anySatisfy(connection -> assertThat(connection.selects())
                        .containsExactly(
                                "SELECT 1 FROM orders", "SELECT 2 FROM items", "SELECT 3 FROM orders", "SELECT 4"));
        mirror.stop();
    }

    @Test
    void namesThatBecomeKnownAfterTheStopLeaveNothingBehind() {
        StandbyMirror mirror = mirror(config(1, 100, "1MiB", Duration.ofSeconds(5)));
        beforeResponse = mirror::stop;
        List<TableName> orders = List.of(new TableName("shop", "orders"));
        offer(mirror, "SELECT 1 FROM orders", 1, SETTING, orders);
        dictionaryQueries.remove(0).run();
        offer(mirror, "SELECT 2 FROM orders", 1, SETTING, orders);
        assertThat(mirror.view()).containsEntry("waitingStatements", 0);
    }

    @Test
    void orderNoneSpreadsASessionOverConnections() {
        StandbyMirror mirror = mirror(ordered(2, MirrorConfig.Order.NONE));
        standby.responding = false;
        // Several connections take statements in the first rounds, however large a batch has become.
        for (int i = 0; i < 4 * BatchSize.MAX; i++) {
            offer(mirror, "SELECT 'then " + i + "'", 1);
        }
        // One response of each connection at a time, so that both have work.
        for (int i = 0; i < 60; i++) {
            run(mirror);
            standby.connections.stream()
                    .filter(connection -> !connection.pending.isEmpty())
                    .forEach(FakeStandby.Connection::respondOne);
        }
        assertThat(standby.connections).hasSize(2);
        assertThat(standby.connections)
                .allSatisfy(connection -> assertThat(connection.selects()).isNotEmpty());
        mirror.stop();
    }

    @Test
    void theBatchSizeFollowsTheStandbysPace() {
        BatchSize size = new BatchSize();
        assertThat(size.statements()).isEqualTo(BatchSize.MIN);
        for (int i = 0; i < 50; i++) {
            size.completed(8, 8 * 10_000);
        }
        assertThat(size.statements()).as("warm").isEqualTo(BatchSize.MAX);
        for (int i = 0; i < 50; i++) {
            size.completed(256, 256 * 100_000L);
        }
        assertThat(size.statements()).isBetween(45, 55);
        size.completed(50, 50 * 20_000_000L);
        assertThat(size.statements()).as("from disk").isEqualTo(BatchSize.MIN);
    }

    /**
     * A session's row limit must not remain for the next session; flags are sent as a difference to the server's
     * default.
     */
    @Test
    void readVariablesOfASessionAreSetAndReset() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofSeconds(5)));
        offer(mirror, "SELECT 1", 1, reading("sql_select_limit = 1, optimizer_switch = 'mrr=on'"));
        run(mirror);
        offer(mirror, "SELECT 2", 2, reading("sql_select_limit = 2"));
        run(mirror);
        offer(mirror, "SELECT 3", 3);
        run(mirror);
        String rest = "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci, time_zone = DEFAULT, sql_mode = DEFAULT";
        assertThat(standby.statements())
                .containsExactly(
                        "SET sql_select_limit = 1, optimizer_switch = 'mrr=on'",
                        rest,
                        "SELECT 1",
                        "SET sql_select_limit = DEFAULT, optimizer_switch = DEFAULT",
                        "SET sql_select_limit = 2",
                        rest,
                        "SELECT 2",
                        "SET sql_select_limit = DEFAULT",
                        rest,
                        "SELECT 3");
        mirror.stop();
    }

    private static StatementSetting reading(String assignments) {
        return new StatementSetting(null, 45, null, null, null, assignments);
    }

    /** Text within a session's value must not reset the settings that keep the standby unwritten. */
    @Test
    void aValueIsNotTakenForAName() {
        assertThat(reading("old_mode = 'x, tx_read_only = y', sql_select_limit = 3")
                        .readingNames())
                .containsExactly("old_mode", "sql_select_limit");
    }

    @Test
    void aStatementGoesToAnIdleConnectionWithItsSchema() {
        StandbyMirror mirror = mirror(ordered(2, MirrorConfig.Order.NONE));
        StatementSetting shop = SETTING.in("shop");
        StatementSetting depot = SETTING.in("depot");
        offer(mirror, "SELECT 'shop 0'", 1, shop);
        run(mirror);
        // The first connection is busy, so a second one opens for the other schema.
        standby.responding = false;
        offer(mirror, "SELECT 'shop, long'", 1, shop);
        standby.loop.runNext();
        offer(mirror, "SELECT 'depot 0'", 1, depot);
        mirror.drain();
        executor.runAll();
        standby.connections.get(1).respondAll();
        standby.connections.get(0).respondAll();
        assertThat(standby.connections).hasSize(2);
        standby.responding = true;
        int begun = standby.received.size();
        for (int i = 1; i <= 20; i++) {
            offer(mirror, "SELECT 'shop " + i + "'", 1, shop);
            offer(mirror, "SELECT 'depot " + i + "'", 1, depot);
            standby.loop.runNext();
        }
        assertThat(executed("ok")).isEqualTo(43);
        assertThat(standby.received.subList(begun, standby.received.size()))
                .as("no connection has to change its schema")
                .allMatch(text -> text.startsWith("SELECT"));
        mirror.stop();
    }

    @Test
    void aStoppedApplierPausesUnlessItIsAllowed() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofSeconds(5)));
        mirror.start();
        standby.state = new StandbyState(true, true, null, true, 1, null);
        executor.runPeriodic();
        assertThat(mirror.pause().describe()).isEqualTo("paused_stopped");
        offer(mirror, "SELECT 1", 1);
        assertThat(dropped("paused")).isEqualTo(1);
        mirror.reload(new MirrorConfig(
                1, null, null, null, null, new MirrorConfig.PauseAbove(null, null, false), null, null));
        executor.runPeriodic();
        assertThat(mirror.pause().paused()).isFalse();
        mirror.reload(config(1, 10, "1MiB", Duration.ofSeconds(5)));
        standby.state = new StandbyState(true, true, null, false, 1, null);
        executor.runPeriodic();
        assertThat(mirror.pause().paused())
                .as("one that does not replicate, or does not say")
                .isFalse();
        mirror.stop();
    }

    /** The address may now lead to another server, or to the same after a promotion. */
    @Test
    void theOperatorsResumeEndsWhenTheStandbyIsUnreachable() {
        standby.state = new StandbyState(true, false, 0.0, false, 1, null);
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofSeconds(5)));
        mirror.start();
        executor.runPeriodic();
        mirror.pause().resumeByOperator();
        executor.runPeriodic();
        assertThat(mirror.pause().paused()).isFalse();
        standby.state = StandbyState.UNKNOWN;
        executor.runPeriodic();
        standby.state = new StandbyState(true, false, 0.0, false, 1, null);
        executor.runPeriodic();
        assertThat(mirror.pause().describe()).isEqualTo("paused_writable");
        mirror.stop();
    }

    @Test
    void theLastErrorOfEachRuleIsShownWithoutValues() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofSeconds(5)));
        offer(mirror, "SELECT 1", 1);
        run(mirror);
        standby.errorCode = 1142;
        standby.errorMessage = "SELECT command denied to user 'm'@'%' for table `shop`.`orders`";
        offer(mirror, "SELECT * FROM orders", 1);
        run(mirror);
        assertThat(String.valueOf(mirror.view().get("lastErrors")))
                .contains("rule=all", "error=1142", "for table `shop`.`orders`");
        standby.errorCode = 1292;
        standby.errorMessage = "Incorrect datetime value: 's3cret'";
        offer(mirror, "SELECT DATE('s3cret')", 1, SETTING.in("shop"));
        run(mirror);
        assertThat(dropped("not_reproducible")).isEqualTo(1);
        assertThat(String.valueOf(mirror.view().get("lastErrors")))
                .contains("error=1292", "Incorrect datetime value: '?'")
                .doesNotContain("s3cret");
        mirror.stop();
    }
}
