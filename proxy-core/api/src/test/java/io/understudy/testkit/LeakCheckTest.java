package io.understudy.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks that the leak check can fail. */
class LeakCheckTest {
    @Test
    void anUnreleasedBufferIsReported() {
        leak();
        // The JVM reports collected objects with a delay. They are taken here, so that no other class is blamed.
        List<String> reported = new ArrayList<>();
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            reported.addAll(LeakCheck.collect());
            return !reported.isEmpty();
        });
        assertThat(reported).hasSize(1);
    }

    private static void leak() {
        ByteBuf lost = PooledByteBufAllocator.DEFAULT.directBuffer(16);
        lost.writeByte(1);
    }
}
