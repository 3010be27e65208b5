package io.understudy.switchover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.config.Address;
import io.understudy.plugin.ServerFlavor;
import io.understudy.remote.AdminClient;
import io.understudy.servers.Dialect;
import io.understudy.servers.ReplicaStatus;
import io.understudy.sql.AccountGrants;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A server stops responding amid a step of a switchover. */
class FailedStepsTest {
    private static final String WRITABLE = "SET GLOBAL read_only=0";
    private static final String BROKEN = "08000";
    private static final ReplicaStatus REPLICATION = new ReplicaStatus(Map.of("master_user", "repl"));

    private static Pair pair(ScriptedServer.Script primary, ScriptedServer.Script standby) {
        return new Pair(
                new Node("the old primary", ScriptedServer.of(primary)),
                Address.parse("old:3306"),
                new Node("standby-1", ScriptedServer.of(standby)),
                Address.parse("new:3306"),
                Dialect.of(ServerFlavor.MARIADB),
                REPLICATION);
    }

    /** A server that is read-only and replicates. */
    private static Map<String, String> readOnlyServer(int connection, String sql) {
        return switch (sql) {
            case "SELECT @@GLOBAL.read_only" -> Map.of("@@GLOBAL.read_only", "1");
            case "SHOW ALL SLAVES STATUS" -> Map.of("Connection_name", "");
            default -> Map.of();
        };
    }

    private static ReadOnlyStep readOnlyStep(Pair pair) {
        return new ReadOnlyStep(pair, clock(), new Unchanged(pair, () -> "old:3306"));
    }

    private static HoldClock clock() {
        HoldClock clock = new HoldClock(Duration.ofMinutes(1));
        clock.begin();
        return clock;
    }

    /** A standby that was frozen: it has received the statement, and responds to a new connection before. */
    private static final class Thawed implements ScriptedServer.Script {
        private final boolean executesIt;
        private final boolean endsIt;
        private final List<String> killed = new ArrayList<>();
        private String waiting = "";
        private String readOnly = "1";

        Thawed(boolean executesIt, boolean endsIt) {
            this.executesIt = executesIt;
            this.endsIt = endsIt;
        }

        @Override
        public Map<String, String> row(int connection, String sql) throws SQLException {
            if (sql.equals(WRITABLE)) {
                waiting = String.valueOf(connection);
                throw new SQLException("Read timed out", BROKEN);
            }
            if (sql.startsWith("KILL ")) {
                killed.add(sql);
                if (endsIt) {
                    waiting = "";
                    readOnly = executesIt ? "0" : "1";
                }
                return Map.of();
            }
            return switch (sql) {
                case "SELECT CONNECTION_ID()" -> Map.of("CONNECTION_ID()", String.valueOf(connection));
                case "SHOW PROCESSLIST" -> waiting.isEmpty() ? Map.of() : Map.of("Id", waiting);
                case "SELECT @@GLOBAL.read_only" -> Map.of("@@GLOBAL.read_only", readOnly);
                default -> Map.of();
            };
        }
    }

    private static PromoteStep promotion(Thawed standby) {
        Pair pair = pair(FailedStepsTest::readOnlyServer, standby);
        return new PromoteStep(pair, new LastTransaction(pair)::ensureLast, "");
    }

    @Test
    void aStatementThatWaitsInAThawedStandbyIsOverBeforeTheUndo() throws Exception {
        Thawed executes = new Thawed(true, true);
        assertThat(promotion(executes).run()).isEqualTo("new:3306 is writable");
        assertThat(executes.killed).containsExactly("KILL 1");

        Thawed discards = new Thawed(false, true);
        assertThatThrownBy(() -> promotion(discards).run())
                .isInstanceOf(StepFailure.class)
                .hasMessageContaining("it is read-only still");
        assertThat(discards.killed).containsExactly("KILL 1");
    }

    @Test
    void nothingIsUndoneWhileThatStatementMayBeExecuted() {
        Thawed keeps = new Thawed(false, false);
        assertThatThrownBy(() -> promotion(keeps).run())
                .isInstanceOf(PromotionUnknown.class)
                .hasMessageContaining("On new:3306: KILL 1, until SHOW PROCESSLIST has that connection no more");
    }

    /** A server that was frozen when it received a statement, and executes it once it is killed, or last. */
    private static final class Late implements ScriptedServer.Script {
        private final String frozenAt;
        private final List<String> executed = new ArrayList<>();
        private String waiting = "";

