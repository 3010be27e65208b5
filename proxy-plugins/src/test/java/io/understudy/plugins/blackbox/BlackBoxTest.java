package io.understudy.plugins.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.TransactionKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class BlackBoxTest {
    private static final int MIB = 1 << 20;
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
        return new BinlogTransaction(
                domain + "-" + server + "-" + number,
                TransactionKind.WRITE,
                domain,
                server,
                number,
                -1,
                0,
                now,
                now,
                Set.of(),
                false,
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
                new Positions.Reported(slavePos, binlogState, received, true),
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
        assertThat(on("0-1-12").unanswered).isEmpty();
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
        assertThat(promoted.beyond).isEqualTo("0-2-20");
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
            box.onTransaction(new BinlogTransaction(
                    gtid,
                    TransactionKind.WRITE,
                    0,
                    1,
                    Long.parseLong(gtid.substring(gtid.lastIndexOf(':') + 1)),
                    -1,
                    0,
                    now,
                    now,
                    Set.of(),
                    false,
                    false));
        }
        response(uuid.toUpperCase(java.util.Locale.ROOT) + ":12-13");
        Loss loss = box.loss(Survivor.of(
                "s1",
                ServerFlavor.MYSQL,
                new Positions.Reported(uuid + ":1-9:12", "", uuid + ":blue:1", false),
                "for the test"));
        assertThat(gtids(loss.missing)).containsExactly(uuid + ":11", uuid + ":13");
        assertThat(loss.missing).extracting(each -> each.answered != null).containsExactly(false, true);
        assertThat(gtids(loss.received)).containsExactly(uuid + ":blue:1");
        assertThat(loss.gaps).hasToString(uuid + ":10");
    }

    /** As if the file system of {@code black-box.file} were full. */
    @Test
    void transactionsWithoutRoomAreAGapAndLaterOnesAreKept() {
        AtomicBoolean diskFull = new AtomicBoolean(true);
        Chunks chunks = new Chunks() {
            private final Chunks heap = new Chunks.Heap();

            @Override
            public ByteBuffer take() {
                if (diskFull.get()) {
                    throw new UncheckedIOException("cannot grow", new IOException("No space left on device"));
                }
                return heap.take();
            }

            @Override
            public void give(ByteBuffer chunk) {
                heap.give(chunk);
            }

            @Override
            public void close() {}
        };
        BlackBox onDisk = new BlackBox(chunks, 2 * MIB, () -> now);
        onDisk.onStart(primary(1, "0-1-10"), false);
        onDisk.onFormat(FORMAT);
        transactionOn(onDisk, 11);
        assertThat(onDisk.bytes()).isZero();
        diskFull.set(false);
        transactionOn(onDisk, 12);
        assertThat(onDisk.bytes()).isGreaterThan(Chunks.SIZE);
    }

    private void transactionOn(BlackBox to, long number) {
        ByteBuf buf = Unpooled.copiedBuffer("event", StandardCharsets.US_ASCII);
        to.onEvent(buf, 0, 5, true, true);
        to.onEvent(buf, 0, 5, false, true);
        to.onTransaction(write(0, 1, number));
    }
}
