package io.understudy.plugins.blackbox.kept;

import io.understudy.plugins.blackbox.history.AnsweredCommit;
import io.understudy.plugins.blackbox.history.InterruptedSession;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jctools.queues.MpscArrayQueue;

/**
 * Answered commits and interrupted sessions on their way from the event loops to the black box: a bounded queue that
 * never blocks a session.
 */
public final class SessionEvents implements Runnable {
    private static final int CAPACITY = 1 << 16;
    private static final Object RESET = new Object();

    private final MpscArrayQueue<Object> queue = new MpscArrayQueue<>(CAPACITY);
    private final LongAdder lost = new LongAdder();
    private final BlackBox box;
    private final Runnable readAnew;

    /** @param readAnew called when the primary has begun anew, and the open stream brings nothing of it */
    public SessionEvents(BlackBox box, Runnable readAnew) {
        this.box = box;
        this.readAnew = readAnew;
    }

    public void answered(AnsweredCommit answered) {
        if (!queue.offer(answered)) {
            lost.increment();
            box.traces().forgetAnswer();
        }
    }

    public void interrupted(InterruptedSession session) {
        if (!queue.offer(session)) {
            lost.increment();
        }
    }

    /** Called when a session has had the primary reset its binary log. */
    public void reset() {
        if (!queue.offer(RESET)) {
            lost.increment();
        }
    }

    /** Returns the number of events that did not fit: their transactions count as unanswered. */
    public long lost() {
        return lost.sum();
    }

    /** Passes the queued events on. Called by one thread at a time. */
    @Override
    public synchronized void run() {
        boolean anew = false;
        List<AnsweredCommit> batch = new ArrayList<>();
        Object next;
        while ((next = queue.poll()) != null) {
            if (next instanceof AnsweredCommit answered) {
                batch.add(answered);
            } else if (next == RESET) {
                anew |= box.answered(batch);
                batch.clear();
                anew |= box.reset();
            } else if (next instanceof InterruptedSession session) {
                box.interrupted(session);
            }
        }
        if (!batch.isEmpty()) {
            anew |= box.answered(batch);
        }
        if (anew) {
            readAnew.run();
        }
    }
}
