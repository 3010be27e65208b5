package io.understudy.wire.compress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.understudy.testkit.LeakCheck;
import io.understudy.wire.MalformedPacketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames of 16 MB, of which at most one piece is inflated ahead, and the limit on unfinished frames. */
@ExtendWith(LeakCheck.class)
@Tag("long")
class InflationTest {
    private static final int LARGEST = 0xFF_FFFF;
    private static final int PIECE = 64 * 1024;

    private static final AttributeKey<Taker> TAKER = AttributeKey.valueOf(InflationTest.class, "taker");

    private final AtomicLong nanos = new AtomicLong();
    private final InflationBudget budget = new InflationBudget(3 << 20, nanos::get);

    /** @param random one byte of this many is random; 0 for none */
    private static byte[] content(int random) {
        byte[] content = new byte[LARGEST];
        Random source = new Random(1);
        for (int i = 4; random > 0 && i < content.length; i += random) {
            content[i] = (byte) source.nextInt();
        }
        int payload = content.length - 4;
        content[0] = (byte) payload;
        content[1] = (byte) (payload >> 8);
        content[2] = (byte) (payload >> 16);
        return content;
    }

    private static ByteBuf frame(String algorithm, byte[] content, int level) {
        byte[] data;
        if (algorithm.equals("zstd")) {
            data = Zstd.compress(content, level);
        } else {
            Deflater deflater = new Deflater();
            deflater.setInput(content);
            deflater.finish();
            byte[] room = new byte[content.length + 1024];
            int length = deflater.deflate(room);
            deflater.end();
            data = java.util.Arrays.copyOf(room, length);
        }
        return Unpooled.buffer()
                .writeMediumLE(data.length)
                .writeByte(0)
                .writeMediumLE(content.length)
                .writeBytes(data);
    }

    private EmbeddedChannel server(String algorithm) {
        Compressed compressed =
                algorithm.equals("zstd") ? Compressed.zstd(3, true, budget) : Compressed.zlib(true, budget);
        EmbeddedChannel channel = new EmbeddedChannel(compressed.decoder(), compressed.encoder());
        channel.attr(TAKER).set(new Taker());
        compressed.attach(channel.attr(TAKER).get());
        return channel;
    }

    private static final class Taker implements Intake {
        private boolean takes = true;
        private boolean held;

        @Override
        public boolean takesMore() {
            return takes;
        }

        @Override
        public void holdReading(boolean on) {
            held = on;
        }
    }

    private static boolean isHeld(EmbeddedChannel channel) {
        return channel.attr(TAKER).get().held;
    }

    private static ByteBuf drain(EmbeddedChannel channel) {
        ByteBuf all = Unpooled.buffer();
        ByteBuf part;
        while ((part = channel.readInbound()) != null) {
            assertThat(part.readableBytes()).isLessThanOrEqualTo(PIECE);
            assertThat(part.capacity()).isLessThanOrEqualTo(2 * PIECE);
            all.writeBytes(part);
            part.release();
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"zlib", "zstd"})
    void aLongFrameIsInflatedCompletely(String algorithm) {
        byte[] content = content(5);
        ByteBuf frame = frame(algorithm, content, 3);
        EmbeddedChannel server = server(algorithm);
        ByteBuf out = Unpooled.buffer();
        while (frame.isReadable()) {
            server.writeInbound(frame.readRetainedSlice(Math.min(frame.readableBytes(), 50_000)));
            out.writeBytes(drain(server));
        }
        assertThat(out.equals(Unpooled.wrappedBuffer(content))).isTrue();
        assertThat(budget.used()).isZero();
        assertThat(server.finish()).isFalse();
        frame.release();
    }

