package io.understudy.plugins.mirror.playback;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.MpmcArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * A queue of statements for one standby with the connections that send them. With {@code order: none} all connections
 * of a standby share one lane; with {@code order: session} each connection has its own, which keeps a session's
 * statements in order. Lock-free and thread-safe.
 */
final class MirrorLane {
    private final MpmcArrayQueue<MirroredStatement> waiting;
    private final BatchSize batch = new BatchSize();
    /**
     * Idle connections, the latest first: its thread and the standby's thread are warm, and no more connections are
     * opened than needed.
     */
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

    BatchSize batch() {
        return batch;
    }

    /** Returns whether a full batch waits, so that a connection that has ended one should begin another. */
    boolean hasBatch() {
        return waiting.size() >= batch.statements();
    }

    /** Wakes one idle connection for each batch that waits. Called every few milliseconds while statements wait. */
    void drain() {
        int worth = batch.statements();
        int batches = (waiting.size() + worth - 1) / worth;
        boolean woken = true;
        while (batches > 0 && woken) {
            woken = wakeOne();
            batches--;
        }
    }

    /** Wakes one idle connection; returns false if there is none. */
    boolean wakeOne() {
        MirrorConnection connection = idle.poll();
        if (connection == null) {
            return false;
        }
        connection.wake();
        return true;
    }

    /** Marks a connection as idle until it is woken. */
    void addIdle(MirrorConnection connection) {
        idle.push(connection);
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
