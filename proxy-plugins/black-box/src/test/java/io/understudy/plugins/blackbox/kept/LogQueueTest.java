package io.understudy.plugins.blackbox.kept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.binlog.Transactions;
import io.understudy.plugins.blackbox.history.Loss;
import io.understudy.plugins.blackbox.log.LogException;
import io.understudy.plugins.blackbox.log.TransactionLog;
import io.understudy.plugins.blackbox.outcome.OutcomeRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A black box with a log, and another one that takes the log over, as after a restart. */
class LogQueueTest extends BlackBoxHarness {
    private static final int SIZE = 64 * MIB;

    @TempDir
    private Path directory;

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private LogQueue queue(BlackBox of) throws LogException {
        TransactionLog log = TransactionLog.open(directory, SIZE, true, null, of.restored(Clock.systemUTC()));
        open.add(log);
        LogQueue queue = new LogQueue(of, log, Clock.systemUTC(), () -> now);
        of.writeTo(queue);
        return queue;
    }

    private static void write(LogQueue queue) throws Exception {
        while (queue.await(0)) {
            queue.write();
        }
    }

    private BlackBox restarted() throws Exception {
        close();
        open.clear();
        BlackBox next = new BlackBox(2 * MIB, false, () -> now);
        queue(next);
        return next;
    }

    @Test
    void aRestartKnowsWhatWasKeptAndWhereToReadOn() throws Exception {
        LogQueue queue = queue(box);
        start(1, "0-1-10", "0-2-5,0-1-10");
        transaction(11);
        transaction(1, 12, "x".repeat(MIB + 1)); // too large
        box.onFormat("other".getBytes(StandardCharsets.US_ASCII));
        transaction(13);
        write(queue);
        BlackBox next = restarted();
        Loss loss = next.loss(survivor("0-1-9", "", ""));
        assertThat(gtids(loss.missing)).containsExactly("0-1-11", "0-1-13");
        assertThat(loss.gaps).hasToString("0:10:12");
        assertThat(loss.missing.get(1).format).isEqualTo("other".getBytes(StandardCharsets.US_ASCII));
        assertThat(next.bytes(loss.missing.get(0))).isEqualTo("g11.".getBytes(StandardCharsets.US_ASCII));
        assertThat(next.readUpTo(primary(1, "0-1-20"))).isEqualTo("0-1-13");
        assertThat(next.hasRestoredGap()).isTrue();
        assertThat(loss.damage).isEmpty();
    }

    /** What counts is whether commits may wait, behind which the log lacks something. */
    @Test
    void whatEveryStandbyAppliedBeforeItWasWrittenIsNoGapOfTheLog() throws Exception {
        LogQueue queue = queue(box);
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        box.applied(List.of(at("0-1-11", "")), null);
        write(queue);
        BlackBox next = restarted();
        assertThat(next.hasRestoredGap()).isFalse();
        assertThat(gtids(next.loss(survivor("0-1-10", "", "")).missing)).containsExactly("0-1-11", "0-1-12");
    }

    @Test
    void ofThoseItHoldsNoMoreThanItsBound() throws Exception {
        LogQueue queue = queue(box);
        start(1, "0-1-10");
        for (int number = 11; number <= 16; number++) {
            transaction(1, number, "x".repeat(MIB - 1_000));
            box.applied(List.of(at("0-1-" + number, "")), null);
        }
        write(queue);
        transaction(17);
        box.applied(List.of(at("0-1-17", "")), null);
        write(queue);
        Loss loss = restarted().loss(survivor("0-1-10", "", ""));
        assertThat(loss.gaps).hasToString("0:15-16");
        assertThat(loss.missing).hasSize(5);
    }

    /** After a restart the standbys' positions may be known before the log is read. */
    @Test
    void nothingOfTheLogIsReleasedBeforeItIsTraced() throws Exception {
        LogQueue queue = queue(box);
        start(1, "0-1-10");
        transaction(11);
        write(queue);
        close();
        open.clear();
        BlackBox next = new BlackBox(2 * MIB, false, () -> now);
        TransactionLog log = TransactionLog.open(directory, SIZE, true, null, next.restored(Clock.systemUTC()));
        open.add(log);
        next.applied(List.of(at("0-1-11", "")), null);
        assertThat(next.transactions()).isEqualTo(1);
        next.writeTo(new LogQueue(next, log, Clock.systemUTC(), () -> now));
        next.applied(List.of(at("0-1-11", "")), null);
        assertThat(next.transactions()).isZero();
    }