        private final String readOnly;

        Late(String frozenAt, String readOnly) {
            this.frozenAt = frozenAt;
            this.readOnly = readOnly;
        }

        @Override
        public Map<String, String> row(int connection, String sql) throws SQLException {
            if (sql.equals(frozenAt)) {
                waiting = String.valueOf(connection);
                throw new SQLException("Read timed out", BROKEN);
            }
            if (sql.equals("KILL " + waiting)) {
                end();
                return Map.of();
            }
            if (!sql.startsWith("S") || sql.startsWith("SET GLOBAL") || sql.startsWith("START")) {
                executed.add(sql);
            }
            return switch (sql) {
                case "SELECT CONNECTION_ID()" -> Map.of("CONNECTION_ID()", String.valueOf(connection));
                case "SHOW PROCESSLIST" -> waiting.isEmpty() ? Map.of() : Map.of("Id", waiting);
                case "SELECT @@GLOBAL.read_only" -> Map.of("@@GLOBAL.read_only", readOnly);
                default -> Map.of();
            };
        }

        private void end() {
            if (!waiting.isEmpty()) {
                executed.add(frozenAt);
                waiting = "";
            }
        }
    }

    /** Undoes it as a switchover does: again until it succeeds. */
    private static void undo(Step step) {
        await().ignoreExceptions().until(() -> !step.undo().isEmpty());
    }

    @Test
    void whatAThawedServerExecutesLateDoesNotOutliveTheUndo() {
        Late primary = new Late("SET GLOBAL read_only=1", "0");
        Step readOnly = readOnlyStep(pair(primary, FailedStepsTest::readOnlyServer));
        assertThatThrownBy(readOnly::run).hasMessageContaining("Read timed out");
        assertThatThrownBy(readOnly::undo).hasMessageContaining("KILL 1, until SHOW PROCESSLIST");
        undo(readOnly);
        primary.end();
        assertThat(primary.executed).containsExactly("SET GLOBAL read_only=1", WRITABLE);

        Late standby = new Late("STOP SLAVE ''", "1");
        Step stop = new StopReplicationStep(pair((connection, sql) -> Map.of(), standby), clock());
        assertThatThrownBy(stop::run).hasMessageContaining("Read timed out");
        undo(stop);
        standby.end();
        assertThat(standby.executed).containsExactly("STOP SLAVE ''", "START SLAVE ''");
    }

    @Test
    void replicationIsStartedAgainLast() throws Exception {
        List<String> undone = new ArrayList<>();
        Pair pair = pair((connection, sql) -> Map.of(), (connection, sql) -> Map.of());
        Step first = recorded(undone, "hold", false);
        Step last = recorded(undone, "stop", true);
        Step failing = new Step() {
            @Override
            public String plan() {
                return "promote";
            }

            @Override
            public String run() throws StepFailure {
                throw new StepFailure("it does not respond");
            }
        };
        Steps steps = new Steps(
                List.of(),
                List.of(first, recorded(undone, "read-only", false), last),
                failing,
                first,
                first,
                List.of());
        try (Switchover switchover = new Switchover(pair, steps, new PrintWriter(new StringWriter()))) {
            assertThat(switchover.run()).isEqualTo(ChangeOutcome.NOT_PROMOTED);
        }
        assertThat(undone).containsExactly("read-only", "hold", "stop");
        assertThat(new StopReplicationStep(pair, clock()).undoneLast()).isTrue();
    }

    private static Step recorded(List<String> undone, String name, boolean last) {
        return new Step() {
            @Override
            public String plan() {
                return name;
            }

            @Override
            public String run() {
                return "";
            }

            @Override
            public String undo() {
                undone.add(name);
                return name;
            }

            @Override
            public boolean undoneLast() {
                return last;
            }
        };
    }

    private static Map<String, String> dead(String sql) throws SQLException {
        throw new SQLException("Connection refused for " + sql, BROKEN);
    }

