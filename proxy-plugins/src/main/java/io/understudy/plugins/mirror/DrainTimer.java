package io.understudy.plugins.mirror;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Has what waits sent every few milliseconds, on the event loop that will send it, so that no other thread is woken for it. It goes
 * only while statements come: nothing wakes up for a mirror that has nothing to do.
 */
final class DrainTimer {
    /** How long a statement waits at most for others to leave with. */
    static final int MILLIS = 20;
    /** It goes on so long without a statement: to start it costs the session that does so a wake-up of the loop. */
    private static final int EMPTY_ROUNDS = 10;

    private final BooleanSupplier drain;
    private final Runnable round = this::round;
    private final AtomicBoolean going = new AtomicBoolean();
    private volatile @Nullable ScheduledExecutorService loop;
    private int empty;

    /** @param drain sends what waits; false when nothing did. Called on the loop */
    DrainTimer(BooleanSupplier drain) {
        this.drain = drain;
    }

    /** Without a loop it does nothing: a mirror that never had a connection is woken by its sweep. */
    void runOn(ScheduledExecutorService eventLoop) {
        loop = eventLoop;
    }

    /** A statement has been queued. Any thread; a look at a flag while the timer goes. */
    void offered() {
        if (!going.get()) {
            start();
        }
    }

    private void start() {
        ScheduledExecutorService on = loop;
        if (on != null && going.compareAndSet(false, true)) {
            next(on);
        }
    }

    private void next(ScheduledExecutorService on) {
        try {
            on.schedule(round, MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            going.set(false); // the proxy stops
        }
    }

    private void round() {
        empty = drain.getAsBoolean() ? 0 : empty + 1;
        ScheduledExecutorService on = loop;
        if (empty < EMPTY_ROUNDS && on != null) {
            next(on);
            return;
        }
        empty = 0;
        going.set(false);
        // One may have come between the look at the queue and the flag, and have seen the flag.
        if (drain.getAsBoolean()) {
            start();
        }
    }
}
