package io.understudy.readiness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.understudy.cli.ready.ReadyCommand;
import io.understudy.config.Address;
import io.understudy.config.StandbyConfig;
import io.understudy.plugin.StandbyFigures;
import io.understudy.plugins.mirror.warmth.WarmthState;
import io.understudy.readiness.AccountReader.AccountShape;
import io.understudy.readiness.DefinitionsReader.Definitions;
import io.understudy.readiness.ServerFacts.FreeDisk;
import io.understudy.readiness.ServerFacts.OpenTransaction;
import io.understudy.servers.ReplicaStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Checks on facts that a real pair seldom shows. */
class ChecksTest {
    @SuppressWarnings("NullAway") // absent keys are null
    private static final StandbyConfig STANDBY =
            new StandbyConfig("standby-1", Address.parse("127.0.0.1:3306"), null, null, "monitor", null);

    private static ServerFacts server(Map<String, String> variables) {
        Map<String, String> all = new HashMap<>(Map.of("version", "11.4.5-MariaDB", "server_id", "1"));
        all.putAll(variables);
        ServerFacts facts = new ServerFacts();
        facts.put(ServerFacts.VARIABLES, Known.of(all));
        return facts;
    }

    private static Situation situation(Situation.Round before, Situation.Round now) {
        return new Situation(
                before, now, "s", "p:1", Set.of(), ProxyFigures.NONE, StandbyFigures.NONE, ReadinessGate.LIMITS);
    }

    private static Situation.Round round(String applier, String secondsBehind) {
        Map<String, String> columns =
                new HashMap<>(Map.of("master_server_id", "1", "slave_io_running", "Yes", "slave_sql_running", applier));
        if (!secondsBehind.isEmpty()) {
            columns.put("seconds_behind_master", secondsBehind);
        }
        ServerFacts standby = server(Map.of("gtid_slave_pos", "0-1-10", "server_id", "2"));
        standby.put(ServerFacts.CHANNELS, Known.of(List.of(new ReplicaStatus(columns))));
        return new Situation.Round(standby, server(Map.of("gtid_binlog_pos", "0-1-5000")));
    }

    /** Its applier has been started between the readings. */
    @Test
    void aLagThatOnlyTheSecondReadingHasCounts() {
        Situation situation = situation(round("No", ""), round("Yes", "3600"));
        assertThat(Check.LAG.findings(situation)).extracting(Finding::severity).containsExactly(Severity.BLOCKS);
    }

    /** Its applier has stopped between the readings, which the check of replication takes for a passing state. */
    @Test
    void aLagThatTheSecondReadingLacksLeavesTheVerdictOpen() {
        Situation stopped = situation(round("Yes", "0"), round("No", ""));
        assertThat(Check.REPLICATES.findings(stopped)).isEmpty();
        assertThat(Check.LAG.findings(stopped)).singleElement().matches(Finding::decides);
        assertThat(Check.LAG.findings(situation(round("Yes", ""), round("Yes", ""))))
                .singleElement()
                .matches(Finding::decides);
        assertThat(Check.LAG.findings(situation(round("No", ""), round("No", ""))))
                .as("the check of replication says it")
                .isEmpty();
        Situation.Round away = new Situation.Round(round("No", "").standby(), new ServerFacts());
        assertThat(Check.LAG.findings(situation(away, away)))
                .as("a primary that is lost")
                .isEmpty();
    }

    /** What other checks found stays. */
    @Test
    void aFaultOfACheckIsAnUndecidedFinding() {
        Situation.Round round = round("Yes", "3600");
        round.standby()
                .put(
                        ServerFacts.CHANNELS,
                        Known.of(List.of(new ReplicaStatus(Map.of(
                                "master_server_id",
                                "1",
                                "slave_io_running",
                                "Yes",
                                "slave_sql_running",
                                "Yes",
                                "seconds_behind_master",
                                "3600",
                                "gtid_io_pos",
                                "no position")))));
        Situation situation = situation(round, round);
        assertThat(ReadinessGate.findings(List.of(Check.RECEIVED, Check.LAG), situation))
                .extracting(Finding::check, Finding::severity, Finding::decides)
                .containsExactly(tuple("gate", Severity.UNKNOWN, true), tuple("lag", Severity.BLOCKS, true));
    }