    /** Nothing is inflated before the consumer takes it. */
    @ParameterizedTest
    @ValueSource(strings = {"zlib", "zstd"})
    void inflationWaitsForTheConsumer(String algorithm) {
        ByteBuf frame = frame(algorithm, content(0), 3);
        assertThat(frame.readableBytes()).isLessThan(17_000);
        EmbeddedChannel server = server(algorithm);
        server.attr(TAKER).get().takes = false;
        long before = io.netty.util.internal.PlatformDependent.usedDirectMemory();
        server.writeInbound(frame);
        assertThat(server.inboundMessages()).isEmpty();
        assertThat(io.netty.util.internal.PlatformDependent.usedDirectMemory() - before)
                .isLessThan(1 << 20);
        assertThat(isHeld(server)).as("the socket is left unread").isTrue();
        assertThat(server.finishAndReleaseAll()).isFalse();
        assertThat(budget.used()).isZero();
    }

    /** The FIN and the close_notify are such events, and the bytes may be commands. */
    @Test
    void eventsStayBehindTheBytesThatWait() {
        Compressed compressed = Compressed.zlib(true, budget);
        List<Object> seen = new ArrayList<>();
        EmbeddedChannel server = new EmbeddedChannel(compressed.decoder(), new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                ReferenceCountUtil.release(msg);
                seen.add("bytes");
            }

            @Override
            public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                seen.add(event);
            }
        });
        Taker taker = new Taker();
        taker.takes = false;
        compressed.attach(taker);
        server.writeInbound(frame("zlib", content(0), 3));
        server.pipeline().fireUserEventTriggered(SslCloseCompletionEvent.SUCCESS);
        server.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        compressed.afterReceived(() -> seen.add("task"));
        assertThat(seen).isEmpty();
        taker.takes = true;
        compressed.resume();
        server.runPendingTasks();
        assertThat(seen).contains("bytes");
        assertThat(seen.subList(seen.lastIndexOf("bytes") + 1, seen.size()))
                .containsExactly(SslCloseCompletionEvent.SUCCESS, ChannelInputShutdownEvent.INSTANCE, "task");
        compressed.afterReceived(() -> seen.add("nothing waits"));
        assertThat(seen).endsWith("nothing waits");
        server.finishAndReleaseAll();
    }

    /** A frame without budget waits, unread, and continues when another frame has ended. */
    @Test
    void aFrameWaitsForBudget() {
        byte[] content = content(3);
        ByteBuf frame = frame("zstd", content, 3);
        EmbeddedChannel first = server("zstd");
        EmbeddedChannel second = server("zstd");
        first.writeInbound(frame.copy(0, 10_000));
        drain(first).release();
        second.writeInbound(frame.copy());
        assertThat(isHeld(second)).isTrue();
        assertThat(second.inboundMessages()).isEmpty();
        assertThat(budget.waiting()).isEqualTo(1);

        first.writeInbound(frame.copy(10_000, frame.readableBytes() - 10_000));
        drain(first).release();
        second.runPendingTasks();
        assertThat(isHeld(second)).isFalse();
        assertThat(drain(second).equals(Unpooled.wrappedBuffer(content))).isTrue();
        assertThat(budget.used()).isZero();
        frame.release();
        first.finish();
        second.finish();
    }

    @Test
    void aWaitThatHasEndedIsNotWatched() {
        ByteBuf frame = frame("zstd", content(3), 3);
        EmbeddedChannel first = server("zstd");
        EmbeddedChannel second = server("zstd");
        second.freezeTime();
        first.writeInbound(frame.copy(0, 10_000));
        drain(first).release();
        second.writeInbound(frame.copy());
        assertThat(second.runScheduledPendingTasks()).isPositive();
        first.writeInbound(frame.copy(10_000, frame.readableBytes() - 10_000));
        drain(first).release();
        second.runPendingTasks();
        assertThat(second.runScheduledPendingTasks()).isEqualTo(-1);
        drain(second).release();
        frame.release();
        first.finish();
        second.finish();
    }

    /** A peer that sends half a frame and stops does not hold its budget forever. */
    @Test
    void anUnfinishedFrameLosesItsBudget() {
        byte[] content = content(3);
        ByteBuf frame = frame("zstd", content, 3);
        EmbeddedChannel stalled = server("zstd");
        EmbeddedChannel second = server("zstd");
        stalled.writeInbound(frame.copy(0, 10_000));
        drain(stalled).release();
        second.writeInbound(frame.copy());
        budget.evictStalled();
        stalled.runPendingTasks();
        stalled.checkException();

        // The limit is 5 s plus one second for each inflated MB; nothing was inflated here.
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(6));
        budget.evictStalled();
        stalled.runPendingTasks();
        assertThatThrownBy(stalled::checkException).hasCauseInstanceOf(InflationRefusedException.class);
        second.runPendingTasks();
        assertThat(drain(second).equals(Unpooled.wrappedBuffer(content))).isTrue();
        frame.release();
        stalled.finish();
        second.finish();
    }

    /** The last handler of a server's connection. */
    private static final class LastHandler extends ChannelInboundHandlerAdapter {
        private final ByteBuf received = Unpooled.buffer();
        private boolean flushed;
        private boolean inactive;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            assertThat(inactive).isFalse();
            received.writeBytes((ByteBuf) msg);
            ((ByteBuf) msg).release();
            flushed = false;
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            flushed = true;
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            inactive = true;
        }
    }

    /** A server that closes behind a long result, as for COM_QUIT or a client's FIN, has the result delivered. */
    @ParameterizedTest
    @ValueSource(strings = {"zlib", "zstd"})
    void aCloseStaysBehindTheBytesThatWait(String algorithm) {
        Compressed compressed =
                algorithm.equals("zstd") ? Compressed.zstd(3, false, budget) : Compressed.zlib(false, budget);
        Taker taker = new Taker();
        taker.takes = false;
        compressed.attach(taker);
        LastHandler last = new LastHandler();
        EmbeddedChannel client = new EmbeddedChannel(compressed.decoder(), compressed.encoder(), last);
        client.writeInbound(frame(algorithm, content(0), 3));
        client.close();
        client.runPendingTasks();
        assertThat(last.received.readableBytes()).isZero();
        assertThat(last.inactive).as("more is to come").isFalse();

        taker.takes = true;
        compressed.resume();
        client.runPendingTasks();
        assertThat(last.inactive).isTrue();
        assertThat(last.received.equals(Unpooled.wrappedBuffer(content(0)))).isTrue();
        assertThat(last.flushed).isTrue();
        assertThat(budget.used()).isZero();
        last.received.release();
    }

    /** The close ends the wait for the budget. The client's buffer has room again after a flush only. */
    @Test
    void aFrameThatWaitedForBudgetIsDeliveredAheadOfTheClose() {
        EmbeddedChannel other = server("zstd");
        ByteBuf half = frame("zstd", content(3), 3);
        other.writeInbound(half.readRetainedSlice(10_000));
        half.release();
        drain(other).release();
        Compressed compressed = Compressed.zstd(3, false, budget);
        LastHandler last = new LastHandler();
        compressed.attach(new Intake() {
            @Override
            public boolean takesMore() {
                return last.flushed;
            }

            @Override
            public void holdReading(boolean on) {}
        });
        last.flushed = true;
        EmbeddedChannel client = new EmbeddedChannel(compressed.decoder(), compressed.encoder(), last);
        client.writeInbound(frame("zstd", content(0), 3));
        assertThat(budget.waiting()).isEqualTo(1);

        client.close();
        while (!last.inactive && last.flushed) {
            compressed.resume(); // as on each change of the client's writability
            client.runPendingTasks();
        }

        assertThat(last.received.equals(Unpooled.wrappedBuffer(content(0)))).isTrue();
        assertThat(last.inactive).isTrue();
        last.received.release();
        other.finish();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatAClosedConnectionLeftIsDroppedWithTheSession(boolean endedFirst) {
        Compressed compressed = Compressed.zlib(false, budget);
        Taker taker = new Taker();
        compressed.attach(taker);
        LastHandler last = new LastHandler();
        EmbeddedChannel client = new EmbeddedChannel(compressed.decoder(), compressed.encoder(), last);
        ByteBuf frame = frame("zlib", content(5), 3);
        client.writeInbound(frame.readRetainedSlice(20_000));
        taker.takes = false;
        client.writeInbound(frame);
        assertThat(budget.used()).isPositive();
        if (endedFirst) {
            compressed.sessionEnded();
        }
        client.close();
        compressed.sessionEnded();
        assertThat(budget.used()).isZero();
        taker.takes = true;
        compressed.resume();
        client.runPendingTasks();
        assertThat(last.inactive).isEqualTo(endedFirst);
        last.received.release();
    }

    /** The session may end while a piece is passed on. */
    @Test
    void nothingIsInflatedAfterRemoval() {
        Compressed compressed = Compressed.zlib(true, budget);
        EmbeddedChannel server = new EmbeddedChannel(compressed.decoder(), compressed.encoder());
        server.pipeline().addLast(new io.netty.channel.ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(io.netty.channel.ChannelHandlerContext ctx, Object msg) {
                ctx.pipeline().remove(compressed.decoder());
                ctx.fireChannelRead(msg);
            }
        });
        server.writeInbound(frame("zlib", content(0), 3));
        assertThat(drain(server).readableBytes()).isLessThanOrEqualTo(PIECE);
        assertThat(budget.used()).isZero();
    }

    /** The inflater takes nothing of it, however much comes: it must not be kept. */
    @Test
    void aFrameThatWantsADictionaryIsRefused() {
        Deflater deflater = new Deflater();
        deflater.setDictionary(new byte[] {1, 2, 3});
        deflater.setInput(new byte[100]);
        deflater.finish();
        byte[] data = new byte[100];
        int length = deflater.deflate(data);
        deflater.end();
        EmbeddedChannel server = server("zlib");
        server.writeInbound(Unpooled.buffer()
                .writeMediumLE(LARGEST)
                .writeByte(0)
                .writeMediumLE(LARGEST)
                .writeBytes(data, 0, length));
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 3; i++) {
                        server.writeInbound(Unpooled.wrappedBuffer(new byte[10_000]));
                    }
                })
                .hasCauseInstanceOf(MalformedPacketException.class);
        assertThat(budget.used()).isZero();
        server.finish();
    }

    @Test
    void aFrameAboveTheBudgetIsRefused() {
        budget.setLimit(1 << 20);
        ByteBuf frame = frame("zstd", content(3), 3);
        EmbeddedChannel server = server("zstd");
        assertThatThrownBy(() -> server.writeInbound(frame)).hasCauseInstanceOf(InflationRefusedException.class);
        server.finish();
    }

    /** The remainders after each frame must not accumulate if the next frame has always begun. */
    @Test
    void theStartOfANextFrameDoesNotRetainTheLastOnes() {
        EmbeddedChannel server = server("zlib");
        ByteBuf stream = Unpooled.buffer();
        byte[] payload = new byte[1000];
        for (int i = 0; i < 5000; i++) {
            stream.writeMediumLE(1004).writeByte(0).writeMediumLE(0);
            stream.writeMediumLE(1000).writeByte(0).writeBytes(payload);
        }
        long before = io.netty.util.internal.PlatformDependent.usedDirectMemory();
        stream.readBytes(500).release();
        while (stream.isReadable()) {
            int length = Math.min(1011, stream.readableBytes());
            server.writeInbound(server.alloc().directBuffer(length).writeBytes(stream, length));
            drain(server).release();
        }
        assertThat(io.netty.util.internal.PlatformDependent.usedDirectMemory() - before)
                .isLessThan(1 << 20);
        server.finishAndReleaseAll();
    }
}
