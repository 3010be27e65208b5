package io.understudy.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.Memory;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;

/** Whatever the cuts and verdicts, the scanner forwards and shows the right bytes and retains nothing. */
class PacketScannerTest {
    private static final byte[] INSERTED = Bytes.packet(0, Bytes.text("+injected"));

    /** One packet and the sink's verdict on it. */
    record Planned(int size, int wanted, boolean drop, boolean hold, boolean refuse, boolean insert) {
        static Planned forwarded(int size, int wanted) {
            return new Planned(size, wanted, false, false, false, false);
        }

        boolean goesOn() {
            return !drop && !(hold && refuse);
        }
    }

    private static byte[] payload(int size, int number) {
        byte[] payload = new byte[size];
        for (int i = 0; i < size; i++) {
            payload[i] = (byte) (i * 31 + number * 7 + 1);
        }
        return payload;
    }

    /** Applies the planned verdicts and records the result. */
    private static final class Recorder implements PacketSink {
        private final List<Planned> plan;
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final List<ByteBuf> forwarded = new ArrayList<>();
        private int begun;
        private int ended;
        private int shown;

        Recorder(List<Planned> plan) {
            this.plan = plan;
        }

        @Override
        public int onPacket(int length, int sequence, int first) {
            assertThat(ended).as("packets end before the next begins").isEqualTo(begun);
            Planned planned = plan.get(begun);
            byte[] payload = payload(planned.size, begun);
            assertThat(length).isEqualTo(Math.min(planned.size, Packets.MAX_PAYLOAD));
            assertThat(sequence).isEqualTo(begun & 0xFF);
            assertThat(first).isEqualTo(payload.length == 0 ? -1 : payload[0] & 0xFF);
            begun++;
            return planned.wanted | (planned.drop ? DROP : 0) | (planned.hold ? HOLD : 0);
        }

        @Override
        public boolean onShown(ByteBuf buf, int index, int length) {
            Planned planned = plan.get(begun - 1);
            assertThat(length).isEqualTo(Math.min(planned.wanted, Math.min(planned.size, Packets.MAX_PAYLOAD)));
            byte[] seen = new byte[length];
            buf.getBytes(index, seen);
            assertThat(seen).isEqualTo(Arrays.copyOf(payload(planned.size, begun - 1), length));
            shown++;
            if (planned.hold && planned.insert) {
                out.writeBytes(INSERTED);
            }
            return !planned.refuse;
        }

        @Override
        public void onEnd() {
            ended++;
            assertThat(ended).isEqualTo(begun);
        }

        @Override
        public void forward(ByteBuf bytes) {
            out.writeBytes(Bytes.read(bytes));
            forwarded.add(bytes);
            bytes.release();
        }
    }

    private static byte[] wire(List<Planned> plan) {
        byte[][] packets = new byte[plan.size()][];
        for (int i = 0; i < packets.length; i++) {
            packets[i] = Bytes.packet(i, payload(plan.get(i).size, i));
        }
        return Bytes.concat(packets);
    }

