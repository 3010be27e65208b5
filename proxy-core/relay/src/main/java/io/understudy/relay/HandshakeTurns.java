package io.understudy.relay;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The TLS handshakes that wait for their turn on one event loop. Confined to its thread. */
final class HandshakeTurns {
    /** Least time for handshakes between two polls of the loop's sockets; the rest of a step may exceed it. */
    static final long NANOS_A_POLL = TimeUnit.MICROSECONDS.toNanos(1500);

    /**
     * Handshakes get this fraction of the time that the loop has spent on its sessions since their last turn. A fixed
     * time would limit logins on a loop whose polls take long because its sessions are busy.
     */
    static final int SHARE = 4;

    /** Most time between two polls. */
    static final long MOST_NANOS_A_POLL = TimeUnit.MILLISECONDS.toNanos(5);

    /** Turns that handshakes get before one that has not begun: bytes that trickle in must not keep it out. */
    private static final int BEGUN_IN_A_ROW = 4;

    private static final FastThreadLocal<HandshakeTurns> OF_THREAD = new FastThreadLocal<>() {
        @Override
        protected HandshakeTurns initialValue() {
            return new HandshakeTurns(System::nanoTime);
        }
    };

    private final LongSupplier nanos;

    /** Handshakes that have had a turn; preferred, so that a burst delays each of them once. */
    private final ArrayDeque<HandshakeTurn> begun = new ArrayDeque<>();

    private final ArrayDeque<HandshakeTurn> waiting = new ArrayDeque<>();
    private int begunInARow;
    /** The event loop has not polled its sockets since the last turn. */
    private boolean pollDue;

    /** Since the last poll. */
    private long spent;

    private long allowed = NANOS_A_POLL;
    private long turnBegan;
    private long turnEnded;

    HandshakeTurns(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Returns those of the calling event loop. */
    static HandshakeTurns ofThread() {
        return OF_THREAD.get();
    }

    /** Takes a turn if there is time left and no other handshake waits. The caller must call {@link #done} after it. */
    boolean take(EventExecutor loop) {
        if (pollDue && (spent >= allowed || !begun.isEmpty() || !waiting.isEmpty())) {
            return false;
        }
        if (!pollDue) {
            allowed = NANOS_A_POLL;
        }
        begin(loop);
        return true;
    }

    private void begin(EventExecutor loop) {
        if (!pollDue) {
            pollDue = true;
            spent = 0;
            scheduleNext(loop);
        }
        turnBegan = nanos.getAsLong();
    }

    /** Ends a turn. */
    void done() {
        turnEnded = nanos.getAsLong();
        spent += turnEnded - turnBegan;
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
        pollDue = false;
        long elsewhere = nanos.getAsLong() - turnEnded;
        allowed = Math.max(NANOS_A_POLL, Math.min(MOST_NANOS_A_POLL, elsewhere / SHARE));
        HandshakeTurn turn;
        while ((turn = poll()) != null) {
            begin(loop);
            try {
                turn.go();
            } finally {
                done();
            }
            if (spent >= allowed) {
                return;
            }
        }
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
