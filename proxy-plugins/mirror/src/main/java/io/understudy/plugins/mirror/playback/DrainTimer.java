package io.understudy.plugins.mirror.playback;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Drains the queue every {@link #MILLIS} on the event loop that sends, so that no other thread is woken for it. The
 * timer runs only while statements arrive: an idle mirror wakes nothing.
 */
final class DrainTimer {
    /** Longest time that a statement waits to be sent together with others. */
    static final int MILLIS = 20;
    /**
     * Rounds without a statement before the timer stops: a restart costs the session that causes it a wake-up of the
     * loop.
     */
    private static final int EMPTY_ROUNDS = 10;

    private final BooleanSupplier drain;
    private final Runnable round = this::round;
    private final AtomicBoolean running = new AtomicBoolean();
    private volatile @Nullable ScheduledExecutorService loop;
    private int empty;

    /** @param drain sends the queued statements and returns whether there were any; called on the loop */
    DrainTimer(BooleanSupplier drain) {
        this.drain = drain;
    }

    /**
     * Sets the loop. Without one the timer never starts: a mirror that has no connection yet is drained by its sweep.
     */
    void runOn(ScheduledExecutorService eventLoop) {
        loop = eventLoop;
    }

    /** Called when a statement has been queued. Reads only a flag while the timer runs. Thread-safe. */
    void offered() {
        if (!running.get()) {
            start();
        }
    }

    private void start() {
        ScheduledExecutorService on = loop;
        if (on != null && running.compareAndSet(false, true)) {
            next(on);
        }
    }

    private void next(ScheduledExecutorService on) {
        try {
            on.schedule(round, MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            running.set(false); // the proxy stops
        }
    }

    private void round() {
        try {
            empty = drain.getAsBoolean() ? 0 : empty + 1;
        } catch (RuntimeException | Error fault) {
            running.set(false); // the next statement starts it again
            throw fault;
        }
        ScheduledExecutorService on = loop;
        if (empty < EMPTY_ROUNDS && on != null) {
            next(on);
            return;
        }
        empty = 0;
        running.set(false);
        // A statement queued after the last drain and before the flag was cleared did not start the timer.
        if (drain.getAsBoolean()) {
            start();
        }
    }
}
