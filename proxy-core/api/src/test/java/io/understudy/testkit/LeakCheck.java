package io.understudy.testkit;

import io.netty.buffer.PooledByteBufAllocator;
import java.lang.ref.WeakReference;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test class if a buffer was garbage-collected without being released. */
public final class LeakCheck implements AfterAllCallback {
    private static final int ATTEMPTS = 10;

    @Override
    public void afterAll(ExtensionContext context) {
        List<String> leaks = collect();
        if (!leaks.isEmpty()) {
            throw new AssertionError(leaks.size() + " buffers leaked, the first: " + leaks.get(0));
        }
    }

    /** Runs the garbage collector, then allocates a buffer, which makes the detector report. */
    public static List<String> collect() {
        WeakReference<Object> canary = new WeakReference<>(new Object());
        for (int i = 0; i < ATTEMPTS && canary.get() != null; i++) {
            System.gc();
        }
        for (int i = 0; i < ATTEMPTS; i++) {
            PooledByteBufAllocator.DEFAULT.directBuffer(16).release();
        }
        return LeakRecorder.take();
    }
}
