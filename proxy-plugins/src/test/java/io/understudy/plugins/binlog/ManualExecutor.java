package io.understudy.plugins.binlog;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Runs tasks on the caller's thread when the test advances the time. */
public final class ManualExecutor extends AbstractExecutorService implements ScheduledExecutorService {
    private final List<Task<?>> tasks = new ArrayList<>();
    private long nanos = 1_000_000_000_000L;

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
    public void advance(java.time.Duration by) {
        long until = nanos + by.toNanos();
        while (true) {
            tasks.removeIf(FutureTask::isCancelled);
            Task<?> next = tasks.stream()
                    .filter(t -> t.due <= until)
                    .min(Task::compareTo)
                    .orElse(null);
            if (next == null) {
                break;
            }
            nanos = Math.max(nanos, next.due);
            next.runOnce();
        }
        nanos = until;
    }

    private <T> Task<T> add(Callable<T> callable, long delay, long period, TimeUnit unit) {
        Task<T> task = new Task<>(callable, nanos + unit.toNanos(delay), unit.toNanos(period));
        tasks.add(task);
        return task;
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return add(java.util.concurrent.Executors.callable(command), delay, 0, unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        return add(callable, delay, 0, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initial, long period, TimeUnit unit) {
        return add(java.util.concurrent.Executors.callable(command), initial, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initial, long delay, TimeUnit unit) {
        return add(java.util.concurrent.Executors.callable(command), initial, delay, unit);
    }

    @Override
    public void execute(Runnable command) {
        schedule(command, 0, TimeUnit.NANOSECONDS);
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
