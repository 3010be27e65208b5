package io.understudy.plugins.mirror.playback;

import io.understudy.plugins.mirror.selection.DropReason;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The statements that wait for one standby, bounded in number and bytes: those whose tables are still looked up, and
 * those in the lanes, with the connections that empty these; the numbers of both are fixed. An addition costs a few
 * atomic operations. Thread-safe; never blocks.
 */
final class MirrorQueue {
    /**
     * Every so many queued statements wake a connection without waiting for the timer; fewer if the queue is so short
     * that it would fill up before.
     */
    private static final int WAKE_EVERY = 1024;

    private final List<MirrorLane> lanes = new ArrayList<>();
    private final List<MirrorConnection> connections = new ArrayList<>();
    private final StandbyTables tables;
    private final StatementCounters counters;
    private final boolean inOrder;
    private final AtomicInteger statements = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final DrainTimer timer = new DrainTimer(this::drain);
    private volatile MirrorConfig.Queue limits;
    private volatile boolean closed;

    /**
     * @param tables holds the statements whose tables are looked up
     * @param counters count the dropped statements
     */
    MirrorQueue(StandbyMirror mirror, StandbyTables tables, StatementCounters counters, MirrorConfig config) {
        this.tables = tables;
        this.counters = counters;
        inOrder = config.order() == MirrorConfig.Order.SESSION;
        limits = config.queue();
        int concurrency = config.concurrency();
        for (int i = 0; i < (inOrder ? concurrency : 1); i++) {
            lanes.add(new MirrorLane(limits.statements()));
        }
        for (int i = 0; i < concurrency; i++) {
            MirrorLane lane = lanes.get(i % lanes.size());
            MirrorConnection connection = new MirrorConnection(mirror, lane);
            connections.add(connection);
            lane.addIdle(connection);
        }
    }

    /** Applies to statements queued from now on. */
    void limits(MirrorConfig.Queue changed) {
        limits = changed;
    }

    /**
     * Queues a statement and retains it, or drops it if there is no room.
     *
     * @param known whether its tables are known; if not, it waits for them first
     */
    void offer(MirroredStatement statement, boolean known) {
        MirrorConfig.Queue most = limits;
        int waiting = statements.incrementAndGet();
        if (waiting > most.statements()) {
            statements.decrementAndGet();
            counters.dropped(DropReason.QUEUE_FULL);
            return;
        }
        if (bytes.addAndGet(statement.bytes()) > most.bytes().bytes()) {
            left(statement);
            counters.dropped(DropReason.BYTES_FULL);
            return;
        }
        statement.retain();
        if (!known || inOrder && tables.holdsStatements()) {
            tables.await(statement);
        } else {
            enqueue(statement, waiting);
        }
    }

    /** Called when the tables of a queued statement are known. */
    void tablesKnown(MirroredStatement statement) {
        enqueue(statement, statements.get());
        timer.offered();
    }

    private void enqueue(MirroredStatement statement, int waiting) {
        if (closed) {
            discard(statement, DropReason.STANDBY_DOWN);
            return;
        }
        MirrorLane lane = lanes.get((int) Math.floorMod(statement.sessionId(), (long) lanes.size()));
        if (!lane.offer(statement)) {
            discard(statement, DropReason.QUEUE_FULL);
            return;
        }
        if (closed) {
            discardAll(DropReason.STANDBY_DOWN); // of which close() may have seen nothing
            return;
        }
        if (waiting % Math.min(WAKE_EVERY, limits.statements() / 4 + 1) == 0 && lane.openConnections() > 0) {
            lane.wakeOne();
        }
        timer.offered();
    }

    /** Counts a statement that has left the queue. Returns how long it may have waited, in nanoseconds. */
    long taken(MirroredStatement statement) {
        left(statement);
        return limits.age().toNanos();
    }

    private void left(MirroredStatement statement) {
        statements.decrementAndGet();
        bytes.addAndGet(-statement.bytes());
    }

    /** Drops a queued statement. */
    void discard(MirroredStatement statement, DropReason reason) {
        left(statement);
        counters.dropped(statement, reason);
        statement.release();
    }

    /** Drops all queued statements. */
    void discardAll(DropReason reason) {
        MirroredStatement statement;
        for (MirrorLane lane : lanes) {
            while ((statement = lane.poll()) != null) {
                discard(statement, reason);
            }
        }
        while ((statement = tables.poll()) != null) {
            discard(statement, reason);
        }
    }

    /** Wakes connections for the queued statements; returns false if there are none. */
    boolean drain() {
        if (statements.get() == 0) {
            return false;
        }
        lanes.forEach(MirrorLane::drain);
        return true;
    }

    /** Drains the queue on a connection's event loop from now on. */
    void drainOn(ScheduledExecutorService loop) {
        timer.runOn(loop);
    }

    int statements() {
        return statements.get();
    }

    long bytes() {
        return bytes.get();
    }

    int openConnections() {
        int open = 0;
        for (MirrorLane lane : lanes) {
            open += lane.openConnections();
        }
        return open;
    }

    /** Returns whether no connection is open and none is about to be: the standby is unreachable. */
    boolean allBackingOff() {
        if (openConnections() > 0) {
            return false;
        }
        for (MirrorConnection connection : connections) {
            if (!connection.backingOff()) {
                return false;
            }
        }
        return true;
    }

    /** Kills overdue statements. */
    void sweep(long nowNanos) {
        for (MirrorConnection connection : connections) {
            connection.sweep(nowNanos);
        }
    }

    void releaseLocks() {
        connections.forEach(MirrorConnection::releaseLocks);
    }

    /** Closes the connections. What is queued from now on is dropped. */
    void close() {
        closed = true;
        connections.forEach(MirrorConnection::close);
    }
}
