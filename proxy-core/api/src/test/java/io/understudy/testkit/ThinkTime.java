package io.understudy.testkit;

import java.util.concurrent.locks.LockSupport;

/**
 * The pause of a client between two statements, as part of a load. Nothing is awaited by it: a test that waits for
 * something awaits that.
 */
public final class ThinkTime {
    private ThinkTime() {}

    /** Pauses the calling thread for about so many nanoseconds. */
    public static void pause(long nanos) {
        LockSupport.parkNanos(nanos);
    }
}
