package io.understudy.connection;

import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventLoopsTest {
    private static final long NONE = -1;
    private static final int SECONDS = 20;

    /** The deadline of the loop's last wait. */
    private final AtomicLong limit = new AtomicLong();

    private final EventLoopGroup loops =
            new EventLoops(1, new DefaultThreadFactory("loops-test", true), executor -> new Waits(limit));

    @AfterEach
    void end() {
        loops.shutdownGracefully(0, SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test
    void aWaitHasALimitOnlyWhileATaskIsScheduled() throws Exception {
        loops.submit(() -> {}).get(SECONDS, TimeUnit.SECONDS);
        await().until(() -> limit.get() == NONE);

        var task = loops.schedule(() -> {}, 1, TimeUnit.HOURS);
        await().until(() -> limit.get() > TimeUnit.MINUTES.toNanos(59));

        loops.submit(() -> task.cancel(false)).get(SECONDS, TimeUnit.SECONDS);
        await().until(() -> limit.get() == NONE);
    }

    @Test
    void aScheduledTaskEndsAWait() throws Exception {
        loops.schedule(() -> {}, 1, TimeUnit.MILLISECONDS).get(SECONDS, TimeUnit.SECONDS);
    }

    /** Has no input and output: waits, and stores the limit of each wait. */
    private static final class Waits implements IoHandler {
        private final AtomicLong limit;
        private final Semaphore wakeups = new Semaphore(0);

        Waits(AtomicLong limit) {
            this.limit = limit;
        }

        @Override
        public int run(IoHandlerContext context) {
            if (!context.canBlock()) {
                return 0;
            }
            long deadline = context.deadlineNanos();
            limit.set(deadline);
            try {
                if (deadline == NONE) {
                    wakeups.acquire();
                } else {
                    return wakeups.tryAcquire(context.delayNanos(System.nanoTime()), TimeUnit.NANOSECONDS) ? 1 : 0;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return 0;
        }

        @Override
        public void wakeup() {
            wakeups.release();
        }

        @Override
        public IoRegistration register(IoHandle handle) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> handleType) {
            return false;
        }
    }
}