    /** The report has the lag in seconds then. */
    @Test
    void aLagInTransactionsThatCannotBeReadIsNotKnown() {
        Situation.Round round = round("Yes", "1");
        ServerFacts primary = server(Map.of("gtid_binlog_pos", "0-1"));
        Situation.Round odd = new Situation.Round(round.standby(), primary);
        assertThat(LagCheck.Lag.of(situation(odd, odd))).isEqualTo(new LagCheck.Lag(1.0, null));
    }

    @Test
    void whatTheProxyDoesNotTellOfAVerifiedStandbyIsUnknown() {
        Situation.Round round = new Situation.Round(server(Map.of()), server(Map.of()));
        assertThat(Check.VERIFY.findings(new Situation(
                        round,
                        round,
                        "s",
                        "p:1",
                        Set.of(),
                        ProxyFigures.NONE,
                        new StandbyFigures(0.0, true, false),
                        ReadinessGate.LIMITS)))
                .extracting(Finding::severity)
                .containsExactly(Severity.UNKNOWN);
        assertThat(Check.VERIFY.findings(situation(round, round))).isEmpty();
    }

    /** MySQL refuses the list without XA_RECOVER_ADMIN. */
    @Test
    void aCutListOfTransactionsSaysNothingOfPreparedOnes() {
        List<OpenTransaction> open = List.of(new OpenTransaction(7, "app", 1, 0));
        assertThat(FactsReader.unlisted("denied", open, 1, "GRANT").value()).isEmpty();
        assertThat(FactsReader.unlisted("denied", open, FactsReader.MOST_TRANSACTIONS, "GRANT"))
                .isEqualTo(Known.unknown("denied", "GRANT"));
        assertThat(FactsReader.unlisted("denied", List.of(new OpenTransaction(0, "", 1, 0)), 1, "GRANT")
                        .value())
                .isNull();
    }

    /** Columns that both products have, of which each leaves writes of the primary out, or has them elsewhere. */
    @ParameterizedTest
    @CsvSource({"replicate_ignore_server_ids, 1", "replicate_rewrite_db, a->b", "replicate_do_db, a"})
    void whatIsNotReplicatedBlocks(String column, String value) {
        Situation.Round round = round("Yes", "0");
        round.standby()
                .put(
                        ServerFacts.CHANNELS,
                        Known.of(List.of(new ReplicaStatus(Map.of(
                                "master_server_id",
                                "1",
                                "slave_io_running",
                                "Yes",
                                "slave_sql_running",
                                "Yes",
                                column,
                                value)))));
        assertThat(Check.REPLICATES.findings(round, situation(round, round)))
                .singleElement()
                .returns(Severity.BLOCKS, Finding::severity)
                .extracting(Finding::what)
                .asString()
                .contains(value);
    }

    /** MariaDB throws its relay logs away with that, and a primary that is lost sends nothing again. */
    @Test
    void aDelayIsNotChangedWhileThePrimaryIsAway() {
        ServerFacts standby = server(Map.of("gtid_slave_pos", "0-1-10", "server_id", "2"));
        Map<String, String> columns = new HashMap<>(Map.of(
                "master_host", "p", "master_port", "1", "slave_io_running", "Connecting", "slave_sql_running", "Yes"));
        columns.putAll(Map.of("using_gtid", "Slave_Pos", "gtid_io_pos", "0-1-20", "sql_delay", "3600"));
        standby.put(ServerFacts.CHANNELS, Known.of(List.of(new ReplicaStatus(columns))));
        assertThat(delay(standby, server(Map.of()))).contains("STOP SLAVE; CHANGE MASTER TO MASTER_DELAY = 0");
        assertThat(delay(standby, new ServerFacts()))
                .doesNotContain("STOP SLAVE")
                .contains("MASTER_GTID_WAIT('0-1-20', 60)");
    }

