package io.understudy.wire.compress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Packets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompressedFramingTest {
    private static Compressed of(String algorithm, boolean weAreServer) {
        return algorithm.equals("zlib")
                ? Compressed.zlib(weAreServer, new InflationBudget(1 << 25))
                : Compressed.zstd(3, weAreServer, new InflationBudget(1 << 25));
    }

    private static EmbeddedChannel channel(Compressed compressed) {
        return new EmbeddedChannel(compressed.decoder(), compressed.encoder());
    }

    private static ByteBuf packet(int sequence, byte[] payload) {
        return Unpooled.buffer()
                .writeMediumLE(payload.length)
                .writeByte(sequence)
                .writeBytes(payload);
    }

    private static ByteBuf drainOut(EmbeddedChannel channel) {
        ByteBuf all = Unpooled.buffer();
        ByteBuf part;
        while ((part = channel.readOutbound()) != null) {
            all.writeBytes(part);
            part.release();
        }
        return all;
    }

    private static ByteBuf drainIn(EmbeddedChannel channel) {
        ByteBuf all = Unpooled.buffer();
        ByteBuf part;
        while ((part = channel.readInbound()) != null) {
            all.writeBytes(part);
            part.release();
        }
        return all;
    }

    private static void send(EmbeddedChannel channel, ByteBuf bytes) {
        channel.write(bytes, channel.voidPromise());
    }

    @ParameterizedTest
    @ValueSource(strings = {"zlib", "zstd"})
    void packetsSurviveFramesCutAnywhere(String algorithm) {
        EmbeddedChannel server = channel(of(algorithm, true));
        EmbeddedChannel client = channel(of(algorithm, false));
        Random random = new Random(1);
        send(client, packet(0, new byte[] {3, 'x'}));
        client.flush();
        server.writeInbound(drainOut(client));
        assertThat(drainIn(server)).isEqualTo(packet(0, new byte[] {3, 'x'}));

        ByteBuf response = Unpooled.buffer();
        for (int i = 1; i < 400; i++) {
            byte[] row = new byte[random.nextInt(2000)];
            if (i % 2 == 0) {
                random.nextBytes(row);
            }
            response.writeBytes(packet(i & 0xFF, row));
        }
        ByteBuf expected = response.copy();
        while (response.isReadable()) {
            send(server, response.readRetainedSlice(Math.min(response.readableBytes(), 1 + random.nextInt(5000))));
            if (random.nextBoolean()) {
                server.flush();
            }
        }
        server.flush();
        ByteBuf frames = drainOut(server);
        while (frames.isReadable()) {
            client.writeInbound(frames.readRetainedSlice(Math.min(frames.readableBytes(), 1 + random.nextInt(900))));
        }
        assertThat(drainIn(client)).isEqualTo(expected);
    }

    @Test
    void eachCommandBeginsAFrameNumberedZero() {
        EmbeddedChannel client = channel(Compressed.zlib(false, new InflationBudget(1 << 25)));
        send(client, packet(0, new byte[] {0x19, 1, 0, 0, 0}));
        send(client, packet(0, new byte[] {0x0E}));
        client.flush();
        ByteBuf frames = drainOut(client);
        assertThat(frames.getUnsignedMediumLE(0)).isEqualTo(9);
        assertThat(frames.getByte(3)).isZero();
        assertThat(frames.getUnsignedMediumLE(7 + 9)).isEqualTo(5);
        assertThat(frames.getByte(7 + 9 + 3)).isZero();
    }

    @Test
    void responsesContinueFromTheCommandsFrameNumber() {
        EmbeddedChannel server = channel(Compressed.zlib(true, new InflationBudget(1 << 25)));
        server.writeInbound(
                Unpooled.buffer().writeMediumLE(5).writeByte(0).writeMediumLE(0).writeBytes(packet(0, new byte[] {14
                })));
        drainIn(server);
        send(server, packet(1, new byte[7]));
        server.flush();
        assertThat(drainOut(server).getByte(3)).isEqualTo((byte) 1);
    }

    /** MariaDB Connector/C numbers each physical packet of a command 0. */
    @Test
    void theRestOfALongCommandContinuesItsNumbers() {
        EmbeddedChannel server = channel(Compressed.zlib(true, new InflationBudget(1 << 25)));
        byte[] full = new byte[Packets.MAX_PAYLOAD];
        ByteBuf command = packet(0, full);
        server.writeInbound(rawFrame(0, command.readRetainedSlice(Packets.MAX_PAYLOAD)));
        command.writeBytes(packet(0, full)).writeBytes(packet(0, new byte[7]));
        server.writeInbound(rawFrame(1, command.readRetainedSlice(Packets.MAX_PAYLOAD)));
        server.writeInbound(rawFrame(2, command));
        ByteBuf bytes = drainIn(server);
        int second = Packets.HEADER + Packets.MAX_PAYLOAD;
        assertThat(bytes.getByte(3)).isZero();
        assertThat(bytes.getByte(second + 3)).isEqualTo((byte) 1);
        assertThat(bytes.getByte(2 * second + 3)).isEqualTo((byte) 2);
        bytes.release();

        server.writeInbound(rawFrame(0, packet(0, new byte[] {14})));
        assertThat(drainIn(server).getByte(3)).as("the next command").isZero();
    }

    @Test
    void packetsAreNumberedAsWithoutCompression() {
        EmbeddedChannel client = channel(Compressed.zlib(false, new InflationBudget(1 << 25)));
        send(client, packet(0, new byte[] {3}));
        client.flush();
        drainOut(client).release();
        client.writeInbound(rawFrame(1, packet(1, new byte[] {(byte) 0xFB})));
        drainIn(client);
        for (int number = 2; number < 12; number++) {
            send(client, packet(number, new byte[] {1}));
        }
        client.flush();
        drainOut(client).release();
        // A server continues from its frames' number, which is lower than the packets' number.
        client.writeInbound(rawFrame(3, packet(4, new byte[7])));
        assertThat(drainIn(client).getByte(3)).isEqualTo((byte) 12);
    }

    private static ByteBuf rawFrame(int number, ByteBuf content) {
        return Unpooled.buffer()
                .writeMediumLE(content.readableBytes())
                .writeByte(number)
                .writeMediumLE(0)
                .writeBytes(content);
    }

    @ParameterizedTest
    @ValueSource(strings = {"zlib", "zstd"})
    void smallContentIsNotCompressed(String algorithm) {
        EmbeddedChannel server = channel(of(algorithm, true));
        send(server, packet(1, new byte[45]));
        send(server, packet(2, new byte[1000]));
        server.flush();
        assertThat(drainOut(server).getUnsignedMediumLE(4)).isEqualTo(49 + 1004);
        send(server, packet(3, new byte[45]));
        server.flush();
        assertThat(drainOut(server).getUnsignedMediumLE(4)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"zlib", "zstd"})
    void wrongLengthsAreRefused(String algorithm) {
        ByteBuf honest = frameOf(algorithm);
        // MariaDB and MySQL take a zlib frame for what it holds if it says more, and refuse one that says less.
        int[] lies = algorithm.equals("zlib") ? new int[] {1, 2003} : new int[] {1, 2003, 2005, 0xFF_FFFF};
        for (int lie : lies) {
            ByteBuf frame = honest.copy();
            frame.setMediumLE(4, lie);
            EmbeddedChannel client = channel(of(algorithm, false));
            assertThatThrownBy(() -> client.writeInbound(frame))
                    .as("says %d", lie)
                    .hasCauseInstanceOf(MalformedPacketException.class);
        }
        ByteBuf broken = honest.copy();
        broken.setZero(9, 10);
        EmbeddedChannel client = channel(of(algorithm, false));
        assertThatThrownBy(() -> client.writeInbound(broken)).hasCauseInstanceOf(MalformedPacketException.class);
    }

    /** Short frames are inflated at once, long ones in pieces. */
    @ParameterizedTest
    @ValueSource(ints = {2005, 2100, 100_000, 0xFF_FFFF})
    void aZlibFrameMaySayMoreThanItHolds(int says) {
        ByteBuf frame = frameOf("zlib");
        frame.setMediumLE(4, says);
        ByteBuf next = frameOf("zlib");
        EmbeddedChannel client = channel(of("zlib", false));
        client.writeInbound(frame);
        client.writeInbound(next);
        assertThat(drainIn(client).readableBytes()).isEqualTo(2 * 2004);
    }

    /** A few bytes inflate to megabytes: they are inflated piece by piece, as the consumer takes them. */
    @ParameterizedTest
    @ValueSource(strings = {"zlib", "zstd"})
    void inflatedBytesWaitForTheConsumer(String algorithm) {
        EmbeddedChannel client = channel(of(algorithm, false));
        byte[] payload = new byte[1 << 20];
        for (int i = 0; i < 20; i++) {
            send(client, packet(0, payload));
        }
        client.flush();
        ByteBuf frames = drainOut(client);
        assertThat(frames.readableBytes()).isLessThan(64 * 1024);
        Compressed compressed = of(algorithm, true);
        OneAtATime taker = new OneAtATime();
        compressed.attach(taker);
        EmbeddedChannel server = channel(compressed);
        server.pipeline().addLast(taker.full());
        server.writeInbound(frames);
        assertThat(taker.held).as("the socket is left unread").isTrue();
        assertThat(drainIn(server).readableBytes()).isZero();
        int received = 0;
        int some;
        do {
            taker.takes = true;
            compressed.resume();
            server.runPendingTasks();
            some = drainIn(server).readableBytes();
            assertThat(some).as("at once").isLessThanOrEqualTo(64 * 1024);
            received += some;
        } while (some > 0);
        assertThat(received).isEqualTo(20 * ((1 << 20) + 4));
        assertThat(taker.held).isFalse();
    }

    /** A session that accepts nothing at first and then stops after each piece. */
    private static final class OneAtATime implements Intake {
        private boolean takes;
        private boolean held;

        @Override
        public boolean takesMore() {
            return takes;
        }

        @Override
        public void holdReading(boolean on) {
            held = on;
        }

        ChannelInboundHandlerAdapter full() {
            return new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object msg) {
                    takes = false;
                    ctx.fireChannelRead(msg);
                }
            };
        }
    }

    /** Back-pressure counts bytes, so a small frame must not hold the memory of its uncompressed content. */
    @ParameterizedTest
    @ValueSource(strings = {"zlib", "zstd"})
    void aSmallFrameHoldsLittleMemory(String algorithm) {
        EmbeddedChannel client = channel(of(algorithm, false));
        send(client, packet(0, new byte[1 << 20]));
        client.flush();
        int frames = 0;
        ByteBuf part;
        while ((part = client.readOutbound()) != null) {
            assertThat(part.capacity()).isLessThan(1024);
            part.release();
            frames++;
        }
        assertThat(frames).isGreaterThan(15);
    }

    /**
     * Packets of 0 bytes to 16 MB, received in any pieces. A client that reads one more frame for a packet that its
     * frame cuts, as MySQL Connector/Python does, has it all then; and no frame cuts a header.
     */
    @Test
    void packetsKeptWholeLieInTwoFramesAtMost() {
        Random random = new Random(5);
        EmbeddedChannel server = channel(of("zlib", true).withWholePackets());
        EmbeddedChannel client = channel(of("zlib", false));
        send(client, packet(0, new byte[] {3, 'x'}));
        client.flush();
        server.writeInbound(drainOut(client));
        drainIn(server).release();
        ByteBuf response = Unpooled.buffer();
        int[] lengths = {
            10,
            0,
            65_531,
            65_532,
            65_533,
            1,
            65_535,
            65_536,
            30_000,
            40_000,
            81_900,
            1_000_000,
            0xFF_FFFF - 4,
            7,
            0xFF_FFFF - 3,
            9,
            200,
            70_000,
            3
        };
        int[] ends = new int[lengths.length + 300];
        for (int i = 0; i < ends.length; i++) {
            byte[] row = new byte[i < lengths.length ? lengths[i] : random.nextInt(3000)];
            random.nextBytes(row);
            response.writeBytes(packet(i + 1 & 0xFF, row));
            ends[i] = response.writerIndex();
        }
        ByteBuf expected = response.copy();
        ByteBuf frames = Unpooled.buffer();
        while (response.isReadable()) {
            int most = random.nextInt(4) == 0 ? 20 : 1_000_000;
            send(server, response.readRetainedSlice(Math.min(response.readableBytes(), 1 + random.nextInt(most))));
            if (random.nextBoolean()) {
                server.flush();
            }
            frames.writeBytes(drainOut(server));
        }
        server.flush();
        frames.writeBytes(drainOut(server));
        assertPacketsInTwoFrames(frames, ends);
        client.writeInbound(frames);
        assertThat(drainIn(client)).isEqualTo(expected);
    }

    private static void assertPacketsInTwoFrames(ByteBuf frames, int[] packetEnds) {
        int content = 0;
        int packet = 0;
        for (int at = 0; at < frames.writerIndex(); ) {
            int stored = frames.getUnsignedMediumLE(at);
            int original = frames.getUnsignedMediumLE(at + 4);
            content += original == 0 ? stored : original;
            at += 7 + stored;
            while (packet < packetEnds.length && packetEnds[packet] <= content) {
                packet++;
            }
            int start = packet == 0 ? 0 : packetEnds[packet - 1];
            assertThat(content - start)
                    .as("bytes of packet %d in a frame before its last", packet)
                    .isIn(0, 0xFF_FFFF);
        }
        assertThat(packet).isEqualTo(packetEnds.length);
    }

    /** The frame's header leaves with the packet's first bytes: a packet of 10 MB is not gathered first. */
    @Test
    void aLongPacketKeptWholeLeavesAsItComes() {
        EmbeddedChannel server = channel(of("zlib", true).withWholePackets());
        ByteBuf packet = packet(1, new byte[10_000_000]);
        send(server, packet.readRetainedSlice(100_000));
        server.flush();
        ByteBuf first = drainOut(server);
        assertThat(first.readableBytes()).isEqualTo(7 + 100_000);
        assertThat(first.getUnsignedMediumLE(0)).as("the frame's length").isEqualTo(10_000_004);
        assertThat(first.getUnsignedMediumLE(4)).as("not compressed").isZero();
        send(server, packet.readRetainedSlice(30));
        server.flush();
        assertThat(drainOut(server).readableBytes()).isEqualTo(30);
    }

    /** Also where the server's bytes come in pieces of one segment each. */
    @Test
    void aPacketKeptWholeWaitsForItsEnd() {
        EmbeddedChannel server = channel(of("zlib", true).withWholePackets());
        ByteBuf packets = packet(1, new byte[500]).writeBytes(packet(2, new byte[5000]));
        while (packets.readableBytes() > 1) {
            send(server, packets.readRetainedSlice(Math.min(packets.readableBytes() - 1, 1400)));
            server.flush();
        }
        assertThat(drainOut(server).getUnsignedMediumLE(4))
                .as("the first packet alone")
                .isEqualTo(504);
        send(server, packets);
        server.flush();
        assertThat(drainOut(server).getUnsignedMediumLE(4)).isEqualTo(5004);
    }

    private static ByteBuf frameOf(String algorithm) {
        EmbeddedChannel server = channel(of(algorithm, true));
        byte[] payload = new byte[2000];
        new Random(3).nextBytes(payload);
        java.util.Arrays.fill(payload, 0, 1000, (byte) 'x');
        send(server, packet(1, payload));
        server.flush();
        return drainOut(server);
    }
}
