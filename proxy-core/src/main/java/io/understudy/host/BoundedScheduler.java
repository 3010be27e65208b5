package io.understudy.host;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/**
 * Executes plugins' tasks. The queue is bounded: a task too many is rejected with a {@link RejectedExecutionException}.
 * A periodic task counts as one and is never rejected once accepted.
 */
final class BoundedScheduler extends ScheduledThreadPoolExecutor {
    private final int limit;

    BoundedScheduler(int threads, int limit, String name) {
        super(threads, new DefaultThreadFactory(name, true));
        this.limit = limit;
        setRemoveOnCancelPolicy(true);
    }

    @Override
    protected <V> RunnableScheduledFuture<V> decorateTask(Runnable runnable, RunnableScheduledFuture<V> task) {
        return admitted(task);
    }

    @Override
    protected <V> RunnableScheduledFuture<V> decorateTask(Callable<V> callable, RunnableScheduledFuture<V> task) {
        return admitted(task);
    }

    // Called for every new task before it is queued; concurrent callers may exceed the limit by their number.
    private <V> RunnableScheduledFuture<V> admitted(RunnableScheduledFuture<V> task) {
        if (getQueue().size() >= limit) {
            throw new RejectedExecutionException("the plugin's executor already holds " + limit + " tasks");
        }
        return task;
    }
}
