package io.understudy.plugins.binlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.ServerFlavor;
import io.understudy.testkit.CapturedLog;
import io.understudy.testkit.ManualExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BinlogDumpTest {
    private final ManualExecutor executor = new ManualExecutor();
    private final FakePrimary primary = new FakePrimary(executor);
    private final List<BinlogTrouble> troubles = new ArrayList<>();
    private final List<Long> starts = new ArrayList<>();
    private final List<BinlogTransaction> transactions = new ArrayList<>();

    private static PrimaryFacts mariaDb(long serverId) {
        return new PrimaryFacts(ServerFlavor.MARIADB, serverId, "", true, "ROW", true, "0-1-7");
    }

    private BinlogDump dump(long serverId) {
        return dump(serverId, new BinlogDump.Bytes(() -> false, () -> false, EventBuilder.UNWANTED));
    }

    private BinlogDump dump(long serverId, BinlogDump.Bytes bytes) {
        DumpSettings settings = new DumpSettings(
                BinlogDump.HEARTBEAT,
                primary,
                primary,
                executor::nanos,
                new ServerIds(serverId),
                () -> true,
                () -> 0,
                bytes,
                null,
                new BinlogListener() {
                    @Override
                    public void onTransaction(BinlogTransaction transaction) {
                        transactions.add(transaction);
                    }

                    @Override
                    public void onStart(PrimaryFacts facts) {
                        starts.add(facts.serverId());
                    }

                    @Override
                    public void onGap(BinlogTrouble trouble) {
                        troubles.add(trouble);
                    }
                });
        BinlogDump dump = new BinlogDump(settings, executor);
        dump.start();
        executor.advance(Duration.ofMillis(10));
        return dump;
    }

    private FakePrimary.Dump last() {
        return primary.last();
    }

    private void expectTrouble(BinlogTrouble.Reason reason, String remedy) {
        assertThat(troubles).hasSize(1);
        assertThat(troubles.get(0).reason()).isEqualTo(reason);
        assertThat(troubles.get(0).message()).contains(remedy);
    }

    @Test
    void preparesAndReadsWithoutAnnouncingSemiSync() {
        dump(0);
        assertThat(last().said)
                .anyMatch(sql -> sql.contains("@mariadb_slave_capability = 4"))
                .anyMatch(sql -> sql.contains("@slave_connect_state = @@global.gtid_binlog_pos"))
                .anyMatch(sql -> sql.contains("@master_binlog_checksum"))
                .noneMatch(sql -> sql.contains("semi_sync"));
        assertThat(last().serverId).isGreaterThanOrEqualTo(1L << 31);
        EventBuilder server = new EventBuilder(1, true);
        last().feed(server.format("11.4.5-MariaDB"), server.mariaDbGtid(0, 8, 0x0c, 0), server.xid());
        assertThat(transactions).extracting(BinlogTransaction::gtid).containsExactly("0-1-8");
        assertThat(starts).containsExactly(1L);
    }

    @Test
    void mySqlIsRequestedByGtidSet() {
        primary.facts = new PrimaryFacts(
                ServerFlavor.MYSQL, 11, EventBuilder.UUID, true, "ROW", true, EventBuilder.UUID + ":1-7");
        dump(77);
        assertThat(last().said).noneMatch(sql -> sql.contains("slave_connect_state") || sql.contains("semi_sync"));
        assertThat(last().serverId).isEqualTo(77);
    }

    @Test
    void aMissingPrivilegeIsReportedAndTriedAgainAfterTenSeconds() {
        BinlogDump dump = dump(0);
        last().streaming().onEnd("error 1227 (42000) Access denied; you need REPLICATION SLAVE privilege(s)");
        expectTrouble(BinlogTrouble.Reason.PRIVILEGE, "GRANT REPLICATION SLAVE ON *.*");
        assertThat(last().isOpen()).isFalse();
        executor.advance(Duration.ofSeconds(9));
        assertThat(primary.dumps).hasSize(1);
        executor.advance(Duration.ofSeconds(2));
        assertThat(primary.dumps).as("a grant takes effect without a restart").hasSize(2);
        dump.stop();
        assertThat(last().isOpen()).isFalse();
        executor.advance(Duration.ofMinutes(5));
        assertThat(primary.dumps).hasSize(2);
    }

    @Test
    void aDisabledBinaryLogIsReported() {
        primary.facts = new PrimaryFacts(ServerFlavor.MARIADB, 1, "", false, "ROW", true, "");
        dump(0);
        expectTrouble(BinlogTrouble.Reason.BINLOG_OFF, "log_bin");
        assertThat(primary.dumps).isEmpty();
    }

    @Test
    void gtidModeOffIsReported() {
        primary.facts = new PrimaryFacts(ServerFlavor.MYSQL, 1, EventBuilder.UUID, true, "ROW", false, "");
        try (CapturedLog log = new CapturedLog()) {
            dump(0);
            assertThat(log.text()).contains("WARN", "the primary's transactions have no GTIDs", "gtid_mode=ON");
        }
        expectTrouble(BinlogTrouble.Reason.GTID_OFF, "gtid_mode=ON");
    }

    @Test
    void statementBasedLoggingIsReadButTablesAreNotKnown() {
        primary.facts = new PrimaryFacts(ServerFlavor.MARIADB, 1, "", true, "STATEMENT", true, "");
        dump(0);
        EventBuilder server = new EventBuilder(1, true);
        last().feed(server.format("11.4.5-MariaDB"), server.mariaDbGtid(0, 8, 0x0c, 0));
        last().feed(server.query("INSERT INTO t VALUES (1)"), server.xid());
        assertThat(transactions.get(0).tablesKnown()).isFalse();
        assertThat(troubles).isEmpty();
    }

    @Test
    void takenServerIdIsChangedUnlessConfigured() {
        dump(0);
        long first = last().serverId;
        last().streaming().onEnd("error 4052 (HY000) A slave with the same server_uuid/server_id is already connected");
        expectTrouble(BinlogTrouble.Reason.SERVER_ID, "another id is chosen");
        executor.advance(Duration.ofSeconds(2));
        assertThat(last().serverId).isNotEqualTo(first);
    }

    @Test
    void aConfiguredServerIdInUseIsKeptAndTheRemedyLogged() {
        dump(42);
        last().streaming()
                .onEnd("error 1236 (HY000) A slave with the same server_uuid/server_id as this slave has connected");
        expectTrouble(BinlogTrouble.Reason.SERVER_ID, "serverId");
        executor.advance(Duration.ofSeconds(2));
        assertThat(last().serverId).isEqualTo(42);
    }

    @Test
    void theNextStreamMayBeAnotherServers() {
        dump(0);
        primary.facts = mariaDb(2);
        last().streaming().onEnd("connection 5 to 127.0.0.1:3306 was closed");
        executor.advance(Duration.ofSeconds(2));
        assertThat(starts).containsExactly(1L, 2L);
        expectTrouble(BinlogTrouble.Reason.CONNECTION, "closed");
    }

    @Test
    void pausesGrowToAMinute() {
        primary.refuse = "connection refused";
        dump(0);
        for (int i = 0; i < 10; i++) {
            executor.advance(Duration.ofMinutes(2));
        }
        // 1 + 2 + 4 + 8 + 16 + 32 s, then one a minute.
        assertThat(troubles).hasSizeBetween(24, 27).allMatch(t -> t.reason() == BinlogTrouble.Reason.CONNECTION);
    }

    @Test
    void aPrimaryThatIsBackEndsThePause() {
        primary.refuse = "connection refused";
        BinlogDump dump = dump(0);
        for (int i = 0; i < 5; i++) {
            executor.advance(Duration.ofMinutes(1));
        }
        primary.refuse = null;
        dump.primaryReachable();
        executor.advance(Duration.ofMillis(1));
        assertThat(starts).hasSize(1);

        last().streaming().onEnd("closed");
        primary.refuse = "connection refused";
        executor.advance(Duration.ofMillis(1500));
        int before = troubles.size();
        executor.advance(Duration.ofMillis(2000));
        assertThat(troubles).as("the pauses are short again").hasSize(before + 1);
        primary.refuse = null;
        executor.advance(Duration.ofSeconds(5));
        dump.primaryReachable();
        executor.advance(Duration.ofMillis(1));
        assertThat(starts).as("a stream is not disturbed").hasSize(2);
    }

    /** Its monitor logs that, with the remedy. */
    @Test
    void anOutageOfThePrimaryIsNotLogged() {
        BinlogDump dump = dump(0);
        try (CapturedLog log = new CapturedLog()) {
            last().streaming().onEnd("closed");
            primary.refuse = "connection refused";
            primary.unreachable = true;
            executor.advance(Duration.ofMinutes(5));
            primary.refuse = null;
            primary.unreachable = false;
            dump.primaryReachable();
            executor.advance(Duration.ofMillis(1));
            assertThat(starts).hasSize(2);
            assertThat(log.text()).isEmpty();
        }
    }

    @Test
    void aLossOfTheConnectionAloneIsLoggedOnceWithTheTimeThatIsMissing() {
        dump(0);
        try (CapturedLog log = new CapturedLog()) {
            last().streaming().onEnd("connection 5 was killed");
            executor.advance(Duration.ofSeconds(2));
            assertThat(log.text().lines())
                    .hasSize(1)
                    .allMatch(line -> line.contains("WARN")
                            && line.contains("no binary log from the primary for 1000 ms: connection 5 was killed"));
            last().streaming().onEnd("connection 6 was killed");
            executor.advance(Duration.ofSeconds(3));
            assertThat(log.text().lines()).as("told already").hasSize(1);
        }
    }

    @Test
    void aDumpConnectionThatStaysRefusedIsLoggedAtTheThirdAttempt() {
        dump(0);
        try (CapturedLog log = new CapturedLog()) {
            last().streaming().onEnd("closed");
            primary.refuse = "no route to host";
            executor.advance(Duration.ofMinutes(5));
            primary.refuse = null;
            executor.advance(Duration.ofMinutes(2));
            assertThat(log.text().lines())
                    .satisfiesExactly(
                            line -> assertThat(line).contains("WARN", "no binary log", "no route to host"),
                            line -> assertThat(line).contains("INFO", "reading the primary's binary log from"));
        }
    }

    @Test
    void connectorThatThrowsIsTriedAgain() {
        primary.refuse = "throw";
        dump(0);
        expectTrouble(BinlogTrouble.Reason.CONNECTION, "shut down");
        primary.refuse = null;
        executor.advance(Duration.ofSeconds(2));
        assertThat(starts).hasSize(1);
    }

    @Test
    void positionThatCannotBeReadIsTrouble() {
        primary.facts = new PrimaryFacts(ServerFlavor.MYSQL, 11, EventBuilder.UUID, true, "ROW", true, "what:is:this");
        dump(0);
        expectTrouble(BinlogTrouble.Reason.MALFORMED, "what:is:this");
    }

    @Test
    void anUnreachablePrimaryIsReported() {
        primary.facts = new PrimaryFacts(ServerFlavor.MARIADB, 1, "", true, "unreachable", true, "");
        dump(0);
        expectTrouble(BinlogTrouble.Reason.CONNECTION, "connection refused");
    }

    @Test
    void aConnectionClosedDuringPreparationIsReported() {
        primary.silentSql = true;
        dump(0);
        expectTrouble(BinlogTrouble.Reason.CONNECTION, "closed the connection");
    }

    /** Its last packets may arrive after the next stream has begun, on another thread. */
    @Test
    void aStreamThatWasReplacedPassesNothingOn() {
        List<Integer> passed = new ArrayList<>();
        BinlogDump dump = dump(0, new BinlogDump.Bytes(() -> true, () -> true, new BinlogEvents() {
            @Override
            public void onFormat(byte[] event) {
                passed.add(EventType.FORMAT_DESCRIPTION);
            }

            @Override
            public void onEvent(ByteBuf buf, int index, int length, boolean first, boolean whole) {
                passed.add(EventHeader.type(buf, index));
            }
        }));
        EventBuilder server = new EventBuilder(1, true);
        FakePrimary.Dump former = last();
        former.feed(server.format("11.4.5-MariaDB"), server.mariaDbGtid(0, 8, 0x0c, 0));
        assertThat(passed).containsExactly(EventType.FORMAT_DESCRIPTION, EventType.MARIADB_GTID);
        passed.clear();

        dump.again();
        executor.advance(Duration.ofMillis(10));
        former.feed(server.query("INSERT INTO t VALUES (1)"), server.xid(), server.format("11.4.5-MariaDB"));
        assertThat(passed).isEmpty();
        assertThat(transactions).isEmpty();
    }

    @Test
    void silenceEndsTheConnectionButHeartbeatsDoNot() {
        dump(0);
        EventBuilder server = new EventBuilder(1, true);
        for (int i = 0; i < 10; i++) {
            executor.advance(BinlogDump.HEARTBEAT);
            last().feed(server.event(EventType.HEARTBEAT));
        }
        assertThat(troubles).isEmpty();
        executor.advance(BinlogDump.HEARTBEAT.multipliedBy(4).plus(BinlogDump.HEARTBEAT.multipliedBy(2)));
        expectTrouble(BinlogTrouble.Reason.CONNECTION, "not even a heartbeat");
        assertThat(primary.dumps).as("reads again").hasSize(2);
    }

    /** MariaDB reads the file of its log up to the start position, and sends no heartbeat meanwhile. */
    @Test
    void aStreamMayBeSilentForAMinuteUntilItFlows() {
        BinlogDump dump = dump(0);
        EventBuilder server = new EventBuilder(1, true);
        last().feed(server.format("10.11.6-MariaDB"));
        executor.advance(Duration.ofSeconds(55));
        assertThat(dump.flows()).isFalse();
        assertThat(troubles).isEmpty();
        last().feed(server.mariaDbGtid(0, 8, 0x0c, 0));
        assertThat(dump.flows()).isTrue();
        executor.advance(BinlogDump.HEARTBEAT.multipliedBy(6));
        expectTrouble(BinlogTrouble.Reason.CONNECTION, "nothing came for 20000 ms");
        assertThat(primary.dumps).as("reads again").hasSize(2);

        executor.advance(Duration.ofSeconds(50));
        assertThat(dump.flows()).isFalse();
        assertThat(primary.dumps).hasSize(2);
        executor.advance(Duration.ofSeconds(20));
        assertThat(primary.dumps).as("but not for ever").hasSize(3);
        dump.stop();
    }

    @Test
    void aMalformedStreamIsEndedAndStartedAnew() {
        dump(0);
        last().feed(last().alloc().buffer().writeZero(4));
        expectTrouble(BinlogTrouble.Reason.MALFORMED, "report");
        executor.advance(Duration.ofSeconds(2));
        assertThat(primary.dumps).hasSize(2);
    }

    @Test
    void aPrimaryWithoutTransactionsIsDescribedByItsBeginning() {
        PrimaryFacts empty = new PrimaryFacts(ServerFlavor.MARIADB, 1, "", true, "ROW", true, "");
        assertThat(DumpAttempt.position(empty)).isEqualTo("its beginning, as it has no transactions yet,");
    }
}
