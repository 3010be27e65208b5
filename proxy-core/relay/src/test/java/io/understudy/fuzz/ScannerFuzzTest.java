package io.understudy.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.wire.Marker;
import io.understudy.wire.PacketScanner;
import io.understudy.wire.PacketSink;
import io.understudy.wire.Packets;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import org.junit.jupiter.api.Test;

/** The scanner's results do not depend on how the bytes are cut, and it retains no more than it was given. */
class ScannerFuzzTest {
    private static final Corpus CORPUS = new Corpus("scanner");
    private static final int OVERHEAD = 4096;

    @AfterContainer
    static void nothingLeaked() {
        assertThat(LeakCheck.collect()).isEmpty();
    }

    @Test
    void corpus() {
        Fuzz.corpus(CORPUS, ScannerFuzzTest::run);
    }

    @Property(shrinking = ShrinkingMode.OFF)
    void mutations(@ForAll long seed) {
        Fuzz.mutation(CORPUS, seed, ScannerFuzzTest::run);
    }

    /** The first byte selects the sink's verdicts, the second selects the cuts. */
    private static void run(byte[] input) {
        int verdicts = input.length > 0 ? input[0] & 0xFF : 0;
        int cuts = input.length > 1 ? input[1] & 0xFF : 0;
        byte[] bytes = input.length > 2 ? Arrays.copyOfRange(input, 2, input.length) : new byte[0];
        Notes whole = new Notes(verdicts);
        play(whole, bytes, 0);
        Notes cut = new Notes(verdicts);
        play(cut, bytes, 1 + cuts);
        assertThat(cut.events.toString()).isEqualTo(whole.events.toString());
        assertThat(cut.rows).isEqualTo(whole.rows);
        assertThat(cut.rowBytes).isEqualTo(whole.rowBytes);
        byte[] longer = whole.out.toByteArray();
        byte[] shorter = cut.out.toByteArray();
        // The only bytes that may be held back are an incomplete lead, or those that the sink has not decided on.
        int common = Math.min(longer.length, shorter.length);
        assertThat(Arrays.copyOf(shorter, common)).isEqualTo(Arrays.copyOf(longer, common));
        assertThat(shorter).hasSameSizeAs(longer);
    }

    private static void play(Notes notes, byte[] bytes, int cuts) {
        Memory memory = Memory.heap();
        PacketScanner scanner = new PacketScanner(notes, memory.alloc());
        Random random = new Random(cuts);
        int at = 0;
        while (at < bytes.length) {
            int end = cuts == 0 ? bytes.length : Math.min(bytes.length, at + 1 + random.nextInt(cuts));
            scanner.scan(Bytes.buffer(memory.alloc(), Arrays.copyOfRange(bytes, at, end)));
            at = end;
            assertThat(memory.used()).as("held after %d bytes", at).isLessThanOrEqualTo(4L * at + OVERHEAD);
        }
        scanner.close();
        memory.assertAllReturned();
    }

    private static final class Notes implements PacketSink {
        private final int verdicts;
        /** Whether packets that can be rows are: they are counted, in one of two ways, and are no events. */
        private final boolean takesRows;

        private boolean row;
        private long rows;
        private long rowBytes;
        private final StringBuilder events = new StringBuilder();
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Notes(int verdicts) {
            this.verdicts = verdicts;
            this.takesRows = (verdicts & 1) != 0;
        }

        @Override
        public int onPacket(int length, int sequence, int first) {
            row = takesRows && length > 0 && length < Packets.MAX_PAYLOAD && first < Marker.EOF;
            if (row) {
                rows++;
                rowBytes += length;
                return 0;
            }
            events.append('p').append(length).append(',').append(sequence).append(',');
            events.append(first).append(' ');
            int mixed = (length * 31 + sequence * 7 + first) * 0x9E3779B1 ^ verdicts;
            int wanted = (mixed >>> 3 & 3) == 0 ? 0 : (mixed >>> 8 & 3) == 0 ? MAX_SHOWN : mixed >>> 10 & 0x3F;
            return wanted | ((mixed & 3) == 0 ? DROP : 0) | ((mixed & 4) == 0 ? HOLD : 0);
        }

        @Override
        public boolean onShown(ByteBuf buf, int index, int length) {
            byte[] seen = new byte[length];
            buf.getBytes(index, seen);
            events.append('s').append(Arrays.hashCode(seen)).append(' ');
            return length % 3 != 0;
        }

        @Override
        public void onEnd() {
            if (!row) {
                events.append("e ");
            }
        }

        @Override
        public boolean takesRows() {
            return takesRows;
        }

        @Override
        public void onRows(int packets, int payload, int sequence) {
            assertThat(packets).isPositive();
            rows += packets;
            rowBytes += payload;
        }

        @Override
        public void forward(ByteBuf bytes) {
            out.writeBytes(Bytes.read(bytes));
            bytes.release();
        }
    }
}
