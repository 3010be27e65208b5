package io.understudy.plugins.mirror;

import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
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
    private final BatchSize batch = new BatchSize();
    /** The one that rested last is woken first: its thread and the standby's are warm, and no more connections are made than needed. */
    private final Deque<MirrorConnection> idle = new ConcurrentLinkedDeque<>();

    private final List<MirrorConnection> all = new ArrayList<>();
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

    /** Whether enough wait for a connection that has just ended a batch to begin another. */
    boolean hasBatch() {
        return waiting.size() >= batch.statements();
    }

    /** Wakes as many connections as what waits is worth. To be called every few milliseconds while something waits. */
    void drain() {
        int worth = batch.statements();
        int batches = (waiting.size() + worth - 1) / worth;
        boolean woken = true;
        while (batches > 0 && woken) {
            woken = wakeOne();
            batches--;
        }
    }

    /** Takes a connection out of those that rest; false when it does not rest. */
    boolean unrest(MirrorConnection connection) {
        return idle.remove(connection);
    }

    /** A connection of this lane. Called before the first statement. */
    void add(MirrorConnection connection) {
        all.add(connection);
    }

    /** The connection that suits a statement best and better than {@code suits}, or null. Any thread. */
    @Nullable
    MirrorConnection better(MirrorConnection than, StatementSetting setting, int suits) {
        MirrorConnection best = null;
        int most = suits;
        for (int i = 0; i < all.size() && most < 2; i++) {
            MirrorConnection other = all.get(i);
            int suiting = other == than ? -1 : other.suits(setting);
            if (suiting > most) {
                best = other;
                most = suiting;
            }
        }
        return best;
    }

    /** Wakes a connection if one has nothing to do. */
    boolean wakeOne() {
        MirrorConnection connection = idle.poll();
        if (connection == null) {
            return false;
        }
        connection.wake();
        return true;
    }

    /** The connection has nothing to do until it is woken. */
    void rest(MirrorConnection connection) {
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
