package io.understudy.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.util.concurrent.DefaultEventExecutor;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DescriptorShortageTest {
    private final DefaultEventExecutor executor = new DefaultEventExecutor();

    @AfterEach
    void stop() {
        executor.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    @Test
    void aProbeThatFailsIsFollowedByAnother() {
        AtomicInteger failures = new AtomicInteger();
        DescriptorShortage shortage = new DescriptorShortage(executor, () -> () -> {
            if (failures.getAndDecrement() > 0) {
                throw new IOException("on purpose");
            }
        });
        failures.set(1);
        shortage.happened();
        assertThat(shortage.isShort()).isTrue();
        await().until(() -> !shortage.isShort());
        assertThat(failures.get()).isNegative();
        shortage.close();
    }
}
