package io.understudy.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.Memory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeldCommandTest {
    private final Memory memory = Memory.heap();

    private ByteBuf read(int value) {
        return memory.alloc().buffer(1).writeByte(value);
    }

    /** A client may send each byte of a command on its own. */
    @Test
    void manyReadsAreOneBuffer() {
        byte[] sent = new byte[50_000];
        for (int i = 0; i < sent.length; i++) {
            sent[i] = (byte) i;
        }
        List<ByteBuf> passed = new ArrayList<>();
        HeldCommand held = new HeldCommand(passed::add);
        for (byte each : sent) {
            held.hold(read(each));
        }
        passed.add(held.takeFirst(3));
        held.hold(read(7));
        held.passOn();
        assertThat(held.holdsAny()).isFalse();
        assertThat(passed.stream().map(ByteBufUtil::getBytes).reduce(Bytes::concat))
                .hasValue(Bytes.concat(sent, Bytes.of(7)));
        passed.forEach(ByteBuf::release);
        memory.assertAllReturned();
    }

    @Test
    void whatIsHeldIsReleased() {
        HeldCommand held = new HeldCommand(bytes -> {});
        held.hold(read(1));
        held.hold(read(2));
        held.drop();
        held.hold(read(3));
        held.hold(read(4));
        held.takeFirst(2).release();
        memory.assertAllReturned();
    }
}