    @Test
    void eventsAreInTheLogAloneAndItsIndexIsSmall() throws Exception {
        LogQueue queue = queue(box);
        start(1, "0-1-10");
        transaction(1, 11, "x".repeat(MIB / 2));
        assertThat(box.bytes()).isGreaterThan(MIB / 2);
        write(queue);
        assertThat(box.bytes()).isLessThanOrEqualTo(300);
        assertThat(box.bytes(on("0-1-10").missing.get(0))).hasSize(MIB / 2 + 3);
    }

    private static OutcomeRecord outcome(long session) {
        return new OutcomeRecord(
                Instant.EPOCH,
                session,
                3,
                "server_id 1",
                57,
                "app",
                5,
                "commit",
                session == 1 ? "order-1" : null,
                OutcomeRecord.Verdict.COMMITTED,
                "0-1-11",
                "",
                true,
                false,
                0);
    }

    @Test
    void outcomesOutliveTheProcessAndTheirSegment() throws Exception {
        box.keep(outcome(7)); // no log, no position
        LogQueue queue = queue(box);
        start(1, "0-1-10");
        box.outcomes().add(outcome(1));
        box.keep(outcome(1));
        write(queue);
        start(2, "0-1-10"); // a segment of its own
        transaction(2, 11, ".");
        write(queue);

        BlackBox next = restarted();

        assertThat(next.outcomes().newest(10)).containsExactly(outcome(1).in(1));
        try (Stream<Path> files = Files.list(directory)) {
            Files.delete(files.filter(each -> each.toString().endsWith("01.log"))
                    .findFirst()
                    .orElseThrow());
        }
        assertThat(restarted().outcomes().newest(10)).containsExactly(outcome(1).in(1));
    }

    private static List<String> verdicts(BlackBox of) {
        return of.outcomes().newest(10).stream()
                .map(each -> each.verdict().label())
                .toList();
    }

    private LogQueue keptInHistoryOfServer1() throws Exception {
        LogQueue queue = queue(box);
        start(1, "0-1-10");
        transaction(11);
        box.keep(outcome(1));
        write(queue);
        return queue;
    }

    /** The server accepts the position with the first event. */
    private static void streams(BlackBox of, PrimaryFacts from) {
        of.onStart(from);
        of.onFormat(FORMAT);
    }

    @Test
    void whatWasCommittedStaysSoWhereTheLogIsReadOn() throws Exception {
        keptInHistoryOfServer1();
        BlackBox next = restarted();
        next.onStart(primary(1, "0-1-11"));
        assertThat(next.unproven()).isTrue();
        next.onFormat(FORMAT);
        assertThat(next.unproven()).isFalse();
        assertThat(verdicts(next)).containsExactly("committed");
    }

    /** The proxy was down meanwhile, and this may be a copy of the primary between. */
    @Test
    void whatWasCommittedIsUnknownWhereTheServerRefusesToReadOn() throws Exception {
        keptInHistoryOfServer1();
        BlackBox next = new BlackBox(2 * MIB, false, () -> now);
        close();
        open.clear();
        LogQueue queue = queue(next);
        next.onStart(primary(1, "0-1-11"));
        next.onGap(new BinlogTrouble(BinlogTrouble.Reason.SERVER, "error 1236"));
        assertThat(next.unproven()).isTrue();
        streams(next, primary(1, "0-2-17"));
        assertThat(verdicts(next)).containsExactly("unknown");
        write(queue);
        BlackBox again = restarted();
        streams(again, primary(1, "0-2-17"));
        assertThat(verdicts(again)).containsExactly("unknown");
    }

