package io.understudy.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import org.junit.jupiter.api.Test;

/** The check itself must be able to fail. */
class LeakCheckTest {
    @Test
    void aBufferThatNobodyReleasesIsReported() {
        for (int i = 0; i < 50; i++) {
            leak();
        }
        assertThat(LeakCheck.collect()).isNotEmpty();
    }

    private static void leak() {
        ByteBuf lost = PooledByteBufAllocator.DEFAULT.directBuffer(16);
        lost.writeByte(1);
    }
}
