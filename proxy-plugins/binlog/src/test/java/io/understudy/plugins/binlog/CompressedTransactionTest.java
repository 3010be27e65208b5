package io.understudy.plugins.binlog;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CompressedTransactionTest {
    private static final int THREAD = 7; // what EventBuilder.query has
    private final EventBuilder inside = new EventBuilder(11, false);

    private byte[] events(int rows) {
        byte[] noise = new byte[rows];
        new Random(1).nextBytes(noise);
        return ByteBufUtil.getBytes(
                Unpooled.wrappedBuffer(inside.query("BEGIN"), Unpooled.wrappedBuffer(noise), inside.xid()));
    }

    private static ByteBuf body(int algorithm, byte[] payload) {
        // compression type, uncompressed size of three bytes, payload size, end
        return Unpooled.buffer()
                .writeBytes(new byte[] {2, 1, (byte) algorithm, 3, 4, (byte) 0xFD, 1, 1, 1, 1, 1, 9, 0})
                .writeBytes(payload);
    }

    private static long thread(ByteBuf body) {
        return CompressedTransaction.thread(body, 0, body.readableBytes());
    }

    @Test
    void theThreadIsInTheFirstEventAtEachLevelAndSize() {
        for (int level : new int[] {1, 3, 19}) {
            for (int rows : new int[] {0, 10, 5_000, 300_000}) {
                assertThat(thread(body(0, Zstd.compress(events(rows), level)))).isEqualTo(THREAD);
            }
        }
    }

    /** As the server compresses: without the length in the frame's header. */
    @Test
    void theLengthNeedNotBeKnown() {
        try (ZstdCompressCtx compressor = new ZstdCompressCtx()) {
            compressor.setContentSize(false);
            assertThat(thread(body(0, compressor.compress(events(300_000))))).isEqualTo(THREAD);
        }
    }

    @Test
    void whatIsCutOffOrNoZstdHasNoThread() {
        byte[] whole = Zstd.compress(events(5_000));
        ByteBuf body = body(0, whole);
        assertThat(CompressedTransaction.thread(body, 0, 30)).isZero();
        for (int end = 0; end < 200; end++) {
            assertThat(CompressedTransaction.thread(body, 0, end)).isIn(0L, (long) THREAD);
        }
        assertThat(thread(body(255, events(10)))).isZero();
        assertThat(thread(body(0, new byte[100]))).isZero();
        assertThat(thread(Unpooled.wrappedBuffer(new byte[] {2, (byte) 0xFE, 1, 1})))
                .isZero();
    }

    @Test
    void damagedBytesEndInNoThreadAndNoException() {
        Random random = new Random(2);
        for (int i = 0; i < 2_000; i++) {
            ByteBuf body = body(0, Zstd.compress(events(random.nextInt(3_000))));
            for (int j = 0; j < 3; j++) {
                body.setByte(random.nextInt(body.readableBytes()), random.nextInt());
            }
            thread(body);
        }
    }

    /** The library would take 128 MiB for it. */
    @Test
    void aFrameWithAHugeWindowIsNotOpened() {
        try (ZstdCompressCtx compressor = new ZstdCompressCtx()) {
            byte[] large = compressor.setContentSize(false).compress(events(100));
            assertThat(thread(body(0, large))).isEqualTo(THREAD);
            large[5] = (byte) (17 << 3); // 2^(10 + 17) bytes
            assertThat(thread(body(0, large))).isZero();
        }
        byte[] single = Zstd.compress(new byte[16 << 20]);
        assertThat(single).hasSizeLessThan(10_000);
        assertThat(thread(body(0, single))).isZero();
    }

    @Test
    void theParserReportsIt() {
        EventBuilder server = new EventBuilder(11, true);
        List<BinlogTransaction> found = new ArrayList<>();
        BinlogParser parser = new BinlogParser(io.understudy.plugin.ServerFlavor.MYSQL, true, found::add);
        List<ByteBuf> stream = List.of(
                server.format("9.7.0"),
                server.mySqlGtid(33, 5, 4),
                server.event(EventType.TRANSACTION_PAYLOAD, body(0, Zstd.compress(events(5_000)))));
        for (ByteBuf event : stream) {
            parser.event(event, 0, event.readableBytes());
            parser.eventEnd(1, true);
        }
        assertThat(found).singleElement().extracting(BinlogTransaction::thread).isEqualTo((long) THREAD);
    }
}
