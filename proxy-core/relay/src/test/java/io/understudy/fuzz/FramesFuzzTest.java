package io.understudy.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.compress.Compressed;
import io.understudy.wire.compress.InflationBudget;
import io.understudy.wire.compress.InflationRefusedException;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The decoded content does not depend on how frames are cut, up to a malformed frame. Nothing is retained after that.
 */
class FramesFuzzTest {
    private static final Corpus CORPUS = new Corpus("frames");

    @AfterContainer
    static void nothingLeaked() {
        assertThat(LeakCheck.collect()).isEmpty();
    }

    @Test
    void corpus() {
        Fuzz.corpus(CORPUS, FramesFuzzTest::run);
    }

    @Property(shrinking = ShrinkingMode.OFF)
    void mutations(@ForAll long seed) {
        Fuzz.mutation(CORPUS, seed, FramesFuzzTest::run);
    }

    /** The first byte selects zlib or zstd, client or server. The second selects the cuts. */
    private static void run(byte[] input) {
        int flags = input.length > 0 ? input[0] : 0;
        int cuts = input.length > 1 ? input[1] & 0xFF : 0;
        byte[] bytes = input.length > 2 ? Arrays.copyOfRange(input, 2, input.length) : new byte[0];
        Result whole = play(flags, bytes, 0);
        Result cut = play(flags, bytes, 1 + cuts);
        if (whole.fault == null) {
            assertThat(cut.fault).isNull();
            assertThat(cut.out.toByteArray()).isEqualTo(whole.out.toByteArray());
        } else {
            // How much of a long frame is passed on before its fault is detected depends on the cuts.
            assertThat(cut.fault).isNotNull();
            byte[] one = cut.out.toByteArray();
            byte[] other = whole.out.toByteArray();
            int common = Math.min(one.length, other.length);
            assertThat(Arrays.copyOf(one, common)).isEqualTo(Arrays.copyOf(other, common));
        }
    }

    private static final class Result {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private @Nullable Throwable fault;
    }

    private static Result play(int flags, byte[] bytes, int cuts) {
        boolean fromClient = (flags & 2) != 0;
        Compressed compressed = (flags & 1) != 0
                ? Compressed.zlib(fromClient, new InflationBudget(1 << 25))
                : Compressed.zstd(3, fromClient, new InflationBudget(1 << 25));
        EmbeddedChannel channel = new EmbeddedChannel();
        Memory memory = Memory.heap();
        channel.config().setAllocator(memory.alloc());
        channel.pipeline().addLast(compressed.decoder(), compressed.encoder());
        Result result = new Result();
        Random random = new Random(cuts);
        int at = 0;
        while (at < bytes.length && result.fault == null) {
            int end = cuts == 0 ? bytes.length : Math.min(bytes.length, at + 1 + random.nextInt(cuts));
            try {
                channel.writeInbound(Bytes.buffer(memory.alloc(), Arrays.copyOfRange(bytes, at, end)));
            } catch (Exception e) {
                assertThat(e.getCause())
                        .isInstanceOfAny(MalformedPacketException.class, InflationRefusedException.class);
                result.fault = e.getCause();
            }
            drain(channel, result);
            at = end;
        }
        channel.finishAndReleaseAll();
        memory.assertAllReturned();
        return result;
    }

    private static void drain(EmbeddedChannel channel, Result result) {
        ByteBuf part;
        while ((part = channel.readInbound()) != null) {
            result.out.writeBytes(Bytes.read(part));
            part.release();
        }
    }
}
