package io.understudy.move;

import java.util.ArrayDeque;
import java.util.Queue;

/** Bounds how many sessions log in to a new primary at the same time. Thread-safe. */
public final class MovesAtOnce {
    private final int limit;
    /** Guarded by this, as the next. */
    private final Queue<Runnable> waiting = new ArrayDeque<>();

    private int running;

    public MovesAtOnce(int limit) {
        this.limit = limit;
    }

    /** Runs a task which begins a move: now, or on the thread that calls {@link #end} for another one. */
    public void begin(Runnable move) {
        synchronized (this) {
            if (running == limit) {
                waiting.add(move);
                return;
            }
            running++;
        }
        move.run();
    }

    /** Must be called once for each move that has begun, when it is over. */
    public void end() {
        Runnable next;
        synchronized (this) {
            next = waiting.poll();
            running -= next == null ? 1 : 0;
        }
        if (next != null) {
            next.run();
        }
    }
}