    @Test
    void aPrimaryThatDiesWhileItIsReadOnlyIsNoReasonToWaitForIt() throws Exception {
        List<Boolean> died = new ArrayList<>();
        Pair pair = pair(
                (connection, sql) -> died.isEmpty() ? Map.of("@@GLOBAL.read_only", "0") : dead(sql),
                FailedStepsTest::readOnlyServer);
        ReadOnlyStep step = readOnlyStep(pair);
        step.run();
        died.add(true);
        assertThatThrownBy(step::undo)
                .hasMessageContaining("may still be read-only; on old:3306: " + WRITABLE)
                .hasMessageContaining("If it does not come back: understudy failover --to standby-1");
    }

    /** What the undo finds, besides a standby that is as before, and whether it makes the old primary writable. */
    @Test
    void theOldPrimaryStaysReadOnlyUnlessNobodyHasPromotedTheStandby() throws Exception {
        ScriptedServer.Script writable =
                (connection, sql) -> sql.contains("read_only") ? Map.of("v", "0") : readOnlyServer(connection, sql);
        ScriptedServer.Script reset =
                (connection, sql) -> sql.startsWith("SHOW ALL") ? Map.of() : readOnlyServer(connection, sql);
        ScriptedServer.Script gone = (connection, sql) -> dead(sql);
        assertThat(executedByUndo(FailedStepsTest::readOnlyServer, "old:3306")).contains(WRITABLE);
        assertThat(executedByUndo(writable, "old:3306")).doesNotContain(WRITABLE);
        assertThat(executedByUndo(reset, "old:3306")).doesNotContain(WRITABLE);
        assertThat(executedByUndo(FailedStepsTest::readOnlyServer, "new:3306")).doesNotContain(WRITABLE);
        assertThat(executedByUndo(gone, "old:3306")).doesNotContain(WRITABLE);
    }

    private static List<String> executedByUndo(ScriptedServer.Script standby, String following) throws Exception {
        return executedByUndo(standby, () -> following);
    }

    private static List<String> executedByUndo(ScriptedServer.Script standby, Unchanged.Following following)
            throws Exception {
        List<String> executed = new ArrayList<>();
        Pair pair = pair(
                (connection, sql) -> {
                    executed.add(sql);
                    return Map.of("v", "0");
                },
                standby);
        ReadOnlyStep step = new ReadOnlyStep(pair, clock(), new Unchanged(pair, following));
        step.run();
        try {
            step.undo();
        } catch (UndoRefused | SQLException e) {
            assertThat(e).hasMessageContaining("old:3306 stays read-only");
        }
        return executed;
    }

    /** A proxy that hangs takes its time, and somebody promotes the standby in it. */
    @Test
    void aProxyThatDoesNotRespondLeavesTheOldPrimaryReadOnly() throws Exception {
        AtomicBoolean promoted = new AtomicBoolean();
        ScriptedServer.Script standby = (connection, sql) ->
                sql.contains("read_only") && promoted.get() ? Map.of("v", "0") : readOnlyServer(connection, sql);
        assertThat(executedByUndo(standby, () -> {
                    promoted.set(true);
                    return "old:3306"; // late, as by a proxy that was stopped and continues
                }))
                .doesNotContain(WRITABLE);
        promoted.set(false);
        assertThat(executedByUndo(standby, () -> {
                    throw new IOException("429");
                }))
                .doesNotContain(WRITABLE);
        assertThat(executedByUndo(standby, () -> ""))
                .as("a proxy that has ended")
                .contains(WRITABLE);
    }

    /** Whether a proxy has ended is told by its port alone. */
    @Test
    void aFrozenProxyIsNotOneThatHasEnded() throws Exception {
        ProxyControl proxy;
        try (ServerSocket frozen = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            proxy = new ProxyControl(new AdminClient("127.0.0.1:" + frozen.getLocalPort(), null));
            assertThatThrownBy(proxy::primaryUnlessEnded).hasMessageContaining("no response");
        }
        assertThat(proxy.primaryUnlessEnded()).isEmpty();
    }