    private static String delay(ServerFacts standby, ServerFacts primary) {
        Situation.Round round = new Situation.Round(standby, primary);
        return Check.REPLICATES.findings(round, situation(round, round)).stream()
                .filter(finding -> finding.subject().startsWith("delay"))
                .map(Finding::statement)
                .findFirst()
                .orElseThrow();
    }

    /** A check that could block and was not read is no yes; a primary that is away is a finding that says so. */
    @Test
    void whatIsNotReadIsNoYes() {
        Situation.Round round = new Situation.Round(server(Map.of()), server(Map.of()));
        Situation situation = situation(round, round);
        for (Check check : List.of(Check.ACCOUNTS, Check.DEFINITIONS, Check.EVENTS, Check.XA)) {
            List<Finding> findings = check.findings(round, situation);
            assertThat(findings).isNotEmpty().allMatch(finding -> finding.severity() == Severity.UNKNOWN);
            ReadinessReport report =
                    new ReadinessReport(STANDBY, situation, LagCheck.Lag.of(situation), findings, Duration.ZERO);
            assertThat(report.verdict()).isEqualTo(ReadinessReport.Verdict.UNKNOWN);
            assertThat(report.view()).containsEntry("exitCode", 8);
            assertThat(ReadyCommand.text(report.view())).startsWith("standby-1: not known");
        }
    }

    private static AccountShape account(String json, String... rows) {
        AccountShape account = new AccountShape();
        AccountReader.json(account, json);
        for (String row : rows) {
            Map<String, String> columns = new HashMap<>();
            for (String part : row.split(" ")) {
                columns.put(part.replaceFirst("=.*", ""), part.replaceFirst("[^=]*=", ""));
            }
            AccountReader.row(account, "db", columns);
        }
        return account;
    }

    private static String accounts(@Nullable AccountShape standby, @Nullable AccountShape primary) {
        Situation.Round round = new Situation.Round(server(Map.of()), server(Map.of()));
        round.standby().put(ServerFacts.ACCOUNTS, Known.of(standby == null ? Map.of() : Map.of("'app'@'%'", standby)));
        round.primary().put(ServerFacts.ACCOUNTS, Known.of(primary == null ? Map.of() : Map.of("'app'@'%'", primary)));
        List<Finding> findings = Check.ACCOUNTS.findings(round, situation(round, round));
        assertThat(findings.size()).isLessThan(2);
        return findings.isEmpty() ? "" : findings.get(0).severity().word();
    }

