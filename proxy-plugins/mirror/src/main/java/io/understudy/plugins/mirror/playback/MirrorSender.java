package io.understudy.plugins.mirror.playback;

import io.understudy.plugin.ServerConnection;
import io.understudy.plugins.mirror.selection.DropReason;
import io.understudy.plugins.mirror.statement.CollationNames;
import io.understudy.plugins.mirror.statement.FirstStatements;
import io.understudy.plugins.mirror.statement.StatementSetting;
import io.understudy.plugins.mirror.tables.StandbyError;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An open connection: takes statements from its lane in batches, plays them, and is idle while there are none. Runs on
 * the connection's event loop; {@link #wake}, {@link #suits}, {@link #handOver} and {@link #releaseLocks} are
 * thread-safe.
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
    /** Statements that other connections handed over, because this one has their schema. */
    private final Queue<MirroredStatement> handedOver = new LinkedBlockingQueue<>();

    private final long openedNanos;
    private volatile boolean idle;

    private int inFlight;
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
            CollationNames names) {
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
        idle = false;
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
        try {
            while (again) {
                again = false;
                takeBatch();
            }
        } finally {
            looping = false;
        }
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
        if (!woken && !lane.hasBatch() && handedOver.size() == 0) {
            becomeIdle();
            return;
        }
        woken = false;
        int taken = 0;
        int bytes = 0;
        int most = lane.batch().statements();
        while (taken < most && bytes < BATCH_BYTES && !player.awaitsStep() && connection.is(this)) {
            MirroredStatement statement = nextStatement();
            if (statement == null) {
                break;
            }
            if (mirror.dequeued(statement)) {
                taken++;
                bytes += statement.bytes();
                if (inFlight++ == 0) {
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
            becomeIdle();
        }
    }

    private void becomeIdle() {
        idle = true;
        lane.addIdle(connection);
        // A statement may have been handed over before this connection became idle.
        if (handedOver.size() > 0 && lane.removeIdle(connection)) {
            connection.wake();
        }
    }

    /**
     * Returns the next statement: first those handed over, then the lane's. Statements of the lane that suit another
     * idle connection better are handed over to it.
     */
    private @Nullable MirroredStatement nextStatement() {
        MirroredStatement given = handedOver.poll();
        if (given != null) {
            return given;
        }
        MirroredStatement statement = lane.poll();
        while (statement != null && player.suits(statement.setting()) < 2) {
            MirrorConnection better = lane.better(connection, statement.setting(), player.suits(statement.setting()));
            if (better == null) {
                return statement;
            }
            better.handOver(statement);
            statement = lane.poll();
        }
        return statement;
    }

    /** Returns how well it suits a statement (see {@link Playback#suits}), or -1 if it is busy or has a full batch. */
    int suits(StatementSetting setting) {
        int given = handedOver.size();
        boolean free = !deadline.running()
                && (idle || given > 0)
                && given < lane.batch().statements();
        return free ? player.suits(setting) : -1;
    }

    /** Adds a statement to the next batch. */
    void handOver(MirroredStatement statement) {
        handedOver.add(statement);
        if (!connection.is(this)) {
            giveBack(); // lost meanwhile
        } else if (lane.removeIdle(connection)) {
            connection.wake();
        }
    }

    /** Puts what was handed over into the lane again. Called after the connection has another state. */
    void giveBack() {
        MirroredStatement statement;
        while ((statement = handedOver.poll()) != null) {
            connection.giveBack(statement);
        }
    }

    /** Called when a statement has ended: the standby now executes the next one, or the batch is complete. */
    private void over(MirroredStatement statement) {
        statement.release();
        inFlight--;
        if (inFlight > 0) {
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

    private void refused(MirroredStatement statement, StandbyError error) {
        lacksPrivilege |= error.lacksPrivilege();
        mirror.errors().failed(statement.rule().name(), statement.digest(), error, System.nanoTime());
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
        inFlight--;
        if (!connection.is(this)) {
            // The statement before it broke the connection; the standby never began this one.
            mirror.drop(DropReason.STANDBY_DOWN);
            statement.release();
            return false;
        }
        long nanos = deadline.nanos();
        boolean overdue = nanos > timeoutNanos();
        mirror.executed(statement, overdue ? "timeout" : "error", nanos);
        statement.release();
        connection.lost(this, reason);
        return overdue;
    }

    @Override
    public long timeoutNanos() {
        return mirror.config().timeout().toNanos();
    }

    /** Has the standby release the user locks of the connection. */
    void releaseLocks() {
        wire.loop().execute(() -> {
            if (wire.isOpen()) {
                FirstStatements.send(wire, List.of("DO RELEASE_ALL_LOCKS()"), refused -> {
                    if (refused != null) {
                        wire.close(); // an old server without that function
                    }
                });
            }
        });
    }
}
