package io.understudy.host;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.understudy.base.RepeatedWarning;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes plugins' tasks. The queue is bounded: a task too many is rejected with a {@link RejectedExecutionException}.
 * A periodic task counts as one, is never rejected once accepted, and runs on when it has thrown.
 */
final class BoundedScheduler extends ScheduledThreadPoolExecutor {
    private static final Logger log = LoggerFactory.getLogger(BoundedScheduler.class);

    private final int limit;
    private final String name;
    private final RepeatedWarning failures = new RepeatedWarning(System::nanoTime);

    BoundedScheduler(int threads, int limit, String name) {
        super(threads, new DefaultThreadFactory(name, true));
        this.limit = limit;
        this.name = name;
        setRemoveOnCancelPolicy(true);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long initial, long period, TimeUnit unit) {
        return super.scheduleAtFixedRate(guarded(task), initial, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long initial, long delay, TimeUnit unit) {
        return super.scheduleWithFixedDelay(guarded(task), initial, delay, unit);
    }

    /** A periodic task that throws would never run again, and nobody would know. */
    private Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                failed(task, e);
            }
        };
    }

    private void failed(Runnable task, Throwable e) {
        long suppressed = isShutdown()
                ? -1
                : failures.mayLog(task.getClass().getName() + e.getClass().getName());
        if (suppressed == 0) {
            log.error("a periodic task of {} failed; it will be run again", name, e);
        } else if (suppressed > 0) {
            log.error("a periodic task of {} failed {} more times: {}", name, suppressed, e.toString());
        }
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