    /** What a client would be refused blocks; what it could do in addition warns; a missing key is its default. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | {} | ''",
                "{\"max_questions\":0,\"account_locked\":false,\"access\":0,\"ssl_type\":0} | {} | ''",
                "{\"password_lifetime\":-1} | {} | ''",
                "{\"password_lifetime\":0} | {} | blocks",
                "{\"account_locked\":true} | {} | blocks",
                "{} | {\"account_locked\":true} | warns",
                "{\"password_last_changed\":0} | {\"password_last_changed\":1700000000} | blocks",
                "{\"password_last_changed\":1600000000} | {\"password_last_changed\":1700000000} | ''",
                "{\"authentication_string\":\"*A\"} | {\"authentication_string\":\"*B\"} | blocks",
                "{\"max_user_connections\":5} | {} | blocks",
                "{} | {\"max_user_connections\":5} | warns",
                "{\"access\":1} | {\"access\":3} | blocks",
                "{\"access\":3} | {\"access\":1} | warns"
            })
    void anAccountThatIsRefusedMoreOnTheStandbyBlocks(String standby, String primary, String expected) {
        assertThat(accounts(account(standby), account(primary))).isEqualTo(expected);
    }

    @Test
    void aPrivilegeThatTheStandbyLacksBlocksAndOneMoreWarns() {
        AccountShape one = account("{}", "db=shop select_priv=Y insert_priv=N");
        AccountShape two = account("{}", "db=shop select_priv=Y insert_priv=Y");
        assertThat(accounts(one, two)).isEqualTo("blocks");
        assertThat(accounts(two, one)).isEqualTo("warns");
        assertThat(accounts(two, account("{}", "db=shop select_priv=Y insert_priv=Y")))
                .isEmpty();
        assertThat(accounts(null, one)).isEqualTo("blocks");
        assertThat(accounts(one, null)).isEqualTo("warns");
    }

    private static List<Finding> definitions(
            DefinitionKind kind, Map<String, String> standby, Map<String, String> primary) {
        Situation.Round round = new Situation.Round(server(Map.of()), server(Map.of()));
        round.standby().put(ServerFacts.DEFINITIONS, Known.of(of(kind, standby)));
        round.primary().put(ServerFacts.DEFINITIONS, Known.of(of(kind, primary)));
        return Check.DEFINITIONS.findings(round, situation(round, round));
    }

    @Test
    void manyDifferencesThatOnlyWarnDoNotBlock() {
        Map<String, String> views = new HashMap<>();
        for (int i = 0; i < 25; i++) {
            views.put("shop.v" + i, "");
        }
        assertThat(definitions(DefinitionKind.VIEW, views, Map.of()))
                .hasSize(21)
                .allMatch(finding -> finding.severity() == Severity.WARNS);
        assertThat(definitions(DefinitionKind.VIEW, Map.of(), views))
                .hasSize(21)
                .allMatch(finding -> finding.severity() == Severity.BLOCKS);
    }

    private static Definitions of(DefinitionKind kind, Map<String, String> shapes) {
        EnumMap<DefinitionKind, Known<Map<String, String>>> all = new EnumMap<>(DefinitionKind.class);
        for (DefinitionKind each : DefinitionKind.values()) {
            all.put(each, Known.of(each == kind ? shapes : Map.of()));
        }
        return new Definitions(all, false);
    }

    @Test
    void theStatementsForWhatOnlyTheStandbyHasCanBeRun() {
        assertThat(definitions(
                        DefinitionKind.TABLE,
                        Map.of("a.odd-name", "InnoDB", "`b.c`.`d`", "InnoDB", "a.s", "SEQUENCE InnoDB"),
                        Map.of()))
                .extracting(finding -> finding.statement().replaceFirst(".*; ", ""))
                .containsExactly("DROP TABLE `b.c`.`d`", "DROP TABLE `a`.`odd-name`", "DROP SEQUENCE `a`.`s`");
        assertThat(definitions(DefinitionKind.ROUTINE, Map.of("a.FUNCTION f", "1"), Map.of()))
                .singleElement()
                .matches(finding -> finding.statement().endsWith("; DROP FUNCTION `a`.`f`"))
                .extracting(Finding::what)
                .isEqualTo("only the standby has the function a.f");
    }

    @Test
    void manyDifferencesAreCounted() {
        Map<String, String> tables = new HashMap<>();
        for (int i = 0; i < 30; i++) {
            tables.put("t.t" + i, "InnoDB");
        }
        assertThat(definitions(DefinitionKind.TABLE, Map.of(), tables))
                .hasSize(21)
                .last()
                .extracting(Finding::what)
                .asString()
                .startsWith("10 more differences");
    }

    /** Plugins that nobody can install on the servers of these tests. */
    @ParameterizedTest
    @CsvSource({"auth_ed25519, AUTHENTICATION, blocks", "server_audit, AUDIT, warns", "clone, CLONE, ''"})
    void aMissingPluginBlocksWhereStatementsOrLoginsNeedIt(String name, String type, String expected) {
        assertThat(definitions(DefinitionKind.PLUGIN, Map.of(), Map.of(name, type)))
                .extracting(finding -> finding.severity().word())
                .isEqualTo(expected.isEmpty() ? List.of() : List.of(expected));
    }

