package io.understudy.readiness;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.config.Address;
import io.understudy.config.StandbyConfig;
import io.understudy.plugin.StandbyFigures;
import io.understudy.readiness.AccountReader.AccountShape;
import io.understudy.servers.Identity;
import io.understudy.servers.ReplicaStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What findings say to do where the first thing that comes to mind does not help. */
class AdviceTest {
    private static ServerFacts server(int id, Map<String, String> variables) {
        Map<String, String> all =
                new HashMap<>(Map.of("version", "10.11.9-MariaDB", "server_id", String.valueOf(id), "hostname", "h"));
        all.putAll(variables);
        ServerFacts facts = new ServerFacts();
        facts.put(ServerFacts.VARIABLES, Known.of(all));
        return facts;
    }

    private static Situation situation(Situation.Round round, ProxyFigures proxy) {
        return new Situation(
                round, round, "s", "p:1", Set.of(), proxy, new StandbyFigures(null, false, true), ReadinessGate.LIMITS);
    }

    private static Situation situation(Situation.Round round) {
        return situation(round, ProxyFigures.NONE);
    }

    private static List<String> ofReceiver(String errno) {
        return ofReceiver(errno, "No", Map.of());
    }

    private static List<String> ofReceiver(String errno, String running, Map<String, String> variables) {
        ServerFacts standby = server(2, variables);
        standby.put(
                ServerFacts.CHANNELS,
                Known.of(List.of(new ReplicaStatus(Map.of(
                        "master_server_id", "1",
                        "slave_io_running", running,
                        "slave_sql_running", "Yes",
                        "last_io_errno", errno,
                        "last_io_error", "Got fatal error from master")))));
        Situation.Round round = new Situation.Round(standby, server(1, Map.of()));
        return Check.REPLICATES.findings(round, situation(round)).stream()
                .map(Finding::statement)
                .toList();
    }

    @Test
    void aStandbyThatThePrimaryCannotServeIsNotToBeStarted() {
        assertThat(ofReceiver("1236"))
                .singleElement()
                .asString()
                .contains("anew")
                .doesNotContain("START SLAVE");
        assertThat(ofReceiver("2003")).containsExactly("on the standby: START SLAVE IO_THREAD");
    }

    @Test
    void aStandbyWhoseLoginIsRefusedGetsAnotherLogin() {
        String account = ", of an account that the primary lets in from there, with REPLICATION SLAVE";
        assertThat(ofReceiver("1045", "Connecting", Map.of()))
                .containsExactly(
                        "on the standby: STOP SLAVE; CHANGE MASTER TO MASTER_USER = '…', MASTER_PASSWORD = '…';"
                                + " START SLAVE" + account);
        assertThat(ofReceiver("1045", "Connecting", Map.of("version", "9.7.0")))
                .containsExactly("on the standby: STOP REPLICA; CHANGE REPLICATION SOURCE TO SOURCE_USER = '…',"
                        + " SOURCE_PASSWORD = '…'; START REPLICA" + account);
        // It tries again by itself; to start it does nothing.
        assertThat(ofReceiver("2003", "Connecting", Map.of()))
                .singleElement()
                .asString()
                .contains("CHANGE MASTER TO MASTER_HOST = '…', MASTER_PORT = …;")
                .doesNotContain("START SLAVE IO_THREAD");
        assertThat(ofReceiver("0", "Connecting", Map.of()))
                .singleElement()
                .asString()
                .doesNotContain("START");
    }

    private static Map<String, String> connection(String name, String sourceId, String running) {
        return new HashMap<>(Map.of(
                "connection_name", name,
                "master_host", "h",
                "master_port", sourceId.equals("1") ? "1" : "99",
                "master_server_id", sourceId,
                "slave_io_running", running,
                "slave_sql_running", running,
                "using_gtid", "Slave_Pos"));
    }

    private static List<Finding> replicates(ReplicaStatus... connections) {
        ServerFacts standby = server(2, Map.of());
        standby.put(ServerFacts.CHANNELS, Known.of(List.of(connections)));
        Situation.Round round = new Situation.Round(standby, server(1, Map.of()));
        return Check.REPLICATES.findings(round, situation(round));
    }

