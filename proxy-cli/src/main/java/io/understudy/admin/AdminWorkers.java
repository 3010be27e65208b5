package io.understudy.admin;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A few threads with short queues for slow work. Scrapes have a thread of their own, so that a hanging view does not
 * stop the monitoring, and so has what changes the primary, which is needed when views hang. A full queue gives 503, a
 * task over its time 504.
 */
final class AdminWorkers implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AdminWorkers.class);

    static final int VIEW_THREADS = 2;
    static final int QUEUE = 16;
    private static final int CONTROL_THREADS = 2;

    private final ThreadPoolExecutor views = pool("admin-view", VIEW_THREADS);
    private final ThreadPoolExecutor scrapes = pool("admin-scrape", 1);
    private final ThreadPoolExecutor control = pool("admin-control", CONTROL_THREADS);
    private final ScheduledExecutorService timer;
    private final Duration timeout;

    /** @param timer runs the timeouts; not closed here */
    AdminWorkers(ScheduledExecutorService timer, Duration timeout) {
        this.timer = timer;
        this.timeout = timeout;
    }

    private static ThreadPoolExecutor pool(String name, int threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads,
                threads,
                30,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(QUEUE),
                new DefaultThreadFactory(name, true));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    CompletionStage<AdminResponse> view(Callable<AdminResponse> task) {
        return submit(views, task);
    }

    CompletionStage<AdminResponse> scrape(Callable<AdminResponse> task) {
        return submit(scrapes, task);
    }

    /** Runs a task that never waits for a server. */
    CompletionStage<AdminResponse> control(Callable<AdminResponse> task) {
        return submit(control, task);
    }

    private CompletionStage<AdminResponse> submit(ThreadPoolExecutor pool, Callable<AdminResponse> task) {
        CompletableFuture<AdminResponse> result = new CompletableFuture<>();
        try {
            Future<?> running = pool.submit(() -> {
                try {
                    result.complete(task.call());
                } catch (Exception | StackOverflowError | OutOfMemoryError e) {
                    LOG.warn("admin request failed", e);
                    result.complete(AdminResponse.error(HttpResponseStatus.INTERNAL_SERVER_ERROR, String.valueOf(e)));
                }
            });
            Future<?> limit = timer.schedule(
                    () -> {
                        result.complete(AdminResponse.error(
                                HttpResponseStatus.GATEWAY_TIMEOUT,
                                "no response within " + timeout.toMillis() + " ms"));
                        running.cancel(true);
                    },
                    timeout.toMillis(),
                    TimeUnit.MILLISECONDS);
            result.thenRun(() -> limit.cancel(false));
        } catch (RejectedExecutionException full) {
            result.complete(AdminResponse.error(
                    HttpResponseStatus.SERVICE_UNAVAILABLE,
                    "all workers of the admin endpoint are busy; try again, or look for a view that hangs"));
        }
        return result;
    }

    @Override
    public void close() {
        views.shutdownNow();
        scrapes.shutdownNow();
        control.shutdownNow();
    }
}