    /** Variables that a server does not let change while it runs. */
    @ParameterizedTest
    @CsvSource({
        "max_user_connections, 1, 0, blocks",
        "max_user_connections, 0, 1, ''",
        "max_user_connections, 80, 100, warns",
        "relay_log_recovery, OFF, ON, warns",
        "lower_case_table_names, 1, 0, blocks",
        "innodb_read_only, ON, OFF, blocks",
        "have_ssl, DISABLED, YES, blocks",
        "a_variable_of_tomorrow, 1, 2, warns",
        "datadir, /a, /b, ''",
        "server_id, 1, 2, ''",
        "thread_pool_size, 1, 2, ''",
        "wsrep_node_name, a, b, ''"
    })
    void aVariableThatMayNotDifferIsNamed(String name, String standby, String primary, String expected) {
        Situation.Round round = new Situation.Round(
                server(Map.of("log_bin", "ON", "log_slave_updates", "ON", name, standby)),
                server(Map.of(name, primary)));
        assertThat(Check.SETTINGS.findings(round, situation(round, round)))
                .extracting(finding -> finding.severity().word() + " " + finding.subject())
                .isEqualTo(expected.isEmpty() ? List.of() : List.of(expected + " " + name));
    }

    @Test
    void membersOfAClusterAreRefused() {
        Situation.Round group = new Situation.Round(
                server(Map.of("version", "9.7.0", "group_replication_group_name", "g")),
                server(Map.of("version", "9.7.0")));
        assertThat(StateChecks.isInCluster(group)).isTrue();
        assertThat(Check.CLUSTER.findings(situation(group, group)))
                .singleElement()
                .extracting(Finding::what)
                .isEqualTo("the standby is a member of the group g (Group Replication), which is not supported");
        Situation.Round galera = new Situation.Round(
                server(Map.of()),
                server(Map.of("wsrep_on", "ON", "wsrep_provider", "/usr/lib/g.so", "wsrep_cluster_name", "c")));
        assertThat(Check.CLUSTER.findings(situation(galera, galera)))
                .singleElement()
                .extracting(Finding::what)
                .isEqualTo("the primary is a member of the Galera cluster c (wsrep_on), which is not supported");
        Situation.Round built = new Situation.Round(
                server(Map.of("wsrep_on", "OFF", "wsrep_provider", "none")), server(Map.of("wsrep_on", "OFF")));
        assertThat(StateChecks.isInCluster(built)).isFalse();
    }

    private static List<String> ofProxy(ProxyFigures figures) {
        Situation.Round round = new Situation.Round(server(Map.of()), server(Map.of()));
        Situation situation = new Situation(
                round,
                round,
                "s",
                "p:1",
                Set.of(),
                figures,
                new StandbyFigures(0.0, false, true),
                ReadinessGate.LIMITS);
        List<Finding> findings = new ArrayList<>(Check.VERIFY.findings(situation));
        findings.addAll(Check.MISSING.findings(situation));
        return findings.stream()
                .map(finding -> finding.severity().word() + " " + finding.check() + " " + finding.subject())
                .toList();
    }

    /** What the black box has is a note; a witness that does not acknowledge is a warning while the primary lives. */
    @Test
    void whatAFailoverWouldApplyIsANote() {
        Map<String, Object> lost =
                Map.of("primary", Map.of("read", true), "toApply", Map.of("transactions", 2_500L, "bytes", 1_000_000L));
        Map<String, Object> withdrawn = Map.of(
                "state",
                "withdrawn",
                "reason",
                "memory",
                "sinceSeconds",
                70L,
                "cause",
                "no room",
                "remedy",
                "raise it");
        Situation.Round round = new Situation.Round(server(Map.of()), server(Map.of()));
        assertThat(Check.MISSING.findings(new Situation(
                        round,
                        round,
                        "s",
                        "p:1",
                        Set.of(),
                        new ProxyFigures(null, null, ProxyFigures.lost(lost), withdrawn),
                        new StandbyFigures(null, false, true),
                        ReadinessGate.LIMITS)))
                .extracting(finding -> finding.severity() + " " + finding.what() + "; " + finding.statement())
                .containsExactly(
                        "NOTES if the primary died now, understudy failover would apply 2,500 transactions (1,000,000"
                                + " bytes) from the black box, in about 3 s; ",
                        "WARNS the witness does not acknowledge (withdrawn, memory, for 70 s): no room; raise it");
        assertThat(ofProxy(new ProxyFigures(null, List.of(), ProxyFigures.lost(lost), Map.of("state", "present"))))
                .containsExactly("notes missing apply");
        assertThat(ofProxy(new ProxyFigures(null, List.of(), ProxyFigures.lost(lost(false, 0, 0, 0)), withdrawn)))
                .as("a dead primary counts on nobody")
                .isEmpty();
    }

