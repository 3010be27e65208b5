package io.understudy.plugins.blackbox;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jctools.queues.MpscArrayQueue;

/** What sessions have seen, on its way from their event loops to the black box: a bounded queue that never makes a session wait. */
final class Sightings implements Runnable {
    private static final int CAPACITY = 1 << 16;

    private final MpscArrayQueue<Object> queue = new MpscArrayQueue<>(CAPACITY);
    private final LongAdder lost = new LongAdder();
    private final BlackBox box;

    Sightings(BlackBox box) {
        this.box = box;
    }

    void answered(Answered answered) {
        if (!queue.offer(answered)) {
            lost.increment();
        }
    }

    void interrupted(InterruptedSession session) {
        if (!queue.offer(session)) {
            lost.increment();
        }
    }

    /** Those for which there was no room: their transactions pass for unanswered. */
    long lost() {
        return lost.sum();
    }

    /** Passes on what has come. By one thread at a time. */
    @Override
    public synchronized void run() {
        List<Answered> batch = new ArrayList<>();
        Object next;
        while ((next = queue.poll()) != null) {
            if (next instanceof Answered answered) {
                batch.add(answered);
            } else if (next instanceof InterruptedSession session) {
                box.interrupted(session);
            }
        }
        if (!batch.isEmpty()) {
            box.answered(batch);
        }
    }
}
