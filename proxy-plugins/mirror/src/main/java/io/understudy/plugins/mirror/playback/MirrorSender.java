package io.understudy.plugins.mirror.playback;

import io.understudy.plugin.ServerConnection;
import io.understudy.plugins.mirror.selection.DropReason;
import io.understudy.plugins.mirror.tables.StandbyError;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An open connection: takes statements from its lane in batches, plays them, and is idle while there are none. Runs on
 * the connection's event loop; {@link #wake} and {@link #releaseLocks} are thread-safe.
 */
final class MirrorSender implements MirrorLink, Playback.Listener {
    private static final int ER_QUERY_INTERRUPTED = 1317;
    /**
     * A connection lost sooner does not reset the pause: a standby that resets every connection it accepts is tried
     * less and less often.
     */
    private static final long LASTING_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * Age at which a connection is renewed that was refused for want of a privilege: a server may keep the privileges
     * that it found at the login or at {@code USE}, so that an open connection never sees a later GRANT. One login per
     * connection in this time costs little where the privilege stays missing.
     */
    static final long RENEWED_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Bytes at which a batch ends: statements that have left the queue no longer count against its bound. */
    private static final int BATCH_BYTES = 64 * 1024;

    private final MirrorConnection connection;
    private final StandbyMirror mirror;
    private final MirrorLane lane;
    private final ServerConnection wire;
    private final Playback player;
    private final Runnable begin = this::begin;
    private final StatementDeadline deadline = new StatementDeadline();
    private final long openedNanos;
    /** By identity: equal statements are different ones. */
    private final Set<MirroredStatement> inFlight = Collections.newSetFromMap(new IdentityHashMap<>());

    private int batchSent;
    private long batchBegan;
    private boolean woken;
    private boolean looping;
    private boolean again;
    private boolean lacksPrivilege;

    MirrorSender(
            MirrorConnection connection,
            StandbyMirror mirror,
            MirrorLane lane,
            ServerConnection wire,
            Map<Integer, String> names) {
        this.connection = connection;
        this.mirror = mirror;
        this.lane = lane;
        this.wire = wire;
        this.openedNanos = mirror.nanoTime();
        this.player = new Playback(wire, names, mirror.probing(), this);
    }

    ServerConnection wire() {
        return wire;
    }

    StatementDeadline deadline() {
        return deadline;
    }

    /** Returns whether it was open long enough to count as a success. */
    boolean lasted() {
        return age() > LASTING_NANOS;
    }

    private long age() {
        return mirror.nanoTime() - openedNanos;
    }

    /** @throws RejectedExecutionException if the connection's event loop has ended */
    void wake() {
        wire.loop().execute(begin);
    }

    /** Sends whatever waits, even if it is less than a batch. */
    void begin() {
        woken = true;
        next();
    }

    /**
     * Takes batches until there is no more to take. A loop, not recursion, because a statement may end before
     * {@code play} returns.
     */
    private void next() {
        again = true;
        if (looping) {
            return;
        }
        looping = true;
        step(() -> {
            while (again) {
                again = false;
                takeBatch();
            }
        });
        looping = false;
    }

    /**
     * Sends a batch of statements without waiting for their responses, or becomes idle. A statement that needs other
     * settings or must be prepared ends the batch, because the statements after it depend on its response.
     */
    private void takeBatch() {
        if (!wire.isOpen()) {
            connection.lost(this, "the standby closed the connection");
            return;
        }
        if (!woken && !lane.hasBatch()) {
            lane.addIdle(connection);
            return;
        }
        woken = false;
        int taken = 0;
        int bytes = 0;
        int most = lane.batch().statements();
        while (taken < most && bytes < BATCH_BYTES && !player.awaitsStep() && connection.is(this)) {
            MirroredStatement statement = lane.poll();
            if (statement == null) {
                break;
            }
            inFlight.add(statement); // ahead of what may throw
            if (!mirror.dequeued(statement)) {
                inFlight.remove(statement);
            } else {
                taken++;
                bytes += statement.bytes();
                if (inFlight.size() == 1) {
                    batchBegan = System.nanoTime();
                    deadline.begin(batchBegan);
                    batchSent = 0;
                }
                batchSent++;
                player.play(statement);
            }
        }
        // Statements that only waited for that response need not make up a batch.
        woken = player.awaitsStep() || bytes >= BATCH_BYTES;
        if (taken == 0) {
            lane.addIdle(connection);
        }
    }