    private static byte[] expected(List<Planned> plan) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < plan.size(); i++) {
            Planned planned = plan.get(i);
            if (planned.hold && planned.insert) {
                out.writeBytes(INSERTED);
            }
            if (planned.goesOn()) {
                out.writeBytes(Bytes.packet(i, payload(planned.size, i)));
            }
        }
        return out.toByteArray();
    }

    private static void play(List<Planned> plan, int... cuts) {
        Memory memory = Memory.heap();
        Recorder sink = new Recorder(plan);
        PacketScanner scanner = new PacketScanner(sink, memory.alloc());
        byte[] wire = wire(plan);
        List<ByteBuf> inputs = new ArrayList<>();
        int from = 0;
        for (int i = 0; i <= cuts.length; i++) {
            int to = i == cuts.length ? wire.length : cuts[i];
            // The reader index is not zero: indexes must not be used as offsets.
            ByteBuf in = memory.alloc().buffer(3 + to - from).writeZero(3).writeBytes(wire, from, to - from);
            inputs.add(in.skipBytes(3));
            scanner.scan(in);
            from = to;
        }
        assertThat(sink.out.toByteArray()).isEqualTo(expected(plan));
        assertThat(sink.begun).isEqualTo(plan.size());
        assertThat(sink.ended).isEqualTo(plan.size());
        assertThat(sink.shown).isEqualTo((int) plan.stream()
                .filter(p -> p.hold || Math.min(p.wanted, p.size) > 0)
                .count());
        assertThat(scanner.cleanCut()).isTrue();
        assertThat(inputs).allSatisfy(in -> assertThat(in.refCnt()).isZero());
        memory.assertAllReturned();
    }

    @Provide
    Arbitrary<List<Planned>> plans() {
        Arbitrary<Integer> sizes = Arbitraries.frequencyOf(
                net.jqwik.api.Tuple.of(2, Arbitraries.integers().between(0, 3)),
                net.jqwik.api.Tuple.of(3, Arbitraries.integers().between(0, 40)),
                net.jqwik.api.Tuple.of(1, Arbitraries.integers().between(200, 600)));
        Arbitrary<Integer> wanted = Arbitraries.frequencyOf(
                net.jqwik.api.Tuple.of(2, Arbitraries.just(0)),
                net.jqwik.api.Tuple.of(2, Arbitraries.integers().between(1, 12)),
                net.jqwik.api.Tuple.of(1, Arbitraries.integers().between(1, 1000)));
        Arbitrary<Boolean> flag = Arbitraries.of(true, false, false);
        return Combinators.combine(sizes, wanted, flag, flag, flag, flag)
                .as(Planned::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(6);
    }

    @Property(tries = 400, shrinking = ShrinkingMode.BOUNDED)
    void anyTwoBuffers(@ForAll("plans") List<Planned> plan) {
        int size = wire(plan).length;
        for (int cut = 0; cut <= size; cut += size > 120 ? 7 : 1) {
            play(plan, cut);
        }
    }

    @Property(tries = 1000, shrinking = ShrinkingMode.BOUNDED)
    void anyBuffers(@ForAll("plans") List<Planned> plan, @ForAll List<Integer> places) {
        int size = wire(plan).length;
        play(
                plan,
                places.stream()
                        .mapToInt(p -> Math.floorMod(p, size + 1))
                        .sorted()
                        .toArray());
    }

    @Property(tries = 300, shrinking = ShrinkingMode.BOUNDED)
    void byteByByte(@ForAll("plans") List<Planned> plan) {
        int size = wire(plan).length;
        play(plan, java.util.stream.IntStream.range(1, Math.max(1, size)).toArray());
    }

    @Test
    void aSplitPacketIsOnePacket() {
        int max = Packets.MAX_PAYLOAD;
        List<Planned> plan = List.of(
                Planned.forwarded(5, 5),
                new Planned(max, 10, false, true, true, false),
                new Planned(max + 17, 3, false, false, false, false),
                new Planned(max, 0, true, false, false, false),
                Planned.forwarded(1, 1));
        int second = 9 + max + 4;
        play(plan);
        // Inside the header of the final empty packet, and inside the continuation's header.
        play(plan, 9, 12, second, second + 2, second + 4, second + 4 + max + 6);
        play(plan, second + 4 + 4 + max + 1, second + 4 + 4 + max + 4);
    }

    @Test
    void aBufferWithoutWithheldBytesIsForwardedUncopied() {
        List<Planned> plan = List.of(Planned.forwarded(4, 2), Planned.forwarded(0, 0), Planned.forwarded(90, 0));
        Memory memory = Memory.heap();
        Recorder sink = new Recorder(plan);
        PacketScanner scanner = new PacketScanner(sink, memory.alloc());
        byte[] wire = wire(plan);
        ByteBuf first = Bytes.buffer(memory.alloc(), Bytes.slice(wire, 0, 40));
        ByteBuf second = Bytes.buffer(memory.alloc(), Bytes.slice(wire, 40, wire.length));
        scanner.scan(first);
        scanner.scan(second);
        assertThat(sink.forwarded).hasSize(2);
        assertThat(sink.forwarded.get(0)).isSameAs(first);
        assertThat(sink.forwarded.get(1)).isSameAs(second);
    }

    @Test
    void aReleasedPacketAtTheStartOfItsBufferIsNotSliced() {
        List<Planned> plan = List.of(new Planned(30, 30, false, true, false, true));
        Memory memory = Memory.heap();
        Recorder sink = new Recorder(plan);
        ByteBuf in = Bytes.buffer(memory.alloc(), wire(plan));
        new PacketScanner(sink, memory.alloc()).scan(in);
        assertThat(sink.forwarded).hasSize(1);
        assertThat(sink.forwarded.get(0)).isSameAs(in);
    }

    @Test
    void aHeldPacketIsForwardedAfterTheSinkHasSeenIt() {
        List<Planned> plan = List.of(new Planned(30, 20, false, true, false, false));
        Memory memory = Memory.heap();
        Recorder sink = new Recorder(plan);
        PacketScanner scanner = new PacketScanner(sink, memory.alloc());
        byte[] wire = wire(plan);
        for (int i = 0; i < 23; i++) {
            scanner.scan(Bytes.buffer(memory.alloc(), Bytes.slice(wire, i, i + 1)));
            assertThat(sink.out.size()).isZero();
        }
        scanner.scan(Bytes.buffer(memory.alloc(), Bytes.slice(wire, 23, 24)));
        assertThat(sink.out.size()).isEqualTo(24);
        assertThat(scanner.cleanCut()).isFalse();
        scanner.close();
    }

    @Test
    void aThrowingSinkLeaksNothing() {
        byte[] wire = Bytes.concat(Bytes.packet(0, payload(20, 0)), Bytes.packet(1, payload(20, 1)));
        for (int verdict : new int[] {0, 10, 20 | PacketSink.HOLD, 20 | PacketSink.DROP}) {
            for (int moment = 0; moment < 3; moment++) {
                for (int cut = 0; cut < wire.length; cut++) {
                    throwAt(wire, verdict, moment, cut);
                }
            }
        }
    }

    private static void throwAt(byte[] wire, int verdict, int moment, int cut) {
        Memory memory = Memory.heap();
        PacketSink sink = new PacketSink() {
            @Override
            public int onPacket(int length, int sequence, int first) {
                failIf(moment == 0 && sequence == 1);
                return verdict;
            }

            @Override
            public boolean onShown(ByteBuf buf, int index, int length) {
                failIf(moment == 1);
                return true;
            }

            @Override
            public void onEnd() {
                failIf(moment == 2);
            }

            @Override
            public void forward(ByteBuf bytes) {
                bytes.release();
            }
        };
        PacketScanner scanner = new PacketScanner(sink, memory.alloc());
        Runnable both = () -> {
            scanner.scan(Bytes.buffer(memory.alloc(), Bytes.slice(wire, 0, cut)));
            scanner.scan(Bytes.buffer(memory.alloc(), Bytes.slice(wire, cut, wire.length)));
        };
        if (moment == 1 && verdict == 0) {
            both.run();
        } else {
            assertThatThrownBy(both::run).isInstanceOf(MalformedPacketException.class);
        }
        scanner.close();
        scanner.close();
        memory.assertAllReturned();
    }

    private static void failIf(boolean now) {
        if (now) {
            throw new MalformedPacketException("as the test wants");
        }
    }
}
