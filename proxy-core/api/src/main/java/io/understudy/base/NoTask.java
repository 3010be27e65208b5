package io.understudy.base;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/** The task that a timer has before one is scheduled. */
public final class NoTask {
    /** Has ended: to cancel it does nothing and returns false. */
    public static final Future<?> NONE = CompletableFuture.completedFuture(null);

    private NoTask() {}
}