    /** Somebody promotes the standby between the last look and the statement, or while that hangs. */
    @Test
    void theOldPrimaryBecomesReadOnlyAgainIfTheStandbyWasPromotedMeanwhile() throws Exception {
        for (boolean hangs : new boolean[] {false, true}) {
            AtomicBoolean promoted = new AtomicBoolean();
            List<String> executed = new ArrayList<>();
            Pair pair = pair(
                    (connection, sql) -> {
                        executed.add(sql);
                        if (sql.equals(WRITABLE)) {
                            promoted.set(true);
                            if (hangs) {
                                throw new SQLException("Read timed out", BROKEN);
                            }
                        }
                        return sql.equals("SHOW PROCESSLIST") ? Map.of() : Map.of("v", "0");
                    },
                    (connection, sql) -> sql.contains("read_only") && promoted.get()
                            ? Map.of("v", "0")
                            : readOnlyServer(connection, sql));
            ReadOnlyStep step = readOnlyStep(pair);
            step.run();
            executed.clear();
            if (hangs) {
                assertThatThrownBy(step::undo).hasMessageContaining("It may execute that once it responds");
            }
            assertThatThrownBy(step::undo)
                    .isInstanceOf(UndoRefused.class)
                    .hasMessageContaining("somebody has promoted it");
            assertThat(executed).containsSubsequence(WRITABLE, "SET GLOBAL read_only=1");
            assertThat(executed.get(executed.size() - 1)).isEqualTo("SET GLOBAL read_only=1");
        }
    }

    /** A server that has restarted gives the number of a connection to somebody else's. */
    @Test
    void nobodyElsesConnectionIsKilled() throws Exception {
        List<String> executed = new ArrayList<>();
        List<String> hosts = new ArrayList<>(List.of("app:4711"));
        Node node = new Node("standby-1", ScriptedServer.of((connection, sql) -> {
            executed.add(sql);
            if (sql.equals(WRITABLE)) {
                throw new SQLException("Read timed out", BROKEN);
            }
            return switch (sql) {
                case "SELECT CONNECTION_ID()" -> Map.of("CONNECTION_ID()", "7");
                case "SHOW PROCESSLIST" -> {
                    Map<String, String> row = new LinkedHashMap<>();
                    row.put("Id", "7");
                    row.put("User", "switcher");
                    row.put("Host", hosts.get(0));
                    yield row;
                }
                default -> Map.of();
            };
        }));
        node.traced();
        assertThatThrownBy(() -> node.execute(WRITABLE)).isInstanceOf(SQLException.class);
        assertThat(node.endFormer()).isEqualTo("7");
        node.traced();
        hosts.set(0, "app:4712");
        executed.clear();
        assertThat(node.endFormer()).isEmpty();
        assertThat(executed).containsExactly("SHOW PROCESSLIST");
    }

    /** Else the server would count as one that does not respond. */
    @Test
    void aFormerConnectionThatEndsBeforeItIsKilledIsNoFailure() throws Exception {
        Node node = new Node("standby-1", ScriptedServer.of((connection, sql) -> {
            switch (sql) {
                case WRITABLE -> throw new SQLException("Read timed out", BROKEN);
                case "KILL 7" -> throw new SQLException("Unknown thread id: 7", "HY000", 1094);
                case "SELECT CONNECTION_ID()" -> {
                    return Map.of("CONNECTION_ID()", "7");
                }
                case "SHOW PROCESSLIST" -> {
                    return Map.of("Id", "7");
                }
                default -> {
                    return Map.of();
                }
            }
        }));
        node.traced();
        assertThatThrownBy(() -> node.execute(WRITABLE)).isInstanceOf(SQLException.class);
        assertThat(node.endFormer()).isEmpty();
    }

    /** What the server waits is bounded by what is left after the queries before, which may have taken long. */
    @Test
    void theOldPrimaryDoesNotBecomeReadOnlyAfterTheHold() throws Exception {
        assertThat(executedOfReadOnly(Duration.ofMillis(1_500)))
                .containsSubsequence("SET SESSION lock_wait_timeout=1", "SET GLOBAL read_only=1");
        assertThat(executedOfReadOnly(Duration.ofMillis(2_400))).noneMatch(sql -> sql.matches("SET.* (lock|read).*"));
    }

    /** Runs the step in a hold of 5 s. */
    private static List<String> executedOfReadOnly(Duration eachQueryTakes) throws Exception {
        AtomicLong now = new AtomicLong();
        List<String> executed = new ArrayList<>();
        Pair pair = pair(
                (connection, sql) -> {
                    executed.add(sql);
                    now.addAndGet(sql.startsWith("S") && !sql.startsWith("SET") ? eachQueryTakes.toNanos() : 0);
                    return Map.of("v", "0");
                },
                FailedStepsTest::readOnlyServer);
        HoldClock clock = new HoldClock(Duration.ofSeconds(5), now::get);
        clock.begin();
        try {
            new ReadOnlyStep(pair, clock, new Unchanged(pair, () -> "old:3306")).run();
        } catch (StepFailure e) {
            assertThat(e).hasMessageContaining("is almost over, and the old primary is not read-only yet");
        }
        return executed;
    }

