package io.understudy.relay;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The TLS handshakes that wait for their turn on one event loop. Confined to its thread. */
final class HandshakeTurns {
    /** Turns that handshakes get before one that has not begun: bytes that trickle in must not keep it out. */
    private static final int BEGUN_IN_A_ROW = 4;

    private static final FastThreadLocal<HandshakeTurns> OF_THREAD = new FastThreadLocal<>() {
        @Override
        protected HandshakeTurns initialValue() {
            return new HandshakeTurns();
        }
    };

    /** Handshakes that have had a turn; preferred, so that a burst delays each of them once. */
    private final ArrayDeque<HandshakeTurn> begun = new ArrayDeque<>();

    private final ArrayDeque<HandshakeTurn> waiting = new ArrayDeque<>();
    private int begunInARow;
    /** The event loop has not polled its sockets since the last turn. */
    private boolean taken;

    private HandshakeTurns() {}

    /** Returns those of the calling event loop. */
    static HandshakeTurns ofThread() {
        return OF_THREAD.get();
    }

    /** Takes the turn if it is free; nobody can be waiting then. */
    boolean take(EventExecutor loop) {
        if (taken) {
            return false;
        }
        taken = true;
        scheduleNext(loop);
        return true;
    }

    /** Has {@link HandshakeTurn#go} called at a later turn. */
    void enqueue(HandshakeTurn turn, boolean hadOne) {
        (hadOne ? begun : waiting).add(turn);
    }

    /**
     * Scheduled instead of executed: event loops run all executed tasks before they poll their sockets again, those
     * included that a task adds, but look for scheduled ones only once.
     */
    private void scheduleNext(EventExecutor loop) {
        loop.schedule(() -> next(loop), 0, TimeUnit.NANOSECONDS);
    }

    private void next(EventExecutor loop) {
        HandshakeTurn turn = poll();
        if (turn == null) {
            taken = false;
            return;
        }
        scheduleNext(loop);
        turn.go();
    }

    private @Nullable HandshakeTurn poll() {
        while (true) {
            boolean fresh = begun.isEmpty() || begunInARow >= BEGUN_IN_A_ROW && !waiting.isEmpty();
            HandshakeTurn turn = fresh ? waiting.poll() : begun.poll();
            if (turn == null || turn.waits()) {
                begunInARow = fresh ? 0 : begunInARow + 1;
                return turn;
            }
        }
    }
}
