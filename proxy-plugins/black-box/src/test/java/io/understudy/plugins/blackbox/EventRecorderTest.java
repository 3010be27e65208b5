package io.understudy.plugins.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.testkit.CapturedLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The bounds of what is recorded, and the gaps that they leave. */
class EventRecorderTest extends BlackBoxHarness {
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
