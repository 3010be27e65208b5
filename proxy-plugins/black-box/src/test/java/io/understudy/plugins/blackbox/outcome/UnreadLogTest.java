package io.understudy.plugins.blackbox.outcome;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.Primary;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogEnd;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.PrimaryQueries;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.servers.GtidNumbers;
import io.understudy.testkit.Fakes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class UnreadLogTest {
    private static final String UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562";

    private final Traces traces = new Traces(() -> 0);

    private UnreadLog log(PrimaryFacts facts, String wanted) {
        Map<String, @Nullable Object> none = new HashMap<>();
        none.put("connector", null);
        return new UnreadLog(
                traces,
                GtidNumbers.ofMySql(wanted),
                new PrimaryLook(false, 0, 0, List.of(), Set.of(), null, facts, new GtidNumbers(), Map.of()),
                Fakes.of(Primary.class, none),
                Fakes.of(PrimaryQueries.class, Map.of()),
                Fakes.of(ScheduledExecutorService.class, Map.of()));
    }

    private static BinlogTransaction transaction(String gtid, int number) {
        return new BinlogTransaction(
                gtid + number,
                TransactionKind.WRITE,
                0,
                11,
                number,
                -1,
                100,
                0,
                true,
                Set.of(),
                false,
                false,
                null,
                0,
                5);
    }

    /** The replay of a rescue file, which moves gtid_slave_pos alone. */
    @Test
    void whatMariaDbHasWithoutItsLogIsNotRead() {
        PrimaryFacts facts =
                new PrimaryFacts(ServerFlavor.MARIADB, 12, "", true, "ROW", true, "0-12-107", "0-11-102,0-12-107");
        UnreadLog log = log(facts, "0-11:101-104");
        log.start(facts);
        log.onTransaction(transaction("0-11-", 102));
        log.idle(new BinlogEnd("bin.000001", 4));

        assertThat(log.isEnded()).isTrue();
        assertThat(traces.unread(GtidNumbers.ofMySql("0-11:101-104"))).hasToString("0-11:103-104");
    }

    /** Each source's numbers ascend in a log, so that its last one tells that all are read. */
    @Test
    void aMariaDbThatWritesAllTheTimeIsReadToo() {
        PrimaryFacts facts =
                new PrimaryFacts(ServerFlavor.MARIADB, 12, "", true, "ROW", true, "0-12-107", "0-11-104,0-12-107");
        UnreadLog log = log(facts, "0-11:101-104");
        log.start(facts);
        log.onTransaction(transaction("0-11-", 103));
        assertThat(log.isEnded()).isFalse();
        log.onTransaction(transaction("0-11-", 104));
        assertThat(log.isEnded()).isTrue();
        assertThat(traces.unread(GtidNumbers.ofMySql("0-11:101-104")).isEmpty()).isTrue();
    }

    /** In front of the first transaction MySQL sends a heartbeat with the end of what it leaves out. */
    @Test
    void theLogHasNotEndedWhereMySqlLeavesOutWhatIsKnown() {
        PrimaryFacts facts =
                new PrimaryFacts(ServerFlavor.MYSQL, 12, "4" + UUID.substring(1), true, "ROW", true, UUID + ":1-8");
        UnreadLog log = log(facts, UUID + ":6-8");
        log.start(facts);
        log.idle(new BinlogEnd("bin.000001", 4));
        assertThat(log.isEnded()).isFalse();
        assertThat(traces.unread(GtidNumbers.ofMySql(UUID + ":6-8")).count()).isEqualTo(3);

        log.onTransaction(transaction(UUID + ":", 6));
        log.onTransaction(transaction(UUID + ":", 8));
        log.idle(new BinlogEnd("bin.000001", 9));
        assertThat(log.isEnded()).isFalse();
        log.idle(new BinlogEnd("bin.000001", 9));
        assertThat(log.isEnded()).as("it has it without its log").isTrue();
        assertThat(traces.unread(GtidNumbers.ofMySql(UUID + ":6-8"))).hasToString(UUID + ":7");
    }
}
