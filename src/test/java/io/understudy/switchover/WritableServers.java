package io.understudy.switchover;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Counts without a pause how many of two servers are writable. */
public final class WritableServers implements AutoCloseable {
    private final Thread thread;
    private final CountDownLatch counted = new CountDownLatch(1);
    private volatile boolean closed;
    private volatile int most;
    private volatile @Nullable Throwable failure;

    /** Begins to count; returns when it has counted once. */
    public WritableServers(Callable<Boolean> one, Callable<Boolean> two) throws InterruptedException {
        thread = new Thread(() -> count(one, two), "writable-servers");
        thread.start();
        assertThat(counted.await(30, TimeUnit.SECONDS))
                .as("the servers respond")
                .isTrue();
    }

    private void count(Callable<Boolean> one, Callable<Boolean> two) {
        try {
            while (!closed) {
                // The one is asked again behind the other: it may have changed in between.
                boolean both = one.call() && two.call() && one.call();
                most = Math.max(most, both ? 2 : one.call() || two.call() ? 1 : 0);
                counted.countDown();
            }
        } catch (Exception | AssertionError e) {
            failure = e;
            counted.countDown();
        }
    }

    /** Returns the most that were writable at a time. */
    public int most() {
        return most;
    }

    /** Fails if the counting has. */
    @Override
    public void close() throws InterruptedException {
        closed = true;
        thread.join();
        assertThat(failure).as("the servers could not be asked all the time").isNull();
    }
}
