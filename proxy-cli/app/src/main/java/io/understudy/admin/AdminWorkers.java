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
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A few threads with short queues for slow work. Scrapes have a thread of their own, so that a hanging view does not
 * stop the monitoring, and so has what changes the primary, which is needed when views hang. A full queue gives 503, a
 * task over its time 504. A view is then interrupted; an action goes on, as half of it would be worse.
 */
final class AdminWorkers implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AdminWorkers.class);

    static final int VIEW_THREADS = 2;
    static final int QUEUE = 16;
    private static final AdminResponse BUSY = AdminResponse.error(
            HttpResponseStatus.SERVICE_UNAVAILABLE,
            "all workers of the admin endpoint are busy; try again, or look for a view that hangs");
    static final int ACTION_THREADS = 2;
    private static final int CONTROL_THREADS = 2;

    private final ThreadPoolExecutor views = pool("admin-view", VIEW_THREADS);
    private final ThreadPoolExecutor scrapes = pool("admin-scrape", 1);
    private final ThreadPoolExecutor actions = pool("admin-action", ACTION_THREADS);
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
        return submit(views, task, begun -> late(), true);
    }

    CompletionStage<AdminResponse> scrape(Callable<AdminResponse> task) {
        return submit(scrapes, task, begun -> late(), true);
    }

    /** Runs a view that never waits for a server. */
    CompletionStage<AdminResponse> control(Callable<AdminResponse> task) {
        return submit(control, task, begun -> late(), true);
    }

    /**
     * Runs an action to its end, however long it takes; one that has not begun in time never begins.
     *
     * @param waits whether it may wait for a server
     * @param afterwards says where its result can be found if the response comes before it
     */
    CompletionStage<AdminResponse> action(Callable<AdminResponse> task, boolean waits, String afterwards) {
        Timeout onTimeout = begun -> begun.compareAndSet(false, true)
                ? BUSY
                : AdminResponse.error(
                        HttpResponseStatus.GATEWAY_TIMEOUT,
                        "the action has not ended within " + timeout.toMillis() + " ms and goes on; " + afterwards);
        return submit(waits ? actions : control, task, onTimeout, false);
    }

    /** Ends the wait for a task. */
    private interface Timeout {
        /** @param begun false if no thread has taken the task; if the caller can set it, none will */
        AdminResponse response(AtomicBoolean begun);
    }

    private AdminResponse late() {
        return AdminResponse.error(
                HttpResponseStatus.GATEWAY_TIMEOUT, "no response within " + timeout.toMillis() + " ms");
    }

    private CompletionStage<AdminResponse> submit(
            ThreadPoolExecutor pool, Callable<AdminResponse> task, Timeout onTimeout, boolean interrupts) {
        CompletableFuture<AdminResponse> result = new CompletableFuture<>();
        AtomicBoolean begun = new AtomicBoolean();
        try {
            Future<?> running = pool.submit(() -> {
                if (begun.compareAndSet(false, true)) {
                    run(task, result);
                }
            });
            Future<?> limit = timer.schedule(
                    () -> {
                        // Before the interrupt: the task responds to that, too.
                        result.complete(onTimeout.response(begun));
                        if (interrupts) {
                            running.cancel(true);
                        }
                    },
                    timeout.toMillis(),
                    TimeUnit.MILLISECONDS);
            result.thenRun(() -> limit.cancel(false));
        } catch (RejectedExecutionException full) {
            result.complete(BUSY);
        }
        return result;
    }

    private static void run(Callable<AdminResponse> task, CompletableFuture<AdminResponse> result) {
        try {
            result.complete(task.call());
        } catch (Throwable e) {
            if (result.isDone()) {
                LOG.debug("admin request failed after its time", e);
            } else {
                LOG.warn("admin request failed", e);
            }
            result.complete(AdminResponse.error(HttpResponseStatus.INTERNAL_SERVER_ERROR, String.valueOf(e)));
        }
    }

    @Override
    public void close() {
        views.shutdownNow();
        scrapes.shutdownNow();
        actions.shutdownNow();
        control.shutdownNow();
    }
}
