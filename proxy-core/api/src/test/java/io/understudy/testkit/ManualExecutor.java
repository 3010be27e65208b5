package io.understudy.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks on the caller's thread when the test advances the time or asks for them; time does not pass by itself. An
 * exception ends a task and nothing else.
 */
public final class ManualExecutor extends AbstractExecutorService implements ScheduledExecutorService {
    /** Rounds after which {@link #runAll} gives up on tasks that schedule further ones. */
    private static final int ENOUGH = 1000;

    private final List<Task<?>> tasks = new ArrayList<>();
    private final boolean direct;
    private long nanos = 1_000_000_000_000L;
    private long lastDelayMillis;
    private boolean rejecting;

    public ManualExecutor() {
        this(false);
    }

    private ManualExecutor(boolean direct) {
        this.direct = direct;
    }

    /** Returns an executor that runs tasks without a delay at once. */
    public static ManualExecutor direct() {
        return new ManualExecutor(true);
    }

    private final class Task<T> extends FutureTask<T> implements RunnableScheduledFuture<T> {
        private long due;
        private final long period;

        private Task(Callable<T> callable, long due, long period) {
            super(callable);
            this.due = due;
            this.period = period;
        }

        @Override
        public boolean isPeriodic() {
            return period > 0;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(due - nanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }

        private void runOnce() {
            if (isPeriodic()) {
                due += period;
                if (!runAndReset()) {
                    tasks.remove(this);
                }
            } else {
                tasks.remove(this);
                run();
            }
        }
    }

    public long nanos() {
        return nanos;
    }

    /** Advances the time and runs the due tasks in order. */
    public void advance(Duration by) {
        long until = nanos + by.toNanos();
        Task<?> next;
        while ((next = earliest(true, until)) != null) {
            run(next);
        }
        nanos = until;
    }

    /** Runs the tasks that are due now, without the periodic ones. */
    public void runReady() {
        Task<?> next;
        while ((next = earliest(false, nanos)) != null) {
            run(next);
        }
    }

    /** Advances the time to the next task that is not periodic, if there is one, and runs it. */
    public void runNext() {
        Task<?> next = earliest(false, Long.MAX_VALUE);
        if (next != null) {
            run(next);
        }
    }

    /** Advances the time until only periodic tasks are left, which do not run. */
    public void runAll() {
        for (int i = 0; i < ENOUGH && earliest(false, Long.MAX_VALUE) != null; i++) {
            runNext();
        }
    }

    /** Runs each periodic task once, without advancing the time. */
    public void runPeriodic() {
        List.copyOf(tasks).stream().filter(Task::isPeriodic).forEach(Task::runOnce);
    }

    /** Returns the number of tasks that wait for a time to come, without the periodic ones. */
    public long waiting() {
        return tasks.stream()
                .filter(task -> !task.isPeriodic() && !task.isCancelled() && task.due > nanos)
                .count();
    }

    /** Returns the delay of the task that was scheduled last. */
    public long lastDelayMillis() {
        return lastDelayMillis;
    }

    private @Nullable Task<?> earliest(boolean periodic, long until) {
        tasks.removeIf(FutureTask::isCancelled);
        return tasks.stream()
                .filter(task -> task.due <= until && (periodic || !task.isPeriodic()))
                .min(Task::compareTo)
                .orElse(null);
    }

    private void run(Task<?> task) {
        nanos = Math.max(nanos, task.due);
        task.runOnce();
    }

    private <T> Task<T> add(Callable<T> callable, long delay, long period, TimeUnit unit) {
        lastDelayMillis = unit.toMillis(delay);
        Task<T> task = new Task<>(callable, nanos + unit.toNanos(delay), unit.toNanos(period));
        tasks.add(task);
        return task;
    }

    /** Sets whether tasks that are to run later are rejected, as by an executor that is full. */
    public void rejectDelayed(boolean rejects) {
        rejecting = rejects;
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        if (rejecting) {
            throw new RejectedExecutionException("full");
        }
        return add(Executors.callable(command), delay, 0, unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        return add(callable, delay, 0, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initial, long period, TimeUnit unit) {
        return add(Executors.callable(command), initial, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initial, long delay, TimeUnit unit) {
        return add(Executors.callable(command), initial, delay, unit);
    }

    @Override
    public void execute(Runnable command) {
        if (direct) {
            command.run();
        } else {
            add(Executors.callable(command), 0, 0, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void shutdown() {
        tasks.clear();
    }

    @Override
    public List<Runnable> shutdownNow() {
        tasks.clear();
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return true;
    }
}