    /** It may have written again since, and given the number of the position once more. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0-1-17,0-2-16 | unknown",
                "0-1-17,0-2-11 | unknown",
                "0-1-17        | committed",
                "0-1-17,0-2-10 | committed",
                "0-1-17,5-2-3  | unknown"
            })
    void whatWasCommittedIsUnknownWhereAnotherServerHasWritten(String has, String verdict) throws Exception {
        keptInHistoryOfServer1();
        BlackBox next = restarted();
        next.compare(has);
        streams(next, primary(1, "0-1-11"));
        assertThat(verdicts(next)).containsExactly(verdict);
    }

    @Test
    void whatWasCommittedIsUnknownWhereAnotherServerWasThePrimaryBeforeTheRestart() throws Exception {
        LogQueue queue = keptInHistoryOfServer1();
        start(2, "0-1-10");
        start(1, "0-2-12");
        write(queue);
        BlackBox next = restarted();
        streams(next, primary(1, "0-2-12"));
        assertThat(verdicts(next)).containsExactly("unknown");
    }

    @Test
    void anActionRunsWhenAllThatCameBeforeIsWritten() throws Exception {
        LogQueue queue = queue(box);
        List<Long> memory = new ArrayList<>();
        start(1, "0-1-10");
        transaction(11);
        queue.then(() -> memory.add(box.bytes()));
        assertThat(memory).isEmpty();
        write(queue);
        assertThat(memory).containsExactly(300L);
    }

    @Test
    void whatAllStandbysHaveAppliedIsDeletedAndNotKnownAfterARestart() throws Exception {
        LogQueue queue = queue(box);
        start(1, "0-1-0");
        for (int number = 1; number <= 30; number++) {
            transaction(1, number, "x".repeat(MIB / 2));
            write(queue);
        }
        long before = files();
        box.applied(List.of(at("0-1-25", "")), null);
        assertThat(files()).isLessThan(before);
        BlackBox next = restarted();
        Loss loss = next.loss(survivor("0-1-25", "", ""));
        assertThat(gtids(loss.missing)).containsExactly("0-1-26", "0-1-27", "0-1-28", "0-1-29", "0-1-30");
        assertThat(loss.gaps.isEmpty()).isTrue();
    }

    private long files() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(each -> each.toString().endsWith(".log")).count();
        }
    }

    @Test
    void theHistoryOfAFormerPrimaryStaysUntilItIsApplied() throws Exception {
        LogQueue queue = queue(box);
        start(1, "0-1-10");
        transaction(1, 11, "lost");
        start(2, "0-2-11", "0-1-10,0-2-11");
        transaction(2, 12, ".");
        write(queue);
        box.applied(List.of(at("0-2-12", "0-2-12")), null);
        BlackBox next = restarted();
        Loss loss = next.loss(survivor("0-2-12", "0-1-10,0-2-12", ""));
        assertThat(gtids(loss.missing)).containsExactly("0-1-11");
        assertThat(next.primaries()).hasSize(2);
        assertThat(next.readUpTo(primary(2, "0-2-20"))).isEqualTo("0-2-12");
    }

    @Test
    void numbersThatBeganAnewAreAHistoryOfTheirOwnAfterARestart() throws Exception {
        LogQueue queue = queue(box);
        start(1, "0-1-10");
        transaction(11);
        start(1, "0-1-2");
        transaction(3);
        write(queue);
        assertThat(restarted().primaries()).hasSize(2);
    }

    @Test
    void damageIsAGapThatReportsName() throws Exception {
        LogQueue queue = queue(box);
        start(1, "0-1-10");
        for (int number = 11; number <= 14; number++) {
            transaction(1, number, "events of " + number);
        }
        write(queue);
        close();
        open.clear();
        Path file = directory.resolve("transactions-000000000001.log");
        String text = Files.readString(file, StandardCharsets.ISO_8859_1).replace("events of 12", "events of 99");
        Files.writeString(file, text, StandardCharsets.ISO_8859_1);
        Loss loss = restarted().loss(survivor("0-1-10", "", ""));
        assertThat(gtids(loss.missing)).containsExactly("0-1-11", "0-1-13", "0-1-14");
        assertThat(loss.gaps).hasToString("0:12");
        assertThat(loss.damage)
                .singleElement()
                .asString()
                .contains(file.toString(), "are damaged: the transactions in them are a gap in the log");
    }

    @Test
    void anotherProductIsRefused() throws Exception {
        LogQueue queue = queue(box);
        start(1, "0-1-10");
        write(queue);
        BlackBox next = new BlackBox(2 * MIB, false, () -> now);
        close();
        open.clear();
        LogQueue other = queue(next);
        next.onStart(new PrimaryFacts(ServerFlavor.MYSQL, 1, "uuid", true, "ROW", true, "uuid:1-5"));
        assertThatThrownBy(() -> write(other))
                .isInstanceOf(LogException.class)
                .hasMessageContaining(
                        "the log holds transactions of a MariaDB server, and the primary is a MySQL server")
                .hasMessageContaining("name another plugins.black-box.directory");
    }

    @Test
    void mySqlsTransactionsAreTakenOver() throws Exception {
        String uuid = "0a0b0c0d-0000-0000-0000-000000000001";
        LogQueue queue = queue(box);
        box.onStart(mySql(uuid + ":1-5:7"));
        box.onFormat(FORMAT);
        event("g", true);
        box.onTransaction(Transactions.of(uuid + ":8", TransactionKind.WRITE, 0, 1, 8, -1, 0, now, Set.of(), false));
        write(queue);
        BlackBox next = restarted();
        assertThat(next.readUpTo(mySql(uuid + ":1-20"))).isEqualTo(uuid + ":1-5:7-8");
    }

    private static PrimaryFacts mySql(String position) {
        return new PrimaryFacts(
                ServerFlavor.MYSQL, 1, position.substring(0, position.indexOf(':')), true, "ROW", true, position);
    }
}
