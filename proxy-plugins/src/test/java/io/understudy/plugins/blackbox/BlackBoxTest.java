package io.understudy.plugins.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.binlog.Transactions;
import io.understudy.testkit.CapturedLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class BlackBoxTest {
    private static final int MIB = 1 << 20;
    private static final long MINUTE = 60_000_000_000L;
    private static final byte[] FORMAT = "format".getBytes(StandardCharsets.US_ASCII);

    private long now = 1_000_000_000_000L;
    private final BlackBox box = new BlackBox(new Chunks.Heap(), 2 * MIB, () -> now);

    private static PrimaryFacts primary(long server, String position) {
        return new PrimaryFacts(ServerFlavor.MARIADB, server, "", true, "ROW", true, position);
    }

    private void start(long server, String position) {
        box.onStart(primary(server, position), false);
        box.onFormat(FORMAT);
    }

    private void event(String text, boolean first) {
        ByteBuf buf = Unpooled.copiedBuffer("??" + text, StandardCharsets.US_ASCII);
        box.onEvent(buf, 2, text.length(), first, true);
    }

    private void commit(long domain, long server, long number) {
        box.onTransaction(write(domain, server, number));
    }

    private BinlogTransaction write(long domain, long server, long number) {
        return Transactions.of(
                domain + "-" + server + "-" + number,
                TransactionKind.WRITE,
                domain,
                server,
                number,
                -1,
                0,
                now,
                Set.of(),
                false);
    }

    private void transaction(long server, long number, String text) {
        event("g" + number, true);
        event(text, false);
        commit(0, server, number);
    }

    private void transaction(long number) {
        transaction(1, number, ".");
    }

    private static Applied at(String slavePos, String binlogState) {
        return new MariaDbApplied(slavePos, binlogState);
    }

    private static Survivor survivor(String slavePos, String binlogState, String received) {
        return Survivor.of(
                "s1",
                ServerFlavor.MARIADB,
                new ServerPositions.Reported(slavePos, binlogState, received, true),
                "for the test");
    }

    private Loss on(String slavePos) {
        return box.loss(survivor(slavePos, "", ""));
    }

    private static List<String> gtids(List<KeptTransaction> transactions) {
        return transactions.stream().map(each -> each.gtid.text()).toList();
    }

    private void response(String gtid) {
        box.answered(List.of(new AnsweredCommit(gtid, 7, 8, "app", "shop", 0x2aL, now)));
    }

    @Test
    void keepsATransactionUntilEveryStandbyHasAppliedIt() {
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        transaction(13);
        box.applied(List.of(at("0-1-13", ""), at("0-1-11", "")));
        assertThat(box.transactions()).isEqualTo(2);
        assertThat(gtids(on("0-1-11").missing)).containsExactly("0-1-12", "0-1-13");
        assertThat(gtids(on("0-1-12").missing)).containsExactly("0-1-13");
        box.applied(List.of(at("0-1-13", ""), at("0-1-13", "")));
        assertThat(box.transactions()).isZero();
        assertThat(on("0-1-13").gaps.isEmpty()).isTrue();
        assertThat(on("0-1-13").missing).isEmpty();
    }

    @Test
    void distinguishesReceivedFromMissing() {
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        transaction(13);
        Loss loss = box.loss(survivor("0-1-11", "", "0-1-12"));
        assertThat(gtids(loss.received)).containsExactly("0-1-12");
        assertThat(gtids(loss.missing)).containsExactly("0-1-13");
    }

    @Test
    void anOkAndItsEventsAreJoinedInEitherOrder() {
        start(1, "0-1-10");
        response("0-1-11");
        transaction(11);
        transaction(12);
        response("0-1-12");
        transaction(13);
        response("0-1-14");
        Loss loss = on("0-1-10");
        assertThat(loss.missing).extracting(each -> each.answered != null).containsExactly(true, true, false);
        assertThat(loss.notCaptured.keySet()).extracting(Gtid::text).containsExactly("0-1-14");
        assertThat(on("0-1-14").notCaptured).isEmpty();
    }

    @Test
    void whatCannotBeRescuedIsListedFirst() {
        start(1, "0-1-10");
        for (int i = 11; i < 1_111; i++) {
            transaction(i);
            response("0-1-" + i);
        }
        response("0-1-1111");
        response("0-1-1112");
        Map<String, Object> view = new LostReport(
                        box, new SessionEvents(box), () -> "it is frozen", Clock.systemUTC(), () -> now)
                .of(survivor("0-1-10", "", ""));
        Map<?, ?> missing = (Map<?, ?>) Objects.requireNonNull(view.get("answeredAndMissing"));
        assertThat(missing.get("count")).isEqualTo(1_102L);
        assertThat(view.get("primary"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("read", false)
                .containsEntry("why", "it is frozen");
        assertThat(missing.get("notCaptured")).isEqualTo(2L);
        List<?> rows = (List<?>) Objects.requireNonNull(missing.get("transactions"));
        assertThat(rows)
                .hasSize(1_000)
                .extracting(row -> Objects.requireNonNull(((Map<?, ?>) row).get("gtid")))
                .startsWith("0-1-1111", "0-1-1112", "0-1-11");
        assertThat(((Map<?, ?>) rows.get(0)).get("captured")).isEqualTo(false);
        assertThat(((Map<?, ?>) rows.get(0)).get("session")).isEqualTo(7L);
    }

    @Test
    void reportsAppliedButUnansweredTransactionsAfterTheirBytesAreReleased() {
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        response("0-1-11");
        box.applied(List.of(at("0-1-12", "")));
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
        now += 3_600_000_000_000L;
        box.expire();
        assertThat(gtids(on("0-1-12").unanswered)).containsExactly("0-1-12");
        start(1, "0-1-12");
        box.expire();
        assertThat(gtids(on("0-1-12").unanswered)).as("its OK may be under way").containsExactly("0-1-12");
        now += MINUTE;
        box.expire();
        assertThat(on("0-1-12").unanswered).isEmpty();
    }

    /** A stream resumes where it ended: what came before the outage still finds its partner. */
    @Test
    void anOutageOfMoreThanAMinuteSeparatesNoOkFromItsEvents() {
        start(1, "0-1-10");
        response("0-1-11");
        box.interrupted(new InterruptedSession(7, 8, "app", 0, now));
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "lost"));
        now += 5 * MINUTE;
        start(1, "0-1-10");
        box.expire();
        assertThat(on("0-1-10").notCaptured).hasSize(1);
        assertThat(on("0-1-10").interrupted).hasSize(1);
        transaction(11);
        assertThat(on("0-1-10").missing)
                .extracting(each -> each.answered != null)
                .containsExactly(true);
        now += MINUTE;
        box.expire();
        assertThat(on("0-1-10").interrupted).isEmpty();
    }

    /** The list of what is lost does not shrink while an operator reads it. */
    @Test
    void whatTheOldPrimaryDidNotSendStaysListedWhenAnotherPrimaryFollows() {
        start(1, "0-1-10");
        transaction(11);
        response("0-1-12");
        box.interrupted(new InterruptedSession(7, 8, "app", 0, now));
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
        start(2, "0-1-11");
        now += 5 * MINUTE;
        box.expire();
        Loss loss = on("0-1-11");
        assertThat(loss.notCaptured.keySet()).extracting(Gtid::text).containsExactly("0-1-12");
        assertThat(gtids(loss.unanswered)).containsExactly("0-1-11");
        assertThat(loss.interrupted).hasSize(1);
    }

    /** A primary that is left while it takes writes commits the transactions that are open there. */
    @Test
    void whatTheOldPrimaryAnsweredAfterTheChangeStaysListed() {
        start(1, "0-1-10");
        transaction(11);
        start(2, "0-1-10");
        response("0-1-11");
        response("0-1-12");
        response("0-2-11");
        now += 5 * MINUTE;
        box.expire();
        Loss loss = on("0-1-10");
        assertThat(loss.missing)
                .extracting(each -> each.answered != null)
                .as("the OK of 0-1-11 is joined")
                .containsExactly(true);
        assertThat(loss.notCaptured.keySet()).extracting(Gtid::text).containsExactly("0-1-12");
        assertThat(loss.trouble).isEqualTo("the primary has changed");
        assertThat(loss.endedNanos).as("the time of the change").isEqualTo(now - 5 * MINUTE);
    }

    @Test
    void commitsBeyondTheBoundCountAsNotCapturedOnlyUntilTheyExpire() {
        start(1, "0-1-0");
        for (int number = 1; number <= History.MOST_WAITING + 3; number++) {
            response("0-1-" + number);
        }
        assertThat(on("0-1-0").moreNotCaptured).isEqualTo(3);
        now += 2 * MINUTE;
        box.expire();
        Loss loss = on("0-1-0");
        assertThat(loss.notCaptured).isEmpty();
        assertThat(loss.moreNotCaptured).isZero();
    }

    @Test
    void transactionsWithoutAnOkAreBoundedOnceEveryStandbyHasThem() {
        start(1, "0-1-10");
        int count = History.MOST_WAITING + 20;
        for (int number = 11; number < 11 + count; number++) {
            transaction(number);
            box.applied(List.of(at("0-1-" + number, "")));
        }
        Loss loss = on("0-1-" + (10 + count));
        assertThat(loss.unanswered).hasSize(History.MOST_WAITING);
        assertThat(loss.unanswered.get(0).gtid.text()).isEqualTo("0-1-31");
        response("0-1-31");
        transaction(11 + count);
        box.applied(List.of(at("0-1-" + (11 + count), "")));
        assertThat(on("0-1-" + (11 + count)).unanswered).hasSize(History.MOST_WAITING);
    }

    @Test
    void aHistoryThatIsForgottenIsReported() {
        start(1, "0-1-10");
        transaction(11);
        response("0-1-12");
        KeptTransaction kept = on("0-1-10").missing.get(0);
        try (CapturedLog log = new CapturedLog()) {
            start(2, "0-1-10");
            start(3, "0-1-10");
            assertThat(log.text()).isEmpty();
            start(4, "0-1-10");
            assertThat(log.text())
                    .contains("(server_id 1) wrote is forgotten: 1 transactions that some standby has not applied, and"
                            + " 1 that were answered and not captured");
            start(5, "0-1-10");
            assertThat(log.text().lines()).as("nothing was missing there").hasSize(1);
        }
        assertThat(box.dropped()).isEqualTo(1);
        assertThat(on("0-1-10").forgotten).isEqualTo(2);
        assertThat(box.bytes(kept)).isNull();
    }

    @Test
    void aTransactionThatIsNotKeptIsNamedWithTheReason() {
        start(1, "0-1-10");
        try (CapturedLog log = new CapturedLog()) {
            transaction(1, 11, "x".repeat(MIB + 1));
            transaction(1, 12, "x".repeat(MIB + 1));
            box.applied(List.of(at("0-1-12", "")));
            transaction(1, 13, "x".repeat(MIB + 1));
            assertThat(log.text().lines()).hasSize(1);
            assertThat(log.text())
                    .contains("transaction 0-1-11", "larger than half of plugins.black-box.memory")
                    .doesNotContain("lags");
            now += 2 * MINUTE;
            event("g14", true);
            box.onEvent(Unpooled.copiedBuffer("abc", StandardCharsets.US_ASCII), 0, 3, false, false);
            commit(0, 1, 14);
            assertThat(log.text()).contains("transaction 0-1-14", "16 MiB or more, and such are not kept, whatever");
        }
    }

    @Test
    void transactionsBeforeTheFirstStreamAreAGapForAServerWithoutThem() {
        start(1, "0-1-10");
        transaction(11);
        assertThat(on("0-1-7").gaps).hasToString("0:8-10");
        assertThat(on("0-1-10").gaps.isEmpty()).isTrue();
        assertThat(on("").gaps).hasToString("0:1-10");
    }

    @Test
    void aStreamThatContinuesWhereItEndedLeavesNoGap() {
        start(1, "0-1-10");
        transaction(11);
        event("g12", true);
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "lost"));
        start(1, "0-1-11");
        transaction(12);
        Loss loss = on("0-1-10");
        assertThat(gtids(loss.missing)).containsExactly("0-1-11", "0-1-12");
        assertThat(loss.gaps.isEmpty()).isTrue();
        assertThat(new String(bytes(loss.missing.get(1)), StandardCharsets.US_ASCII))
                .isEqualTo("g12.");
    }

    @Test
    void aStreamThatBeginsLaterLeavesAGap() {
        start(1, "0-1-10");
        transaction(11);
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "lost"));
        start(1, "0-1-15");
        transaction(16);
        assertThat(on("0-1-10").gaps).hasToString("0:12-15");
        assertThat(on("0-1-13").gaps).hasToString("0:14-15");
        assertThat(on("0-1-15").gaps.isEmpty()).isTrue();
    }

    private byte[] bytes(KeptTransaction transaction) {
        byte[] bytes = box.bytes(transaction);
        assertThat(bytes).isNotNull();
        return bytes == null ? FORMAT : bytes;
    }

    @Test
    void dropsTheOldestWhenFullAndLogsIt() {
        start(1, "0-1-10");
        String half = "x".repeat(MIB / 2);
        for (int number = 11; number <= 16; number++) {
            transaction(1, number, half + number);
        }
        assertThat(box.bytes()).isLessThanOrEqualTo(2 * MIB);
        Loss loss = on("0-1-10");
        assertThat(gtids(loss.missing)).endsWith("0-1-15", "0-1-16").doesNotContain("0-1-11");
        assertThat(loss.missing.size() + loss.gaps.count()).isEqualTo(6);
        assertThat(box.dropped()).isEqualTo(loss.gaps.count());
        for (KeptTransaction each : loss.missing) {
            assertThat(new String(bytes(each), StandardCharsets.US_ASCII))
                    .isEqualTo("g" + each.gtid.number() + half + each.gtid.number());
        }
        assertThat(on("0-1-16").gaps.isEmpty()).isTrue();
    }

    @Test
    void aTransactionThatIsTooLargeIsAGapAndAffectsNoOther() {
        start(1, "0-1-10");
        transaction(11);
        transaction(1, 12, "x".repeat(MIB + 1));
        event("g13", true);
        box.onEvent(Unpooled.copiedBuffer("abc", StandardCharsets.US_ASCII), 0, 3, false, false);
        event("rest", false);
        commit(0, 1, 13);
        transaction(14);
        Loss loss = on("0-1-10");
        assertThat(gtids(loss.missing)).containsExactly("0-1-11", "0-1-14");
        assertThat(loss.gaps).hasToString("0:12-13");
        assertThat(new String(bytes(loss.missing.get(1)), StandardCharsets.US_ASCII))
                .isEqualTo("g14.");
    }

    /** A new primary continues the numbering: its 0-2-12 is another transaction than the old primary's 0-1-12. */
    @Test
    void numbersOfANewPrimaryDoNotCountForTheOldOnes() {
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        transaction(13);
        Loss promoted = box.loss(survivor("0-1-11", "0-1-11,0-2-20", ""));
        assertThat(gtids(promoted.missing)).containsExactly("0-1-12", "0-1-13");
        assertThat(promoted.beyond()).isEqualTo("0-2-20");
        Loss repointed = box.loss(survivor("0-2-20", "0-1-11,0-2-20,0-3-4", ""));
        assertThat(gtids(repointed.missing)).containsExactly("0-1-12", "0-1-13");
        box.applied(List.of(at("0-1-11", "0-1-11,0-2-20"), at("0-2-20", "0-1-11,0-2-20")));
        assertThat(box.transactions()).isEqualTo(2);
    }

    /** Transactions that the primary replicated from another server are part of its history. */
    @Test
    void aPositionInTheHistoryCountsForAllBeforeIt() {
        start(1, "0-1-10");
        transaction(3, 11, ".");
        transaction(1, 12, ".");
        transaction(3, 13, ".");
        assertThat(gtids(on("0-1-12").missing)).containsExactly("0-3-13");
        assertThat(gtids(on("0-3-13").missing)).isEmpty();
        assertThat(gtids(on("0-1-14").missing)).as("further than was read").isEmpty();
        assertThat(on("0-1-14").gaps.isEmpty()).isTrue();
    }

    @Test
    void theOldPrimarysTransactionsStayWhenAnotherPrimaryFollows() {
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
        start(2, "0-1-11");
        transaction(2, 12, ".");
        transaction(2, 13, ".");
        Loss loss = box.loss(survivor("0-1-11", "0-1-11,0-2-13", ""));
        assertThat(gtids(loss.missing)).containsExactly("0-1-12");
        assertThat(loss.streaming).as("they cannot arrive any more").isFalse();
        assertThat(loss.trouble).isEqualTo("the primary has changed");
        box.applied(List.of(at("0-1-11", "0-1-11,0-2-13")));
        assertThat(box.transactions()).isEqualTo(1);
        assertThat(box.primaries()).extracting(PrimaryFacts::serverId).containsExactly(1L, 2L);
        assertThat(box.loss(survivor("0-1-12", "0-1-12,0-2-12", "")).streaming)
                .as("what the present primary wrote can still arrive")
                .isTrue();
    }

    /** A planned switch and back, then a kill: what the survivor has from before is no gap, and it wrote nothing. */
    @Test
    void afterASwitchAndBackASurvivorHasWhatWasBefore() {
        start(1, "0-1-10");
        transaction(11);
        start(2, "0-1-11");
        start(1, "0-1-11");
        transaction(12);
        transaction(13);
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
        Loss loss = on("0-1-12");
        assertThat(gtids(loss.missing)).containsExactly("0-1-13");
        assertThat(loss.gaps.toString()).isEmpty();
        assertThat(loss.beyond()).isEmpty();
    }

    /** A server without a binary log of replicated transactions has only the last GTID. */
    @Test
    void aPositionAtALaterPrimaryCountsForThoseBeforeIt() {
        start(1, "0-1-10");
        transaction(11);
        start(2, "0-1-11");
        transaction(2, 12, ".");
        transaction(2, 13, ".");
        start(3, "0-2-12");
        transaction(3, 13, ".");
        Loss loss = on("0-3-13");
        assertThat(gtids(loss.missing)).as("the third primary began without it").containsExactly("0-2-13");
        assertThat(loss.gaps.toString()).isEmpty();
        assertThat(loss.beyond()).isEqualTo("0-3-13");
        box.applied(List.of(at("0-3-13", "")));
        assertThat(box.transactions()).isEqualTo(1);
    }

    /** The killed server became the primary by a planned switch: its predecessor survives it. */
    @Test
    void whatAFormerPrimaryLacksIsNoReasonToSuspectTheSurvivor() {
        start(1, "0-1-10");
        start(2, "0-1-10");
        transaction(2, 11, ".");
        transaction(2, 12, ".");
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
        Loss loss = box.loss(survivor("0-2-11", "0-1-10,0-2-11", ""));
        assertThat(gtids(loss.missing)).containsExactly("0-2-12");
        assertThat(loss.beyond()).isEmpty();
    }

    @Test
    void aFileHasEachFormatBeforeTheEventsThatItDescribes() {
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        box.onFormat("other".getBytes(StandardCharsets.US_ASCII));
        transaction(13);
        Rescue rescue = new Rescue(box);
        int number = (int)
                Objects.requireNonNull(rescue.begin(survivor("0-1-11", "", "")).get("rescue"));
        assertThat(rescue.part(number)).isEqualTo(file("formatg12.otherg13."));
        assertThat(rescue.part(number)).isEmpty();
    }

    @Test
    void anEmptyFileEnds() {
        start(1, "0-1-10");
        Rescue rescue = new Rescue(box);
        int number = (int)
                Objects.requireNonNull(rescue.begin(survivor("0-1-10", "", "")).get("rescue"));
        assertThat(rescue.part(number)).isEqualTo(file(""));
        assertThat(rescue.part(number)).isEmpty();
    }

    private static byte[] file(String content) {
        ByteBuf buf = Unpooled.buffer().writeInt(0xfe62696e);
        buf.writeCharSequence(content, StandardCharsets.US_ASCII);
        byte[] bytes = new byte[buf.readableBytes()];
        buf.readBytes(bytes);
        return bytes;
    }

    @Test
    void mySqlPositionsAreSets() {
        String uuid = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
        box.onStart(new PrimaryFacts(ServerFlavor.MYSQL, 1, uuid, true, "ROW", true, uuid + ":1-10"), false);
        box.onFormat(FORMAT);
        for (String gtid : List.of(uuid + ":11", uuid + ":blue:1", uuid + ":12", uuid + ":13")) {
            event("g", true);
            box.onTransaction(Transactions.of(
                    gtid,
                    TransactionKind.WRITE,
                    0,
                    1,
                    Long.parseLong(gtid.substring(gtid.lastIndexOf(':') + 1)),
                    -1,
                    0,
                    now,
                    Set.of(),
                    false));
        }
        response(uuid.toUpperCase(java.util.Locale.ROOT) + ":12-13");
        Loss loss = box.loss(Survivor.of(
                "s1",
                ServerFlavor.MYSQL,
                new ServerPositions.Reported(uuid + ":1-9:12", "", uuid + ":blue:1", false),
                "for the test"));
        assertThat(gtids(loss.missing)).containsExactly(uuid + ":11", uuid + ":13");
        assertThat(loss.missing).extracting(each -> each.answered != null).containsExactly(false, true);
        assertThat(gtids(loss.received)).containsExactly(uuid + ":blue:1");
        assertThat(loss.gaps).hasToString(uuid + ":10");
    }

    /** As if the file system of {@code black-box.file} had room for so many chunks. */
    private static Chunks disk(AtomicInteger room) {
        return new Chunks() {
            private final Deque<ByteBuffer> spare = new ArrayDeque<>();

            @Override
            public ByteBuffer take() {
                ByteBuffer chunk = spare.poll();
                if (chunk != null) {
                    return chunk.clear();
                }
                if (room.get() == 0) {
                    throw new UncheckedIOException("cannot grow", new IOException("No space left on device"));
                }
                room.decrementAndGet();
                return ByteBuffer.allocate(SIZE);
            }

            @Override
            public void give(ByteBuffer chunk) {
                spare.add(chunk);
            }

            @Override
            public void close() {}
        };
    }

    private BlackBox onDisk(AtomicInteger room) {
        BlackBox onDisk = new BlackBox(disk(room), 64 * MIB, () -> now);
        onDisk.onStart(primary(1, "0-1-10"), false);
        onDisk.onFormat(FORMAT);
        return onDisk;
    }

    @Test
    void aTransactionWithoutAnyRoomIsAGapAndLaterOnesAreKept() {
        AtomicInteger room = new AtomicInteger();
        BlackBox onDisk = onDisk(room);
        transactionOn(onDisk, 11, 5);
        assertThat(onDisk.bytes()).isZero();
        room.set(1);
        transactionOn(onDisk, 12, 5);
        assertThat(onDisk.bytes()).isGreaterThan(Chunks.SIZE);
    }

    @Test
    void onAFullDiskTheNewestTransactionsAreKept() {
        BlackBox onDisk = onDisk(new AtomicInteger(4));
        int size = Chunks.SIZE / 8;
        for (int number = 11; number < 211; number++) {
            transactionOn(onDisk, number, size);
        }
        Loss loss = onDisk.loss(survivor("0-1-10", "", ""));
        assertThat(loss.missing).hasSizeGreaterThan(20);
        assertThat(loss.missing.get(loss.missing.size() - 1).gtid.text()).isEqualTo("0-1-210");
        int kept = loss.missing.size();
        assertThat(loss.gaps).hasToString("0:11-" + (210 - kept));
        assertThat(onDisk.dropped()).isEqualTo(200 - kept);
        for (KeptTransaction each : loss.missing) {
            byte[] bytes = Objects.requireNonNull(onDisk.bytes(each));
            assertThat(bytes).hasSize(size).containsOnly((byte) each.gtid.number());
        }
    }

    @Test
    void onAFullDiskALargeTransactionDoesNotDropAllOthers() {
        BlackBox onDisk = onDisk(new AtomicInteger(4));
        for (int number = 11; number < 41; number++) {
            transactionOn(onDisk, number, Chunks.SIZE / 8);
        }
        transactionOn(onDisk, 41, 3 * Chunks.SIZE);
        transactionOn(onDisk, 42, 5);
        List<String> kept = gtids(onDisk.loss(survivor("0-1-10", "", "")).missing);
        assertThat(kept).contains("0-1-40", "0-1-42").doesNotContain("0-1-41").hasSizeGreaterThan(14);
    }

    @Test
    void oneChunkIsUsedAgainAndAgain() {
        BlackBox onDisk = onDisk(new AtomicInteger(1));
        int last = 0;
        for (int number = 11; number < 61; number++) {
            transactionOn(onDisk, number, Chunks.SIZE / 3);
            List<String> kept = gtids(onDisk.loss(survivor("0-1-10", "", "")).missing);
            last = kept.contains("0-1-" + number) ? number : last;
            assertThat(number - last).as("gap behind " + last).isLessThan(3);
        }
    }

    private void transactionOn(BlackBox to, long number, int size) {
        byte[] event = new byte[size];
        Arrays.fill(event, (byte) number);
        ByteBuf buf = Unpooled.wrappedBuffer(event);
        int half = size / 2;
        to.onEvent(buf, 0, half, true, true);
        to.onEvent(buf, half, size - half, false, true);
        to.onTransaction(write(0, 1, number));
    }
}
