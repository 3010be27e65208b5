package io.understudy.plugins.mirror;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.MpmcArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Statements for one standby and the connections that take them. With {@code order: none} a standby has one lane for all
 * of its connections; with {@code order: session} each connection has a lane, so that what goes in in order comes out in
 * order. Lock-free; any thread.
 */
final class MirrorLane {
    private final MpmcArrayQueue<MirroredStatement> waiting;
    /** The one that rested last is woken first: its thread and the standby's are warm, and no more connections are made than needed. */
    private final Deque<MirrorConnection> idle = new ConcurrentLinkedDeque<>();

    private final AtomicInteger connections = new AtomicInteger();

    MirrorLane(int statements) {
        waiting = new MpmcArrayQueue<>(Math.max(2, statements));
    }

    boolean offer(MirroredStatement statement) {
        return waiting.offer(statement);
    }

    @Nullable
    MirroredStatement poll() {
        return waiting.poll();
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Lets a connection that has nothing to do look at the queue. */
    void wakeOne() {
        MirrorConnection connection = idle.poll();
        if (connection != null) {
            connection.wake();
        }
    }

    /** The connection has found nothing; looks once more, because a statement may have come in between. */
    void rest(MirrorConnection connection) {
        idle.push(connection);
        if (!waiting.isEmpty()) {
            wakeOne();
        }
    }

    void opened() {
        connections.incrementAndGet();
    }

    void closed() {
        connections.decrementAndGet();
    }

    int openConnections() {
        return connections.get();
    }
}