    private static Map<String, Object> lost(boolean read, int captured, int notCaptured, int implied) {
        return Map.of(
                "primary", Map.of("read", read),
                "answeredAndMissing", Map.of("captured", captured, "notCaptured", notCaptured),
                "impliedOnly", Map.of("transactions", implied, "numbers", "0-1-5"));
    }

    @Test
    void whatTheProxyKnowsOfTheStandbyCounts() {
        List<Map<String, Object>> differences =
                List.of(Map.of("standby", "s", "digest", "d", "tables", List.of("a.t")));
        assertThat(ofProxy(new ProxyFigures(null, differences, ProxyFigures.lost(lost(true, 3, 2, 0)), null)))
                .as("what is missing is on its way while the primary is read")
                .containsExactly("blocks verify d");
        assertThat(ofProxy(new ProxyFigures(null, List.of(), ProxyFigures.lost(lost(true, 0, 0, 1)), null)))
                .containsExactly("blocks missing implied");
        assertThat(ofProxy(new ProxyFigures(null, List.of(), ProxyFigures.lost(lost(false, 3, 2, 0)), null)))
                .containsExactly("blocks missing lost", "warns missing kept");
        Map<String, Object> anew = new HashMap<>(lost(true, 0, 0, 0));
        anew.put("notKnown", List.of(Map.of("what", "…", "renumbered", true)));
        assertThat(ofProxy(new ProxyFigures(null, List.of(), ProxyFigures.lost(anew), null)))
                .containsExactly("blocks missing renumbered");
        Map<String, Object> unread = new HashMap<>(lost(false, 3, 0, 0));
        unread.put("primary", Map.of("read", false, "lostAt", "never read"));
        unread.put("notKnown", List.of(Map.of("what", "…")));
        assertThat(ofProxy(new ProxyFigures(null, List.of(), ProxyFigures.lost(unread), null)))
                .as("a dead primary of which nothing, or not all, was read")
                .containsExactly("unknown missing not known", "unknown missing not known", "warns missing kept");
        assertThat(ofProxy(ProxyFigures.NONE)).containsExactly("unknown missing ");
    }

    @Test
    void aPreparedTransactionCountsByWhereItIs() {
        Situation.Round round = new Situation.Round(server(Map.of()), server(Map.of()));
        round.standby().put(ServerFacts.PREPARED, Known.of(Set.of("a", "b")));
        round.primary().put(ServerFacts.PREPARED, Known.of(Set.of("b", "c")));
        assertThat(Check.XA.findings(round, situation(round, round)))
                .extracting(finding -> finding.severity().word() + " " + finding.subject())
                .containsExactly("blocks standby a", "warns both b", "blocks primary c");
    }

    @ParameterizedTest
    @CsvSource({"50, ''", "5, warns", "1, blocks"})
    void aFullDiskCounts(long free, String expected) {
        Situation.Round round = new Situation.Round(server(Map.of()), server(Map.of()));
        round.standby().put(ServerFacts.FREE_DISK, Known.of(new FreeDisk("/var", free, 100)));
        assertThat(Check.DISK.findings(situation(round, round)))
                .extracting(finding -> finding.severity().word())
                .isEqualTo(expected.isEmpty() ? List.of() : List.of(expected));
    }

