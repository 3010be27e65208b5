package io.understudy.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The threads of a load, which run until their work is done or the load is closed. Thread-safe. */
public final class Sessions implements AutoCloseable {
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private volatile boolean ended;

    /** The work of one thread. */
    public interface Work {
        /**
         * Does the work.
         *
         * @param load whose {@link Sessions#ended} says when to return
         */
        void run(Sessions load, int number) throws Exception;
    }

    private Sessions() {}

    /** Starts so many threads, numbered from 0. */
    public static Sessions start(String name, int count, Work work) {
        Sessions all = new Sessions();
        for (int i = 0; i < count; i++) {
            int number = i;
            Thread thread = new Thread(() -> all.run(work, number), name + "-" + i);
            thread.setDaemon(true);
            all.threads.add(thread);
        }
        all.threads.forEach(Thread::start);
        return all;
    }

    private void run(Work work, int number) {
        try {
            work.run(this, number);
        } catch (Exception e) {
            failure.compareAndSet(null, e);
        }
    }

    public boolean ended() {
        return ended;
    }

    /** Throws what ended a thread, if one has failed. */
    public void check() throws Exception {
        Exception reason = failure.get();
        if (reason != null) {
            throw reason;
        }
    }

    /** Waits until all work is done; returns false if some is not after {@code timeout}. */
    public boolean awaitEnd(Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        for (Thread thread : threads) {
            thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
        }
        return threads.stream().noneMatch(Thread::isAlive);
    }

    /** Tells all threads to end, and returns at once. */
    public void end() {
        ended = true;
    }

    /** Waits until all work is done, and throws what ended a thread. */
    public void join() throws Exception {
        for (Thread thread : threads) {
            thread.join();
        }
        check();
    }

    /** Ends the load, and throws what ended a thread before. */
    @Override
    public void close() throws Exception {
        end();
        join();
    }
}