    @Test
    void aConnectionThatIsLeftOverIsNotTakenForThePrimarys() {
        List<Finding> found =
                replicates(new ReplicaStatus(connection("", "1", "Yes")), new ReplicaStatus(connection("x", "", "No")));
        assertThat(found).noneMatch(finding -> finding.what().contains("from the primary"));
        assertThat(found)
                .filteredOn(finding -> finding.what().startsWith("it receives nothing"))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.what()).isEqualTo("it receives nothing from h:99");
                    assertThat(finding.statement()).endsWith("STOP SLAVE 'x'; RESET SLAVE 'x' ALL");
                });
    }

    @Test
    void anotherStandbyWithTheServerIdBlocksOnMariaDb() {
        for (boolean mariaDb : List.of(true, false)) {
            Map<String, String> product =
                    mariaDb ? Map.of("port", "2") : Map.of("version", "9.7.0", "server_uuid", "u2");
            Situation.Round round = new Situation.Round(server(2, product), server(1, Map.of()));
            List<Finding> all = new ArrayList<>();
            Findings found = new Findings("replicates", round, situation(round), all);
            String uuid = mariaDb ? "" : "u3";
            OtherIds.find(found, Map.of("other", new Identity(uuid, "3", "h:3:/d")));
            OtherIds.find(found, Map.of("itself, listed twice", round.standby().identity()));
            assertThat(all).isEmpty();
            OtherIds.find(found, Map.of("other", new Identity(uuid, "2", "h:3:/d")));
            assertThat(all).singleElement().satisfies(finding -> {
                assertThat(finding.what()).isEqualTo("it has the server_id 2 of other");
                assertThat(finding.severity()).isEqualTo(mariaDb ? Severity.BLOCKS : Severity.WARNS);
            });
        }
    }

    @Test
    void replicationByFileAndOffsetIsAFinding() {
        assertThat(replicates(new ReplicaStatus(connection("", "1", "Yes")))).isEmpty();
        Map<String, String> byFile = connection("", "1", "Yes");
        byFile.put("using_gtid", "No");
        assertThat(replicates(new ReplicaStatus(byFile))).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.WARNS);
            assertThat(finding.statement())
                    .startsWith(
                            "if its gtid_slave_pos has all that it was loaded with, on the standby: STOP SLAVE; CHANGE")
                    .contains("MASTER_USE_GTID = slave_pos; START SLAVE; else build it anew");
        });
    }

    @Test
    void aServerWithoutReplicationGetsAWholeStatement() {
        assertThat(replicates())
                .singleElement()
                .extracting(Finding::statement)
                .asString()
                .contains("MASTER_PORT", "MASTER_USER", "MASTER_PASSWORD", "MASTER_USE_GTID = slave_pos");
    }

    private static AccountShape account(String... privileges) {
        AccountShape shape = new AccountShape();
        for (String privilege : privileges) {
            shape.privilege(privilege);
        }
        return shape;
    }

    private static String ofAccount(
            String name, @Nullable AccountShape here, @Nullable AccountShape there, Map<String, String> variables) {
        ServerFacts standby = server(2, variables);
        standby.put(ServerFacts.ACCOUNTS, Known.of(here == null ? Map.of() : Map.of(name, here)));
        ServerFacts primary = server(1, variables);
        primary.put(ServerFacts.ACCOUNTS, Known.of(there == null ? Map.of() : Map.of(name, there)));
        Situation.Round round = new Situation.Round(standby, primary);
        return Check.ACCOUNTS.findings(round, situation(round)).get(0).statement();
    }

    /** CREATE USER fails there, and ALTER USER keeps what the primary's account has not. */
    @Test
    void anAccountOfMariaDbThatDiffersIsReplaced() {
        String user = "'app'@'%'";
        String shown = "on the primary: SHOW CREATE USER 'app'@'%'; SHOW GRANTS FOR 'app'@'%'; on the standby:"
                + " SET SESSION sql_log_bin = 0; what both show";
        assertThat(ofAccount(user, account("a"), account("b"), Map.of()))
                .isEqualTo(shown + ", with CREATE OR REPLACE USER in place of CREATE USER");
        assertThat(ofAccount(user, null, account("b"), Map.of())).isEqualTo(shown);
        assertThat(ofAccount("'clerk'", account("a"), account("b"), Map.of()))
                .isEqualTo(
                        "on the primary: SHOW GRANTS FOR 'clerk'; on the standby: SET SESSION sql_log_bin = 0; REVOKE"
                                + " ALL PRIVILEGES, GRANT OPTION FROM 'clerk'; what it shows");
        assertThat(ofAccount("'clerk'", null, account("b"), Map.of())).contains("; CREATE ROLE 'clerk'; what it shows");
        assertThat(ofAccount("'clerk'", account("b"), null, Map.of())).endsWith("; DROP ROLE 'clerk'");
        assertThat(ofAccount("'PUBLIC'", null, account("b"), Map.of())).doesNotContain("CREATE");
    }

    @Test
    void anAccountOfMySqlThatDiffersIsAlteredAndTheStandbyReadOnlyAfterwards() {
        Map<String, String> mySql =
                Map.of("version", "9.7.0", "super_read_only", "ON", "print_identified_with_as_hex", "OFF");
        assertThat(ofAccount("'app'@'%'", account("a"), account("b"), mySql))
                .startsWith(
                        "on the primary: SET SESSION print_identified_with_as_hex = 1; SHOW CREATE USER 'app'@'%'; ")
                .contains("on the standby: SET GLOBAL super_read_only = 0; SET SESSION sql_log_bin = 0; what both show")
                .contains(", with ALTER USER in place of CREATE USER, and DEFAULT ROLE")
                .endsWith("; REVOKE what SHOW GRANTS FOR 'app'@'%' shows on the standby alone;"
                        + " SET GLOBAL super_read_only = 1");
        assertThat(ofAccount("'app'@'%'", account("a"), account("a", "b"), mySql))
                .doesNotContain("REVOKE");
        assertThat(ofAccount("'app'@'%'", account("a"), null, mySql))
                .endsWith("SET GLOBAL super_read_only = 0; SET SESSION sql_log_bin = 0; DROP USER 'app'@'%';"
                        + " SET GLOBAL super_read_only = 1");
        assertThat(ofAccount("'app'@'%'", account("a"), null, Map.of("version", "9.7.0", "super_read_only", "OFF")))
                .doesNotContain("super_read_only");
    }

    private static Finding ofStandbySide(String enabled, ProxyFigures proxy) {
        ServerFacts primary = server(1, Map.of("rpl_semi_sync_master_enabled", "ON"));
        primary.put(ServerFacts.SEMI_SYNC, Known.of(Map.of("Rpl_semi_sync_master_status", "ON")));
        ServerFacts standby =
                server(2, Map.of("rpl_semi_sync_master_enabled", "ON", "rpl_semi_sync_slave_enabled", enabled));
        standby.put(ServerFacts.SEMI_SYNC, Known.of(Map.of("Rpl_semi_sync_slave_status", "OFF")));
        Situation.Round round = new Situation.Round(standby, primary);
        return Check.SEMI_SYNC.findings(round, situation(round, proxy)).stream()
                .filter(finding -> finding.subject().equals("standby"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whatIsOnAlreadyIsNotToBeSwitchedOn() {
        assertThat(ofStandbySide("ON", ProxyFigures.NONE).statement())
                .isEqualTo("on the standby: STOP SLAVE IO_THREAD; START SLAVE IO_THREAD");
        assertThat(ofStandbySide("OFF", ProxyFigures.NONE).statement())
                .contains("SET GLOBAL rpl_semi_sync_slave_enabled = 1");
    }

    /** With a witness the standby is asynchronous on purpose. */
    @Test
    void aStandbyNeedNotAcknowledgeWhereAWitnessDoes() {
        assertThat(ofStandbySide("OFF", ProxyFigures.NONE).severity()).isEqualTo(Severity.BLOCKS);
        assertThat(ofStandbySide(
                                "OFF",
                                new ProxyFigures(null, null, ProxyFigures.NONE.lost(), Map.of("state", "withdrawn")))
                        .severity())
                .isEqualTo(Severity.BLOCKS);
        assertThat(ofStandbySide(
                                "OFF",
                                new ProxyFigures(null, null, ProxyFigures.NONE.lost(), Map.of("state", "present")))
                        .severity())
                .isEqualTo(Severity.NOTES);
    }

    private static String ofMissing(String numbers) {
        Situation.Round round = new Situation.Round(server(2, Map.of()), server(1, Map.of()));
        Map<String, Object> lost =
                Map.of("primary", Map.of("read", true), "impliedOnly", Map.of("transactions", 3, "numbers", numbers));
        return Check.MISSING
                .findings(situation(round, new ProxyFigures(null, List.of(), ProxyFigures.lost(lost), null)))
                .stream()
                .map(Finding::statement)
                .findFirst()
                .orElse("");
    }

    /** Answered and missing, and kept by nobody that was asked. */
    private static Finding ofNowhere(Map<String, Object> more, String primaryId) {
        Situation.Round round = new Situation.Round(server(2, Map.of()), server(1, Map.of("server_id", primaryId)));
        Map<String, Object> lost = new HashMap<>(Map.of(
                "primary",
                Map.of("read", false),
                "answeredAndMissing",
                Map.of("notCaptured", 3),
                "logs",
                List.of(Map.of("serverId", 1L, "uuid", "", "read", false))));
        lost.putAll(more);
        return Check.MISSING
                .findings(situation(round, new ProxyFigures(null, List.of(), ProxyFigures.lost(lost), null)))
                .get(0);
    }

    @Test
    void whatThisProxyAloneDoesNotHaveAnotherOneMayHave() {
        Map<String, Object> united = Map.of("proxies", List.of());
        assertThat(ofNowhere(Map.of(), "3")).satisfies(alone -> {
            assertThat(alone.what()).endsWith("that no rescue file of this proxy has");
            assertThat(alone.why()).contains("unless the black box of another proxy has them, which was not asked");
        });
        assertThat(ofNowhere(united, "3")).satisfies(all -> {
            assertThat(all.what()).endsWith("that no rescue file has");
            assertThat(all.why()).isEqualTo("they are in the binary log of the old primary alone");
            assertThat(all.statement()).endsWith("or bring the old primary back");
        });
        assertThat(ofNowhere(
                                Map.of(
                                        "proxies",
                                        List.of(),
                                        "notAsked",
                                        List.of(Map.of("proxy", "px:1", "why", "refused"))),
                                "3")
                        .what())
                .isEqualTo("the black box of px:1 was not asked: refused");
    }

    @Test
    void aPrimaryThatIsOnlyNotReadIsNotToBeBroughtBack() {
        assertThat(ofNowhere(Map.of("proxies", List.of()), "1")).satisfies(lives -> {
            assertThat(lives.why()).contains("the binary log of the primary alone, which responds");
            assertThat(lives.statement())
                    .contains("why the primary's binary log is not read")
                    .doesNotContain("back");
        });
    }

    @Test
    void whatAFormerPrimaryAloneHasIsBroughtBeforeItIsUndone() {
        Situation.Round onMariaDb = new Situation.Round(
                server(1, Map.of("gtid_binlog_state", "0-1-150")), server(2, Map.of("gtid_binlog_state", "0-1-140")));
        Situation.Round onMySql = new Situation.Round(
                server(1, Map.of("version", "9.7.0", "gtid_executed", "a:1-150")),
                server(2, Map.of("version", "9.7.0", "gtid_executed", "a:1-140")));
        for (Situation.Round round : List.of(onMariaDb, onMySql)) {
            assertThat(Check.ERRANT.findings(situation(round)))
                    .singleElement()
                    .extracting(Finding::statement)
                    .asString()
                    .containsSubsequence(
                            "bring their rows to the primary first",
                            "understudy report lost",
                            "understudy rescue",
                            "by hand",
                            "undo");
        }
        assertThat(Check.ERRANT.findings(situation(onMySql)).get(0).statement())
                .contains("rows that are not there by then are lost: SET GTID_NEXT");
    }

    @Test
    void anOldPrimaryHasItsOwnTransactions() {
        assertThat(ofMissing("0-2:5-7")).contains("wrote them itself");
        assertThat(ofMissing("0-1:5-7")).contains("the primary that wrote them");
        assertThat(ofMissing("0-12:5,0-2:6-7")).contains("the primary that wrote them");
    }

    @Test
    void aResetOfTheBinaryLogNamesThePositionAndTheRows() {
        Situation.Round round = new Situation.Round(
                server(2, Map.of("gtid_binlog_state", "0-2-101,0-1-150")),
                server(1, Map.of("gtid_binlog_state", "0-1-150")));
        assertThat(Check.ERRANT.findings(situation(round)))
                .singleElement()
                .extracting(Finding::statement)
                .asString()
                .contains("master_enabled = 0", "RESET MASTER", "gtid_slave_pos", "changes no row");
    }

    /** Otherwise {@code ready --wait} would never end where somebody has a scheduled event. */
    @Test
    void whatTheSwitchoverMendsChangesNoVerdict() {
        ServerFacts standby = server(2, Map.of());
        standby.put(ServerFacts.EVENTS, Known.of(Map.of("shop.nightly", "SLAVESIDE_DISABLED")));
        ServerFacts primary = server(1, Map.of());
        primary.put(ServerFacts.EVENTS, Known.of(Map.of("shop.nightly", "ENABLED", "shop.idle", "SLAVESIDE_DISABLED")));
        Situation.Round round = new Situation.Round(standby, primary);
        List<Finding> found = Check.EVENTS.findings(round, situation(round));
        assertThat(found).extracting(Finding::subject).containsExactly("disabled", "nobody");
        List<Finding> moved =
                found.stream().filter(EventsCheck::isMovedBySwitchover).toList();
        assertThat(verdict(round, moved)).isEqualTo(ReadinessReport.Verdict.FINDINGS);
        assertThat(verdict(round, moved.stream().map(Finding::asNote).toList())).isEqualTo(ReadinessReport.Verdict.YES);
        assertThat(moved).extracting(Finding::subject).containsExactly("disabled");
    }

    @SuppressWarnings("NullAway") // absent keys are null
    private static ReadinessReport.Verdict verdict(Situation.Round round, List<Finding> findings) {
        StandbyConfig standby =
                new StandbyConfig("standby-1", Address.parse("127.0.0.1:3306"), null, null, "monitor", null);
        Situation situation = situation(round);
        return new ReadinessReport(standby, situation, LagCheck.Lag.of(situation), findings, Duration.ZERO).verdict();
    }
}