    /** Called when a statement has ended: the standby now executes the next one, or the batch is complete. */
    private void over(MirroredStatement statement) {
        ended(statement);
        if (!inFlight.isEmpty()) {
            deadline.begin(System.nanoTime());
            return;
        }
        deadline.end();
        lane.batch().completed(batchSent, System.nanoTime() - batchBegan);
        if (lacksPrivilege && age() > RENEWED_NANOS) {
            connection.renew(this);
        } else if (connection.is(this)) {
            next();
        }
    }

    /** A statement ends once: a step may throw when it has sent the statement, or when its response is there. */
    private void ended(MirroredStatement statement) {
        if (inFlight.remove(statement)) {
            statement.release();
        }
    }

    private void refused(MirroredStatement statement, StandbyError error) {
        lacksPrivilege |= error.lacksPrivilege();
        mirror.errors().failed(statement.rule().name(), statement.digest(), error);
    }

    @Override
    public void executed(MirroredStatement statement, String outcome, @Nullable StandbyError error, long nanos) {
        boolean killed = error != null && error.code() == ER_QUERY_INTERRUPTED && deadline.killed();
        if (error != null && !killed && outcome.equals("error")) {
            refused(statement, error);
        }
        mirror.executed(statement, killed ? "timeout" : outcome, nanos);
        over(statement);
    }

    @Override
    public void notReproducible(MirroredStatement statement, @Nullable StandbyError error) {
        if (error != null) {
            refused(statement, error);
        }
        boolean denied = error != null && error.lacksPrivilege(); // as of USE, without any privilege on the schema
        mirror.drop(statement, denied ? DropReason.NOT_GRANTED : DropReason.NOT_REPRODUCIBLE);
        over(statement);
    }

    @Override
    public boolean failed(MirroredStatement statement, String reason) {
        if (!connection.is(this)) {
            // The statement before it broke the connection; the standby never began this one.
            dropped(statement);
            return false;
        }
        long nanos = deadline.nanos();
        boolean overdue = nanos > timeoutNanos();
        mirror.executed(statement, overdue ? "timeout" : "error", nanos);
        ended(statement);
        connection.lost(this, reason);
        return overdue;
    }

    private void dropped(MirroredStatement statement) {
        mirror.drop(DropReason.STANDBY_DOWN);
        ended(statement);
    }

    /** A fault ends the connection. */
    @Override
    public void step(Runnable step) {
        connection.guard(step, reason -> connection.lost(this, reason));
    }

    /**
     * Closes the connection. Drops what is then still in flight: a step threw before it sent the statement, or with the
     * response. Thread-safe.
     */
    void close() {
        connection.close(wire);
        try {
            wire.loop().execute(() -> List.copyOf(inFlight).forEach(this::dropped));
        } catch (RejectedExecutionException e) {
            // the loop has ended: it takes no step any more
        }
    }

    @Override
    public long timeoutNanos() {
        return mirror.config().timeout().toNanos();
    }

    /** Has the standby release the user locks of the connection. */
    void releaseLocks() {
        wire.loop().execute(() -> {
            if (wire.isOpen()) {
                PrecedingCommands.sendTexts(wire, List.of("DO RELEASE_ALL_LOCKS()"), (refused, failure) -> {
                    if (refused != null) {
                        wire.close(); // an old server without that function
                    }
                });
            }
        });
    }
}