    /** MariaDB's 3 flushes at the commit, as 1 does, and in between. */
    @ParameterizedTest
    @CsvSource({"3, 1, false", "1, 3, false", "2, 3, true", "0, 3, true", "2, 1, true"})
    void aFlushAtEachCommitIsSafe(String standby, String primary, boolean found) {
        String name = "innodb_flush_log_at_trx_commit";
        Situation.Round round = new Situation.Round(
                server(Map.of("log_bin", "ON", "log_slave_updates", "ON", name, standby)),
                server(Map.of(name, primary)));
        assertThat(Check.SETTINGS.findings(round, situation(round, round)))
                .extracting(Finding::subject)
                .isEqualTo(found ? List.of(name) : List.of());
    }

    /** MariaDB 12.3 can keep its binary log in InnoDB, which flushes it. */
    @ParameterizedTest
    @CsvSource({"InnoDB, 0, '', 1, false", "'', 0, InnoDB, 0, true", "'', 0, '', 1, true", "'', 1, InnoDB, 0, false"})
    void aBinaryLogInInnoDbNeedsNoSync(String engine, String standby, String itsEngine, String primary, boolean found) {
        Situation.Round round = new Situation.Round(
                server(Map.of(
                        "log_bin",
                        "ON",
                        "log_slave_updates",
                        "ON",
                        "sync_binlog",
                        standby,
                        "binlog_storage_engine",
                        engine)),
                server(Map.of("sync_binlog", primary, "binlog_storage_engine", itsEngine)));
        assertThat(Check.SETTINGS.findings(round, situation(round, round)))
                .extracting(Finding::subject)
                .isEqualTo(found ? List.of("sync_binlog") : List.of());
    }

    private static List<Finding> cold(WarmthState state, Map<String, Object> excess) {
        return cold(Map.of("state", state.label(), "why", state.why(), "excessPages", excess));
    }

    private static List<Finding> cold(Map<String, Object> warmth) {
        Situation.Round round = new Situation.Round(server(Map.of()), server(Map.of()));
        return Check.COLD.findings(new Situation(
                round,
                round,
                "s",
                "p:1",
                Set.of(),
                new ProxyFigures(warmth, null, ProxyFigures.NONE.lost(), null),
                new StandbyFigures(0.0, false, false),
                ReadinessGate.LIMITS));
    }

    /** A forecast in seconds that the mirror cannot make is an interval, or left out. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "12 | 6 | 20 | more than its disk gives for about 12 s",
                " | 6 | 40 | more than its disk gives for 6 to 40 s",
                " | 0 | 40 | more than its disk gives for 0 to 40 s",
                " | 6 | | more than its disk gives for 6 s or longer",
                " | 0 | | in the first minute"
            })
    void theSecondsOfAColdStandbyAreANumberOrAnInterval(Double seconds, double low, Double high, String end) {
        Map<String, Object> forecast = new HashMap<>();
        forecast.put("extraReadsFirstMinute", 2000);
        forecast.put("secondsOverCapacity", seconds);
        forecast.put("secondsOverCapacityLow", low);
        forecast.put("secondsOverCapacityHigh", high == null ? "more than a day" : high);
        assertThat(cold(Map.of(
                        "state", "known", "excessPages", Map.of("estimate", 0.4, "low", 0.3), "forecast", forecast)))
                .singleElement()
                .extracting(Finding::why)
                .asString()
                .endsWith(end);
    }

    /** The mean of the probes that were short enough to be counted is a lower bound. */
    @Test
    void aStandbyWithManyTimeoutsIsNotWarm() {
        assertThat(cold(WarmthState.TIMEOUTS, Map.of("estimate", 0.02, "low", -0.05)))
                .singleElement()
                .extracting(Finding::what)
                .asString()
                .endsWith("some mirrored SELECTs took too long there to be measured");
        assertThat(cold(WarmthState.TIMEOUTS, Map.of("estimate", 0.4, "low", 0.3)))
                .singleElement()
                .extracting(Finding::what)
                .asString()
                .contains("at least 0.40 pages");
    }

