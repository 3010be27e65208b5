package io.understudy.plugins.mirror.playback;

import io.understudy.plugins.mirror.selection.MirrorConfig;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The lanes of one standby and the connections that empty them; their number is fixed. Thread-safe. */
final class MirrorLanes {
    private final List<MirrorLane> lanes = new ArrayList<>();
    private final List<MirrorConnection> connections = new ArrayList<>();

    MirrorLanes(StandbyMirror mirror, MirrorConfig config) {
        int concurrency = config.concurrency();
        int laneCount = config.order() == MirrorConfig.Order.SESSION ? concurrency : 1;
        for (int i = 0; i < laneCount; i++) {
            lanes.add(new MirrorLane(config.queue().statements()));
        }
        for (int i = 0; i < concurrency; i++) {
            MirrorLane lane = lanes.get(i % laneCount);
            MirrorConnection connection = new MirrorConnection(mirror, lane);
            connections.add(connection);
            lane.add(connection);
            lane.addIdle(connection);
        }
    }

    /** Returns the lane of a session's statements. */
    MirrorLane of(long sessionId) {
        return lanes.get((int) Math.floorMod(sessionId, (long) lanes.size()));
    }

    /** Takes a statement that waits in any lane; returns null if there is none. */
    @Nullable
    MirroredStatement poll() {
        for (MirrorLane lane : lanes) {
            MirroredStatement statement = lane.poll();
            if (statement != null) {
                return statement;
            }
        }
        return null;
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

    /** Wakes connections for the statements that wait. */
    void drain() {
        lanes.forEach(MirrorLane::drain);
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

    void close() {
        connections.forEach(MirrorConnection::close);
    }
}