    @Test
    void theLastStepsSayWhatToRunByHand() {
        Pair pair = pair((connection, sql) -> dead(sql), (connection, sql) -> dead(sql));
        assertThatThrownBy(() -> new AfterPromotion(pair).forget().run())
                .hasMessageContaining("by hand, on new:3306: RESET SLAVE '' ALL");
        assertThatThrownBy(() -> new AfterPromotion(pair)
                        .oldPrimary(new LastTransaction(pair))
                        .run())
                .hasMessageContaining("by hand, once it responds: if SELECT @@GLOBAL.gtid_binlog_pos returns ")
                .hasMessageContaining("on old:3306:" + System.lineSeparator() + "    SET GLOBAL gtid_slave_pos='")
                .hasMessageContaining("MASTER_HOST='new'");
    }

    private static Map<String, Object> report(double lagSeconds, String... checks) {
        return Map.of(
                "verdict",
                "no",
                "lagSeconds",
                lagSeconds,
                "findings",
                List.of(checks).stream()
                        .map(check -> Map.of("check", check, "severity", "blocks", "what", "it is bad"))
                        .toList());
    }

    @Test
    void theGateAllowsTheLagThatTheOperatorAllows() throws Exception {
        Duration minute = Duration.ofMinutes(1);
        assertThat(GateStep.judge(report(30, "lag"), minute)).contains("blocks lag: it is bad", "--lag allows that");
        assertThatThrownBy(() -> GateStep.judge(report(30, "lag"), Duration.ofSeconds(20)))
                .hasMessageContaining("the readiness gate says no");
        assertThatThrownBy(() -> GateStep.judge(report(30, "lag", "replicates"), minute))
                .hasMessageContaining("the readiness gate says no");
    }

    @Test
    void theGateLetsPassOnlyWhatLaterStepsWaitFor() throws Exception {
        Duration none = Duration.ZERO;
        assertThat(GateStep.judge(report(1, "received"), none)).contains("the steps that follow mend what blocks");
        assertThatThrownBy(() -> GateStep.judge(report(1, "received", "errant"), none))
                .hasMessageContaining("blocks errant: it is bad");
        Map<String, Object> uncompared =
                Map.of("verdict", "findings", "findings", List.of(Map.of("check", "primary", "severity", "unknown")));
        assertThatThrownBy(() -> GateStep.judge(uncompared, none))
                .as("errant transactions, say, are not known then")
                .hasMessageContaining("the readiness gate says findings");
    }

    /** A server with one scheduled event in a state; refuses what begins with {@code refused}. */
    private static ScriptedServer.Script events(String state, String refused, List<String> executed) {
        return (connection, sql) -> {
            executed.add(sql);
            if (sql.startsWith(refused)) {
                throw new SQLException("you need (at least one of) the SYSTEM_USER privilege(s)", "42000", 1227);
            }
            if (sql.contains("information_schema.EVENTS") && sql.contains("'" + state + "'")) {
                Map<String, String> row = new LinkedHashMap<>();
                row.put("s", "shop");
                row.put("n", "tick");
                row.put("d", "root@localhost");
                row.put("c", "");
                row.put("l", "");
                return row;
            }
            return Map.of();
        };
    }

    @Test
    void anEventThatCouldNotBeDisabledNeedsNoUndo() throws Exception {
        List<String> executed = new ArrayList<>();
        Pair pair = pair(events("ENABLED", "ALTER", executed), FailedStepsTest::readOnlyServer);
        DisableEventsStep step = new DisableEventsStep(pair, new Unchanged(pair, () -> "old:3306"));
        assertThatThrownBy(step::run).hasMessageContaining("SYSTEM_USER");
        executed.clear();
        assertThat(step.undo()).isEmpty();
        assertThat(executed).isEmpty();
    }

