package io.understudy.session;

import io.understudy.metrics.LatencyHistogram;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * Holds sessions at their boundaries on an operator's request. New connections wait here until the release, before they
 * are connected to a server. Thread-safe.
 */
public final class Hold {
    private final LatencyHistogram seconds;
    /** Guarded by this. At most as many as connections are admitted. */
    private final Set<Runnable> waiting = new LinkedHashSet<>();

    private volatile boolean on;

    /** @param seconds records how long sessions and new connections were held */
    Hold(LatencyHistogram seconds) {
        this.seconds = seconds;
    }

    /** Returns whether sessions and new connections are held. */
    public boolean on() {
        return on;
    }

    /** Begins to hold new connections; the caller then holds the sessions. */
    public void begin() {
        on = true;
    }

    /** Lets new connections go on; the caller then releases the sessions. */
    public void end() {
        List<Runnable> all;
        synchronized (this) {
            on = false;
            all = new ArrayList<>(waiting);
            waiting.clear();
        }
        all.forEach(Runnable::run);
    }

    /**
     * Runs the task: now, or on {@code loop} after the release.
     *
     * @return ends the wait, if there is one, without the task
     */
    public Runnable afterRelease(Executor loop, Runnable task) {
        if (on) {
            long begun = System.nanoTime();
            synchronized (this) {
                if (on) {
                    Runnable released = () -> {
                        waited(System.nanoTime() - begun);
                        loop.execute(task);
                    };
                    waiting.add(released);
                    return () -> leave(released);
                }
            }
        }
        task.run();
        return () -> {};
    }

    private synchronized void leave(Runnable released) {
        waiting.remove(released);
    }

    /** Returns the number of new connections that wait. */
    public synchronized int waiting() {
        return waiting.size();
    }

    void waited(long nanos) {
        seconds.record(nanos);
    }
}
