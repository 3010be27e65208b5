package io.understudy.plugins.mirror;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Runs tasks on request; time does not pass by itself. */
final class ManualExecutor extends AbstractExecutorService implements ScheduledExecutorService {
    private static final int ENOUGH = 1000;

    private final boolean direct;
    private long lastDelayMillis;
    private final Queue<Runnable> ready = new ArrayDeque<>();
    private final Queue<Runnable> delayed = new ArrayDeque<>();
    private final List<Runnable> periodic = new ArrayList<>();

    ManualExecutor() {
        this(false);
    }

    private ManualExecutor(boolean direct) {
        this.direct = direct;
    }

    /** Returns an executor that runs tasks without a delay at once, in the caller's thread. */
    static ManualExecutor direct() {
        return new ManualExecutor(true);
    }

    /** Returns the number of delayed tasks that have not run. */
    int waiting() {
        return delayed.size();
    }

    /** Returns the delay of the task that was scheduled last. */
    long lastDelayMillis() {
        return lastDelayMillis;
    }

    /** Lets the shortest delay elapse. */
    void runNext() {
        Runnable task = delayed.poll();
        if (task != null) {
            task.run();
        }
    }

    void runReady() {
        Runnable task;
        while ((task = ready.poll()) != null) {
            task.run();
        }
    }

    /** Lets all delays elapse until no task is left. */
    void runAll() {
        for (int i = 0; i < ENOUGH && !(ready.isEmpty() && delayed.isEmpty()); i++) {
            runReady();
            Runnable task = delayed.poll();
            if (task != null) {
                task.run();
            }
        }
    }

    void runPeriodic() {
        List.copyOf(periodic).forEach(Runnable::run);
    }

    @Override
    public void execute(Runnable task) {
        if (direct) {
            task.run();
        } else {
            ready.add(task);
        }
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        Later later = new Later(task);
        lastDelayMillis = unit.toMillis(delay);
        delayed.add(later);
        return later;
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long initial, long period, TimeUnit unit) {
        return scheduleWithFixedDelay(task, initial, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long initial, long delay, TimeUnit unit) {
        periodic.add(task);
        return new Later(task);
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
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

    private static final class Later extends FutureTask<Object> implements ScheduledFuture<Object> {
        Later(Runnable task) {
            super(task, "done");
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return 0;
        }
    }
}