    @Test
    void anEventsDefinerIsCheckedBeforeAnythingIsChanged() throws Exception {
        List<String> executed = new ArrayList<>();
        Node node = new Node("the old primary", ScriptedServer.of(events("ENABLED", "ALTER", executed)));
        List<String> grants = List.of("GRANT SYSTEM_VARIABLES_ADMIN, REPLICATION_SLAVE_ADMIN, REPLICATION CLIENT,"
                + " RELOAD, EVENT, SET_ANY_DEFINER ON *.* TO `s`@`%`");
        assertThat(Privileges.onMySql(new AccountGrants(grants), node, ScheduledEvent.enabled(node)))
                .containsExactly("SYSTEM_USER");
        assertThat(executed)
                .filteredOn(sql -> sql.startsWith("ALTER"))
                .as("no event of the application")
                .containsExactly("ALTER DEFINER='root'@'localhost' EVENT `shop`.`understudy_no_such_event` COMMENT ''");
        Node other = new Node("the old primary", ScriptedServer.of(events("ENABLED", "-", executed)));
        assertThat(Privileges.onMySql(new AccountGrants(grants), other, ScheduledEvent.enabled(other)))
                .isEmpty();
    }

    /** A switchover that was killed while it held the sessions leaves the events disabled on both. */
    @Test
    void eventsThatNobodyExecutesAreNamed() throws Exception {
        Pair pair = pair(events("SLAVESIDE_DISABLED", "-", new ArrayList<>()), (connection, sql) -> Map.of());
        DisableEventsStep step = new DisableEventsStep(pair, new Unchanged(pair, () -> "old:3306"));
        String enable = "on new:3306: ALTER DEFINER='root'@'localhost' EVENT `shop`.`tick` ENABLE";
        assertThat(step.run()).contains("none that is enabled", "shop.tick", enable);
        assertThat(step.enabling(new AfterPromotion(pair)).run())
                .as("again, behind the promotion")
                .contains(enable);
        assertThat(step.undo()).isEmpty();
    }

    private static ScriptedServer.Script semiSync(String variable) {
        return (connection, sql) -> {
            Map<String, String> row = new LinkedHashMap<>();
            if (sql.startsWith("SHOW GLOBAL VARIABLES")) {
                row.put("Variable_name", variable);
                row.put("Value", "ON");
            }
            if (sql.contains("read_only")) {
                row.put("v", "1");
            }
            return row;
        };
    }

    /** Its applier would wait for the acknowledgement of a standby that it does not have. */
    @Test
    void theOldPrimarysSourceSideIsSwitchedOffBeforeItReplicates() throws Exception {
        Pair pair = pair(semiSync("rpl_semi_sync_master_enabled"), (connection, sql) -> Map.of());
        assertThat(new AfterPromotion(pair)
                        .oldPrimary(new LastTransaction(pair))
                        .run())
                .containsSubsequence("SET GLOBAL rpl_semi_sync_master_enabled=0", "START SLAVE");
    }

    /** A standby with the source side of semi-sync on, whose commits wait even while nobody acknowledges. */
    private static final class Waiting implements ScriptedServer.Script {
        private final List<String> executed = new ArrayList<>();

        @Override
        public Map<String, String> row(int connection, String sql) {
            if (sql.startsWith("SET GLOBAL")) {
                executed.add(sql);
            }
            return readOnlyServer(connection, sql);
        }

        @Override
        public List<Map<String, String>> rows(int connection, String sql) throws SQLException {
            return sql.startsWith("SHOW GLOBAL VARIABLES")
                    ? List.of(variable("master_enabled"), variable("master_wait_no_slave"))
                    : ScriptedServer.Script.super.rows(connection, sql);
        }

        private static Map<String, String> variable(String name) {
            Map<String, String> row = new LinkedHashMap<>();
            row.put("Variable_name", "rpl_semi_sync_" + name);
            row.put("Value", "ON");
            return row;
        }
    }

    @Test
    void commitsOfTheNewPrimaryDoNotWaitWithoutAStandbyThoughSemiSyncWasOn() throws Exception {
        Waiting standby = new Waiting();
        SemiSyncStep step = new SemiSyncStep(pair(new Waiting(), standby), clock());
        String set = "SET GLOBAL rpl_semi_sync_master_wait_no_slave=%d, GLOBAL rpl_semi_sync_master_enabled=1";
        assertThat(step.run()).contains("commits wait once a standby is connected");
        assertThat(standby.executed).containsExactly(set.formatted(0));
        assertThat(step.undo()).contains("as before");
        assertThat(standby.executed).containsExactly(set.formatted(0), set.formatted(1));
    }
}