    @Test
    void aFormerPrimaryIsWarmUntilItIsMeasured() {
        assertThat(cold(WarmthState.WAS_PRIMARY, Map.of())).isEmpty();
        assertThat(cold(WarmthState.NO_PROBES, Map.of()))
                .singleElement()
                .extracting(Finding::what)
                .isEqualTo("how cold it is, is not known: fewer than ten mirrored SELECTs were measured on it yet");
    }

    /** An estimate whose interval goes from warm to cold, say, of which the mirror itself makes no score. */
    @ParameterizedTest
    @EnumSource(
            value = WarmthState.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"KNOWN", "WAS_PRIMARY"})
    void aStandbyWithoutAScoreIsNotKnownToBeWarm(WarmthState state) {
        assertThat(cold(state, Map.of("estimate", 2.0, "low", -0.5)))
                .singleElement()
                .returns(Severity.UNKNOWN, Finding::severity)
                .extracting(Finding::what)
                .asString()
                .endsWith(state.why());
    }

    /** All of an interval without an estimate is above the limit. */
    @Test
    void aStandbyIsColdByTheLowerBoundAlone() {
        assertThat(cold(WarmthState.PARTLY_MIRRORED, Map.of("low", 0.5, "high", 1.5)))
                .singleElement()
                .extracting(Finding::what)
                .asString()
                .contains("at least 0.50 pages");
        assertThat(cold(WarmthState.KNOWN, Map.of("estimate", 0.05, "low", -0.01)))
                .isEmpty();
    }

    private static ReadinessReport report(Situation.Round before, Situation.Round now) {
        Situation situation = situation(before, now);
        return new ReadinessReport(
                STANDBY, situation, LagCheck.Lag.of(situation), Check.REACHABLE.findings(situation), Duration.ZERO);
    }

    @Test
    @SuppressWarnings("NullAway")
    void aFaultOfTheGateIsNoVerdictOnTheStandby() throws Exception {
        ServerLink.Login faulty = null;
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        try (ServerLink link = new ServerLink("standby", STANDBY.address(), STANDBY.tls(), faulty)) {
            ServerFacts facts = link.read(deadline, new ServerFacts()).await(deadline);
            Situation.Round round = new Situation.Round(facts, server(Map.of()));
            ReadinessReport report = report(round, round);
            assertThat(report.verdict()).isEqualTo(ReadinessReport.Verdict.UNKNOWN);
            assertThat(report.findings())
                    .extracting(Finding::what)
                    .singleElement()
                    .asString()
                    .startsWith("the gate itself failed while it read the standby: java.lang.NullPointerException");
        }
    }

    /** Nothing is wrong with a server that the gate had no time left for. */
    @Test
    void aSecondReadingThatIsLateIsNoVerdictEither() {
        Situation.Round late = new Situation.Round(new ServerFacts(), server(Map.of()));
        Situation.Round before = new Situation.Round(server(Map.of()), server(Map.of()));
        assertThat(report(before, late).verdict()).isEqualTo(ReadinessReport.Verdict.UNKNOWN);
        assertThat(report(late, late).verdict()).isEqualTo(ReadinessReport.Verdict.NO);
    }

    @ParameterizedTest
    @CsvSource({
        "ALTER TABLE t ADD c INT, true",
        "/* app=shop */ ALTER TABLE t ADD c INT, true",
        "'/* a */ /* b */ SET STATEMENT max_statement_time=0 FOR ALTER TABLE t FORCE', true",
        "/* ALTER TABLE t */ SELECT 1, false",
        "CREATE UNIQUE INDEX i ON t (c), true",
        "CREATE TABLE t (c INT), false"
    })
    void schemaChangesAreRecognised(String statement, boolean change) {
        assertThat(SchemaChange.is(Map.of("info", statement))).isEqualTo(change);
    }
}
